"""Known counts: small ones of each classic, and the command that counts them."""

import json
from contextlib import nullcontext, suppress
from pathlib import Path
from signal import SIGINT
from typing import Any

import pytest

from models import CLASSICS, COLLECTION
from models.classics.known import KNOWN, KnownCount
from solvers import solve
from solvers.base.endings import DONE, INCOMPLETE, INTERRUPTED, SHOULD_NEVER_HAPPEN
from solvers.base.errors import CheckError, InputError
from solvers.extras.evidence.verified_checkers import VerifiedChecker, check_by_verified
from solvers.extras.studies.classics import __main__ as classics
from solvers.extras.studies.classics.counted import command_of
from solvers.files.catalogue import find
from tests.support.command import complaint, ends_with_its_parent, printed, refusal, run, start, wait_for
from tests.support.refusals import refused
from tests.support.tiers import sampled
from tests.support.without import without_counters

MODULE = "solvers.extras.studies.classics.__main__"

SMALL: list[tuple[str, dict[str, Any], int, int]] = [
    # By OEIS: A002562 and A000170, A014552, A001441 and A008404, A036501, A006967, A209077 and A003763, A001230.
    ("queens", {"n": 5}, 2, 10),
    ("queens", {"n": 6}, 1, 4),
    ("queens", {"n": 3}, 0, 0),
    ("langford", {"n": 4}, 1, 2),
    ("langford", {"n": 5}, 0, 0),
    ("costas", {"n": 4}, 2, 12),
    ("costas", {"n": 5}, 6, 40),
    ("golomb", {"marks": 5, "horizon": 12}, 2, 4),
    ("golomb", {"marks": 6, "horizon": 20}, 4, 8),
    ("all-interval", {"n": 4}, 1, 4),
    ("all-interval", {"n": 7}, 8, 32),
    ("cycles", {"n": 2}, 1, 1),
    ("cycles", {"n": 3}, 0, 0),
    ("cycles", {"n": 4}, 2, 6),
    ("cycles", {"n": 4, "directed": True}, 2, 12),
    ("cycles", {"n": 2, "traveller": "knight"}, 0, 0),
    ("cycles", {"n": 3, "traveller": "knight"}, 0, 0),
    ("cycles", {"n": 5, "traveller": "knight"}, 0, 0),
    # A003090 and A002860, A109741 and A107739, A030129 and A030128.
    ("latin", {"order": 3}, 1, 12),
    ("latin", {"order": 4}, 2, 576),
    ("sudoku", {"rows": 2}, 2, 288),
    ("triples", {"points": 7}, 1, 30),
    ("triples", {"points": 5}, 0, 0),
]


@pytest.mark.parametrize(("name", "parameters", "solutions", "total"), sampled(SMALL, 3))
def test_small_classics(name: str, parameters: dict[str, Any], solutions: int, total: int) -> None:
    """Each solution and its images are held against `is_solution`."""
    result = solve(find(name).declare(**parameters), jobs=1)
    assert (result.complete, result.solutions, result.total) == (True, solutions, total)
    assert result.report.repeats == 0


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("queens", {"n": 0}), ("latin", {"order": 99}), ("triples", {"points": 2}), ("cycles", {"traveller": "bishop"})],
)
def test_nonsense_is_refused(name: str, parameters: dict[str, Any]) -> None:
    refused("choose|give", find(name).declare, **parameters)


def test_the_smallest_row_of_langford() -> None:
    """There is no number between the two of 1."""
    result = solve(find("langford").declare(n=1), jobs=1)
    assert (result.complete, result.total) == (True, 0)


@pytest.mark.thorough
@pytest.mark.parametrize("name", COLLECTION)
def test_small_numbers_are_solved_or_refused(name: str) -> None:
    """Nothing else happens to any whole number that a puzzle takes."""
    declaration = find(name)
    for parameter in declaration.parameters:
        for number in range(-1, 4) if parameter.kind is int else ():
            with suppress(InputError):
                solve(declaration.declare(**{parameter.name: number}), jobs=1, time_limit=1)


@pytest.mark.slow
def test_the_table() -> None:
    assert len({command_of(known) for known in KNOWN}) == len({known.question for known in KNOWN}) == len(KNOWN)
    for known in KNOWN:
        find(known.puzzle).arguments(known.parameters)
        assert known.source
        assert (known.solutions, known.total) != (None, None)
    assert {known.puzzle for known in KNOWN} >= {*CLASSICS}


