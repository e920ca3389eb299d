"""Parts of a result are written, drawn and reported as parts."""

import csv
import json
from collections import Counter
from itertools import permutations
from pathlib import Path

import pytest

from models.magic import magic
from models.packing import packing
from solvers import InputError, Solutions, solve
from tests.support.command import RUN, refusal, report_of, run

Tiling = frozenset[frozenset[tuple[int, int]]]
RINGS = ("magic", "--kind", "ring", "--jobs", "1")


def tilings(free: frozenset[tuple[int, int]]) -> list[Tiling]:
    """All ways to cover cells with dominoes."""
    if not free:
        return [frozenset()]
    row, column = min(free)
    return [
        rest | {domino}
        for other in ((row, column + 1), (row + 1, column))
        if other in free
        for domino in [frozenset({(row, column), other})]
        for rest in tilings(free - domino)
    ]


def orbit_sizes(side: int) -> Counter[int]:
    """The number of orbits of each size of the tilings of a square."""
    cells = frozenset((row, column) for row in range(side) for column in range(side))

    def turn(tiling: Tiling) -> Tiling:
        return frozenset(frozenset((column, side - 1 - row) for row, column in domino) for domino in tiling)

    def mirror(tiling: Tiling) -> Tiling:
        return frozenset(frozenset((column, row) for row, column in domino) for domino in tiling)

    orbits = set()
    for tiling in tilings(cells):
        turns = [tiling]
        for _ in range(3):
            turns.append(turn(turns[-1]))
        orbits.add(frozenset([*turns, *map(mirror, turns)]))
    return Counter(map(len, orbits))


def ring_sums() -> Counter[int]:
    """The number of magic rings, up to symmetry, with each sum."""
    sums = Counter[int]()
    for a, b, c, d, e, f, g, h in permutations(range(1, 9)):
        sums[a + b + c] += a + b + c == c + d + e == e + f + g == g + h + a
    return Counter({number: times // 8 for number, times in sums.items() if times})


def test_orbits_of_each_size() -> None:
    result, sizes = solve(packing("4x4", "dominoes x*"), jobs=1), orbit_sizes(4)
    assert len(result) == sum(sizes.values())
    assert {size: len(result.where(f"orbit={size}")) for size in (1, 2, 4, 8)} == {n: sizes[n] for n in (1, 2, 4, 8)}
    words = ("packing", "--board", "4x4", "--pieces", "dominoes x*", "--jobs", "1")
    report = report_of(*words, "--where", "orbit=4")
    assert report["selected"] == {"where": ["orbit=4"], "solutions": sizes[4]}
    in_all = sum(size * number for size, number in sizes.items())
    assert (report["solutions"], report["total"]) == (len(result), in_all)


def test_all_outputs_have_the_part(tmp_path: Path) -> None:
    number = ring_sums()[12]
    paths = {name: str(tmp_path / name) for name in ("a.json", "a.html", "svg", "a.svg")}
    outputs = dict(zip(("--solutions", "--gallery", "--svg", "--sheet"), paths.values(), strict=True))
    where = ("--where", "feature=sum 12", "--where", "pieces=12345678")
    done = run(RUN, *RINGS, *where, *(word for pair in outputs.items() for word in pair), "--draw", "9")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{number} of 6, where feature=sum 12 and pieces=12345678\n" in done.stdout
    assert done.stdout.count("sum 12\n") == number
    assert "sum 13\n" not in done.stdout.partition("output")[2]
    assert len(json.loads(Path(paths["a.json"]).read_text())) == number == len([*Path(paths["svg"]).iterdir()])
    assert f"a part of them: {number} of 6, where" in Path(paths["a.html"]).read_text()
    assert "sum 13" not in (tmp_path / "a-solutions.svg").read_text()


@pytest.mark.thorough
def test_parts_are_results(tmp_path: Path) -> None:
    result = solve(magic(kind="ring"), sample=4, jobs=1)
    every_image = Solutions(result.in_all())
    parts = {
        "where": result.where("feature=sum 13"),
        "slice": result[2:5],
        "sample": result.samples,
        "all": every_image,
    }
    parts["none"] = result[:0]
    for name, part in parts.items():
        path = tmp_path / f"{name}.csv"
        part.save(path)
        labels, *rows = csv.reader(path.open())
        assert [[*map(int, row)] for row in rows] == [[*solution.values()] for solution in part]
        assert len(labels) == 8
        assert part.to_frame().values.tolist() == [[*solution.values()] for solution in part]
        part.save(tmp_path / f"{name}.html")
        assert f"{len(part)} of 6" in (tmp_path / f"{name}.html").read_text()
        assert part.gallery()._state["available"] == len(part)
    assert [len(part) for part in parts.values()] == [ring_sums()[13], 3, 4, 48, 0]
    assert result.report.selected is None
    with pytest.raises(InputError, match="is about all solutions"):
        result[:2].save(tmp_path / "proof", output="certify")
    with pytest.raises(InputError, match="not known of which puzzle"):
        Solutions().to_frame()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--where", "orbit"], "'orbit' is no condition; write PROPERTY=VALUE, such as orbit=1"),
        (["--where", "orbit=3"], "orbit=3: there are 8 symmetries, so the number of images divides 8"),
        (["--where", "colour=1"], "magic has no property 'colour'; there is pieces, feature, orbit"),
        (["--where", "feature=1", "--by", "pieces"], "magic has no property 'feature'; there is pieces, orbit"),
        (
            ["--where", "orbit=1", "--count-only"],
            "--where selects solutions that were listed, and --count-only is about",
        ),
        (["--where", "orbit=1", "--sample", "2"], "--where selects solutions that were listed, and --sample is about"),
    ],
)
def test_wrong_conditions(words: list[str], sentence: str) -> None:
    assert refusal(*RINGS, *words).startswith(sentence)


def test_a_value_that_no_solution_has() -> None:
    done = run(RUN, *RINGS, "--where", "feature=sum 1")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "no solution has feature=sum 1; feature is 'sum 12', 'sum 13', 'sum 14', 'sum 15'" in done.stderr
    assert "selected                    0 of 6, where feature=sum 1\n" in done.stdout
    assert run(RUN, *RINGS, "--where", "orbit=1").returncode == 0
