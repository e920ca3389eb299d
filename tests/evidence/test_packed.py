"""Packed refutations: what is packed comes back, and what is forged or damaged is refused."""

import random
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest

from models.pentomino import pentomino
from solvers import solve
from solvers.endings import DONE
from solvers.extras.evidence import packed
from solvers.extras.evidence.checker import unpack
from solvers.extras.evidence.checker.check import check
from solvers.extras.evidence.checker.lrat import Wrong, check_refutation, read_cnf
from solvers.extras.evidence.checker.unpack import check_packed, unpacked_text
from solvers.extras.evidence.checker.unpack_kernel import Arena
from solvers.extras.evidence.functions import write_certificate
from solvers.extras.ground.tuning import EXTRAS_TUNING
from solvers.tuning import tuned
from tests.support.command import run


@pytest.fixture(name="proof", scope="module")
def proved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate with a packed proof, of several blocks."""
    directory = tmp_path_factory.mktemp("packed") / "certificate"
    blocks = {"packed_block_bytes": 300_000, "packed_block_numbers": 1_000}
    with tuned(EXTRAS_TUNING, max_plain_proof_bytes=100_000, **blocks):
        write_certificate(solve(pentomino("3x5", subset=True), backend="cover", jobs=1), directory)
    return directory


def formula(directory: Path) -> tuple[int, list[tuple[int, ...]]]:
    return read_cnf((directory / "pentomino.cnf").read_text().splitlines())


@pytest.mark.thorough
def test_it_is_checked_and_unpacked(proof: Path) -> None:
    assert "there are no others" in check(proof)
    variables, clauses = formula(proof)
    done = run("solvers.check", str(proof), "--unpack")
    assert (done.returncode, done.stdout) == (DONE, f"{proof / 'pentomino.lrat'}\n")
    text = (proof / "pentomino.lrat").read_bytes()
    data = (proof / "pentomino.lrat.packed").read_bytes()
    assert len(data) < len(text) / 3
    assert check_packed(BytesIO(data), clauses, variables) == check_refutation(clauses, text.splitlines())
    assert b"".join(packed.packed(iter([text]), clauses, variables))  # in one part
    again = BytesIO(b"".join(packed.packed((text[n : n + 999] for n in range(0, len(text), 999)), clauses, variables)))
    assert b"".join(unpacked_text(again, clauses, variables)) == text


Answer = TypeVar("Answer")


def unless_wrong(check: Callable[[], Answer]) -> Answer | None:
    try:
        return check()
    except Wrong:
        return None


def repacked(proof: Path, change: Callable[[list[bytes]], Any]) -> tuple[bytes, list[bytes]]:
    """The proof with lines that are changed."""
    variables, clauses = formula(proof)
    with (proof / "pentomino.lrat.packed").open("rb") as stream:
        lines = b"".join(unpacked_text(stream, clauses, variables)).splitlines(keepends=True)
    change(lines)
    return b"".join(packed.packed([b"".join(lines)], clauses, variables)), lines


@pytest.mark.parametrize("seed", [pytest.param(n, marks=[pytest.mark.thorough] * (n > 3)) for n in range(12)])
def test_both_checkers_agree_on_wrong_proofs(proof: Path, seed: int) -> None:
    """A hint that is left out, exchanged or another; a step that is left out; a clause with a literal less."""
    chance = random.Random(seed)
    variables, clauses = formula(proof)

    def change(lines: list[bytes]) -> None:
        place = chance.randrange(len(lines) // 2, len(lines))
        if lines[place].split()[1] == b"d":
            place -= 1
        first, _, rest = lines[place].partition(b" 0 ")
        hints = rest.split()[:-1]
        match seed % 4:
            case 0:
                del hints[chance.randrange(len(hints))]
            case 1:
                hints[chance.randrange(len(hints))] = str(chance.randint(1, len(clauses))).encode()
            case 2:
                first = first.rpartition(b" ")[0] if first.count(b" ") else first
            case 3:
                chance.shuffle(hints)
        lines[place] = b" ".join([first, b"0", *hints, b"0"]) + b"\n"

    data, lines = repacked(proof, change)
    expected = unless_wrong(lambda: check_refutation(clauses, lines))
    assert unless_wrong(lambda: check_packed(BytesIO(data), clauses, variables)) == expected


def test_a_deleted_clause_is_of_no_use(proof: Path) -> None:
    variables, clauses = formula(proof)

    def delete(lines: list[bytes]) -> None:
        lines.insert(len(lines) - 1, b"%d d %s 0\n" % (int(lines[-1].split()[0]) - 1, lines[-1].split()[-2]))

    data, _ = repacked(proof, delete)
    with pytest.raises(Wrong, match="does not follow"):
        check_packed(BytesIO(data), clauses, variables)


def test_literals_of_deleted_clauses_give_way() -> None:
    clauses = [(1, -2), (), (3,), (4, 5, 6), (-7, 8)]
    arena = Arena(
        literals=np.array([*(literal for clause in clauses for literal in clause), 0], dtype=np.int32),
        start=np.array([0, 0, 2, 2, 3, 6], dtype=np.int64),
        size=np.array([-1, -1, 0, 1, -1, 2], dtype=np.int32),  # the first and the fourth clause are deleted
        stamp=np.zeros(18, dtype=np.int32),
        counters=np.array([8, 5, 0], dtype=np.int64),
    )
    unpack.kernel().compact(arena)
    assert (arena.counters[0], *arena.literals[:3]) == (3, 3, -7, 8)
    assert arena.start[[2, 3, 5]].tolist() == [0, 0, 1]


def test_damaged_files(proof: Path) -> None:
    """Cut short, or with bytes changed at the beginning: refused, and nothing else happens."""
    variables, clauses = formula(proof)
    data, chance = (proof / "pentomino.lrat.packed").read_bytes(), random.Random(1)
    for _ in range(20):
        wrong = bytearray(data)
        if chance.random() < 0.3:
            del wrong[chance.randrange(len(wrong)) :]
        else:
            for _ in range(3):
                wrong[chance.randrange(300)] = chance.randrange(256)
        if bytes(wrong) != data:
            with pytest.raises(Wrong):
                check_packed(BytesIO(bytes(wrong)), clauses, variables)


@pytest.mark.parametrize("seed", [pytest.param(n, marks=[pytest.mark.thorough] * (n > 7)) for n in range(60)])
def test_forged_columns(proof: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    variables, clauses = formula(proof)
    chance, whole = random.Random(seed), unpack._decompress

    def forged(data: bytes, size: int) -> bytes:
        column = bytearray(whole(data, size))
        for _ in range(chance.randrange(4) if size else 0):
            column[chance.randrange(size)] = chance.choice((0, 1, 127, 128, 255, chance.randrange(256)))
        return bytes(column)

    monkeypatch.setattr(unpack, "_decompress", forged)
    data = (proof / "pentomino.lrat.packed").read_bytes()
    text = unless_wrong(lambda: b"".join(unpacked_text(BytesIO(data), clauses, variables)))
    chance.seed(seed)
    steps = unless_wrong(lambda: check_packed(BytesIO(data), clauses, variables))
    if steps is not None and text:
        assert check_refutation(clauses, text.splitlines()) == steps
