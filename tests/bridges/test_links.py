"""Links and game IDs: published ones against our own count, round trips, and what is said of those that are damaged."""

import base64
import json
import random
import zlib
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest

from models.boards import clues, grid, marks
from models.pencil import hashi, heyawake, numberlink, nurikabe
from solvers import InputError, export, solve
from solvers.extras.bridges.links import codings, fpuzzles, puzzlink, sudokupad, tatham
from solvers.extras.bridges.links.linked import MARKS, MOST_IN_CELL, Linked, letter, of_rows
from solvers.extras.bridges.links.lzstring import compress, decompress
from solvers.extras.bridges.links.names import is_link
from solvers.extras.bridges.links.read import link_in, read
from solvers.files.catalogue import find
from tests.support.command import RUN, run
from tests.support.links import KILLER, PUBLISHED


def answer(link: str) -> str:
    """How many solutions a puzzle has: 0, 1 or 2+."""
    found = solve(link, symmetry="none", limit=2, jobs=1).total
    return ("0", "1", "2+")[found]


def given_to(name: str, puzzle: str, **arguments: str | int | bool) -> Linked:
    """The puzzle of the shelf with this text."""
    return Linked(name, {"puzzle": puzzle, **arguments})


def shelf() -> list[Linked]:
    """The published example of each puzzle of the shelf that puzz.link has."""
    names = [genre.puzzle for genre in puzzlink.GENRES]
    texts: dict[str, dict[str, Any]] = {
        name: {own.name: own.default for own in find(name).parameters} for name in names if name != "sudoku"
    }
    return [
        given_to(name, str(own["puzzle"]), **{k: own[k] for k in own if k in ("stars", "fill")})
        for name, own in texts.items()
    ]


@pytest.mark.parametrize("linked", shelf(), ids=lambda linked: str(linked.name))
def test_the_shelf_goes_through_puzz_link(linked: Linked) -> None:
    """The example of a puzzle, written as a link and read again, is written as the same link, with the same model."""
    link = puzzlink.write(linked)
    again = read(link)
    assert again.name == linked.name
    assert puzzlink.write(again) == link
    assert {k: v for k, v in again.others.items() if k != "most"} == linked.others
    first, second = (find(one.name).declare(**one.arguments) for one in (linked, again))
    assert set(first.key) == set(second.key)
    assert str(first.model) == str(second.model)


def test_numbers_of_all_sizes_come_back() -> None:
    """Codings read what they have written, and leave what follows."""
    rng = random.Random(1)
    for _ in range(300):
        places = rng.randint(1, 90)
        chosen = rng.sample(range(places), rng.randint(0, places))
        numbers = {place: rng.choice([-2, 0, 3, 15, 16, 255, 256, 4095, 4096, 8000]) for place in sorted(chosen)}
        assert codings.read_numbers(codings.write_numbers(numbers, places) + "rest", places) == (numbers, "rest")
        small = {place: rng.choice([-2, 0, 1, 2, 3, 4]) for place in sorted(chosen)}
        assert codings.read_small(codings.write_small(small, places), places) == (small, "")
        pearls = {place: rng.choice([1, 2]) for place in sorted(chosen)}
        assert codings.read_pearls(codings.write_pearls(pearls, places), places) == (pearls, "")


def test_rooms_come_back() -> None:
    """Random parts of random boards are the rooms of their walls."""
    rng = random.Random(2)
    for _ in range(100):
        rows, columns = rng.randint(1, 8), rng.randint(1, 8)
        colour: dict[grid.Cell, int] = {cell: rng.randrange(3) for cell in product(range(rows), range(columns))}
        # One colour may have several parts, between which there is a wall or another room.
        rooms, rest = codings.read_rooms(codings.write_rooms(colour, rows, columns) + "x", rows, columns)
        room_of: dict[grid.Cell, int] = {cell: number for number, room in enumerate(rooms) for cell in room}
        assert rest == "x"
        assert codings.write_rooms(room_of, rows, columns) == codings.write_rooms(colour, rows, columns)
        assert [min(room) for room in rooms] == sorted(min(room) for room in rooms)


