"""Models in files that extras read."""

from pathlib import Path
from typing import Any

import pytest
from ortools.sat.python.cp_model import CpModel, IntVar

from solvers import solve
from solvers.base.errors import InputError
from solvers.extras.counts.verified.export import cover_of, knuth_text
from solvers.files.catalogue import find
from tests.support.backends import EVERY, GENERAL
from tests.support.classics import queens
from tests.support.command import refusal, report_of
from tests.support.covers import SUMS, sums
from tests.support.declared import BOOLEAN, declared
from tests.support.own_models import refusal_of, solutions, write

KNUTH = """| a letter box, TAOCP 7.2.2.1 (49)
p q r | x y
p q x y:A
p r x:A y
p x:B
q x:A
r y:B
"""


def test_the_example_of_the_book(tmp_path: Path) -> None:
    file = write(tmp_path / "c.dlx", KNUTH)
    for backend in EVERY:
        assert solutions(file, backend=backend)[0] == [{"p r x:A y": 1, "q x:A": 1}]


def test_options_that_are_written_alike_are_two(tmp_path: Path) -> None:
    found, total = solutions(write(tmp_path / "c.dlx", "a b\na b\n a  b\nb a\n"))
    assert total == 3
    assert {label for solution in found for label in solution} == {("a b", 2), ("a b", 3), "b a"}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "names no items"),
        ("| only comments\n\n", "names no items"),
        (b"\x00\xff\xfe\x00", "is not text"),
        ("| x y\n", "names no items"),
        ("a b a\na b\n", "names the item 'a' twice"),
        ("a | b | c\na\n", "'|' is not an item"),
        ("a:b\na\n", "'a:b' is not an item"),
        ("a b\na c\n", "line 2 covers 'c', which is none of the items"),
        ("a b\na a\n", "covers 'a' twice"),
        ("a | b\na:R b\n", "gives the primary item 'a' a colour"),
        ("a | b\na b:\n", "not an item with its colour"),
        ("a | b\na b:c:d\n", "not an item with its colour"),
        (f"a {'x' * 5000}\nq\n", "'q', which is none"),
        ("a b\n" + "a |\n", "'|', which is none of the items"),
    ],
)
def test_covers_that_are_none(content: str | bytes, sentence: str, tmp_path: Path) -> None:
    assert sentence in refusal_of(write(tmp_path / "c.dlx", content))


def test_too_many_pairs_kept_apart(tmp_path: Path) -> None:
    options = "".join(f"p{n} s:{'AB'[n % 2]}\n" for n in range(5000))
    primary = " ".join(f"p{n}" for n in range(5000))
    assert "more than 5000000 pairs" in refusal_of(write(tmp_path / "c.dlx", f"{primary} | s\n{options}"))


def saved(model: CpModel, path: Path) -> Path:
    assert model.export_to_file(str(path))
    return path


def mirrored_queens(path: Path) -> Path:
    """With a symmetry that is stored."""
    model = queens(6).model
    model.proto.symmetry.permutations.add().parse_text_format("support: [0,5,1,4,2,3] cycle_sizes: [2,2,2]")
    return saved(model, path)


@pytest.mark.parametrize("ending", ["pb", "pbtxt"])
@pytest.mark.parametrize("backend", GENERAL)
def test_stored_symmetries_are_used(ending: str, backend: str, tmp_path: Path) -> None:
    found, total = solutions(mirrored_queens(tmp_path / f"q.{ending}"), backend=backend)
    assert (len(found), total) == (2, 4)
    assert solutions(tmp_path / f"q.{ending}", backend=backend, unbroken=True)[1] == 4


def test_orbitopes_are_exchanges_of_columns(tmp_path: Path) -> None:
    model = declared([BOOLEAN] * 6, lambda m, *x: m.add_exactly_one(x[:3]), lambda m, *x: m.add_exactly_one(x[3:]))
    model.proto.symmetry.orbitopes.add().parse_text_format("num_rows: 2 num_cols: 3 entries: [0,1,2,3,4,5]")
    found, total = solutions(saved(model, tmp_path / "m.pb"))
    assert (len(found), total) == (2, 9)


