"""Backends one after another, each in a process of its own; what they find is told while it comes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

from solvers.extras.studies.compare.trials import TERMS, Trial, agreeing, disagreements, terms, try_out
from solvers.show.evidence import agreement
from solvers.show.report import Report

Line = list[tuple[float, int]]
"""A list of (seconds, solutions up to symmetry)."""

MAX_LINE_POINTS = 200
"""The most points through which a line is drawn."""

COMPARISON_REFRESH_SECONDS = 0.25
"""Seconds between two reports on a run that goes on."""


def compare(
    words: Sequence[str],
    blank: Report,
    backends: Sequence[str],
    stop: threading.Event,
    tell: Callable[[dict[str, Any]], None],
) -> None:
    """Run ``python -m solvers.run`` with these words on each backend in turn, and show the progress.

    Each run is a `Trial`, in a process of its own. words: the command line without the backend. blank: the report to
    use for a run that gives none, with the puzzle and the options. stop: ends the current run, and the others are left
    out. tell: called again and again with a dictionary: "running", the backend's name, "" at the end; "lines", each
    backend's list of (seconds, solutions); "rows", a table row for each run; "wrong", sentences on failures and
    disagreements; "agree", a sentence, empty until the end.
    """
    lines: dict[str, Line] = {}
    rows: list[dict[str, Any]] = []
    wrong: list[str] = []
    trials: list[Trial] = []
    sentence_of_agreement = ""

    def report_progress(running: str) -> None:
        """Tell the state of all runs; running: the backend of the current one, "" at the end."""
        tell(
            {
                "running": running,
                "lines": dict(lines),
                "rows": list(rows),
                "wrong": list(wrong),
                "agree": sentence_of_agreement,
            }
        )

    with TemporaryDirectory() as folder:
        for place, backend in enumerate(backends):
            if stop.is_set():
                break
            start, line = monotonic(), [(0.0, 0)]

            def watch(solutions: int, backend: str = backend, line: Line = line, start: float = start) -> None:
                """Add a point to the line of the run, if the last one is old enough, and show it."""
                if (now := monotonic() - start) > line[-1][0] + COMPARISON_REFRESH_SECONDS:
                    line.append((now, solutions))
                    lines[backend] = _thin_line(line)
                    report_progress(backend)

            report_progress(backend)
            # It calls ``watch`` with the number of solutions so far.
            trial = try_out(blank, words, backend, Path(folder) / f"{place}.jsonl", stop, watch)
            if trial.complaint:
                lines.pop(backend, None)
                wrong.append(f"{backend}: {trial.complaint}")
                continue
            trials.append(trial)
            lines[backend] = _thin_line(trial.timeline)
            rows.append(_row(trial))
        sentence_of_agreement = agreement(agreeing(trials))
        wrong += [disagreement.sentence for disagreement in disagreements(trials)]
    report_progress("")


def _thin_line(line: Sequence[tuple[float, int]]) -> Line:
    """Return at most `MAX_LINE_POINTS` points of a line, and its last one."""
    step = -(-len(line) // MAX_LINE_POINTS)
    return [*line[::step], line[-1]]


def _row(trial: Trial) -> dict[str, Any]:
    """Return the outcome of a run as the row of a table: its values by column.

    `terms` returns, for the columns `TERMS`, what the counts rest on.
    """
    row = trial.row
    return {
        "backend": trial.backend,
        "complete": "yes" if row["complete"] else f"no ({row['stopped_by']})",
        "is_complete": row["complete"],
        "solutions": row["solutions"],
        "total": row["total"],
        "first": row["seconds"]["first"],
        "seconds": row["seconds"]["all"],
        **dict(zip(TERMS, terms(row), strict=True)),
    }