def test_marks_and_letters_are_those_of_the_shelf() -> None:
    """The marks of numbers, and the letters of rooms, are those that the puzzles read."""
    for name, signs in {"hashi": hashi.NUMBERS, "nurikabe": nurikabe.SIZES, "numberlink": numberlink.SIGNS}.items():
        low, high = MOST_IN_CELL[name]
        assert MARKS[low : high + 1] == signs
    assert "".join(map(letter, range(len(heyawake.NAMES)))) == heyawake.NAMES
    assert len({letter(number) for number in range(400)}) == 400


def test_rooms_of_a_heyawake_may_be_many() -> None:
    rooms = of_rows({(r, c): letter(9 * r + c) for r, c in product(range(8), range(9))}, 8, 9)
    linked = Linked("heyawake", {"puzzle": f"{rooms} {letter(70)}=1"})
    assert read(puzzlink.write(linked)) == linked
    assert find("heyawake").declare(**linked.arguments).key.keys() == {*product(range(8), range(9))}


def test_links_of_f_puzzles_come_back_as_they_were() -> None:
    """What others have packed is packed by us into the same text, also beyond ASCII."""
    for text in (KILLER, "N4IgHiBcDMC+Q===", "N4IgzglgXgpiBcBmANCA5gJwgEwQbT2AF9ljSiBdZQks4qm88iiooA=="):
        assert compress(decompress(text)) == text
    rng = random.Random(3)
    for length in range(120):
        text = "".join(rng.choice('ab{}":é→😀') for _ in range(length))
        assert decompress(compress(text)) == text


