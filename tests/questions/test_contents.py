"""Contents of a board as people write them."""

from pathlib import Path
from random import Random

import pytest

from models.boards.marks import contents_of, square_in
from models.digits.sudoku import sudoku
from models.pencil.second_reading import square
from solvers import solve
from tests.support.command import refusal, report_of
from tests.support.own_models import write
from tests.support.sudoku import AROUND, LINE, ROWS

WRITTEN = {
    "line": LINE,
    "zeros": LINE.replace(".", "0"),
    "underscores": LINE.replace(".", "_"),
    "stars": LINE.replace(".", "*") + "\n",
    "rows": "\n".join(ROWS),
    "blanks": "\n".join(" ".join(row) for row in ROWS),
    "empty": "\n".join(row.replace(".", " ") for row in ROWS),
    "comma": "\n".join(",".join(row.replace(".", " ")) for row in ROWS).replace(" ", ""),
    "semicolon": "\r\n".join(";".join(row) for row in ROWS),
    "tab": "\n".join("\t".join(row) for row in ROWS),
    "quoted": "\n".join(",".join(f'"{word}"' for word in row.replace(".", "0")) for row in ROWS),
    "rules": "\n------+-------+------\n".join(
        "\n".join(" | ".join(" ".join(row[at : at + 3]) for at in (0, 3, 6)) for row in ROWS[start : start + 3])
        for start in (0, 3, 6)
    ),
    "boxes": "\n".join(["+---+---+---+", *(f"|{row[:3]}|{row[3:6]}|{row[6:]}|" for row in ROWS), "+---+---+---+"]),
}


@pytest.mark.parametrize("how", WRITTEN)
def test_a_sudoku_is_read(how: str) -> None:
    wanted = [word.replace(".", "") for word in LINE]
    assert contents_of(WRITTEN[how], 81, [str(n) for n in range(1, 10)]) == wanted


@pytest.mark.thorough
@pytest.mark.parametrize("how", ["line", "comma"])
def test_the_command_counts_it(how: str, tmp_path: Path) -> None:
    file = str(write(tmp_path / "given.txt", WRITTEN[how]))
    assert report_of("sudoku", "--rows", "3", "--columns", "3", "--given", file)["total"] == 40


def test_random_contents_are_read_back() -> None:
    chance = Random(1)
    for order in (2, 3, 4, 10, 16):
        names = [str(n) for n in range(1, order + 1)]
        cells = [chance.choice([*names, ""]) for _ in range(order * order)]
        rows = [cells[start : start + order] for start in range(0, order * order, order)]
        for text in ("\n".join(" ".join(word or "." for word in row) for row in rows), "\n".join(map(",".join, rows))):
            assert contents_of(text, order * order, names) == cells


def test_other_boards(tmp_path: Path) -> None:
    file = str(write(tmp_path / "given.csv", "1,,3\n,,\n,,\n"))
    assert report_of("magic", "--given", file)["total"] == 1
    file = str(write(tmp_path / "queens.txt", ".Q....\n......\n......\n......\n......\n......\n"))
    assert report_of("queens", "--n", "6", "--given", file)["total"] == 1
    assert solve(sudoku(2, 2), given=["row 1 column 1 = 3"]).total == 72


def test_what_is_no_board(tmp_path: Path) -> None:
    file = str(write(tmp_path / "given.txt", "1..4.3."))
    sentence = refusal("sudoku", "--given", file)
    assert sentence.endswith("there are 7 signs in a row, and 7 in all; a sudoku has 16, 36, 81 or 256 cells")
    sentence = refusal("sudoku", "--rows", "2", "--given", file)
    assert sentence.endswith("given.txt: the line has 7 cells, and sudoku has 16")
    for text in ("5" * 16, "1 2 3 4\n" * 5):
        refusal("sudoku", "--given", str(write(tmp_path / "given.txt", text)))


SIXTEEN = [(row * 5 + row // 4 + column) % 16 if row != column else -1 for row in range(16) for column in range(16)]


def in_signs(signs: str, empty: str, wide: int = 256) -> str:
    line = "".join(empty if number < 0 else signs[number] for number in SIXTEEN)
    return "\n".join(line[start : start + wide] for start in range(0, 256, wide))


LARGE = {
    "1-G": in_signs("123456789ABCDEFG", "."),
    "0 is empty": in_signs("123456789ABCDEFG", "0"),
    "small": in_signs("123456789abcdefg", "."),
    "0-F": in_signs("0123456789ABCDEF", "."),
    "A-P": in_signs("ABCDEFGHIJKLMNOP", "."),
    "rows": in_signs("0123456789ABCDEF", ".", 16),
    "numbers": " ".join(str(number + 1) for number in SIXTEEN),
}
"""A square of 16 rows."""


@pytest.mark.parametrize("how", [*WRITTEN, *AROUND])
def test_a_square_is_found(how: str) -> None:
    text = {**WRITTEN, **AROUND}[how]
    line = "." * 9 + LINE[9:] if how == "dashes" else LINE
    assert square_in(text) == [word.replace(".", "") for word in line]
    assert square(text) == {divmod(n, 9): int(word) for n, word in enumerate(line) if word != "."}


@pytest.mark.parametrize("how", LARGE)
def test_a_square_of_16_is_found(how: str) -> None:
    numbers = {divmod(n, 16): number + 1 for n, number in enumerate(SIXTEEN) if number >= 0}
    assert square_in(LARGE[how]) == [str(numbers.get(divmod(n, 16), "")) for n in range(256)]
    assert square(LARGE[how]) == numbers


def test_a_part_of_a_drawing_is_found() -> None:
    lines = ["┌───────┬───────┐", "│ 1     │     4 │", "│       │       │", "│       │ 1   2 │", "├───────┼───────┤"]
    lines += ["│       │     1 │", "│       │       │", "│ 4   3 │ 2     │", "└───────┴───────┘"]
    assert square_in("\n".join(lines)) == [word.replace(".", "") for word in "1..4..12...1432."]
    assert square("\n".join(lines)) == {divmod(n, 4): int(w) for n, w in enumerate("1..4..12...1432.") if w != "."}


@pytest.mark.parametrize(
    "how", ["line", *(pytest.param(how, marks=pytest.mark.thorough) for how in ("HoDoKu", "JSON"))]
)
def test_the_size_follows_from_what_is_given(how: str, tmp_path: Path) -> None:
    file = str(write(tmp_path / "own.txt", {**WRITTEN, **AROUND}[how]))
    assert report_of("sudoku", "--given", file)["total"] == 40
    assert report_of("sudoku", "--puzzle", file)["total"] == 40
    assert solve("sudoku", given=file, jobs=1).total == 40


def test_the_default_is_published() -> None:
    assert report_of("sudoku")["total"] == 1
    assert solve("sudoku", jobs=1).total == 1
