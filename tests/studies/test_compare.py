"""Backends side by side: what a comparison prints, how it ends, and that a backend that lies is found out."""

import csv
import json
import re
import signal
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solvers import compare_backends, solve, survey_variants
from solvers.base.errors import InputError
from solvers.extras.studies.compare.side_by_side import Comparison
from solvers.extras.studies.compare.trials import Trial, agreeing, disagreements, summary
from tests.support.command import (
    HARD,
    complaint,
    full_disk,
    heeds_signals,
    on_this_load,
    refusal,
    run,
    start,
    wait_for,
)
from tests.support.declared import declared
from tests.support.own_models import FORMULA, write


def compared(*words: str) -> tuple[int, str, str]:
    done = run("solvers", "compare", *words)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.thorough
def test_default_backends_leave_out_what_does_not_apply(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solvers.extras.studies.compare.__main__.backends_to_compare", lambda: ["cover", "sat"])
    code, out, err = compared("magic", "--json")
    assert (code, err.count("\n"), "cover is left out" in err) == (0, 1, True)
    assert [(row["backend"], row["solutions"]) for row in json.loads(out)] == [("sat:cadical195", 1)]
    code, out, err = compared("magic", "--backends", "cover,cp-sat")
    assert (code, err.count("\n"), out.count("\ncp-sat "), "cover " in out) == (2, 1, 2, False)


def made_up(folder: Path, backend: str, lines: str, **facts: Any) -> Trial:
    file = write(folder / backend, lines)
    row = {
        "backend": backend,
        "evidence": {"rests_on": ["a"]},
        "complete": True,
        "solutions": 2,
        "total": 8,
        "symmetries": 4,
    }
    return Trial(backend, {**row, "objective": None, "by": "", "features": {}, **facts}, file, [])


def test_what_contradicts(tmp_path: Path) -> None:
    one, same = made_up(tmp_path, "one", "1\n2\n"), made_up(tmp_path, "same", "1\n2\n")
    early = made_up(tmp_path, "early", "2\n1", complete=False, solutions=1, total=4)
    assert not list(disagreements([one, same, early]))
    total = made_up(tmp_path, "total", "1\n2\n", total=7)
    other = made_up(tmp_path, "other", "1\n3\n")
    wrong = made_up(tmp_path, "wrong", "4\n2\n", complete=False)
    assert [found[:2] for found in disagreements([total, one, same, other, early, wrong])] == [
        ("one says total: 8, total says total: 7", ""),
        ("one has 1 of its 2 solutions that other lacks, such as this one", "2\n"),
        ("other has 1 of its 2 solutions that one lacks, such as this one", "3\n"),
        ("wrong has 1 of its 2 solutions that one lacks, such as this one", "4\n"),
    ]
    assert not list(disagreements([early, wrong]))
    assert agreeing([total, one, same, other, early, wrong]) == [("one", ["a"]), ("same", ["a"])]
    assert agreeing([early]) == []


@pytest.mark.thorough
@pytest.mark.parametrize(("how", "is_under_way"), [(signal.SIGINT, True), (signal.SIGTERM, False)])
def test_ends_within_two_seconds(how: signal.Signals, is_under_way: bool) -> None:
    process = start("solvers", "compare", *HARD, "--backends", "cover,sat", "--json")
    wait_for(lambda: not is_under_way or any(map(heeds_signals, descendants(process.pid))))
    time.sleep(1 if is_under_way else 0.3)
    children = list(descendants(process.pid))
    process.send_signal(how)
    began = time.monotonic()
    out, err = process.communicate(timeout=60)
    assert time.monotonic() - began < on_this_load(2)
    assert not [child for child in children if Path(f"/proc/{child}").exists()]
    if is_under_way:  # else it may not have come to heed signals
        assert err.count("\n") == 1
        assert process.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143}[how]
        (row,) = json.loads(out)
        assert (row["backend"], row["complete"]) == ("cover", False)
        assert row["stopped_by"] == {signal.SIGINT: "Ctrl-C", signal.SIGTERM: "SIGTERM"}[how]


def command_of(process: int) -> str:
    """The command line of a process; empty if it has ended."""
    with suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_text(encoding="utf-8")
    return ""


def descendants(process: int) -> "set[int]":
    """The processes that it started, and those that these did."""
    tasks = Path(f"/proc/{process}/task").glob("*/children")
    children = set[int]()
    for task in tasks:
        with suppress(OSError):  # it has ended
            children.update(map(int, task.read_text(encoding="ascii").split()))
    return children.union(*map(descendants, children))


