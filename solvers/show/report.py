"""The report of a run, as a table and as JSON."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from solvers.show.evidence import CHECKED, VERIFIED, Completed, Evidence, SecondCount, grade, searcher
from solvers.show.plain import IMAGES_COUNT_ONCE, amounts, first_words, in_json, json_value, number_with_unit, time_span
from solvers.show.printable import columns, printable
from solvers.show.versions import machine, source_checksum, versions

MAX_FEATURE_ROWS = 50
"""The most rows that the table shows of the counts by a property that was asked for; JSON has all."""

MAX_SHARE = 0.999
"""The greatest share of the space that an incomplete run is said to have searched."""

LEFT = ("left", "left_low", "left_high")
"""The seconds that are predicted, not spent; the table has them as a range."""

SCHEMA = 2
"""The version of the keys of the JSON: it grows if one of them changes its meaning or is gone."""

UNTOLD = ("certificate", "counted_again", "rests_on", "checksum")
"""The fields that are no keys of the JSON; it tells them as evidence and checksums."""

DERIVED = {
    "parameters": "_parameters_in_json",
    "evidence": "_evidence_in_json",
    "checksums": "_checksums_in_json",
}
"""The keys of the JSON that are no fields as they are, and the method that returns each."""


@dataclass(frozen=True)
class Report:
    """The facts of a run so far. Counts are exact iff complete, else lower bounds. Times are wall-clock seconds."""

    puzzle: str = ""
    parameters: Mapping[str, object] = field(default_factory=dict)
    note: str = ""
    """A remark of the puzzle on how its parameters were understood."""
    warnings: Sequence[str] = field(default_factory=list)
    """Warnings about the declaration: its author may mean something else."""
    given: Sequence[str] = field(default_factory=list)
    """The givens, each as label=value."""
    backend: str = ""
    backend_reason: str = ""
    """The reason why `auto` has chosen this backend; empty if the user named the backend."""
    method: str = "listing"
    """The way of counting: listing, or a count without listing."""
    complete: bool = False
    """Whether the whole space was searched."""
    stopped_by: str = ""
    """The reason why a run is incomplete: the limit, the time limit, Ctrl-C, SIGTERM, a full disk."""
    solutions: int = 0
    """The number of solutions up to symmetry, that is, of orbits."""
    total: int = 0
    """The number of all solutions in these orbits."""
    variables: Mapping[str, int] = field(default_factory=dict)
    """The number of the model's variables (all), of those that solutions are counted over (key), and of these the ones
    that have names (named).
    """
    named_solutions: int | None = None
    """The number of solutions over the variables that have names; None if all of the key have, or it is not known."""
    symmetry: str = "declared"
    """Which symmetries make two solutions one: those declared, those found in the model, or none."""
    breaking: str = "auto"
    """The way to break symmetry that was asked for."""
    symmetries: int | None = None
    """The order of the group that these symmetries generate."""
    skipped_kinds: Sequence[str] = field(default_factory=list)
    """With `--symmetry found`: the kinds of the model's constraints in which no symmetries were looked for."""
    symmetry_proved: bool | None = None
    """True if all symmetries were proved, or there are none; False if some are taken on trust; None if not known."""
    unique: bool | None = None
    """True if there is exactly one solution up to symmetry; None if that was not asked, or is not known."""
    which: Mapping[str, object] | None = None
    """The answer of the command ``which``: whether the drawing is a solution, its number in the run's order, and a
    sentence.
    """
    found: int | None = 0
    """The number of different solutions that the search met; None if it lists none."""
    repeats: int | None = 0
    """Visits to a solution that had been seen already; None where solutions are not kept."""
    checked: int = 0
    """The number of solutions and images that were checked against the model and the rules of the puzzle."""
    own_checks: Mapping[str, int] = field(default_factory=dict)
    """How many solutions that represent orbits, and images besides, the puzzle's own check was asked about.

    It is empty if the puzzle has none.
    """
    rests_on: Sequence[str] = field(default_factory=list)
    """The parts of the run, besides the search itself, in which a mistake would stay unnoticed; told in `evidence`."""
    counted_again: SecondCount | None = None
    """A second count by another way, where that was asked for; told in `evidence`."""
    certificate: str = ""
    """What became of the certificate, where that was asked for: `CHECKED` or `UNCHECKED`; told in `evidence`."""
    objective: int | float | None = None
    """The best value, where the puzzle asks for one and it is known."""
    best: str = ""
    """The best value in the puzzle's own words; empty if the puzzle has none."""
    by: str = ""
    """The property that solutions are counted by, if one was asked for."""
    features: Mapping[str, int] = field(default_factory=dict)
    """The number of solutions up to symmetry with each property that the puzzle names.

    They are sorted by name or, if the user asked for a property, by count, the least first.
    """
    apart: int | None = None
    """The number of solutions up to symmetry that moves along the axes take apart; None if that was not asked for."""
    undecided: int = 0
    """The number of solutions up to symmetry for which the search for such moves was given up."""
    selected: Mapping[str, object] | None = None
    """The conditions of `--where`, and the number of solutions up to symmetry that fulfil them; None without any."""
    unique_apart: bool | None = None
    """Whether exactly one solution up to symmetry comes apart; None if that was not asked or is not known."""
    marginals: Mapping[str, int] = field(default_factory=dict)
    """The numbers of literals, of those true in_all solutions, and of those true in_none.

    It is empty if `--marginals` was not given, or if not all solutions are known.
    """
    samples: Sequence[Any] = field(default_factory=list)
    """Solutions that were drawn from all, each as a list of [label, value]."""
    hints: Mapping[str, Any] | None = None
    """The fewest hints for one solution or for each, where they were asked for; see `invent.hints.Hints`."""
    seconds: Mapping[str, float | None] = field(
        default_factory=lambda: {
            "build": None,
            "first": None,
            "all": 0.0,
            "output": 0.0,
            **dict.fromkeys(("verify", "certify", *LEFT)),
        }
    )
    """The times in seconds: to declare and prepare the model (build); to the first solution (first); to the end without
    the second count and output (all); for output, the second count (verify) and the certificate (certify); and, for
    an incomplete run, the estimate for the rest (left) and its range (left_low, left_high).

    It is None where a time is not known, or the work was not asked for.
    """
    jobs: int = 1
    cubes: int = 0
    """The number of cubes that were searched; 0 if the space was searched in one piece."""
    splitting_nodes: int = 0
    """The number of nodes of our own search that it took to split the space; a backend's own search is not counted
    here."""
    resumed: Mapping[str, int] = field(default_factory=dict)
    """The number of cubes, or of layers, that earlier runs on the same store had finished, by backend."""
    progress: float = 0.0
    """The share of the space that was searched, by the cubes' weights."""
    memory: Mapping[str, int] = field(default_factory=dict)
    """The peak memory, in bytes, of this process (main) and of its largest worker."""
    model: Mapping[str, int] = field(default_factory=dict)
    """The size of the model that the solver got: variables, constraints or clauses."""
    added_constraints: Mapping[str, int] = field(default_factory=dict)
    """The facts that the solver got besides the puzzle's rules: some break symmetry, some follow from the rules."""
    statistics: Mapping[str, int] = field(default_factory=dict)
    """The work of the search, in the solver's own units."""
    versions: Mapping[str, str] = field(default_factory=versions)
    command: str = ""
    """The command line of the run; empty if no command has begun it."""
    seed: int = 0
    solver_parameters: Mapping[str, str] = field(default_factory=dict)
    """The parameters that the user gave the solver."""
    limits: Mapping[str, int | float | None] = field(default_factory=dict)
    """What may end the run early: the number of solutions (limit), seconds (time_limit) and gigabytes (memory).

    It is None where there is no such limit.
    """
    machine: Mapping[str, Any] = field(default_factory=machine)
    """The name of the machine's processor, and the number of its cores."""
    schema: int = SCHEMA
    checksum: Callable[[], str] = str
    """Returns the SHA-256 checksum of the model with its givens and its key; empty before the model is built."""

    def __getitem__(self, key: str) -> Any:
        """Return the value under this key of the report in JSON; raise KeyError if there is no such key."""
        if key in DERIVED:
            return in_json(getattr(self, DERIVED[key])())
        if key in UNTOLD:
            raise KeyError(key)
        return in_json(vars(self)[key])

    def as_json(self) -> str:
        """Return the report as JSON in one line.

        The keys are the names of the fields, with evidence and checksums.
        """
        names = [name for name in vars(self) if name not in UNTOLD]
        return json.dumps({name: self[name] for name in dict.fromkeys([*names, *DERIVED])})

    def _parameters_in_json(self) -> dict[str, object]:
        """Return the parameters of the puzzle as JSON has them."""
        return {name: json_value(value) for name, value in self.parameters.items()}

    def _evidence_in_json(self) -> dict[str, object]:
        """Return the evidence as JSON has it."""
        return asdict(self.evidence)

    def _checksums_in_json(self) -> dict[str, str]:
        """Return the checksums of the model and of the source."""
        return {"model": self.checksum(), "kazoeru": source_checksum()}

    @property
    def counted_over(self) -> str:
        """The variables that tell solutions apart, in words; empty if these are all of the model, and all have names.

        If some have no name and the others do not determine them, the number of solutions over the others is said, too.
        """
        if not self.variables:
            return ""
        all_variables, key, named = self.variables["all"], self.variables["key"], self.variables["named"]
        words = [f"{key} of the model's {number_with_unit(all_variables, 'variables')}"] if key < all_variables else []
        if named < key and self.named_solutions != self.total:
            at_least = "" if self.complete else "at least "
            have = "has a name" if named == 1 else "have names"
            these = f"all {number_with_unit(key, 'variables')}" if key == all_variables else "these"
            words.append(f"{at_least}{self.total} over {these}")
            if self.named_solutions is None:
                words.append(f"{named} of them {have}")
            else:
                words.append(f"{at_least}{self.named_solutions} over the {named} that {have}")
            words.append("--key chooses")
        return "; ".join(words)

    @property
    def completed(self) -> Completed:
        """The facts of a complete run by which its agreement with others is judged."""
        return Completed(self.backend, self.rests_on)

    @property
    def searched_by(self) -> str:
        """The name, in words, of the program that searched or counted.

        It is several names if runs on the same store used several programs.
        """
        backends = dict.fromkeys([self.backend, *self.resumed])
        return " and ".join(searcher(backend, self.method) for backend in backends)

    @property
    def _stands_for(self) -> str:
        """The words, behind a number of checked solutions, that they represent others by symmetry.

        They do if the group is too large to list all images; otherwise the result is empty.
        """
        # Fewer solutions were checked than counted.
        is_part = self.method == "listing" and self.complete and self.checked < self.total and not self.resumed
        if not is_part or (self.symmetries or 1) == 1:
            return ""
        return f", standing for {self.total}; generators {'' if self.symmetry_proved else 'not '}proved"

    @property
    def _by_own_check(self) -> str:
        """The words, behind a number of checked solutions, on how many of them were checked in further ways.

        These are a second reading of the puzzle's file, and the puzzle's own check. The latter is left out if it was
        asked about all of them, or if the puzzle has none.
        """
        parts = []
        if number := self.own_checks.get("file"):
            parts.append(f"; by a second reading of the file: {number}")
        solutions, images = (self.own_checks.get(name, 0) for name in ("solutions", "images"))
        if 0 < solutions + images < self.checked:
            parts.append(f"; by the puzzle's own check: {solutions} and {images} images")
        return "".join(parts)

    @property
    def evidence(self) -> Evidence:
        """The evidence for the counts: who searched, what was checked, and what is taken on trust."""
        is_certified = self.certificate == CHECKED
        is_confirmed = is_certified or self.counted_again is not None
        is_verified = self.counted_again is not None and self.counted_again.by == VERIFIED
        # For each belief on which the counts may rest, whether they do.
        is_trusted = {
            "what solvers/TRUST.md lists for the verified counter": is_verified,
            "what solvers/TRUST.md lists for a certificate": is_certified and not is_verified,
            "the declared symmetries": self.symmetry_proved is False,
            "that no solution was left out": self.complete and not is_confirmed,
            "that no value is better": self.objective is not None and not is_confirmed,
        }
        return Evidence(
            self.searched_by,
            f"{self.checked} of {number_with_unit(self.total, 'solutions')}"
            f"{self._stands_for and ', for which they stand'}",
            self.counted_again,
            is_certified,
            self.certificate,
            self.rests_on,
            [belief for belief, is_held in is_trusted.items() if is_held],
            grade(self.method, self.counted_again, is_certified, not self._stands_for) if self.complete else "",
        )

    def __str__(self) -> str:
        """Return the report as a table in text."""
        return self.as_table()

    def as_table(self) -> str:
        """Return the report as text in two columns, for people."""
        rows = self.rows()
        width = max(columns(name) for name, _ in rows)
        return "\n".join(f"{name}{' ' * (width - columns(name))}  {text}".rstrip() for name, text in rows)

    def answer(self) -> str:
        """Return the sentence that says whether the solution is unique.

        The result is empty if that was not asked or is not known.
        """
        once = f"\n{IMAGES_COUNT_ONCE}" if (self.symmetries or 1) > 1 else ""
        if self.unique_apart is not None:
            number = {0: "No, no", 1: "Yes, exactly one"}.get(self.apart or 0, "No, more than one")
            return f"{number} assembly comes apart.{once}"
        if self.unique is None:
            return ""
        noun = "best solution" if self.objective is not None else "solution"
        if not self.solutions:
            return "No, there is no solution."
        number = "Yes, there is exactly one" if self.unique else "No, there is more than one"
        return f"{number} {noun} up to symmetry.{once}"

    def time_left(self, waited: float = 0.0) -> str:
        """Return the time that the rest of a run takes, as a range in words; "" if it is not known.

        waited: the seconds since the range was computed, in which no cube was finished; they widen it.
        """
        low, high = map(self.seconds.get, LEFT[1:])
        return "" if low is None or high is None else time_span(max(0.0, low - waited), high + waited)

    @property
    def outlook(self) -> str:
        """The share of the space that an incomplete run has searched, never 100%, and the time left; "" if unknown."""
        if self.complete or not self.progress:
            return ""
        left = self.time_left()
        return f"{min(self.progress, MAX_SHARE):.1%} of the space{left and f', {left} left'}"

    def _feature_rows(self, at_least: str) -> list[tuple[str, str]]:
        """Return the counts of ``features`` as (name, count) rows.

        Of a property that was asked for, a first row has the number of its values, and at most `MAX_FEATURE_ROWS`
        follow; of levels there are none, as they have a row of their own. at_least: "at least " or "", put before each
        count.
        """
        rows = [(f"  {feature}", f"{at_least}{count}") for feature, count in self.features.items()]
        if not self.by:
            return rows
        if self.apart is not None:
            return []
        values_with_one = sum(count == 1 for count in self.features.values())
        amount = f"{len(rows)} different, {values_with_one} of them in one solution"
        row_of_rest = [("  ...", f"{len(rows) - MAX_FEATURE_ROWS} more")] if len(rows) > MAX_FEATURE_ROWS else []
        return [(f"  by {self.by}", amount), *rows[:MAX_FEATURE_ROWS], *row_of_rest]

    @property
    def _levels_in_words(self) -> str:
        """The number of solutions that come apart, of all, and their levels (numbers of moves), the highest first."""
        levels_shown = level_texts(self.features)
        noun = "level" if self.apart == 1 else "levels"
        return f"{self.apart} of {self.solutions}" + (
            f": {noun} {first_words(levels_shown, MAX_FEATURE_ROWS)}" if levels_shown else ""
        )

    @property
    def selection(self) -> str:
        """The number of selected solutions, of all up to symmetry, and their conditions; "" if none were selected."""
        if self.selected is None:
            return ""
        where = " and ".join(map(str, self.selected["where"] or ()))  # type: ignore[call-overload]
        return f"{self.selected['solutions']} of {self.solutions}{where and f', where {where}'}"

    def rows(self) -> list[tuple[str, str]]:
        """Return the facts as (name, text) rows for people.

        The name of a fact that explains the one above is indented. Facts that are unknown or empty have no row: each
        list with ``if`` below has one row or none.
        """
        at_least = "" if self.complete else "at least "
        note_on_symmetry = "" if self.symmetry == "declared" else f" ({self.symmetry})"
        if self.skipped_kinds:
            note_on_symmetry = f" (found, but not in: {', '.join(self.skipped_kinds)})"
        if self.symmetry_proved is False:
            note_on_symmetry = " (declared, not proved)"
        if self.complete:
            complete = "yes, the whole space was searched"
        else:
            complete = f"no, ended by {self.stopped_by}" if self.stopped_by else "no"
        has_unchecked = self.method == "listing" and not self.complete and self.checked < (self.found or 0)
        of_these = f", of these {self.checked} checked" if has_unchecked else ""
        name_of_resumed = "  searched before" if self.cubes else "layers counted before"
        cut_in_words = (
            f", cut by {number_with_unit(self.splitting_nodes, 'nodes')} of our own" if self.splitting_nodes else ""
        )
        rows: list[tuple[str, object]] = [
            ("puzzle", self.puzzle),
            *(
                (f"  {name}", shown_value)
                for name, value in self.parameters.items()
                if (shown_value := json_value(value)) not in ("", None)
            ),
            *([("note", self.note)] if self.note else []),
            *(("warning", sentence) for sentence in self.warnings),
            *(("given", literal) for literal in self.given),
            ("backend", self.backend),
            *([("  reason for it", self.backend_reason)] if self.backend_reason else []),
            ("method", self.method),
            *([("model", amounts(self.model))] if self.model else []),
            *([("  added constraints", amounts(self.added_constraints))] if self.added_constraints else []),
            *([("counted over", self.counted_over)] if self.counted_over else []),
            ("complete", complete),
            *([("  searched", self.outlook)] if self.outlook else []),
        ]
        if self.objective is not None:
            rows.append(("best value", self.best or self.objective))
        rows += [
            ("solutions up to symmetry", f"{at_least}{self.solutions}"),
            *self._feature_rows(at_least),
            *([("  come apart", f"{at_least}{self._levels_in_words}")] if self.apart is not None else []),
            *([("  selected", f"{at_least}{self.selection}")] if self.selected else []),
            ("solutions in all", f"{at_least}{self.total}"),
            *([("symmetries", f"{self.symmetries}{note_on_symmetry}")] if self.symmetries else []),
            *([("  broken by", self.breaking)] if self.breaking != "auto" else []),
            *([("solutions found", f"{self.found}{of_these}")] if self.found is not None else []),
            *([("repeats", self.repeats)] if self.repeats is not None else []),
            *(
                [("solutions and images checked", f"{self.checked}{self._stands_for}{self._by_own_check}")]
                if self.method == "listing"
                else []
            ),
            *self.evidence.rows(),
            *(
                [("cubes", f"{self.cubes}, by {number_with_unit(self.jobs, 'jobs')}{cut_in_words}")]
                if self.cubes
                else []
            ),
            *((name_of_resumed, f"{count}, by {backend}") for backend, count in sorted(self.resumed.items())),
            *((unit, count) for unit, count in self.statistics.items()),
            *(
                (f"seconds, {phase}", f"{s:.2f}")
                for phase, s in self.seconds.items()
                if s is not None and phase not in LEFT
            ),
        ]
        return [(printable(name), "" if fact is None else printable(str(fact))) for name, fact in rows]


def level_texts(features: Mapping[str, int]) -> list[str]:
    """Return the levels among the counts of ``features``, the highest first, each with how often it comes."""
    levels = [level for level in features if level[:1].isdigit()]
    levels.sort(key=lambda level: [*map(int, level.split("."))], reverse=True)
    return [f"{level} ({features[level]} times)" if features[level] > 1 else level for level in levels]