@pytest.mark.slow
def test_rows_are_kept_and_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, page = tmp_path / "rows", tmp_path / "page.html"
    asked = ["--only", "queens on 8x8", "--store", str(store), "--page", str(page)]
    done = run(MODULE, *asked)
    assert (done.returncode, done.stderr) == (DONE, "")
    assert done.stdout.splitlines()[1].split()[:5] == ["queens", "on", "8x8", "12", "92"]
    assert "OEIS A000170" in page.read_text()
    row = json.loads(store.read_text())
    assert row["second"] == "verified counter" or "layers" in row["second"]
    store.write_text(json.dumps(row) + '\n{"cut": ')
    monkeypatch.setattr(classics, "count_classic", None)  # nothing is counted again
    assert run(MODULE, *asked).stdout == done.stdout
    store.write_text(json.dumps({**row, "is_right": False}) + "\n")
    complained = complaint(*asked, module=MODULE, code=SHOULD_NEVER_HAPPEN)
    assert complained == "kazoeru: these counts differ from the known ones: queens on 8x8\n"
    store.write_text('{"a": "row"}\n')
    assert "keeps no rows of classics" in refusal(*asked, module=MODULE)


@pytest.mark.slow
def test_programs_of_others_count_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, page = tmp_path / "rows", tmp_path / "page.html"
    asked = ["--only", "triple systems", "--programs", "2", "--store", str(store), "--page", str(page)]
    told = printed(*asked, module=MODULE).splitlines()
    assert told[2] == "    also counted by OR-Tools' CP-SAT, OR-Tools' original solver"
    assert "original solver" in page.read_text()
    row = json.loads(store.read_text())
    monkeypatch.setattr(classics, "count_classic", None)  # nothing is counted again
    assert printed(*asked, module=MODULE).splitlines() == told
    store.write_text(json.dumps({**row, "programs": [], "differing": ["D4"]}) + "\n")
    complained = complaint(*asked, module=MODULE, code=SHOULD_NEVER_HAPPEN)
    assert "programs of others count another number: triple systems of 9 points (D4)" in complained
    assert "'x' is no number of programs; give one such as 3" in refusal("--programs", "x", module=MODULE)


def test_what_it_is_asked() -> None:
    listed = printed("--list", "--quick", module=MODULE)
    assert listed.count("python -m solvers.run") == sum(known.quick for known in KNOWN)
    refusal("--only", "chess", module=MODULE)
    assert refusal("--only", "", module=MODULE) == "--only needs a text; leave it out to count all questions"


@pytest.mark.parametrize("option", ["--store", "--page"])
def test_files_are_tried_before_anything_is_counted(tmp_path: Path, option: str) -> None:
    assert "choose another file" in refusal("--quick", option, str(tmp_path / "nowhere" / "file"), module=MODULE)


@pytest.mark.thorough
def test_a_run_that_fails_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = KnownCount("no queens", "queens", {"n": 0}, 0, 0, "nobody", confirm="verify")
    assert classics.main([], [wrong]) == INCOMPLETE
    (said,) = capsys.readouterr().err.splitlines()
    assert "0 is not a possible size" in said


@pytest.mark.slow
def test_an_interrupt_keeps_what_is_finished(tmp_path: Path) -> None:
    store, page = tmp_path / "rows", tmp_path / "page.html"
    process = start("solvers", "classics", "--quick", "--store", str(store), "--page", str(page))
    wait_for(store.exists)
    process.send_signal(SIGINT)
    _, complaint = process.communicate(timeout=10)
    assert process.returncode == INTERRUPTED
    assert "ended by Ctrl-C" in complaint
    rows = store.read_text().splitlines()
    assert 1 <= len(rows) < sum(known.quick for known in KNOWN)
    assert page.read_text().count("<td>pentominoes") == 2 * len(rows)


@pytest.mark.thorough
@pytest.mark.parametrize("most", [2])
def test_the_quick_ones(most: int, capsys: pytest.CaptureFixture[str]) -> None:
    """All of them, or those of so many solutions."""
    quick = [known for known in KNOWN if known.quick and (known.solutions or 0) <= most]
    assert classics.main(["--quick"], quick) == DONE
    out, err = capsys.readouterr()
    assert err == ""
    assert out.count("\n") == 1 + len(quick) > 5


@pytest.mark.parametrize(
    ("words", "error"),
    [("s VERIFIED UNSAT", None), ("c empty clause not derived", CheckError), ("heap space exhausted", MemoryError)],
)
def test_a_verified_checker_reads_certificates(tmp_path: Path, words: str, error: type[Exception] | None) -> None:
    solve(find("queens").declare(n=5), jobs=1).save(tmp_path / "proof", output="certify", no_check=True)
    script = f"tail -n 1 {{lrat}} | grep -q ' 0 ' && head -n 1 {{cnf}} && echo {words}"
    reader = VerifiedChecker(("sh", "-c", script))
    with pytest.raises(error) if error else nullcontext():
        assert check_by_verified(tmp_path / "proof", [reader]) == "sh"
    refused("no verified checker is installed", check_by_verified, tmp_path, ())


@pytest.mark.thorough
def test_a_row_ends_with_its_parent() -> None:
    assert ends_with_its_parent(start("solvers", "classics", "--only", "pentominoes on 3x4x5"))


@pytest.mark.slow
def test_what_nobody_can_list_in_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without the counter that is proved and those of formulas, millions of dominoes are counted once."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    without_counters(monkeypatch, tmp_path)
    out = printed("--only", "dominoes on 8x8", module=MODULE)
    assert "12988816  by layers, not confirmed" in out
