"""Contents of a board as people write them."""

from pathlib import Path
from random import Random

import pytest

from models.pencil.sudoku import sudoku
from solvers import solve
from solvers.extras.questions.recognise.contents import contents_of
from tests.support.command import refusal, report_of
from tests.support.own_models import write

LINE = "1.3..67.94.....1.....1..45......7.9..678.1.3.89........4.....1..78..2.459..3.5.7."
ROWS = [LINE[start : start + 9] for start in range(0, 81, 9)]

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
    assert solve(sudoku(), given=["row 1 column 1 = 3"]).total == 72


def test_what_is_no_board(tmp_path: Path) -> None:
    sentence = refusal("sudoku", "--given", str(write(tmp_path / "given.txt", "1..4.3.")))
    assert sentence.endswith("given.txt: the line has 7 cells, and sudoku has 16")
    for text in ("5" * 16, "1 2 3 4\n" * 5):
        refusal("sudoku", "--given", str(write(tmp_path / "given.txt", text)))
