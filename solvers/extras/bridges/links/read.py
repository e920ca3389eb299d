"""Reads links and game IDs, and writes a solution into a link that has a place for it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from models.boards.compressed import ending
from solvers.base.errors import InputError
from solvers.extras.bridges.links import fpuzzles, penpa, puzzlink, sudokupad, tatham
from solvers.extras.bridges.links.linked import Cell, Linked
from solvers.extras.bridges.links.names import SITE, game_of, is_link
from solvers.files.load import read_text
from solvers.show.printable import quotation

SITES = "puzz.link, f-puzzles, SudokuPad, Penpa, and the pages of S. Tatham's collection"


def read(text: str) -> Linked:
    """Return the puzzle of a link or a game ID; raise `InputError` if it cannot be read, or if it has no puzzle.

    text: a link, with or without https://, or a game ID with the name of its game before it.

    >>> read("lightup:3x3:bBa1d")
    Linked(name='akari', arguments={'puzzle': '3x3:bBa1d'}, cells={}, rows=0, columns=0)
    """
    text = text.strip()
    if SITE.match(text):
        text = f"https://{text}"
    try:
        if re.match("https?://", text):
            return _puzzle_of_site(text)
        return tatham.read(game_of(text), text.partition(":")[2])
    except InputError:
        raise
    except ValueError as error:
        raise InputError(str(error)) from None


def _puzzle_of_site(link: str) -> Linked:
    """Return the puzzle of a link to a page: the site is known by its host or path, and has a reader of its own.

    Raises `InputError` if the site is not known, or if the link only names a puzzle that the site keeps.
    """
    try:
        site = urlsplit(link)
        host = (site.hostname or "").removeprefix("www.")
    except ValueError:
        raise InputError(f"{quotation(link)} is no link") from None
    path, query = site.path.strip("/"), site.query
    if host == "f-puzzles.com":
        loaded = re.search("(?:^|&)load=([^&]*)", query)
        if not loaded:
            raise InputError(
                "the link only names a puzzle that is kept on the site, and nothing is fetched; "
                "give one with ?load= and the puzzle"
            )
        return fpuzzles.read(unquote(loaded[1]))
    if host in ("sudokupad.app", "beta.sudokupad.app", "app.crackingthecryptic.com", "sudokupad.svencodes.com"):
        named = re.search("puzzleid=([^&]*)", query)
        # The packed text may have a slash, a digit of base64, so the whole path is taken.
        return sudokupad.read(unquote(named[1] if named else path.removeprefix("sudoku/")))
    if "penpa-edit" in host + path:
        return penpa.read(unquote(site.fragment or query))
    # Pages of S. Tatham's collection are named after their games, such as puzzles/js/loopy.html#ID.
    game = game_of(Path(path).stem + ":") if "puzzles/js" in path else ""
    if game:
        return tatham.read(game, unquote(site.fragment))
    # Links of puzz.link have a query such as slither/5/5/cbcbcddad on many sites.
    if re.match(r"(\w+=\w+&)*\w+/", unquote(query)):
        return puzzlink.read(re.sub(r"&[a-z]+=[^&/]*", "", query))
    raise InputError(f"{quotation(link)} holds no puzzle; links are read of {SITES}")


def link_in(path: str) -> str:
    """Return the link that a text file holds; "" if its first line is none. A saved game (.sav) holds a game ID.

    Empty lines, and lines that begin with # or %, are left out. Raises `InputError` if there are several links.
    """
    try:
        text = read_text(Path(path))
    except ValueError:
        return ""
    if ending(Path(path)) == ".sav":
        try:
            return tatham.id_in_save(text)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith(("#", "%"))]
    if not lines or not is_link(lines[0]):
        return ""
    if len(lines) > 1:
        raise InputError(f"{path} has {len(lines)} lines; judge all of them with python -m solvers unique {path}")
    return lines[0]


def link_with_solution(link: str, linked: Linked, values: Mapping[Cell, str]) -> str:
    """Return the link of a puzzle with a solution, on the site of its own link; "" if that has no place for one.

    Only f-puzzles and SudokuPad have one, for sudokus without further rules. link: the puzzle's own link. linked: the
    puzzle as it was read. values: the content of each cell.
    """
    host = urlsplit(link.strip()).hostname or ""
    write = fpuzzles.write if host.endswith("f-puzzles.com") else sudokupad.write
    has_place = host.endswith(("f-puzzles.com", "sudokupad.app"))
    if has_place and linked.name == "sudoku" and "rules" not in linked.arguments:
        return write(linked, values)
    return ""
