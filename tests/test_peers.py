"""The benchmark against other programs: each counts the same, and a count that differs is noticed."""

import sys

import pytest

from tests.benchmarks import peers

pytestmark = pytest.mark.thorough


def table(monkeypatch: pytest.MonkeyPatch, ours: tuple[str, ...], *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["peers", "--repeat", "1", *words])
    monkeypatch.setattr(peers, "OURS", {"ours": ours})
    return peers.main()


def test_counts(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--puzzle", "checker")
    assert table(monkeypatch, ("--backend=cover",), *words) == 0
    rows = capsys.readouterr().out.splitlines()[2:]
    assert len(rows) >= 5
    assert all(row.partition(")")[2].split()[0] == "2" for row in rows[:-1])
    few = {"xcover": peers.PEERS["xcover"]}
    monkeypatch.setattr(peers, "PEERS", few)
    assert table(monkeypatch, ("--backend=cover", "--limit=1"), *words) == 1
    assert "the counts differ: [1, 2]" in capsys.readouterr().err


def test_what_is_no_cover_and_what_is_nonsense(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(peers, "PEERS", {name: peers.PEERS[name] for name in ("CP-SAT, plain", "xcover")})
    assert table(monkeypatch, ("--backend=cp-sat",), "--puzzle", "magic") == 0
    assert "the model is no exact cover" in capsys.readouterr().out
    assert table(monkeypatch, (), "--board", "6x9") == 2
    assert "6x9 has 54 cells" in capsys.readouterr().err
