"""The facts that the stages of a run have established, and the report that is made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any

from solvers.base.backend_rows import row_of
from solvers.base.endings import Ending
from solvers.base.options import LEVEL, UNKNOWN, Options
from solvers.cubes.account import Account
from solvers.cubes.search import Engine, Search
from solvers.running.collect import Collected, number_apart
from solvers.running.end_request import EndRequest
from solvers.running.plug import Counter, Tally
from solvers.running.prepare import Prepared
from solvers.running.stated import oddities
from solvers.show.evidence import READ_BY, kind_of, rests_on
from solvers.show.report import Report
from solvers.show.versions import version_of, versions
from solvers.symmetry.key import checksum

LISTING_WAS_QUICKER = "listing was quicker than counting without a list"
"""The reason for the backend of a listing that has won against a count."""


@dataclass
class RunFacts:
    """The result of each stage of a run as far as it has come; no stage changes that of another.

    `report` tells them all. A fact that is unknown yet is None or empty.
    """

    asked: Report
    """What is known before the first stage: the puzzle's name and parameters, and the options."""
    options: Options
    prepared: Prepared | None = None
    stated: Mapping[str, Any] = field(default_factory=dict)
    """The fields of the report that follow from the declaration; see `declaration_facts`."""
    engine: Engine | None = None
    """The backend that searches; None before the search, and where none searches."""
    account: Account = field(default_factory=Account)
    """The figures of the search."""
    tally: Tally | None = None
    """The state of a count without listing; None if solutions are listed."""
    collected: Callable[[], Collected | None] = lambda: None
    """Returns what was checked and counted so far."""
    is_proved: bool | None = None
    """Whether the symmetries were proved."""
    is_complete: bool = False
    """Whether the whole space was searched."""
    is_over: bool = False
    """Whether the search has ended."""
    is_answered: bool = False
    """Whether the search was not needed, as the drawing that was read is no solution."""
    request: EndRequest = field(default_factory=EndRequest)
    """The request that the run ends early, if there is one."""
    full: Ending | None = None
    """The ending of a run that has found as many solutions as were asked for; None before."""
    is_output_late: bool = False
    """Whether the time limit has cut short what is written after the search."""
    seconds: dict[str, float | None] = field(default_factory=dict)
    """The times of the stages that are over, by the names of `Report.seconds`."""
    memory: dict[str, int] = field(default_factory=dict)
    """The peak memory at the end, by the names of `Report.memory`."""
    further: dict[str, Any] = field(default_factory=dict)
    """Fields of the report that were established after the search."""

    @property
    def ending(self) -> Ending | None:
        """The cause that ended the run early; None if nothing did.

        A search that is over and has not covered the whole space always has an ending.
        """
        if self.is_output_late:
            return Ending.TIME_LIMIT
        requested = self.request.ending
        # The collector was full before the time limit was noticed.
        if self.full and requested is Ending.TIME_LIMIT:
            return self.full
        if requested or not self.is_over or self.is_complete or self.is_answered:
            return requested
        # The search ended by itself before it was complete.
        return Ending.SEARCH if self.options.time_limit is None else Ending.TIME_LIMIT

    @property
    def stopped_by(self) -> str:
        """The cause that ended the run early, in words; empty if nothing did."""
        ending = self.ending
        if ending is None:
            return ""
        return self.request.words if ending is self.request.ending else ending.words

    @property
    def counter(self) -> Counter | None:
        """The program that counts without listing; None if solutions are listed."""
        search = self.prepared.search if self.prepared else None
        return None if search is None or isinstance(search, Search) else search

    @property
    def method(self) -> str:
        """The way of counting: listing, or that of the counter, which may have listed the solutions after all."""
        if not self.counter:
            return "listing"
        return self.tally.listed.method if self.tally and self.tally.listed else self.counter.method

    def report(self) -> Report:
        """Return the report of the run so far."""
        report = replace(
            self.asked,
            parameters=self._parameters(),
            complete=self.is_complete,
            stopped_by=self.stopped_by,
            symmetry_proved=self.is_proved,
            **self.stated,
            **self._fields_of_search(),
            **self._fields_of_solutions(),
        )
        backend_row = row_of(report.backend)
        # The versions of the packages that the backend uses are reported, too.
        packages = [*backend_row.built_on, *filter(None, [backend_row.package])] if backend_row else []
        package_versions = {package: version_of(package) for package in packages}
        report = replace(report, versions={**report.versions, **package_versions})
        return replace(report, rests_on=self._rests_on(report), **self.further)

    def _parameters(self) -> dict[str, Any]:
        """Return the parameters of the puzzle by name.

        Where 0 was given, the value is the one that the puzzle has derived from others.
        """
        chosen = self.prepared.question.puzzle.parameters if self.prepared else {}
        return {name: value or chosen.get(name, value) for name, value in self.asked.parameters.items()}

    def _fields_of_search(self) -> dict[str, Any]:
        """Return the fields of the report, by name, on who searches, and with what effort.

        They are those of the search at first; the figures of a count without listing (the tally), or of the listing
        that has replaced it, overwrite them. ``account`` has the sums over all finished cubes, ``engine`` the backend.
        """
        account, counter, tally, engine = self.account, self.counter, self.tally, self.engine
        memory = {"worker": account.worker_memory} if account.worker_memory else {}
        seconds = dict(self.asked.seconds) | self.seconds
        for name, left in (("left", account.seconds_left), *account.left_range.items()):
            seconds[name] = None if self.is_complete else left
        search = self.prepared.search if self.prepared else None
        fields: dict[str, Any] = {
            "method": self.method,
            "jobs": self.options.jobs if account.cubes else 1,
            "cubes": account.cubes,
            "splitting_nodes": account.cut,
            "resumed": dict(account.resumed),
            "progress": account.progress,
            "statistics": dict(account.statistics or (search.live_statistics if isinstance(search, Search) else {})),
            "memory": {**memory, **(tally.memory if tally else {}), **self.memory},
            "seconds": seconds,
        }
        if counter:
            fields |= {"backend": counter.name, "model": dict(counter.size), "jobs": counter.jobs}
        elif engine and self.prepared:
            added = {**self.prepared.broken_by, **engine.implied}
            fields |= {
                "backend": engine.name,
                "backend_reason": engine.why,
                "model": dict(engine.size),
                "added_constraints": added,
            }
        if account.cubes and account.cubes == sum(account.resumed.values()):
            # Nothing was left to search: those count that have searched.
            fields["backend"] = max(account.resumed, key=account.resumed.__getitem__)
        if tally:
            fields["statistics"] = dict(tally.statistics)
        if tally and tally.listed:
            fields |= {"backend": tally.listed.backend, "model": tally.listed.model}
            fields["backend_reason"] = LISTING_WAS_QUICKER
        if tally and tally.resumed:
            fields["resumed"] = {fields["backend"]: tally.resumed}
        return fields

    def _fields_of_solutions(self) -> dict[str, Any]:
        """Return the fields of the report on the solutions: how many were found, checked and counted.

        They are empty before the search. A count without listing replaces the counts of the collector. Under features
        that the user asked for, the rarest comes first; otherwise they are in alphabetical order.
        """
        collected, tally = self.collected(), self.tally
        if not (collected and self.prepared):
            return {}
        fields: dict[str, Any] = asdict(collected)
        if self.counter:
            fields["found"] = None
        if tally:
            fields |= {"solutions": tally.solutions, "total": tally.total, "features": dict(tally.features)}
            if tally.objective is not None:
                fields["objective"] = tally.objective
            if tally.listed:
                fields["found"] = tally.listed.found
                fields["checked"] += tally.listed.checked
        puzzle, objective = self.prepared.question.puzzle, fields["objective"]
        if puzzle.remarks.best and objective is not None:
            fields["best"] = puzzle.remarks.best(objective)
        is_by_count = self.options.by is not None
        features = fields["features"].items()
        if self.options.by == LEVEL and not tally:
            fields["undecided"] = sum(count for level, count in features if level == UNKNOWN)
            fields["apart"] = number_apart(fields["features"])
        # Each row is (feature, count).
        fields["features"] = dict(sorted(features, key=lambda row: (row[1] if is_by_count else 0, row[0])))
        return fields

    def _rests_on(self, report: Report) -> list[str]:
        """Return what the count of a report rests on besides the search, as `rests_on` words it.

        The parts of our code by which the model got to a solver are those that the backend names, and those of the
        backends of earlier runs on the same store.
        """
        read_by = set(self.engine.rests_on if self.engine else ())
        for backend in report.resumed if self.engine else [report.backend]:
            read_by.update(READ_BY.get(kind_of(backend, report.method), ()))
        file = self.prepared.question.puzzle.file if self.prepared else None
        return rests_on(
            read_by,
            readers=file.readers if file else (),
            has_symmetries=(report.symmetries or 1) > 1,
            breaks_symmetry=report.method == "listing" and not self.options.unbroken and report.breaking != "none",
            is_cut=report.splitting_nodes > 0,
        )


def declaration_facts(prepared: Prepared) -> dict[str, Any]:
    """Return the fields of the report, by name, that follow from the declaration and its symmetries.

    prepared: the question and its search; only the question is looked at. Variables are counted: all, those of the key,
    and those of the key that have names.
    """
    question = prepared.question
    puzzle, model, key = question.puzzle, question.model, question.key
    return {
        "note": puzzle.remarks.note,
        "warnings": [*puzzle.remarks.warnings, *oddities(model, key)],
        "given": [fact.text for fact in question.given],
        "variables": {
            "all": len(model.proto.variables),
            "key": len(key.variables),
            "named": len(puzzle.named) or len(key.variables),
        },
        "symmetries": question.group.order,
        "skipped_kinds": list(question.group.rigid),
        "checksum": partial(checksum, model, key),
        "versions": {**versions(), **(puzzle.file.versions if puzzle.file else {})},
    }