def test_a_stored_symmetry_that_leaves_the_key_is_not_used(tmp_path: Path) -> None:
    file = mirrored_queens(tmp_path / "q.pb")
    for key, orbits in ((["q0"], 4), (["q0", "q5"], 2)):
        found, total = solutions(file, {"key": key})
        assert (len(found), total) == (orbits, 4)


def test_which_variables_are_the_key(tmp_path: Path) -> None:
    names = ("a", "b[1]", "b[2]", "", "b1", "a*")
    file = saved(declared(dict.fromkeys(names, BOOLEAN)), tmp_path / "m.pbtxt")

    def key(*patterns: str) -> list[Any]:
        return list(find(str(file)).declare(key=patterns).key)

    for patterns, labels in (
        ([], ["a", "b[1]", "b[2]", "bool3", "b1", "a*"]),
        (["bool*"], ["bool3"]),
        (["b[*"], ["b[1]", "b[2]"]),
        (["b[1]"], ["b[1]"]),
        (["b?", "a"], ["a", "b1"]),
    ):
        assert key(*patterns) == labels
    assert "no variable is called c; there is '" in refusal_of(file, key=["c"])
    assert solutions(saved(declared([BOOLEAN, BOOLEAN]), file))[1] == 4
    assert key() == [0, 1]
    assert "no variable is called c; there is '" in refusal_of(file, key=["c"])
    assert key("1") == [1]


@pytest.mark.thorough
def test_names_that_two_variables_have(tmp_path: Path) -> None:
    model = declared(dict.fromkeys("abc", BOOLEAN))
    model.proto.variables[2].name = "b"
    file = saved(model, tmp_path / "m.pb")
    for key, total, fixed in ((["a"], 2, []), ([], 4, ["b#2=1"]), (["b"], 2, ["b#1=0"]), (["b#1"], 2, [])):
        report = solve(find(str(file)).declare(key=key), given=fixed).report
        assert report.total == total
        assert report.warnings[0] == "2 variables are called b; they are told apart as b#1, b#2"
    assert "'b' may be 'b#1' and 'b#2'; write one of these" in refusal(str(file), "--given", "b=1")
    assert report_of(str(file), "--key", "a")["variables"] == {"all": 3, "key": 1, "named": 1}


@pytest.mark.parametrize(
    ("unnamed", "total", "row"),
    [
        ((), 6, None),
        ((0,), 6, None),  # the others determine it
        ((0, 1), 6, "6 over all 3 variables; 3 over the 1 that has a name; --key chooses"),
        ((0, 1, 2), 6, None),
    ],
)
@pytest.mark.parametrize("symmetry", ["declared", "found"])
def test_variables_without_a_name_count(
    unnamed: tuple[int, ...], total: int, row: str | None, symmetry: Any, tmp_path: Path
) -> None:
    """The permutations of three numbers, as the solver itself counts them."""
    model = declared(dict.fromkeys("abc", (0, 2)), lambda m, *three: m.add_all_different(three))
    for index in unnamed:
        model.proto.variables[index].clear_name()
    report = solve(saved(model, tmp_path / "m.pbtxt"), symmetry=symmetry).report
    assert report.total == total
    assert dict(report.rows()).get("counted over") == row