def random_sudoku(rng: random.Random) -> Linked:
    """A square with a few numbers, and perhaps regions, cages, diagonals and moves; it need not have a solution."""
    side = rng.choice([4, 6, 9])
    board = list(product(range(side), repeat=2))
    cells = {cell: str(rng.randint(1, side)) for cell in rng.sample(board, rng.randint(0, side))}
    arguments: dict[str, str | int | bool] = {"rows": {4: 2, 6: 2, 9: 3}[side], "columns": {4: 2, 6: 3, 9: 3}[side]}
    if rng.random() < 0.5:
        arguments = {"regions": of_rows({(r, c): letter(r) for r, c in board}, side, side)}
    if rng.random() < 0.5:
        pairs = {(r, 2 * k + n): letter(r * side + k) for r in range(side) for k in range(side // 2) for n in (0, 1)}
        order = {name: letter(n) for n, name in enumerate(dict.fromkeys(pairs[cell] for cell in sorted(pairs)))}
        drawn = of_rows({cell: order[name] for cell, name in pairs.items()}, side, side)
        arguments["cages"] = " ".join([drawn, *(f"{name}={rng.randint(3, 7)}" for name in order.values())])
    arguments |= {name: True for name in ("diagonals", "knight", "king") if rng.random() < 0.3}
    return Linked("sudoku", arguments, dict(sorted(cells.items())), side, side)


@pytest.mark.thorough
def test_sudokus_come_back() -> None:
    """Sudokus with all rules go through links of f-puzzles and SudokuPad, plain ones also through puzz.link."""
    rng = random.Random(4)
    for _ in range(150):
        linked = random_sudoku(rng)
        assert read(fpuzzles.write(linked)) == linked
        assert read(sudokupad.write(linked)) == linked
        if linked.arguments.keys() == {"rows", "columns"}:
            assert read(puzzlink.write(linked)) == linked


def test_sudokupad_shortened() -> None:
    """JSON with short names, without quotes, is read: cells, regions, and cages with sums."""
    rows = ",".join("[" + ",".join("{v:3}" if (r, c) == (0, 1) else "" for c in range(4)) + "]" for r in range(4))
    text = f"{{id:'x',ce:[{rows}],ca:[{{ce:[[1,1],[1,2]],sum:5}},{{v:'title: It\\'s: a, b'}}],re:[]}}"
    linked = read("https://sudokupad.app/scl" + compress(text).replace("=", "%3D"))
    assert linked.cells == {(0, 1): "3"}
    assert linked.arguments == {"rows": 2, "columns": 2, "cages": "..../.AA./..../.... A=5"}
    assert answer("https://sudokupad.app/scl" + compress(text)) == "2+"
    classic = "https://sudokupad.app/scf"
    easy = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
    cells: dict[grid.Cell, str] = {divmod(place, 9): digit for place, digit in enumerate(easy) if digit != "."}
    link = sudokupad.write(Linked("sudoku", {"rows": 3, "columns": 3}, cells, 9, 9))
    assert link.startswith(classic)
    assert read(link).cells == cells
    assert answer(link) == "1"


def solo_blocks(region: dict[grid.Cell, str], side: int) -> str:
    """Blocks as Solo writes them: how many neighbours in turn are in one block, first beside, then above each other."""
    pairs = [((r, c), (r, c + 1)) for r, c in product(range(side), range(side - 1))]
    pairs += [((r, c), (r + 1, c)) for c, r in product(range(side), range(side - 1))]
    text, same = "", 0
    for is_edge in [*(region[one] != region[other] for one, other in pairs), True]:
        if is_edge:
            text, same = text + ("_abcdefghijklmnopqrstuvwxy"[same]), 0
        else:
            same += 1
    return text


def test_jigsaws_and_killers_of_solo() -> None:
    """The regions and the cages of a game ID are those that it was made of."""
    drawn = "AABB/ACBB/ACDD/CCDD"
    region = clues.cell_letters(drawn, "the regions")
    linked = read(f"solo:4jx:a3n,{solo_blocks(region, 4)}")
    assert linked.arguments == {"regions": drawn, "diagonals": True}
    assert linked.cells == {(0, 1): "3"}
    cages = clues.cell_letters("AABB/CCDD/EEFF/GHHI", "the cages")
    sums = "3a7a7a3a3a7a4_5a1"
    linked = read(f"solo:2x2kdu:p,{solo_blocks(cages, 4)},{sums}")
    assert linked.arguments["cages"] == "AABB/CCDD/EEFF/GHHI A=3 B=7 C=7 D=3 E=3 F=7 G=4 H=5 I=1"
    assert answer(f"solo:2x2k:p,{solo_blocks(cages, 4)},{sums}") != "0"
    assert tatham.write(given_to("akari", "3x3:bBa1d")) == "lightup:3x3:bBa1d"


def penpa(page: str, side: int, tag: str, numbers: dict[grid.Cell, str], more: str = "", lines: str = "") -> str:
    """A link of Penpa with numbers in cells, and lines between corners."""
    width = side + 4
    own = ",".join(f'"{(r + 2) * width + c + 2}":["{word}",1,"1"]' for (r, c), word in numbers.items())
    board = [(r + 2) * width + c + 2 for r, c in product(range(side), repeat=2)]
    steps = [board[0], *(after - before for before, after in pairwise(board))]
    text = [
        f"{page},{side},{side},38,0,1,1,380,380,84,84",
        "[0,0,0,0]",
        "x",
        f"{{zN:{{{own}}},zE:{{{lines}}},zT:[{more}]}}",
    ]
    text += ["", json.dumps(steps), *["[]"] * 11, json.dumps([tag] if tag else [])]
    stream = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = stream.compress("\n".join(text).encode()) + stream.flush()
    return "https://swaroopg92.github.io/penpa-edit/#m=solve&p=" + base64.b64encode(data).decode()


def test_drawings_of_penpa() -> None:
    """A page for sudokus, and tagged drawings, are read; regions and diagonals are told by lines."""
    four: dict[grid.Cell, str] = {(0, 1): "1", (1, 3): "2", (2, 0): "3", (3, 2): "3"}
    linked = read(penpa("sudoku", 4, "", four))
    assert linked == Linked("sudoku", {"rows": 2, "columns": 2}, four, 4, 4)
    assert answer(penpa("square", 4, "classic", four)) == "1"
    assert read(penpa("square", 2, "slitherlink", {(0, 0): "3"})) == given_to("slitherlink", "3./..")

    def corner(row: int, column: int) -> int:
        return 64 + (row + 2) * 8 + column + 2

    rows = ",".join(f'"{corner(r, c - 1)},{corner(r, c)}":2' for r in range(3) for c in range(4))
    assert read(penpa("sudoku", 4, "", four, lines=rows)).arguments == {"regions": "AAAA/BBBB/CCCC/DDDD"}
    down = [f'"{corner(n - 1, n - 1)},{corner(n, n)}":12' for n in range(4)]
    up = [f'"{corner(n - 1, 3 - n)},{corner(n, 2 - n)}":12' for n in range(4)]
    assert read(penpa("sudoku", 4, "", four, lines=",".join(down + up))).arguments["diagonals"] is True
    with pytest.raises(InputError, match="slanted lines"):
        read(penpa("sudoku", 4, "", four, lines=",".join(down)))
    with pytest.raises(InputError, match=r"more than numbers \(thermo\)"):
        read(penpa("sudoku", 4, "", four, more="[33,34]"))
    with pytest.raises(InputError, match="does not tell its rules, and it has no tag"):
        read(penpa("square", 4, "", four))
    with pytest.raises(InputError, match="row 1 column 2: 'x' is no number"):
        read(penpa("sudoku", 4, "", {(0, 1): "x"}))


def of_json(content: object) -> str:
    """A link of f-puzzles that holds this."""
    return fpuzzles.HOST + compress(json.dumps(content))


REFUSED = {
    "https://puzz.link/p?yajilin/5/5/g": "has the genre 'yajilin'; these are read: sudoku, nonogram, starbattle",
    "https://puzz.link/p?slither/5/5/cbcb": "the clues end after 12 of 25 places; copy the whole link",
    "https://puzz.link/p?slither/5/5": "the clues end after 0 of 25 places",
    "https://puzz.link/p?slither/5": "ends before the size",
    "https://puzz.link/p?slither/2/2/3dz": "'z' follows behind the clues",
    "https://puzz.link/p?slither/2/2/3f": "character 2 of the clues is 'f'",
    "https://puzz.link/p?slither/0/2/3": "the number of columns: 0 is not possible",
    "https://puzz.link/p?slither/99/99/3": "more than 2500 cells",
    "https://puzz.link/p?slither/f/5/5/cbcbcddad": "rules of slither that are not known here, by 'f'",
    "https://puzz.link/p?hashi/2/2/-20i": "row 1 column 1: 32 is not possible; it has to be from 1 to 16",
    "https://puzz.link/p?nurikabe/2/2/.i": "row 1 column 1 holds a question mark",
    "https://puzz.link/p?nurikabe/2/2/zz": "the clues are for 20 places, and there are 4",
    "https://puzz.link/p?sudoku/9/9/azzzz": "row 1 column 1: 10 is not possible; it has to be from 1 to 9",
    "https://puzz.link/p?sudoku/5/5/zk": "5 rows and 5 columns; a sudoku has",
    "https://puzz.link/p?starbattle/6/6/x/4ilbhgdnmhou": "the number of stars: 'x' is no number",
    "https://puzz.link/p?starbattle/6/6/1/4ilb": "the clues end after 20 of 30 places",
    "https://puzz.link/p?kakuro/5/5/48la0": "the clues end after 4 of 25 cells",
    "https://puzz.link/p?nonogram/2/2/3g11": "column 1: 3 is not possible",
    "https://puzz.link/p?": "holds no puzzle",
    "https://f-puzzles.com/?id=abc": "kept on the site, and nothing is fetched",
    "https://f-puzzles.com/?load=N4Igz!": "character 6 of the packed text is '!'",
    "https://f-puzzles.com/?load=N4Igzgl": "its end is missing",
    "https://f-puzzles.com/?load=": "its end is missing",
    of_json([1]): "no puzzle in JSON",
    of_json({}): "the size is None",
    of_json({"size": 1, "grid": [[{}]], "clone": [1]}): "not known here: clone",
    of_json({"size": 1, "grid": [[{"value": 2, "given": True}]]}): "row 1 column 1: 2",
    of_json({"size": 1, "grid": [[]]}): "not 1 by 1 cells",
    "https://sudokupad.app/abc123": "kept on the site, and nothing is fetched",
    "https://sudokupad.app/scf123": "the digits are for 3 cells",
    "https://swaroopg92.github.io/penpa-edit/#m=solve&p=1234": "damaged, or its end is missing",
    "https://swaroopg92.github.io/penpa-edit/": "damaged, or its end is missing",
    "https://example.com/": "holds no puzzle; links are read of puzz.link",
    "https://[": "is no link",
    "singles:5x5:abc": "the game 'singles' is not known here; these are: bridges",
    "solo:3x3#123": "is a random seed",
    "solo:3x3": "is no game ID",
    "solo:3x3:1a": "the numbers are for 2 cells, and the square has 81",
    "solo:2x2:5o": "row 1 column 1: 5 is not possible",
    "solo:2x2k:p": "0 parts behind the numbers",
    "loopy:3x3t5:51b2a": "cells that are not squares",
    "unequal:2a:1,0L,0,0": "another puzzle",
}
"""Links that cannot be read, and what is said of them."""


@pytest.mark.parametrize("link", REFUSED)
def test_refused_links(link: str) -> None:
    """A link that cannot be read gets one line, which says what is wrong."""
    told = run(RUN, link)
    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr.count("\n") == 1
    assert REFUSED[link] in told.stderr


@pytest.mark.parametrize("link", [link for link in PUBLISHED if "killer" not in link][:22])
def test_links_that_are_cut_off(link: str) -> None:
    """A link that ends too early is read as another puzzle or refused, and never ends in another error."""
    for length in range(len(link) - 1, len(link) - 12, -1):
        try:
            linked = read(link[:length])
            find(linked.name).declare(**linked.arguments)
        except InputError:
            pass


@pytest.mark.thorough
def test_a_link_is_a_puzzle_of_commands_and_of_the_library(tmp_path: Path) -> None:
    """A run, a question and the library take a link in place of a puzzle; what it gives is given."""
    link = "https://puzz.link/p?sudoku/4/4/g1k23k3g"
    report = json.loads(run(RUN, link, "--json").stdout)
    assert (report["puzzle"], report["total"], len(report["given"])) == ("sudoku", 1, 4)
    assert json.loads(run(RUN, link, "--json", "--given", "row 1 column 1 = 1").stdout)["total"] == 0
    file = tmp_path / "puzzle.txt"
    file.write_text(f"# a link\n{link}\n", encoding="utf-8")
    assert json.loads(run(RUN, str(file), "--json").stdout)["total"] == 1
    assert link_in(str(file)) == link
    result = solve(link)
    assert (result.total, len(solve(link, given="row 1 column 1 = 2"))) == (1, 1)
    assert "row 1 column 1 = 2" in run("solvers", "why", link, "row 1 column 1 = 2").stdout
    assert solve("lightup:3x3:bBa1d").total == 0
    file.write_text(f"{link}\n{link}\n", encoding="utf-8")
    refused = run(RUN, str(file))
    assert refused.returncode == 2
    assert "has 2 lines; judge all of them with python -m solvers unique" in refused.stderr


def test_marks_of_game_ids_are_written() -> None:
    """A puzzle that is given as a game ID is written to puzz.link as one that is given in rows."""
    text = "4x4:WeBi"
    given = marks.read(text, "BW", "")
    rows = of_rows(given.marks, 4, 4)
    assert puzzlink.write(given_to("masyu", text)) == puzzlink.write(given_to("masyu", rows))


@pytest.mark.thorough
def test_puzzles_and_solutions_are_written_as_links(tmp_path: Path) -> None:
    """A puzzle is exported as a link that reads as the same one, and a sudoku's solutions as links that hold them."""
    link, file = "https://puzz.link/p?sudoku/4/4/g1k23k3g", tmp_path / "own.url"
    assert run("solvers", "export", link, str(file)).returncode == 0
    assert file.read_text(encoding="utf-8") == f"{link}\n"
    assert solve(file, jobs=1).total == solve(link, jobs=1).total == 1
    assert run(RUN, link, "--solutions", str(file), "--quiet").returncode == 0
    (held,) = file.read_text(encoding="utf-8").splitlines()
    drawn = json.loads(decompress(held.partition("load=")[2]))["grid"]
    assert "".join(str(cell["value"]) for row in drawn for cell in row) == "2143431234211234"
    assert read(held) == read(link)
    assert run("solvers", "export", "nonogram", str(file), "--puzzle", "3x2:2/1/1/2/1.1").returncode == 0
    assert read(file.read_text(encoding="utf-8")).line == "2/1 1 | 2/1/1"
    assert run("solvers", "export", "futoshiki", str(file)).returncode == 0
    assert read(file.read_text(encoding="utf-8")).name == "futoshiki"
    for words in (("export", "queens", str(file)), ("export", "akari", str(file), "--given", "0 0=1")):
        refused = run("solvers", *words)
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1), refused.stderr
    refused = run(RUN, "slitherlink", "--solutions", str(file))
    assert refused.returncode == 2
    assert "links of slitherlink have no place for a solution" in refused.stderr


def test_what_a_link_gives_narrows_a_question() -> None:
    """The candidates of a link are those that its givens leave."""
    told = run("solvers", "candidates", "https://puzz.link/p?sudoku/4/4/g1k23k3g", "--json")
    assert (told.returncode, json.loads(told.stdout)["candidates"]["total"]) == (0, 1)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "arguments", "site"),
    [
        ("sudoku", {"rows": 1, "columns": 4}, "f-puzzles"),
        ("sudoku", {"rows": 2, "columns": 4}, "f-puzzles"),
        ("sudoku", {"rows": 2, "columns": 3}, "puzz.link"),
        ("star-battle", {"puzzle": "ABAC/ABAC/ABDC/DDDD"}, ""),
        ("star-battle", {"puzzle": "ABC/ABC/ABC"}, "puzz.link"),
        ("kakuro", {"puzzle": r"# 4\ 3\ / \4 3 . / \3 . ."}, ""),
        ("kakuro", {"puzzle": r"# 3\ / # ."}, "puzz.link"),
        ("hashi", {"puzzle": "2.2"}, "puzz.link"),
        ("hashi", {"puzzle": "2.2", "most": 4}, "bridges:"),
        ("hashi", {"puzzle": "3x1m3:3a3"}, "bridges:"),
        ("hashi", {"puzzle": "3x1m3:3a3", "most": 2}, "puzz.link"),
    ],
)
def test_a_link_holds_the_very_puzzle_or_is_not_written(
    name: str, arguments: dict[str, Any], site: str, tmp_path: Path
) -> None:
    """Another site is taken where the first would hold another puzzle; the count is that of the puzzle itself."""
    puzzle, file = find(name).declare(**arguments), tmp_path / "puzzle.url"
    if not site:
        with pytest.raises(InputError, match=r"puzz\.link"):
            export(puzzle, file)
        assert not file.exists()
        return
    export(puzzle, file)
    text = file.read_text(encoding="utf-8")
    assert site in text
    if name != "sudoku" or arguments["columns"] * arguments["rows"] <= 4:
        counts = [solve(own, symmetry="none", jobs=1, backend="cp-sat").total for own in (puzzle, text.strip())]
        assert counts[0] == counts[1]


