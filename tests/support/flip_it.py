"""Flip It by a search of its own, over positions written as text, and what is published of it."""

from collections.abc import Iterator

TURNED = str.maketrans("bw", "wb")


def jumps(row: str, neighbours: bool) -> Iterator[tuple[int, str]]:
    """Where the jumping counter lay, and the row after its jump."""
    space = row.index("_")
    for source in range(len(row)):
        if abs(source - space) >= (1 if neighbours else 2):
            left, right = sorted((source, space))
            over = row[left + 1 : right].translate(TURNED)
            ends = ("_", row[source]) if source < space else (row[source], "_")
            yield source, row[:left] + ends[0] + over + ends[1] + row[right + 1 :]


def all_white(size: int) -> list[str]:
    return ["w" * space + "_" + "w" * (size - 1 - space) for space in range(size)]


def layers(goals: list[str], neighbours: bool) -> list[list[str]]:
    """Positions by their distance from the goals; a jump back undoes a jump."""
    found, known = [sorted(goals)], set(goals)
    while found[-1]:
        found.append(sorted({after for row in found[-1] for _, after in jumps(row, neighbours)} - known))
        known.update(found[-1])
    return found[:-1]


HARDEST = [
    # N, neighbours, reachable, depth, positions of the last layer.
    # N. Yoshigahara's puzzle in M. Hiroi's Lisp pages, for N = 5 to 8; two independent programs beyond.
    (5, False, 80, 10, "b_wbb bb_bb bbw_b"),
    (6, False, 192, 8, "b_wbbb bb_bbb bbb_bb bbbw_b"),
    (7, False, 448, 8, "b_wbbbb bb_bbbb bbbb_bb bbbbw_b"),
    (8, False, 1024, 8, "b_wbbbbb b_wwwbbb bb_bbbbb bbbbb_bb bbbbbw_b bbbwww_b"),
    (5, True, 80, 6, "bb_bb"),
    (6, True, 192, 6, "b_wbbb bb_bbb bb_wbb bbb_bb bbbw_b bbw_bb"),
    (7, True, 448, 7, "bb_wbbb bbb_bbb bbbw_bb"),
]