def test_the_plot_counts_in_whole_numbers() -> None:
    row = json.loads(solve("magic", backend="cp").report.as_json())
    names = [f"sat:{n}" for n in range(3)]
    trials = [Trial(name, row | {"backend": name}, Path("unread"), [(0.0, 0), (1.0, 1)]) for name in names]
    axes = Comparison(trials).plot("time").axes[0]
    assert all(tick == int(tick) for tick in axes.get_yticks())
    lines = [line for line in axes.lines if str(line.get_label()).startswith("sat")]
    assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == 3


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "name a puzzle"),
        (["pentomin"], "did you mean pentomino?"),
        (["pentomino", "--board", "6x9"], "6x9 has 54 cells, but the pieces fill 60"),
        (["pentomino", "--backends", "cp-sat,gurobi"], "there is no backend 'gurobi'"),
        (["pentomino", "--backends", ","], "no backend is named"),
        (["pentomino", "--seeds", "3..1"], "the range 3..1 is empty or too long"),
        (["pentomino", "--symmetry", "none,some"], "there is no symmetry 'some'; choose declared, found, none"),
        (["pentomino", "--jobs", "1,0"], "'0' is not a whole number of at least 1"),
        (["pentomino", "--plot-kind", "pie"], "choose from"),
        (["magic", "pentomin"], "did you mean pentomino?"),
        (["pentomino", "--repeat", "0"], "'0' is not a whole number of at least"),
        (["pentomino", "--csv", "/nowhere/rows.csv"], "cannot write /nowhere/rows.csv"),
        (["pentomino", "--csv", ""], "cannot write ''"),
        (["pentomino", "--plot", "plot.xyz"], "let its name end in .png, .svg or .pdf"),
        (["pentomino", "--plot", "/nowhere/plot.svg"], "cannot write /nowhere/plot.svg"),
        pytest.param(["magic", "--backends", "cover"], "the model is not an exact cover", marks=pytest.mark.thorough),
        (["pentomino", "--limit", "3"], "--limit"),
    ],
)
def test_mistakes_get_one_line(words: list[str], sentence: str) -> None:
    assert sentence in refusal("compare", *words)


@pytest.mark.thorough
def test_a_full_disk(tmp_path: Path) -> None:
    with full_disk(500):  # the solution fits, the rows do not
        said = complaint("compare", "magic", "--backends", "cp-sat", "--csv", str(tmp_path / "rows.csv"))
    assert "cannot write the rows or the plot" in said


def test_compare_overwrites_nothing(formula: Path, tmp_path: Path) -> None:
    (tmp_path / "link.svg").symlink_to(formula)
    for option, name in (("--csv", formula), ("--plot", tmp_path / "link.svg")):
        assert "would overwrite" in refusal("compare", str(formula), option, str(name))
    both = [word for option in ("--csv", "--plot") for word in (option, str(tmp_path / "a.svg"))]
    assert "two outputs" in refusal("compare", str(formula), *both)
    assert formula.read_text() == FORMULA


@pytest.mark.thorough
def test_methods_of_seeds_and_jobs(tmp_path: Path) -> None:
    words = "queens --n 5 --backends cp --symmetry none --seeds 1..2 --jobs 1,2 --time-limit 60".split()
    code, out, err = compared(*words, "--csv", str(tmp_path / "rows.csv"))
    assert (code, err) == (0, "")
    headers, _, *rows = out.split("\n\n")[0].splitlines()
    names = "backend jobs complete solutions in all build s first s all s spread MB ratio PAR-2"
    assert headers.split() == names.split()
    assert [row.split()[:5] for row in rows[:2]] == [["cp", "1", "yes", "10", "10"], ["cp", "2", "yes", "10", "10"]]
    assert rows[2:] == ["medians of 2 runs"]
    assert "2 searches found the same solutions: cp with 1 jobs, cp with 2 jobs" in out
    written = list(csv.DictReader((tmp_path / "rows.csv").read_text(encoding="utf-8").splitlines()))
    assert [(row["run"], row["symmetry"], row["seed"]) for row in written[:3]] == [
        ("1", "none", "1"),
        ("2", "none", "2"),
        ("median", "none", "1"),
    ]
    assert all(int(row["statistics.branches"]) > 0 for row in written)


def permutations(folder: Path) -> list[str]:
    """Models of the 24 permutations of four numbers: plain, with a redundant rule, and with one that is none."""
    domains = {f"x[{place}]": (1, 4) for place in range(4)}
    rules: dict[str, Any] = {
        "plain": lambda m, *x: None,
        "redundant": lambda m, *x: m.add(sum(x) == 10),
        "less": lambda m, *x: m.add(x[0] < x[1]),
    }
    return [
        str(write(folder / f"{name}.pbtxt", str(declared(domains, lambda m, *x: m.add_all_different(x), rule).proto)))
        for name, rule in rules.items()
    ]


@pytest.mark.thorough
def test_several_models(tmp_path: Path) -> None:
    plain, redundant, less = permutations(tmp_path)
    code, out, err = compared(plain, redundant, "--backends", "cp", "--same", "--jobs", "1")
    assert (code, err) == (0, "")
    assert f"the puzzles have the same number of solutions in all: {plain} 24, {redundant} 24" in out
    code, out, err = compared(plain, less, "--backends", "cp", "--same", "--jobs", "1")
    assert (code, err.count("\n")) == (4, 1)
    assert f"not models of one problem: {plain} 24, {less} 12" in err
    assert compared(plain, less, "--backends", "cp", "--jobs", "1")[0] == 0