def test_links_with_other_parts_and_without_https() -> None:
    link = "puzz.link/p?slither/2/2/3d"
    right = read(f"https://{link}")
    for other in (link, f"http://www.{link}&lang=en", f"https://{link.replace('?', '?lang=en&')}", f" {link}&a=b&c=d"):
        assert is_link(other)
        assert read(other) == right
    killer = f"f-puzzles.com/?lang=en&load={KILLER}&x=1"
    assert read(killer) == read(f"https://www.f-puzzles.com/?load={KILLER}")


RULES: dict[str, tuple[object, str]] = {
    "nonconsecutive": (True, "nonconsecutive"),
    "extraregion": ([{"cells": ["R1C1", "R2C3"]}], "different:r1c1r2c3"),
    "killercage": ([{"cells": ["R1C1", "R1C2"]}], "different:r1c1r1c2"),
    "thermometer": ([{"lines": [["R1C1", "R1C2"], ["R1C1", "R2C1"]]}], "thermometer:r1c1r1c2 thermometer:r1c1r2c1"),
    "arrow": ([{"cells": ["R1C1"], "lines": [["R1C1", "R2C2", "R3C3"]]}], "arrow:r1c1r2c2r3c3"),
    "difference": ([{"cells": ["R1C1", "R1C2"], "value": "3"}], "difference=3:r1c1r1c2"),
    "ratio": ([{"cells": ["R1C1", "R1C2"], "value": ""}], "ratio:r1c1r1c2"),
    "even": ([{"cell": "R1C1"}], "even:r1c1"),
    "odd": ([{"cell": "R4C4"}], "odd:r4c4"),
    "minimum": ([{"cell": "R1C1"}, {"cell": "R1C2"}], "minimum:r1c1r2c1 minimum:r1c2r2c2r1c3"),
    "maximum": ([{"cell": "R1C1"}], "maximum:r1c1r2c1r1c2"),
    "littlekillersum": ([{"cell": "R0C3", "direction": "DL", "value": "5"}], "sum=5:r1c2r2c1"),
    "palindrome": ([{"lines": [["R1C1", "R2C2", "R3C3"]]}], "palindrome:r1c1r2c2r3c3"),
    "renban": ([{"lines": [["R1C1", "R1C2"]]}], "renban:r1c1r1c2"),
    "whispers": ([{"lines": [["R1C1", "R1C2"]], "value": "2"}], "whispers=2:r1c1r1c2"),
    "xv": ([{"cells": ["R1C1", "R1C2"], "value": "V"}], "sum=5:r1c1r1c2"),
}
"""Rules of f-puzzles, and what becomes of them."""


