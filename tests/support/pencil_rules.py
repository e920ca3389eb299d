"""Small pencil puzzles by chance, each with its rules in plain words of Python, which share no code with the models.

They have sides of 1, few clues or none, and clues that contradict each other.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, groupby, pairwise, product
from math import prod
from random import Random
from typing import Any, NamedTuple

Cell = tuple[int, int]
Assignment = Mapping[Any, int]


class Small(NamedTuple):
    """A puzzle that is small enough to try all assignments."""

    parameters: dict[str, Any]
    labels: list[Any]
    """The labels of the key."""
    assignments: Iterable[tuple[int, ...]]
    """All assignments to try, in the order of the labels; any other breaks the rules."""
    obeys: Callable[[Assignment], bool]


def shape(chance: Random, cells: int, least: int = 1) -> Cell:
    """Rows and columns of a board of so many cells at most; half of the boards have a least side."""
    shapes = [(r, c) for r, c in product(range(least, 8), repeat=2) if r * c <= cells]
    thin = [(r, c) for r, c in shapes if least in (r, c)]
    return chance.choice(thin if chance.random() < 1 / 2 else shapes)


def marked(chance: Random, rows: int, columns: int, marks: str) -> tuple[dict[Cell, str], str]:
    """Marks in some cells, and the text; half of the boards have empty rows and columns around."""
    share = chance.choice([0, 0.15, 0.3, 0.6])
    top, left = (chance.choice([0, 0, 1]) for _ in range(2))
    inner = product(range(top, rows), range(left, columns - left))
    found = {cell: chance.choice(marks) for cell in inner if chance.random() < share}
    return found, written(found, rows, columns)


def written(marks: Mapping[Cell, str], rows: int, columns: int) -> str:
    return "/".join("".join(marks.get((r, c), ".") for c in range(columns)) for r in range(rows))


def near(cell: Cell) -> set[Cell]:
    r, c = cell
    return {(r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)}


def groups(nodes: Iterable[Any], pairs: Iterable[tuple[Any, Any]]) -> list[set[Any]]:
    """The nodes that the pairs join, together."""
    found = [{node} for node in nodes]
    for one, other in pairs:
        joined = [group for group in found if one in group or other in group]
        found = [group for group in found if group not in joined] + [set().union(*joined)]
    return found


def beside(cells: Iterable[Cell]) -> list[tuple[Cell, Cell]]:
    """The pairs of cells that share a side."""
    return [(a, b) for a, b in combinations(sorted(cells), 2) if b in near(a)]


def bits(number: int) -> Iterable[tuple[int, ...]]:
    return product((0, 1), repeat=number)


def is_loop(taken: Sequence[tuple[Cell, Cell]]) -> bool:
    ends = Counter(end for edge in taken for end in edge)
    return {*ends.values()} == {2} and len(groups(ends, taken)) == 1


def akari(chance: Random) -> Small:
    rows, columns = shape(chance, 9)
    marks, text = marked(chance, rows, columns, "B#01234")
    white = [cell for cell in product(range(rows), range(columns)) if cell not in marks]
    if not white:
        return akari(chance)

    def obeys(lit: Assignment) -> bool:
        for r, c in white:
            seen = 0
            for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0)):
                n = 1
                while (r + n * down, c + n * right) in white:
                    seen += lit[r + n * down, c + n * right]
                    n += 1
            if (lit[r, c] and seen) or not (lit[r, c] or seen):
                return False
        numbers = {cell: int(mark) for cell, mark in marks.items() if mark in "01234"}
        return all(sum(lit.get(other, 0) for other in near(cell)) == number for cell, number in numbers.items())

    return Small({"puzzle": text}, white, bits(len(white)), obeys)


def slitherlink(chance: Random) -> Small:
    rows, columns = chance.choice([(1, 1), (1, 2), (2, 1), (1, 3), (3, 1), (2, 2)])
    marks, text = marked(chance, rows, columns, "012334")
    edges = beside(product(range(rows + 1), range(columns + 1)))

    def obeys(drawn: Assignment) -> bool:
        taken = [edge for edge in edges if drawn[edge]]
        for (r, c), mark in marks.items():
            corners = {(r, c), (r + 1, c), (r, c + 1), (r + 1, c + 1)}
            if sum(corners.issuperset(edge) for edge in taken) != int(mark):
                return False
        return is_loop(taken)

    return Small({"puzzle": text}, edges, bits(len(edges)), obeys)


def masyu(chance: Random) -> Small:
    rows, columns = chance.choice([(2, 2), (2, 3), (3, 2), (3, 3), (2, 4), (4, 2)])
    marks, text = marked(chance, rows, columns, "BW")
    edges = beside(product(range(rows), range(columns)))

    def turns(taken: Sequence[tuple[Cell, Cell]], cell: Cell) -> bool:
        (a, b), (c, d) = (one for edge in taken if cell in edge for one in edge if one != cell)
        return a != c and b != d

    def obeys(drawn: Assignment) -> bool:
        taken = [edge for edge in edges if drawn[edge]]
        if not is_loop(taken):
            return False
        for cell, pearl in marks.items():
            around = [one for edge in taken if cell in edge for one in edge if one != cell]
            if not around or turns(taken, cell) == (pearl == "W"):
                return False
            turning = [turns(taken, one) for one in around]
            if any(turning) if pearl == "B" else not any(turning):
                return False
        return True

    return Small({"puzzle": text}, edges, bits(len(edges)), obeys)


def numberlink(chance: Random) -> Small:
    rows, columns = chance.choice([(1, 2), (2, 1), (1, 5), (6, 1), (2, 2), (2, 3), (3, 2), (3, 3), (2, 4)])
    cells = [*product(range(rows), range(columns))]
    signs = chance.sample(cells, 2 * chance.randint(1, min(3, len(cells) // 2)))
    marks = {cell: "1aZ"[n // 2] for n, cell in enumerate(signs)}
    edges, fill = beside(cells), chance.random() < 1 / 2

    def obeys(drawn: Assignment) -> bool:
        taken = [edge for edge in edges if drawn[edge]]
        ends = Counter(end for edge in taken for end in edge)
        wanted = {cell: (1,) if cell in marks else (2,) if fill else (0, 2) for cell in cells}
        if any(ends[cell] not in wanted[cell] for cell in cells):
            return False
        held = [sorted(marks[cell] for cell in group if cell in marks) for group in groups(ends, taken)]
        return all(len(some) == 2 and some[0] == some[1] for some in held)

    return Small({"puzzle": written(marks, rows, columns), "fill": fill}, edges, bits(len(edges)), obeys)


def hashi(chance: Random) -> Small:
    rows, columns = shape(chance, 15)
    top, left = (chance.choice([0, 1]) for _ in range(2))
    cells = [*product(range(min(top, rows - 1), rows), range(min(left, columns - 1), columns))]
    if len(cells) < 2:
        return hashi(chance)
    islands = sorted(chance.sample(cells, chance.randint(2, min(5, len(cells)))))
    straight = [(a, b) for a, b in combinations(islands, 2) if a[0] == b[0] or a[1] == b[1]]
    between = {
        pair: [cell for cell in islands if pair[0] < cell < pair[1] and is_between(cell, pair)] for pair in straight
    }
    pairs = [pair for pair in straight if not between[pair]]
    most = chance.choice([1, 2, 3, 4] if len(pairs) < 4 else [1, 2])
    shown = {pair: chance.randint(0, most) for pair in pairs}
    numbers = {cell: sum(n for pair, n in shown.items() if cell in pair) or 1 for cell in islands}

    def obeys(built: Assignment) -> bool:
        used = [pair for pair in pairs if built[pair]]
        for one, other in combinations(used, 2):
            water = [
                {cell for cell in product(range(rows), range(columns)) if is_between(cell, pair)}
                for pair in (one, other)
            ]
            if water[0] & water[1]:
                return False
        ends = {cell: sum(n for pair, n in built.items() if cell in pair) for cell in islands}
        return ends == numbers and len(groups(islands, used)) == 1

    text = written({cell: " 123456789ABCDEFG"[n] for cell, n in numbers.items()}, rows, columns)
    return Small({"puzzle": text, "most": most}, pairs, product(range(most + 1), repeat=len(pairs)), obeys)


def is_between(cell: Cell, ends: tuple[Cell, Cell]) -> bool:
    (a, b), (c, d) = ends
    return cell not in ends and a <= cell[0] <= c and b <= cell[1] <= d


def nurikabe(chance: Random) -> Small:
    rows, columns = shape(chance, 9)
    marks, text = marked(chance, rows, columns, "1111222334A")
    cells = [*product(range(rows), range(columns))]
    if not marks:
        return nurikabe(chance)

    def obeys(sea: Assignment) -> bool:
        land = [cell for cell in cells if not sea[cell]]
        wet = [cell for cell in cells if sea[cell]]
        islands = groups(land, beside(land))
        sizes = [[int(marks[cell], 16) for cell in island if cell in marks] for island in islands]
        if any(size != [len(island)] for size, island in zip(sizes, islands, strict=True)) or len(islands) != len(
            marks
        ):
            return False
        pools = [{(r, c), (r + 1, c), (r, c + 1), (r + 1, c + 1)} for r, c in cells]
        return len(groups(wet, beside(wet))) < 2 and not any(pool.issubset(wet) for pool in pools)

    return Small({"puzzle": text}, cells, bits(len(cells)), obeys)


def heyawake(chance: Random) -> Small:
    rows, columns = shape(chance, 9)
    cells = [*product(range(rows), range(columns))]
    walls = beside(cells)
    rooms = groups(cells, chance.sample(walls, chance.randint(0, len(walls) // 2)))
    names = [*"BA9zCDEFGHIJ"]
    room = {cell: name for name, cells in zip(names, rooms, strict=False) for cell in cells}
    said = [(name, chance.choice([0, 1, 1, 2])) for name in sorted({*room.values()}) if chance.random() < 0.4]
    said = [(name, count) for name, count in said if count <= [*room.values()].count(name)]

    def obeys(painted: Assignment) -> bool:
        dark = {cell for cell in cells if painted[cell]}
        white = [cell for cell in cells if not painted[cell]]
        if beside(dark) or len(groups(white, beside(white))) > 1:
            return False
        lines = [[(r, c) for c in range(columns)] for r in range(rows)]
        lines += [[(r, c) for r in range(rows)] for c in range(columns)]
        for line in lines:
            for start, end in combinations(range(len(line) + 1), 2):
                stretch = line[start:end]
                if dark.isdisjoint(stretch) and sum(room[a] != room[b] for a, b in pairwise(stretch)) > 1:
                    return False
        return all(sum(room[cell] == name for cell in dark) == count for name, count in said)

    text = " ".join([written(room, rows, columns), *(f"{name}={count}" for name, count in said)])
    return Small({"puzzle": text}, cells, bits(len(cells)), obeys)


def nonogram(chance: Random) -> Small:
    rows, columns = shape(chance, 9)
    cells = [*product(range(rows), range(columns))]

    def lengths(line: Iterable[int]) -> list[int]:
        return [sum(1 for _ in run) for is_filled, run in groupby(line) if is_filled]

    def board(filled: Assignment) -> list[list[int]]:
        return [[filled[r, c] for c in range(columns)] for r in range(rows)]

    def described(filled: Assignment) -> list[list[int]]:
        return [lengths(line) for line in (*board(filled), *zip(*board(filled), strict=True))]

    share = chance.choice([0, 0.5, 0.7, 1])
    lines = described({cell: int(chance.random() < share) for cell in cells})
    if chance.random() < 1 / 4:  # the rows of one board and the columns of another
        lines = [*lines[:rows], *described({cell: chance.randrange(2) for cell in cells})[rows:]]
    as_id = chance.random() < 1 / 3
    words = [(".." if as_id else " ")[:1].join(map(str, line)) or chance.choice(["", "0"]) for line in lines]
    text = f"{'/'.join(words[:rows])} | {'/'.join(words[rows:])}"
    if as_id:
        text = f"{columns}x{rows}:{'/'.join([*words[rows:], *words[:rows]])}"
    return Small({"puzzle": text}, cells, bits(len(cells)), lambda filled: described(filled) == lines)


def star_battle(chance: Random) -> Small:
    side = chance.choice([1, 1, 2, 3, 3, 3, 4])
    cells = [*product(range(side), range(side))]
    letters = ["AbC9"[r] for r, _ in cells]
    if chance.random() < 1 / 2:
        letters = [*"AbC9"[:side]] + [chance.choice("AbC9"[:side]) for _ in cells[side:]]
    chance.shuffle(letters)
    region = dict(zip(cells, letters, strict=True))

    def obeys(star: Assignment) -> bool:
        stars = [cell for cell in cells if star[cell]]
        rows, columns, regions = [r for r, _ in stars], [c for _, c in stars], [region[cell] for cell in stars]
        is_right = sorted(rows) == sorted(columns) == [*range(side)] and sorted(regions) == sorted({*letters})
        return is_right and all(abs(r - s) > 1 or abs(c - d) > 1 for (r, c), (s, d) in combinations(stars, 2))

    return Small({"puzzle": written(region, side, side)}, cells, bits(len(cells)), obeys)


def is_latin(value: Assignment, side: int) -> bool:
    lines = [[value[r, c] for c in range(side)] for r in range(side)]
    lines += [[value[r, c] for r in range(side)] for c in range(side)]
    return all(sorted(line) == [*range(1, side + 1)] for line in lines)


def skyscrapers(chance: Random) -> Small:
    side, share = chance.choice([2, 3]), chance.choice([0, 0.2, 0.5])
    cells, along = [*product(range(side), range(side))], range(side)
    clue = [chance.randint(1, side) if chance.random() < share else 0 for _ in range(4 * side)]
    given = {cell: chance.randint(1, side) for cell in cells if chance.random() < share / 3}
    ways = [[(r, c) for r in along] for c in along] + [[(r, c) for r in reversed(along)] for c in along]
    ways += [[(r, c) for c in along] for r in along] + [[(r, c) for c in reversed(along)] for r in along]

    def obeys(height: Assignment) -> bool:
        for way, number in zip(ways, clue, strict=True):
            highest = seen = 0
            for cell in way:
                seen += height[cell] > highest
                highest = max(highest, height[cell])
            if number not in (0, seen):
                return False
        return is_latin(height, side) and given.items() <= height.items()

    inside = "".join(f"{given[cell]}_" if cell in given else "a" for cell in cells).replace("_a", "a").rstrip("_")
    text = f"{side}:{'/'.join(str(number or '') for number in clue)}{f',{inside}' if given else ''}"
    return Small({"puzzle": text}, cells, product(range(1, side + 1), repeat=side**2), obeys)


def futoshiki(chance: Random) -> Small:
    side, share = chance.choice([1, 2, 2, 3, 3]), chance.choice([0, 0.05, 0.15])
    cells = [*product(range(side), range(side))]
    given = {cell: chance.randint(1, side) for cell in cells if chance.random() < share}
    steps = {"U": (-1, 0), "R": (0, 1), "D": (1, 0), "L": (0, -1)}
    signs = [
        ((r, c), letter, (r + down, c + right))
        for r, c in cells
        for letter, (down, right) in steps.items()
        if (r + down, c + right) in cells and chance.random() < share
    ]

    def obeys(number: Assignment) -> bool:
        is_kept = given.items() <= number.items() and all(number[one] > number[other] for one, _, other in signs)
        return is_kept and is_latin(number, side)

    words = [str(given.get(cell, 0)) + "".join(letter for one, letter, _ in signs if one == cell) for cell in cells]
    text = f"{side}:{','.join(words)}"
    return Small({"puzzle": text}, cells, product(range(1, side + 1), repeat=side**2), obeys)


def calcudoku(chance: Random) -> Small:
    side = chance.choice([1, 2, 2, 3, 3])
    cells = [*product(range(side), range(side))]
    cage_of: dict[Cell, str] = {}
    for cell in cells:
        joined = [cage_of[other] for other in sorted(near(cell)) if other in cage_of]
        cage_of[cell] = chance.choice(joined) if joined and chance.random() < 1 / 2 else chr(ord("A") + len(cage_of))
    results: dict[str, tuple[int, str]] = {}
    for letter in dict.fromkeys(cage_of.values()):
        size = [*cage_of.values()].count(letter)
        signs = {1: ["", "+", "x"], 2: ["+", "-", "x", "/"]}.get(size, ["+", "x"])
        results[letter] = chance.randint(1, side**2 if side < 3 else 6), chance.choice(signs)

    def obeys(number: Assignment) -> bool:
        for letter, (result, sign) in results.items():
            inside = [number[cell] for cell in cells if cage_of[cell] == letter]
            found = {
                "": sum(inside),
                "+": sum(inside),
                "-": max(inside) - min(inside),
                "x": prod(inside),
                "/": max(inside) / min(inside),
            }
            if found[sign] != result:
                return False
        return is_latin(number, side)

    rows = ["".join(cage_of[r, c] for c in range(side)) for r in range(side)]
    text = " ".join(["/".join(rows), *(f"{letter}={result}{sign}" for letter, (result, sign) in results.items())])
    return Small({"puzzle": text}, cells, product(range(1, side + 1), repeat=side**2), obeys)


def dominosa(chance: Random) -> Small:
    most = chance.choice([0, 1, 1, 2])
    numbers = [number for number in range(most + 1) for _ in range(most + 2)]
    chance.shuffle(numbers)
    rows, columns = chance.choice([(most + 1, most + 2), (most + 2, most + 1)])
    cells = [*product(range(rows), range(columns))]
    at = dict(zip(cells, numbers, strict=True))
    edges = beside(cells)

    def assignments() -> Iterable[tuple[int, ...]]:
        for chosen in combinations(edges, len(cells) // 2):
            yield tuple(int(edge in chosen) for edge in edges)

    def obeys(laid: Assignment) -> bool:
        dominoes = [edge for edge in edges if laid[edge]]
        halves = [half for edge in dominoes for half in edge]
        pairs = [sorted(at[half] for half in edge) for edge in dominoes]
        return sorted(halves) == cells and all(pairs.count(pair) == 1 for pair in pairs)

    text = "/".join("".join(str(at[r, c]) for c in range(columns)) for r in range(rows))
    return Small({"puzzle": text}, edges, assignments(), obeys)


def kakuro(chance: Random) -> Small:
    rows, columns = shape(chance, 12)
    cells = [*product(range(rows), range(columns))]
    white = sorted(chance.sample(cells, chance.randint(1, min(4, len(cells)))))
    digit = {cell: chance.randint(1, 9) for cell in white}
    given = [cell for cell in white if chance.random() < 0.1]
    words, rules = dict.fromkeys(cells, "#"), []
    for r, c in product(range(-1, rows), range(-1, columns)):
        if (r, c) in white:
            continue
        said = []
        for down, right in ((1, 0), (0, 1)):
            run: list[Cell] = []
            while (r + down * (len(run) + 1), c + right * (len(run) + 1)) in white:
                run.append((r + down * (len(run) + 1), c + right * (len(run) + 1)))
            total = sum(digit[cell] for cell in run) + chance.choice([0, 0, 0, 1])
            least, most = sum(range(1, len(run) + 1)), sum(range(10 - len(run), 10))
            is_said = run and (r, c) in words and least <= total <= most and chance.random() < 0.6
            said.append(str(total) if is_said else "")
            rules.append((run, total if is_said else None))
        if any(said):
            words[r, c] = "\\".join(said)
    words |= {cell: str(digit[cell]) if cell in given else "." for cell in white}

    def obeys(value: Assignment) -> bool:
        for run, total in rules:
            held = [value[cell] for cell in run]
            if len({*held}) < len(held) or total not in (None, sum(held)):
                return False
        return all(value[cell] == digit[cell] for cell in given)

    text = " / ".join(" ".join(words[r, c] for c in range(columns)) for r in range(rows))
    return Small({"puzzle": text}, white, product(range(1, 10), repeat=len(white)), obeys)


def one_in_each(cells: Sequence[Cell], numbers: range) -> tuple[list[tuple[int, int, int]], Iterable[tuple[int, ...]]]:
    """Labels (row, column, number), and all assignments with one number in each cell."""
    labels = [(*cell, n) for cell in cells for n in numbers]
    fillings = product(numbers, repeat=len(cells))
    return labels, (tuple(int(n == m) for m in filling for n in numbers) for filling in fillings)


def numbrix(chance: Random) -> Small:
    rows, columns = shape(chance, 6)
    cells, corners = [*product(range(rows), range(columns))], chance.random() < 1 / 2
    board = f"{rows}x{columns}"
    if chance.random() < 1 / 2 and rows > 1:
        cells = sorted(chance.sample(cells, chance.randint(1, min(5, len(cells)))))
        board = written(dict.fromkeys(cells, "#"), rows, columns).replace("/", "\n")
    if len(cells) > 5:
        return numbrix(chance)
    labels, assignments = one_in_each(cells, range(1, len(cells) + 1))

    def obeys(holds: Assignment) -> bool:
        path = sorted((n, (r, c)) for (r, c, n), is_there in holds.items() if is_there)
        if [n for n, _ in path] != [*range(1, len(cells) + 1)]:
            return False
        steps = [(abs(r - s), abs(c - d)) for (_, (r, c)), (_, (s, d)) in pairwise(path)]
        return all(max(step) == 1 and (corners or min(step) == 0) for step in steps)

    return Small({"board": board, "steps": "corners" if corners else "sides"}, labels, assignments, obeys)


def sudoku(chance: Random) -> Small:
    rows, columns = chance.choice([(1, 1), (1, 2), (2, 1), (1, 3), (3, 1), (1, 3), (3, 1)])
    side = rows * columns
    cells = [*product(range(side), range(side))]
    region: dict[Cell, Any] = {(r, c): (r // rows, c // columns) for r, c in cells}
    parameters: dict[str, Any] = {"rows": rows, "columns": columns}
    if chance.random() < 1 / 2:
        letters = [*("AbC"[:side] * side)]
        chance.shuffle(letters)
        region = dict(zip(cells, letters, strict=True))
        parameters["regions"] = written(region, side, side)
    asked = {name: chance.random() < 0.2 for name in ("diagonals", "knight", "king")}
    walls = beside(cells)
    closed = groups(cells, chance.sample(walls, len(walls) // 3))
    closed = [cage for cage in closed if len(cage) <= side and chance.random() < 0.3]
    sums = [chance.randint(sum(range(len(cage) + 1)), sum(range(side - len(cage) + 1, side + 1))) for cage in closed]
    if closed:
        marks = {cell: "pQ7rstuvw"[n] for n, cage in enumerate(closed) for cell in cage}
        said = [f"{'pQ7rstuvw'[n]}={total}" for n, total in enumerate(sums)]
        parameters["cages"] = " ".join([written(marks, side, side), *said])
    labels, assignments = one_in_each(cells, range(side))

    def obeys(holds: Assignment) -> bool:
        at = {(r, c): v for (r, c, v), is_there in holds.items() if is_there}
        for one, other in combinations(cells, 2):
            apart = sorted(abs(a - b) for a, b in zip(one, other, strict=True))
            excludes = 0 in apart or region[one] == region[other] or any({one, other} <= cage for cage in closed)
            if asked["diagonals"]:
                excludes |= one[0] == one[1] and other[0] == other[1]
                excludes |= sum(one) == sum(other) == side - 1
            excludes |= (asked["knight"] and apart == [1, 2]) or (asked["king"] and apart == [1, 1])
            if excludes and at[one] == at[other]:
                return False
        return all(sum(at[cell] + 1 for cell in cage) == total for cage, total in zip(closed, sums, strict=True))

    return Small(parameters | asked, labels, assignments, obeys)


SMALL: dict[str, Callable[[Random], Small]] = {
    "akari": akari,
    "calcudoku": calcudoku,
    "dominosa": dominosa,
    "futoshiki": futoshiki,
    "hashi": hashi,
    "heyawake": heyawake,
    "kakuro": kakuro,
    "masyu": masyu,
    "nonogram": nonogram,
    "numberlink": numberlink,
    "numbrix": numbrix,
    "nurikabe": nurikabe,
    "skyscrapers": skyscrapers,
    "slitherlink": slitherlink,
    "star-battle": star_battle,
    "sudoku": sudoku,
}
"""Makes a small puzzle of each genre of the shelf by chance."""