@pytest.mark.thorough
def test_runs_that_are_missing_are_named(tmp_path: Path) -> None:
    plain = permutations(tmp_path)[0]
    process = start("solvers", "compare", plain, "pentomino", "--backends", "cp", "--seeds", "1..3", "--jobs", "1")
    # A child that was forked just now has the command line of its parent.
    wait_for(
        lambda: any(
            {"solvers.run", "pentomino"} <= {*command_of(child).split("\0")} for child in descendants(process.pid)
        )
    )
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert re.search(rf"{re.escape(plain)} +cp +yes +24 +24", out)
    assert re.fullmatch(r"kazoeru: ended by Ctrl-C; \d of 6 runs missing: .*seed [23].*\n", err)


def scored(seconds: float, complete: bool = True, **facts: Any) -> Trial:
    """A run of so many seconds."""
    row = {"backend": "cp", "symmetry": "none", "seed": 0, "solutions": 2, "total": 2, "stopped_by": "", "memory": {}}
    row |= {"complete": complete, "seconds": {"build": 0.0, "first": 0.0, "all": seconds}}
    row |= {"statistics": {"branches": int(seconds)}, "model": {}, "added_constraints": {}}
    row["evidence"] = {"rests_on": []}
    return Trial("cp", row | facts, Path(), [], digest="2")


def test_scores() -> None:
    row = summary([scored(1.0), scored(4.0), scored(2.0, seed=7)], 10)
    assert (row["seconds"]["all"], row["statistics"], row["complete"]) == (2.0, {"branches": 2}, True)
    assert row["runs"] == {"all": 3, "complete": 3, "seeds": [0, 7], "spread": [1.0, 4.0], "par2": pytest.approx(7 / 3)}
    row = summary([scored(1.0), scored(10.0, False, stopped_by="the time limit"), scored(2.0)], 10)
    assert (row["seconds"]["all"], row["stopped_by"], row["runs"]["par2"]) == (2.0, "the time limit", 23 / 3)
    table = str(Comparison([scored(1.0), scored(10.0, False, stopped_by="the time limit")], 10))
    assert re.search(r"\ncp +1 of 2 +2 +2 ", table)


def test_symmetries_have_the_same_number_in_all() -> None:
    declared_runs = [scored(1.0, symmetry=symmetry, solutions=1) for symmetry in ("declared", "found")]
    assert not list(disagreements([scored(1.0), *declared_runs]))
    other = scored(1.0, symmetry="found", total=3)
    assert [found.sentence for found in disagreements([scored(1.0), other])] == ["cp says total: 2, cp says total: 3"]


def test_plots_of_methods() -> None:
    trials = [scored(n + 1.0, n < 2, backend=name, seed=n) for name in ("cp", "sat") for n in range(3)]
    trials = [replace(trial, backend=trial.row["backend"]) for trial in trials]
    comparison = Comparison(trials)
    lines = comparison.plot("cactus").axes[0].lines
    assert [np.asarray(line.get_xydata()).tolist() for line in lines] == [[[1, 1.0], [2, 2.0]]] * 2
    points = comparison.plot("scatter").axes[0].lines
    assert [len(np.asarray(line.get_xydata())) for line in points[:2]] == [2, 1]
    with pytest.raises(InputError, match="two methods"):
        Comparison(trials[:3]).plot("scatter")
    with pytest.raises(InputError, match="no plot 'pie'"):
        comparison.plot("pie")


def test_methods_in_a_program() -> None:
    comparison = compare_backends(["queens", "magic"], ["cp"], symmetry=["none", "declared"], seed=range(1, 3), jobs=1)
    frame = comparison.to_frame()
    assert frame["total"].tolist() == [92] * 4 + [8] * 4
    assert frame["symmetry"].tolist() == ["none", "none", "declared", "declared"] * 2
    assert (frame["statistics.branches"] > 0).all()
    assert [row["runs"]["all"] for row in comparison.rows] == [2] * 4
    assert "queens 92, magic 8" in comparison.agreement
    wrong: list[dict[str, Any]] = [{"symmetry": []}, {"symmetry": ["some"]}, {"seed": ["x", 1]}]
    for option in wrong:
        with pytest.raises(InputError):
            compare_backends("magic", ["cp"], **option)


@pytest.mark.thorough
def test_ways_to_break_symmetry_are_compared() -> None:
    ways = ["lex-leader", "generators", "none"]
    frame = compare_backends("queens", ["sat"], breaking=ways, n=6).to_frame()
    assert frame["breaking"].tolist() == ways
    assert frame["found"].tolist()[0] == 1 < frame["found"].tolist()[2] == 4
    survey = survey_variants("queens", {"n": 5}, breaking=ways, jobs=1, backend="sat")
    assert [(row.arguments["breaking"], row.total) for row in survey] == [(way, 10) for way in ways]
    done = run("solvers", "compare", "queens", "--n", "5", "--backends", "sat", "--breaking", "none,generators")
    assert done.returncode == 0
    assert "sat:cadical195  generators" in done.stdout