@pytest.mark.parametrize("name", RULES)
def test_rules_of_f_puzzles(name: str) -> None:
    told, text = RULES[name]
    linked = fpuzzles.of_json({"size": 4, "grid": [[{}] * 4] * 4, name: told})
    assert linked.arguments == {"rows": 2, "columns": 2, "rules": text}
    if name in ("nonconsecutive", "xv"):
        link = fpuzzles.HOST + compress(json.dumps({"size": 4, "grid": [[{}] * 4] * 4, name: told}))
        assert answer(link) == ("0" if name == "nonconsecutive" else "2+")


def test_a_circle_of_several_cells_is_read_as_it_stands() -> None:
    for circle, right in (
        (["R1C2", "R1C1"], "arrow=2:r1c1r1c2r2c2r3c3"),
        (["R3C1", "R1C1", "R2C1"], "arrow=3:r1c1r2c1r3c1r2c2r3c3"),
    ):
        arrow = {"cells": circle, "lines": [[circle[0], "R2C2", "R3C3"]]}
        linked = fpuzzles.of_json({"size": 4, "grid": [[{}] * 4] * 4, "arrow": [arrow]})
        assert linked.arguments["rules"] == right
    for circle in ([], ["R1C1", "R2C2"], ["R1C1", "R1C3"], ["R1C1", "R1C2", "R2C2"]):
        arrow = {"cells": circle, "lines": [["R1C1", "R4C4"]]}
        with pytest.raises(InputError, match="no part of a row or column"):
            fpuzzles.of_json({"size": 4, "grid": [[{}] * 4] * 4, "arrow": [arrow]})