def test_intervals_on_any_backend(tmp_path: Path) -> None:
    def apart(model: CpModel, *starts: IntVar) -> None:
        model.add_no_overlap(model.new_fixed_size_interval_var(start, 2, "") for start in starts)

    file = saved(declared({"start[0]": (0, 3), "start[1]": (0, 3)}, apart), tmp_path / "m.pb")
    assert [solutions(file, backend=backend)[1] for backend in ("cp-sat", "sat", "cp", "clasp")] == [6] * 4


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("m.pbtxt", "", "holds no variable"),
        ("m.pb", "", "holds no variable"),
        ("m.pbtxt", "garbage", "not a CP-SAT model as text"),
        ("m.pbtxt", b"\xff\x00\x01", "is not text"),
        ("m.pbtxt", "variables {\n domain: [0, 1]\n} nonsense: 3", "line 3: "),
        ("m.pbtxt", "variables { domain: 99999999999999999999999 }", "out of range"),
        ("m.pbtxt", "variables { domain: [0, 1]", "not a CP-SAT model as text"),
        ("m.pbtxt", "variables { " * 100_000, "not a CP-SAT model as text"),
        ("m.pbtxt", "variables { domain: [1, 0] }", "OR-Tools does not accept the model"),
        ("m.pbtxt", "variables { domain: [0, 1] } constraints { bool_or { literals: 7 } }", "does not accept"),
        (
            "m.pbtxt",
            "variables { domain: [0, 1] } floating_point_objective { vars: 0 coeffs: nan }",
            "not a finite number",
        ),
        ("m.pbtxt", "variables { domain: [0, 1] } floating_point_objective { vars: 7 coeffs: 1 }", "does not have"),
        (
            "m.pbtxt",
            "variables { domain: [0, 1] } floating_point_objective { vars: 0 }",
            "one coefficient for each variable",
        ),
        ("m.pbtxt", 'variables { name: "\\377" domain: [0, 1] }', "not UTF-8 text"),
        ("m.pb", b"\xff" * 20, "not a CP-SAT model in binary"),
        ("m.pb", b"\xfa\x01\x03abc", "fields that OR-Tools 9.15 does not know"),
        ("m.pbtxt", "variables { domain: [0, 1] } symmetry { permutations { support: 0 } }", "cycles that do not fit"),
        (
            "m.pbtxt",
            "variables { domain: [0, 1] } symmetry { permutations { support: [0, 5] cycle_sizes: 2 } }",
            "a variable that it does not have",
        ),
        (
            "m.pbtxt",
            "variables { domain: [0, 1] } symmetry { permutations { support: [0, 0] cycle_sizes: [1, 1] } }",
            "moves a variable twice",
        ),
        (
            "m.pbtxt",
            "variables { domain: [0, 1] } variables { domain: [0, 2] } "
            "symmetry { permutations { support: [0, 1] cycle_sizes: 2 } }",
            "different values",
        ),
        (
            "m.pbtxt",
            "variables { domain: [0, 1] } symmetry { orbitopes { num_rows: 1000000000 num_cols: 1000000000 } }",
            "not a matrix of different variables",
        ),
    ],
)
def test_models_that_are_none(
    name: str, content: str | bytes, sentence: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert sentence in refusal_of(write(tmp_path / name, content))
    assert capfd.readouterr() == ("", "")


def test_a_model_that_was_cut_off(tmp_path: Path) -> None:
    data = saved(queens(6).model, tmp_path / "whole.pb").read_bytes()
    for length in range(1, len(data), 7):
        file = write(tmp_path / "m.pb", data[:length])
        try:
            find(str(file)).declare()
        except InputError as refused:
            assert str(file) in str(refused)  # noqa: PT017 - a cut between two constraints leaves a model


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    sentence = "ends in .py, .cnf, .cnf+, .knf, .csv, .dlx, .fzn, .json, .mzn, .non, .npy, .opb, .pb, .pbtxt"
    assert sentence in refusal_of(write(tmp_path / "model.lp", ""))


def test_the_file_is_one_in_knuths_format(tmp_path: Path) -> None:
    """That is, the one that is written for the verified counter."""
    model = sums()
    text = knuth_text(cover_of(model), [variable.name for variable in model.proto.variables])
    assert solve(write(tmp_path / "sums.dlx", text), jobs=1).total == SUMS