@pytest.mark.parametrize("name", ["clone", "quadruple", "sandwichsum", "betweenline", "negative"])
def test_other_rules_of_f_puzzles_are_named(name: str) -> None:
    with pytest.raises(InputError, match=name):
        fpuzzles.of_json({"size": 4, "grid": [[{}] * 4] * 4, name: [{"cells": ["R1C1"]}]})


@pytest.mark.parametrize("told", [[{"cells": "R1"}], [{}], [1], [{"cells": ["R1C1", "R1C2"], "lines": [["R1C1"]]}]])
def test_damaged_rules_of_f_puzzles(told: object) -> None:
    with pytest.raises(InputError):
        fpuzzles.of_json({"size": 4, "grid": [[{}] * 4] * 4, "arrow": told})


SAVED = """SAVEFILE:41:Simon Tatham's Portable Puzzle Collection
VERSION :1:1
GAME    :6:Towers
PARAMS  :3:5de
CPARAMS :3:4de
SEED    :15:154378438956665
DESC    :31:2/2/2/1/3/1/2/4/3/1/2/2/1/2/2/3
NSTATES :1:2
STATEPOS:1:1
MOVE    :6:R0,0,1
"""


def test_a_saved_game(tmp_path: Path) -> None:
    file = tmp_path / "towers.sav"
    file.write_text(SAVED)
    expected = answer("towers:4:2/2/2/1/3/1/2/4/3/1/2/2/1/2/2/3")
    assert answer(str(file)) == expected == "1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("p cnf 1 1\n", "no saved game"),
        (SAVED.replace("DESC", "DISC"), "has no DESC"),
        (SAVED.replace("6:Towers", "5:Mines"), "mines"),
    ],
)
def test_a_saved_game_that_holds_no_clues(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "towers.sav"
    file.write_text(text)
    with pytest.raises(InputError, match=message):
        find(str(file))
