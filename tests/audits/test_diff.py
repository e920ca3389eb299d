"""Two models compared, and many: against lists of all their solutions."""

import csv
import pickle
import re
from collections import Counter
from datetime import datetime
from itertools import pairwise, permutations, product
from pathlib import Path
from random import Random
from threading import Event
from typing import Any

import pytest
from ortools.sat.python.cp_model import CpModel

from models.puzzle import Puzzle
from solvers.extras.audits.diff.blame import blame, rules_of_model
from solvers.extras.audits.diff.difference import diff
from solvers.extras.audits.diff.sentences import ComparedModel
from solvers.extras.audits.diff.verdicts import Difference
from tests.audits.audits import breakings, rules
from tests.support.command import printed, refusal, run, told
from tests.support.declared import puzzle
from tests.support.own_models import write
from tests.support.refusals import refused
from tests.support.tiers import sampled

DIFF = "solvers.extras.audits.diff.__main__"

QUEENS = '''from ortools.sat.python.cp_model import CpModel
from models.puzzle import Puzzle
def queens(n: int = 6) -> Puzzle:
    """Place n queens."""
    model = CpModel()
    q = [model.new_int_var(1, n, f"q[{c}]") for c in range(1, n + 1)]
    model.add_all_different(q)
    model.add_all_different(x + c for c, x in enumerate(q))
    model.add_all_different(x - c for c, x in enumerate(q))
    return Puzzle("queens", {}, model, {x.name: x for x in q})
'''

IN_MINIZINC = """include "alldifferent.mzn";
int: n;
array[1..n] of var 1..n: q;
constraint alldifferent(q) /\\ alldifferent([q[i] + i | i in 1..n]) /\\ alldifferent([q[i] - i | i in 1..n]);
solve satisfy;
"""


def random_model(chance: Random, is_indirect: bool) -> tuple[Puzzle, set[tuple[int, ...]]]:
    """Some rules on three variables, and its solutions; indirect: it has variables besides."""
    size = [chance.randint(2, 3) for _ in range(3)]
    chosen = [rule for _, rule in chance.sample(rules(3) + breakings(3), chance.randint(0, 3))]
    own = puzzle(
        {n: (0, top - 1) for n, top in enumerate(size)}, *(lambda model, *x, of=of: model.add(of(x)) for of in chosen)
    )
    if is_indirect:
        own.model.add_max_equality(own.model.new_int_var(0, 9, ""), own.key.values())
    return own, {values for values in product(*map(range, size)) if all(rule(values) for rule in chosen)}


SEEDS = [
    range(10),
    pytest.param(range(10, 40), marks=pytest.mark.thorough),
]


@pytest.mark.parametrize("seeds", SEEDS)
def test_random_rules_are_blamed(seeds: range) -> None:
    """Each solution breaks a rule that is blamed, and no rule is blamed that all of them keep."""
    for seed in seeds:
        chance = Random(seed)
        top, is_hidden = chance.randint(1, 2), chance.random() < 0.3
        chosen = chance.sample(rules(3) + breakings(3), chance.randint(1, 4))
        own = puzzle(dict.fromkeys(range(3), (0, top)))
        for name, rule in chosen:
            bound = own.model.new_int_var(0, 1, "")
            own.model.add(rule([*own.key.values()])).with_name(name)
            if is_hidden:
                own.model.add(sum(own.key.values()) >= bound).with_name("hidden")
        lost = [v for v in product(range(3), repeat=3) if max(v) > top or not all(rule(v) for _, rule in chosen)]
        solutions: list[dict[Any, int]] = [dict(enumerate(v)) for v in chance.sample(lost, min(3, len(lost)))]
        if not solutions:
            continue
        book = rules_of_model(own, {})
        told = blame(book, solutions, Event())
        inside = [tuple(one.values()) for one in solutions if max(one.values()) <= top]
        assert (told.outside is None) == (len(inside) == len(solutions))
        blamed = [rule for name, rule in chosen if name in {book.rules[place].text for place in told.rules}]
        assert len(blamed) == len(told.rules)
        assert all(any(not rule(v) for rule in blamed) for v in inside), seed
        assert all(any(not rule(v) for v in inside) for rule in blamed), seed
        every = blame(book, solutions, Event(), is_every=True)
        broken = {name for name, rule in chosen if any(not rule(v) for v in inside)}
        assert ({book.rules[place].text for place in every.rules}, every.is_all) == (broken, True), seed


@pytest.mark.parametrize(
    "seeds",
    [
        range(8),
    ],
)
def test_random_labels(seeds: range) -> None:
    """A submission names some variables otherwise, has others besides, or lacks some."""
    for seed in seeds:
        chance = Random(seed)
        (one, first), (other, second) = (random_model(chance, False) for _ in range(2))
        shift, name, number = chance.randint(-1, 2), chance.choice("xy"), chance.randint(1, 3)
        ours = Puzzle("ours", {}, one.model, {f"x[{n}]": variable for n, variable in one.key.items()})
        key: dict[Any, Any] = {f"{name}[{n + shift}]": other.key[n] for n in range(number)}
        if chance.random() < 0.3:
            key["more"] = other.model.new_int_var(0, 1, "more")
        theirs = Puzzle("theirs", {}, other.model, key)
        plainly = diff(ours, theirs)
        result, is_certain = plainly, name == "x" or least_and_greatest(one) == least_and_greatest(other)
        if number < 3 or not is_certain:
            assert plainly.verdict == "other variables"
            assert bool(plainly.proposals) == (number == 3)
        if number == 3 and not is_certain:
            result = diff(ours, theirs, labels={f"{name}[{shift}..]": "x[0..]"})
        if number == 3:
            assert (result.verdict == "same") == (first == second), seed
            assert bool(result.mapped) == (is_certain and (name, shift) != ("x", 0))
            assert result.ignored == ["more"] * ("more" in key)


def least_and_greatest(one: Puzzle) -> tuple[int, int]:
    domains = [[*one.model.proto.variables[place].domain] for place in range(3)]
    return min(domain[0] for domain in domains), max(domain[-1] for domain in domains)


def permuted(breaking: Any = None) -> Puzzle:
    rules = (lambda model, *x: model.add_all_different(x), lambda model, *x: model.add(breaking(x)))
    return puzzle(dict.fromkeys(product([0], range(3)), (0, 2)), *rules[: 2 if breaking else 1], name="permuted")


def test_up_to_symmetry() -> None:
    result = diff(permuted(), permuted(lambda x: x[0] < x[1]))
    assert (result.verdict, result.symmetries, result.code, result.reference.only) == ("same up to symmetry", 72, 0, 3)
    assert str(pickle.loads(pickle.dumps(result))) == str(result)
    assert diff(permuted(lambda x: x[0] < x[1]), permuted()).verdict == "different"
    assert diff(permuted(), permuted(lambda x: x[0] + x[1] == 7)).verdict == "different"
    assert diff(permuted(), permuted(lambda x: x[0] < x[1]), symmetry="declared").verdict == "different"


def test_labels_that_only_one_has() -> None:
    whole = permuted()
    part = Puzzle("part", {}, whole.model, {f"y[{n}]": whole.key[0, n] for n in range(2)})
    result = diff(whole, part)
    assert (result.verdict, result.labels, result.code) == ("other variables", 0, 4)
    names = {"y[0]": (0, 1), "y[1]": (0, 0)}
    result = diff(whole, part, labels=names)
    assert (result.verdict, result.labels, result.reference.left_out) == ("other variables", 2, ["(0, 2)"])
    assert "1 label of permuted only: (0, 2)" in str(result)
    assert diff(whole, part, labels=names, on=[(0, 0), (0, 1)]).verdict == "same"


SERIES = """from ortools.sat.python.cp_model import CpModel
from models.puzzle import Puzzle
def series(n: int = 7) -> Puzzle:
    model = CpModel()
    x = [model.new_int_var(0, n - 1, "") for _ in range(n)]
    d = [model.new_int_var(1, n - 1, "") for _ in range(n - 1)]
    model.add_all_different(x)
    model.add_all_different(d)
    for one, left, right in zip(d, x, x[1:]):
        model.add_abs_equality(one, left - right)
    return Puzzle("series", {}, model, {f"x[{place}]": one for place, one in enumerate(x)})
"""


def series(n: int, *rules: Any) -> list[tuple[int, ...]]:
    """All orders of 0 to n - 1 with different differences of neighbours, which some rules allow."""
    every = (x for x in permutations(range(n)) if len({abs(a - b) for a, b in pairwise(x)}) == n - 1)
    return [x for x in every if all(rule(x) for rule in rules)]


def orbit(x: tuple[int, ...]) -> tuple[int, ...]:
    """The least of a series, its reverse and their complements."""
    images = [x, x[::-1]]
    return min(*images, *(tuple(len(x) - 1 - value for value in image) for image in images))


RULES = {
    "x[0] < x[-1]": lambda x: x[0] < x[-1],
    "x[0] < x[1]": lambda x: x[0] < x[1],
    "x[2] != 3": lambda x: x[2] != 3,
    "x[1] != 0": lambda x: x[1] != 0,
    "d[0] < d[-1]": lambda x: abs(x[0] - x[1]) < abs(x[-1] - x[-2]),
}


@pytest.mark.parametrize("names", sampled([[*RULES][:1], [*RULES][2:4], [*RULES][::4], [*RULES]], 2))
def test_all_rules_to_blame(tmp_path: Path, names: list[str]) -> None:
    """All rules that remove solutions are named, and those that alone keep one of each orbit apart from the others."""
    n, added = 6, "".join(f"    model.add({name})\n" for name in names)
    path = write(tmp_path / "mine.py", SERIES.replace("    return", f"{added}    return"))
    reference = write(tmp_path / "reference.py", SERIES)
    every, kept = series(n), series(n, *map(RULES.get, names))
    number = len({*map(orbit, every)})
    is_right = len({*map(orbit, kept)}) == number
    answer = told(str(reference), str(path), "--n", str(n), module=DIFF, code=0 if is_right else 4)
    assert answer["verdict"] == ("same up to symmetry" if is_right else "different")
    assert answer["submission"]["solutions"] == len(kept)
    removing = [name for name in names if len(series(n, RULES[name])) < len(every)]
    breaking = [name for name in removing if len({*map(orbit, series(n, RULES[name]))}) == number]
    lines = {name: f"line {11 + names.index(name)}: " for name in names}
    say = answer["what_to_say"]
    assert all(say.count(lines[name]) == (name in removing) for name in names)
    if not is_right and len(breaking) < len(removing):
        strong = say.partition("too strong: ")[2].partition(". ")[0]
        assert {name for name in removing if lines[name] in strong} == {*removing} - {*breaking}
        assert ("Symmetry is broken by" in say) == bool(breaking)
    if not is_right and len(breaking) == len(removing):
        assert "Alone, each of these rules only breaks symmetry, but together they are too strong: line 11" in say


@pytest.mark.thorough
def test_several_sizes(tmp_path: Path) -> None:
    """Two breakings that are right for one size and wrong for another one."""
    reference = write(tmp_path / "reference.py", SERIES)
    names = [*RULES][:2]
    added = "".join(f"    model.add({name})\n" for name in names)
    path = write(tmp_path / "mine.py", SERIES.replace("    return", f"{added}    return"))
    table = tmp_path / "table.csv"
    words = [str(reference), str(path), "--sizes", "n=5..7"]
    rows = told(*words, "--csv", str(table), module=DIFF, code=4)
    for n, row in zip((5, 6, 7), rows, strict=True):
        kept = series(n, *map(RULES.get, names))
        is_right = {*map(orbit, kept)} == {*map(orbit, series(n))}
        assert (row["size"], row["solutions"]) == (f"n={n}", len(kept))
        assert row["verdict"] == ("same up to symmetry" if is_right else "different")
    assert {row["verdict"] for row in rows} == {"same up to symmetry", "different"}
    assert [row["size"] for row in csv.DictReader(table.open())] == ["n=5", "n=6", "n=7"]
    fixed = write(tmp_path / "fixed.py", SERIES.replace("(n: int = 7)", "()").replace("model = C", "n = 7; model = C"))
    rows = told(str(reference), str(fixed), "--sizes", "n=7", module=DIFF, code=3)
    said = "Your model has no parameter n, so that its size cannot be chosen."
    assert (rows[0]["verdict"], rows[0]["what_to_say"]) == ("refused", said)
    assert "has no parameter n" in refusal(str(fixed), str(path), "--sizes", "n=7", module=DIFF)
    for text in ("n", "n=5..4", "n=a..7", "n=5...7"):
        assert "write them as in n=4..8" in refusal(str(reference), str(path), "--sizes", text, module=DIFF)


@pytest.mark.usefixtures("minizinc")
def test_values_that_are_replaced(tmp_path: Path) -> None:
    """A value that a user gives replaces that of a text in MiniZinc, and that of its data."""
    fixed = write(tmp_path / "fixed.mzn", IN_MINIZINC.replace("int: n;", "int: n = 4;"))
    path = write(tmp_path / "open.mzn", IN_MINIZINC)
    for own in (fixed, path):
        answer = told(str(fixed), str(own), "--define", "n=5", module=DIFF)
        assert (answer["verdict"], answer["labels"], answer["submission"]["solutions"]) == ("same", 6, 10)
    reference = write(tmp_path / "reference.py", QUEENS)
    assert told(str(reference), str(fixed), "--n", "5", module=DIFF)["verdict"] == "same"
    assert told(str(reference), str(fixed), module=DIFF, code=4)["verdict"] == "other variables"
    answer = told(str(fixed), str(reference), "--define", "n=5", "--on", "q", module=DIFF)
    assert (answer["verdict"], answer["labels"]) == ("same", 5)


def of_labels(*labels: Any, top: int = 3) -> Puzzle:
    """Different values of variables with these labels."""
    return puzzle(dict.fromkeys(labels, (0, top)), lambda model, *x: model.add_all_different(x))


LADDER = """from ortools.sat.python import cp_model
m = cp_model.CpModel()
made = {}
for i in "ab":
    for j in range(2):
        made[i, j] = m.new_int_var(0, 3, f"step[{'ab'.index(i)},{j}]")
m.add_all_different(made.values())
cp_model.CpSolver().solve(m)
"""


def test_a_single_variable_without_a_name_of_the_author() -> None:
    model = CpModel()
    variables = {"x": model.new_int_var(0, 3, ""), "y": model.new_int_var(0, 3, "")}
    declared = Puzzle("two numbers", {}, model, variables)
    compared = ComparedModel(declared, lambda: rules_of_model(declared, {}), authored=lambda: ["a", ""])
    renamed = compared.by_author_names()
    assert renamed is not None
    assert [*renamed.puzzle.key] == ["a", "y"]


@pytest.mark.thorough
def test_names_that_the_author_gave(tmp_path: Path) -> None:
    """A program's own names come first; those given to variables if these do not fit."""
    path = write(tmp_path / "ladder.py", LADDER)
    reference = write(
        tmp_path / "reference.py",
        LADDER.replace("made[i, j]", "step['ab'.index(i), j]").replace("made", "step").replace('"step[', '"other['),
    )
    answer = told(str(reference), str(path), module=DIFF)
    assert (answer["verdict"], answer["author_names"], answer["mapped"]) == ("same", True, [])
    assert "compared by the names that the author gave to variables" in answer["notes"]
    answer = told(str(reference), str(reference), module=DIFF)
    assert (answer["verdict"], answer["author_names"]) == ("same", False)


@pytest.mark.thorough
def test_a_mapping_that_does_not_fit_each_file(tmp_path: Path) -> None:
    """One mapping for a folder: a file that has the labels already is compared without it."""
    text = """from ortools.sat.python import cp_model
m = cp_model.CpModel()
x = {n: m.new_int_var(0, 3, "") for n in range(3)}
m.add_all_different(x.values())
cp_model.CpSolver().solve(m)
"""
    (tmp_path / "folder").mkdir()
    reference = write(tmp_path / "reference.py", text)
    write(tmp_path / "folder" / "copy.py", text)
    write(tmp_path / "folder" / "high.py", text.replace("{n:", "{n + 1:"))
    rows = told(str(reference), str(tmp_path / "folder"), "--map", "x[0..]=x[1..]", module=DIFF)
    assert [(row["file"], row["verdict"], row["notes"]) for row in rows] == [
        ("copy.py", "same", "compared without --map 'x[0..]=x[1..]', which does not fit"),
        ("high.py", "same", None),
    ]
    assert "x[2]" in refusal(str(reference), str(reference), "--map", "x[0..]=x[1..]", module=DIFF)


def array(name: str, first: int, top: int = 3) -> Puzzle:
    """Different values of an array of four."""
    return of_labels(*(f"{name}[{n}]" for n in range(first, first + 4)), top=top)


def arrays(*names: str) -> Puzzle:
    """Different values of arrays of two."""
    return of_labels(*(f"{name}[{n}]" for name in names for n in range(2)))


MOVED = "x[0..]=x[1..]"


@pytest.mark.parametrize(
    ("reference", "submission", "proposals"),
    [
        (array("x", 0), of_labels("x[0]"), []),
        (array("x", 0), of_labels("x[0]", "x[1]", "x[2]"), []),
        (array("x", 0), of_labels(*(f"x[{n}]" for n in range(5)), top=4), []),
        (array("x", 0), array("row", 0, top=4), ["x=row"]),
        (array("x", 0), array("row", 1, top=5), ["x[0..]=row[1..]"]),
        (array("x", 0), of_labels(*range(4), top=4), ["x[0..]=[0..]"]),
        (of_labels("a", "b"), of_labels("a", "c"), ["b=c"]),
        (of_labels("a", "b"), of_labels("c", "d"), ["a=c", "a=d", "b=c", "b=d"]),
        (arrays("x"), arrays("y", "z"), ["x=y", "x=z"]),
        (arrays("x", "w"), arrays("y"), ["x=y", "w=y"]),
        (array("x", 0), of_labels(*(f"X[{n}]" for n in range(4)), *(f"x[{n}]" for n in range(1, 5))), ["x=X", MOVED]),
        (arrays("x", "v"), arrays("y", "z"), ["x=y", "x=z", "v=y", "v=z"]),
        (of_labels(("a", "b")), of_labels("y[a,b]"), []),
    ],
)
def test_labels_have_to_be_the_same(reference: Puzzle, submission: Puzzle, proposals: list[str]) -> None:
    result = diff(reference, submission)
    assert (result.verdict, result.code, result.proposals) == ("other variables", 4, proposals)
    assert (result.mapped, result.ignored, result.notes) == ([], [], [])
    assert result.reference.left_out or result.submission.left_out
    assert all(f"--map '{text}'" in str(result) for text in proposals)


@pytest.mark.parametrize(
    ("reference", "submission", "mapped"),
    [
        (array("x", 0), array("x", 1), ["x[0..]=x[1..]"]),
        (array("x", 5), array("x", -2), ["x[5..]=x[-2..]"]),
        (array("x", 0), array("X", 0), ["x=X"]),
        (of_labels("all", "b"), of_labels("ALL", "b"), ["all=ALL"]),
        (array("x", 0), array("row", 0), ["x=row"]),
        (array("x", 0), array("row", 1), ["x[0..]=row[1..]"]),
        (array("x", 0), of_labels(*range(4)), ["x[0..]=[0..]"]),
        (of_labels(*range(4)), array("x", 1), ["[0..]=x[1..]"]),
        (of_labels((0, 0), (0, 1)), of_labels("x[1,1]", "x[1,2]"), ["[0..,0..]=x[1..,1..]"]),
        (arrays("x", "v"), arrays("V", "y"), ["v=V", "x=y"]),
    ],
)
def test_labels_without_another_choice_are_mapped(reference: Puzzle, submission: Puzzle, mapped: list[str]) -> None:
    result = diff(reference, submission)
    assert (result.verdict, {*result.mapped}, result.proposals) == ("same", {*mapped}, [])
    assert all(f"compared as with --map '{text}'" in str(result) for text in mapped)
    assert result.as_json()["mapped"] == result.mapped
    labels = {theirs: ours for ours, _, theirs in (text.partition("=") for text in mapped)}
    assert diff(reference, submission, labels=labels).verdict == "same"


def test_a_grid_is_another_choice() -> None:
    """An array of the same shape and a grid of Booleans may both stand for the reference's integers."""
    grid = {f"b[{n},{value}]": (0, 1) for n in range(2) for value in range(4)}
    result = diff(arrays("x"), puzzle({**dict.fromkeys(["y[0]", "y[1]"], (0, 3)), **grid}))
    assert (result.verdict, result.proposals, result.mapped) == ("other variables", ["x=y", "x=b"], [])


def test_a_label_is_used_once() -> None:
    for text, label in (("x[0..]", "x[1]"), ("x[2..]", "x[4]")):
        refused(rf"x\[1..\]={re.escape(text)}", diff, array("x", 1), array("x", 1), labels={text: "x[1..]"})
        refused(re.escape(label), diff, array("x", 1), array("x", 1), labels={text: "x[1..]"})
    both = puzzle(dict.fromkeys([*(f"x[{n}]" for n in range(3)), "y[0]", "y[1]"], (0, 1)))
    refused(r"x\[2\]", diff, array("x", 0), both, labels={"y": "x"})  # and not y[0], y[1] and x[2]


def ordered(*also: str) -> Puzzle:
    """Three pairs a < b of 0 to 2, and further variables, each of which is b - a."""
    names = ["a", "b", *also]
    rules = [lambda model, a, b, *_: model.add(a < b)]
    return puzzle(
        dict.fromkeys(names, (0, 2)), *rules, lambda model, a, b, *more: [model.add(one == b - a) for one in more]
    )


@pytest.mark.parametrize("on", [[], ["a", "b"], ["b", "a", "a"]])
def test_further_variables_of_a_submission_are_ignored(on: list[str]) -> None:
    result = diff(ordered(), ordered("gap", "d[1]"), on=on)
    assert (result.verdict, result.labels, result.submission.solutions) == ("same", 2, 3)
    assert result.ignored == result.as_json()["ignored"] == ["gap", "d[1]"]
    assert "2 labels ignored: gap, d[1]" in str(result)
    result = diff(ordered("gap"), ordered("sum"))
    assert (result.verdict, result.reference.left_out, result.ignored) == ("other variables", ["gap"], [])


def test_nothing_is_the_same_by_no_label() -> None:
    fixed = puzzle({"n": (3, 3)}, name="fixed")
    assert diff(fixed, ordered()).verdict == "other variables"


def test_spellings_of_indices_are_the_same() -> None:
    result = diff(of_labels("x[0, 1]", "x[0,2]", 7), of_labels("x[0][1]", "x[0, 2]", "7"))
    assert (result.verdict, result.labels) == ("same", 3)


def test_names_of_one_mapping() -> None:
    swapped = diff(of_labels("a", "b"), of_labels("b", "a"), labels={"a": "b", "b": "a"})
    assert (swapped.verdict, swapped.labels) == ("same", 2)
    ours, theirs = array("x", 0), array("y", 1)
    for labels, words in (
        ({"z": "x"}, "no label and no array called z"),
        ({"y": "z"}, "no label and no array called z"),
        ({"y[1..]": "x"}, "write each index as in"),
        ({"y[1..]": "x[a..]"}, "only indices that are numbers"),
        ({"z[1..]": "x[0..]"}, "no array with such indices"),
        ({"y[1]": "x[0]", "y[2]": "x[0]"}, "are mapped to the same label"),
        ({"y": "x[0]"}, "maps a whole array to a label"),
    ):
        refused(words, diff, ours, theirs, labels=labels)
    refused("no label and no array called z", diff, ours, ours, on=["z"])


def hexagon(*also: Any) -> Puzzle:
    """The magic hexagon of order 3, with more rules."""
    starts = [0, 3, 7, 12, 16, 19]
    rows = [[*range(a, b)] for a, b in pairwise(starts)]
    cell = {(r, max(0, 2 - r) + n): i for r, row in enumerate(rows) for n, i in enumerate(row)}
    lines = [*rows, *([i for (_, c), i in cell.items() if c == n] for n in range(5))]
    lines += [[i for (r, c), i in cell.items() if r + c == n] for n in range(2, 7)]

    def sums(model: Any, *x: Any) -> None:
        for line in lines:
            model.add(sum(x[i] for i in line) == 38)

    labels = dict.fromkeys((f"x[{n}]" for n in range(19)), (1, 19))
    return puzzle(labels, lambda model, *x: model.add_all_different(x), sums, *also)


@pytest.mark.thorough
def test_models_that_are_listed_quickly_are_compared_as_sets() -> None:
    """No search for a violated rule of the other model would come to its end."""
    redundant = hexagon(lambda model, *x: model.add(sum(x) == 190), lambda model, *x: model.add(x[0] != x[18]))
    result = diff(hexagon(), redundant, time_limit=60)
    assert (result.verdict, result.reference.solutions, result.submission.solutions) == ("same", 12, 12)


def test_a_parameter_of_minizinc_is_no_variable() -> None:
    ours = puzzle({"x": (0, 3), "n": (5, 5)})
    assert diff(ours, puzzle({"x": (0, 3)})).verdict == diff(puzzle({"x": (0, 3)}), ours).verdict == "same"
    assert diff(ours, puzzle({"x": (0, 3), "n": (4, 4)})).verdict == "different"
    assert diff(puzzle({"x[0]": (0, 3), "x[1]": (5, 5)}), puzzle({"x[0]": (0, 3)})).verdict == "other variables"


def test_best_values() -> None:
    best, other = permuted(), permuted()
    for goal, one in enumerate((best, other)):
        one.model.maximize(one.key[0, goal])
    assert diff(best, best).verdict == "same"
    result = diff(best, other)
    assert (result.reference.solutions, result.reference.only, result.submission.only) == (2, 2, 2)


def test_time_is_over() -> None:
    result: Difference = diff(permuted(), permuted(), time_limit=1e-6)
    assert (result.verdict, result.code) == ("not settled in time", 3)


@pytest.fixture(name="homework")
def written(tmp_path: Path) -> Path:
    """A folder with a reference and submissions of all sorts."""
    write(tmp_path / "reference.py", QUEENS)
    folder = tmp_path / "homework"
    folder.mkdir()
    files = {
        "a_same.py": QUEENS.replace("queens", "mine"),
        "b_broken.py": QUEENS.replace("    return", "    model.add(q[0] < q[-1])\n    return"),
        "c_forgot.py": QUEENS.replace("model.add_all_different(q)\n", "pass\n"),
        "d_loop.py": f"{QUEENS}\nopen({str(tmp_path / 'begun')!r}, 'w')\nwhile True: pass\n",
        "e_crash.py": f"{QUEENS}    os.abort()\n".replace("    model =", "    import os; os.abort()\n    model ="),
        "f_syntax.py": "def queens(:",
        "h_memory.py": QUEENS.replace("    model =", "    all_boards = bytearray(1 << 40)\n    model ="),
        "i_shifted.py": QUEENS.replace("q[{c}]", "q[{c - 1}]"),
        "j_named.py": QUEENS.replace("q[{c}]", "p[{c}]").replace("(1, n, ", "(0, n - 1, "),
        "g_prints.py": f"print('hello')\n{QUEENS}",
        "notes.txt": "this is no model",
    }
    for name, text in files.items():
        write(folder / name, text)
    return tmp_path


def test_one_submission(homework: Path) -> None:
    reference, folder = str(homework / "reference.py"), homework / "homework"
    answer = told(reference, str(folder / "c_forgot.py"), "--n", "4", module=DIFF, code=4)
    own, other = answer["reference"], answer["submission"]
    assert (answer["verdict"], own["solutions"], own["only"]) == ("different", 2, 0)
    assert len({own["checksum"], other["checksum"], answer["checksums"]["kazoeru"]}) == 3
    assert other["only"] == other["solutions"] - 2
    for words in (
        [reference],
        [reference, "nowhere.mzn"],
        [reference, reference, "--map", "q"],
        [reference, reference, "--map", "q=p"],
    ):
        refusal(*words, module=DIFF)


@pytest.mark.usefixtures("minizinc")
def test_a_submission_in_minizinc(homework: Path) -> None:
    path = write(homework / "other.mzn", IN_MINIZINC)
    assert printed(str(homework / "reference.py"), str(path), "--n", "5", module=DIFF).startswith("same, by 5 labels")


@pytest.mark.thorough
def test_many_submissions(homework: Path) -> None:
    table = homework / "table.csv"
    words = [str(homework / "reference.py"), "--submissions", str(homework / "homework"), "--csv", str(table)]
    printed(*words, "--time-limit", "4", "--n", "6", module=DIFF, code=4)
    rows = {row["file"][0]: row for row in csv.DictReader(table.open())}
    assert {name: row["verdict"] for name, row in rows.items()} == {
        **{"a": "same", "b": "same up to symmetry", "c": "different", "d": "endless", "e": "crashed"},
        **{"f": "refused", "g": "same", "h": "crashed", "i": "same", "j": "other variables"},
    }
    assert "declared no model within 4 s" in rows["d"]["complaint"]
    assert rows["i"]["notes"] == "compared as with --map 'q[1..]=q[0..]'"
    assert rows["j"]["extra"] == "p[1], p[2], p[3], p[4], p[5], p[6]"
    assert (rows["j"]["notes"], rows["j"]["complaint"]) == ("", "try --map 'q=p'")
    assert (rows["h"]["complaint"], rows["b"]["solutions"], rows["b"]["only_reference"]) == ("out of memory", "2", "2")


def rewritten(old: str, new: str) -> str:
    """The reference with one of its lines written otherwise."""
    assert old in QUEENS
    return QUEENS.replace(old, new)


LAST_RULE = "model.add_all_different(x - c for c, x in enumerate(q))"
IN_CPMPY = """import cpmpy as cp
n = 7
q = cp.intvar(1, n, shape=n + 1, name="q")[1:]
model = cp.Model(cp.AllDifferent(q), cp.AllDifferent([q[i] + i for i in range(n)]))
model += cp.AllDifferent([q[i] - i for i in range(n)])
"""
FIRST_OF_BOARD = "    return"
MISSING = [
    "365 solutions too many",
    "A rule is missing: all different: q[1], q[2] - 1,",
    "With this rule, it is right.",
]

WAYS: dict[str, tuple[str, str, list[str]]] = {
    "same.py": (QUEENS, "same", ["right: 40 solutions"]),
    "otherwise.py": (
        rewritten(LAST_RULE, "[model.add(q[d] - q[c] != d - c) for d in range(n) for c in range(d)]"),
        "same",
        ["right"],
    ),
    "missing.py": (rewritten(LAST_RULE, "pass"), "different", MISSING),
    "strong.py": (
        rewritten(FIRST_OF_BOARD, "    model.add(q[3] != 4)\n    return"),
        "different",
        ["lacks 8 solutions", "too strong: line 10: q[4] != 4", "Without this rule, it is right."],
    ),
    "named.py": (
        rewritten(FIRST_OF_BOARD, "    model.add(q[3] != 4).with_name('corner')\n    return"),
        "different",
        ["too strong: line 10: corner", "forbids q[1]=2, q[2]=5"],
    ),
    "off_high.py": (rewritten("var(1, n,", "var(1, n + 1,"), "different", ["q[4] can be 8, but has to be from 1 to 7"]),
    "off_low.py": (
        rewritten("var(1, n,", "var(1, n - 1,"),
        "different",
        ["no solution", "is only from 1 to 6, so that 7 is missing"],
    ),
    "both.py": (
        rewritten(LAST_RULE, "model.add(q[2] != 2)"),
        "different",
        ["too many. A rule is missing: all different", "lacks 6 solutions", "line 9: q[3] != 2"],
    ),
    "breaking.py": (
        rewritten(FIRST_OF_BOARD, "    model.add(q[0] < q[-1])\n    return"),
        "same up to symmetry",
        ["20 of the 40 solutions", "broken by line 10: q[1] < q[7]"],
    ),
    "names.py": (rewritten("q[{c}]", "row[{c}]"), "same", ["Your model is right: 40 solutions, as it should be."]),
    "shifted.py": (rewritten("q[{c}]", "q[{c - 1}]"), "same", ["Your model is right: 40 solutions"]),
    "one.py": (rewritten("for x in q}", "for x in q[:1]}"), "other variables", ["q[2], q[3]", "are missing"]),
    "grid.py": (
        rewritten("{x.name: x for x in q}", "{(x.name, v): x for x in q for v in range(3)}"),
        "other variables",
        ["are missing", "are not asked for"],
    ),
    "crash.py": (rewritten(LAST_RULE, "1 / 0"), "crashed", ["crashes: line 9: ZeroDivisionError"]),
    "abort.py": (rewritten(LAST_RULE, "__import__('os').abort()"), "crashed", ["crashes: line 9"]),
    "endless.py": (rewritten(LAST_RULE, "while True: pass"), "endless", ["does not end", "no model within"]),
    "syntax.py": ("def queens(:", "refused", ["cannot be read as a model: line 1: invalid syntax"]),
    "no_model.py": ("q = 3\n", "refused", ["cannot be read as a model", "declares no puzzle"]),
    "empty.py": ("", "refused", ["cannot be read as a model"]),
    "symmetry.py": (
        rewritten("for x in q}", "for x in q}, [lambda label, v: (label, v % n + 1)]"),
        "same",
        ["A symmetry that your model declares is wrong", "carries the solution q[1]=2", "to none. Your model is right"],
    ),
    "best.py": (
        rewritten(FIRST_OF_BOARD, "    model.maximize(q[0] + 2 * q[1] + 4 * q[2])\n    return"),
        "different",
        ["lacks 39 solutions", "asks for a best value, but the task is to find all"],
    ),
    "right.mzn": (IN_MINIZINC, "same", ["right: 40 solutions"]),
    "forgot.mzn": (IN_MINIZINC.replace("/\\ alldifferent([q[i] - i | i in 1..n])", ""), "different", MISSING),
    "strong.mzn": (
        IN_MINIZINC.replace("solve", "constraint q[4] != 4;\nsolve"),
        "different",
        ["too strong: line 5: q[4] != 4", "Without this rule, it is right."],
    ),
    "right_cpmpy.py": (IN_CPMPY, "same", ["right: 40 solutions"]),
    "forgot_cpmpy.py": (IN_CPMPY.replace("[q[i] - i ", "[q[i] "), "different", MISSING),
}
"""Homework in many ways: the file, the verdict, and what the sentence says."""


@pytest.mark.slow
@pytest.mark.usefixtures("minizinc")
def test_what_to_say(tmp_path: Path) -> None:
    reference = write(tmp_path / "reference.py", QUEENS)
    folder, table, page = (tmp_path / name for name in ("homework", "table.csv", "page.html"))
    folder.mkdir()
    for name, (text, _, _) in WAYS.items():
        write(folder / name, text)
    words = [str(reference), str(folder), "--n", "7", "--csv", str(table), "--page", str(page), "--time-limit", "20"]
    text = printed(*words, "--jobs", "2", module=DIFF, code=4)
    rows = {row["file"]: row for row in csv.DictReader(table.open())}
    assert rows.keys() == WAYS.keys()
    assert rows["names.py"]["notes"] == "compared as with --map 'q=row'"
    assert rows["shifted.py"]["notes"] == "compared as with --map 'q[1..]=q[0..]'"
    for name, (_, verdict, parts) in WAYS.items():
        assert rows[name]["verdict"] == verdict, rows[name]
        assert all(part in rows[name]["what_to_say"] for part in parts), rows[name]
        assert rows[name]["what_to_say"].startswith(parts[0]) or not parts[0].startswith("A symmetry"), rows[name]
    assert rows["missing.py"]["same_mistake"] == "forgot.mzn, forgot_cpmpy.py"
    assert rows["strong.py"]["same_mistake"] == "named.py, strong.mzn"
    places = [[*rows].index(name) for name in ("missing.py", "forgot.mzn", "forgot_cpmpy.py")]
    assert max(places) - min(places) == 2
    assert "what to say" in text
    html = page.read_text(encoding="utf-8")
    assert html.startswith("<!DOCTYPE html>")
    assert html.partition("<h2>Files</h2>")[2].count("<tr>") == len(WAYS) + 1


@pytest.mark.thorough
def test_a_page_of_marks(tmp_path: Path) -> None:
    folder, page, table = tmp_path / "homework", tmp_path / "marks.html", tmp_path / "marks.csv"
    folder.mkdir()
    for name, queens in (("right.py", QUEENS), ("<b>.py", "raise ValueError('&')\n")):
        write(folder / name, queens)
    reference = write(tmp_path / "reference.py", QUEENS)
    words = [str(reference), str(folder), "--sizes", "n=4..5", "--time-limit", "20", "--jobs", "2"]
    assert run(DIFF, *words, "--page", str(page), "--csv", str(table), "--quiet").returncode == 3
    html = page.read_text(encoding="utf-8")
    facts, totals, files = html.split("<h2>")
    assert str(tmp_path) not in facts
    assert datetime.now().astimezone().strftime("%Y-") in facts
    for fact in ("reference.py", "homework, 2 files", "n=4, n=5", "--time-limit 20 --jobs 2"):
        assert fact in facts
    numbers = [re.findall(r"<td>([^<]*)", line) for line in totals.splitlines() if "<td>" in line]
    verdicts = Counter(row["verdict"] for row in csv.DictReader(table.open()))
    assert {name.strip(): int(in_all) for name, *_, in_all in numbers} == verdicts | {"comparisons": 4}
    assert all(int(row[-1]) == sum(map(int, row[1:-1])) for row in numbers)
    assert files.count("&lt;b&gt;.py") == 2
    assert "<b>" not in html


COLOURS = """enum COLOUR = {red, green, blue};
array[1..3] of var COLOUR: x; array[COLOUR] of var 0..3: number; var COLOUR: top;
constraint forall(c in COLOUR)(number[c] = sum(i in 1..3)(x[i] = c));
constraint x[1] != red;
constraint top = x[1];
solve satisfy;
"""

IN_ANOTHER_ORDER = COLOURS.replace("red, green, blue", "green, blue, red")

IN_GERMAN = COLOURS.replace("red, green, blue", "green, rot, blau").replace("red", "rot")

COLOURS_IN_PYTHON = """from ortools.sat.python.cp_model import CpModel
from models.puzzle import Puzzle
def colours() -> Puzzle:
    model = CpModel()
    x = [model.new_int_var(0, 2, f"x[{place}]") for place in (1, 2, 3)]
    number = [model.new_int_var(0, 3, f"number[{colour}]") for colour in ("red", "green", "blue")]
    for value, total in enumerate(number):
        is_so = [model.new_bool_var("") for _ in x]
        for one, literal in zip(x, is_so):
            model.add(one == value).only_enforce_if(literal)
            model.add(one != value).only_enforce_if(~literal)
        model.add(total == sum(is_so))
    model.add(x[0] != 0)
    return Puzzle("colours", {}, model, {one.name: one for one in (*x, *number)} | {"top": x[0]})
"""

BY_NUMBERS = ["--map", "red=0", "--map", "green=1", "--map", "blue=2"]
TRANSLATED = ["--map", "red=rot", "--map", "blue=blau"]


@pytest.mark.usefixtures("minizinc")
@pytest.mark.thorough
@pytest.mark.parametrize(
    ("text", "maps", "verdict", "parts"),
    [
        (IN_ANOTHER_ORDER, [], "same", ["right: 18 solutions"]),
        (
            IN_ANOTHER_ORDER.replace("x[1] != red", "x[1] != blue"),
            [],
            "different",
            ["allows top=red, x[1]=red", "missing: x[1] != red", "strong: line 4: x[1] != blue", "forbids top=blue"],
        ),
        (
            IN_ANOTHER_ORDER.replace("constraint top", "constraint x[2] = x[3];\nconstraint top"),
            [],
            "different",
            ["too strong: line 5: x[2] = x[3]", "Without this rule, it is right."],
        ),
        (
            COLOURS.replace("enum COLOUR = {red, green, blue}", "set of int: COLOUR = 1..3; int: red = 1"),
            [],
            "same",
            [],
        ),
        (IN_GERMAN, [], "other variables", ["red (a value of x)", "rot (a value of x)", "--map 'red=rot'"]),
        (IN_GERMAN, TRANSLATED, "same", ["right: 18 solutions"]),
        (IN_GERMAN, ["--map", "red=blau", "--map", "blue=rot"], "different", ["x[1] != red"]),
        (COLOURS.replace(", blue}", "}"), [], "other variables", ["blue (a value of x)"]),
        (COLOURS_IN_PYTHON, [], "other variables", ["--map 'red=0' --map 'green=1' --map 'blue=2'"]),
        (COLOURS_IN_PYTHON, BY_NUMBERS, "same", ["right: 18 solutions"]),
        (COLOURS_IN_PYTHON.replace("!= 0)\n    return", "!= 1)\n    return"), BY_NUMBERS, "different", ["top=red"]),
    ],
)
def test_values_with_names(tmp_path: Path, text: str, maps: list[str], verdict: str, parts: list[str]) -> None:
    reference = write(tmp_path / "reference.mzn", COLOURS)
    submission = write(tmp_path / ("colours.py" if "import" in text else "submission.mzn"), text)
    code = 0 if verdict == "same" else 4
    found = printed(str(reference), str(submission), *maps, module=DIFF, code=code)
    assert found.startswith(verdict)
    assert all(part in found for part in parts), found


@pytest.mark.thorough
@pytest.mark.usefixtures("minizinc")
def test_names_as_indices_only(tmp_path: Path) -> None:
    text = "enum C = {red, green}; array[C] of var 0..3: x; constraint x[red] < x[green]; solve satisfy;"
    reference = write(tmp_path / "reference.mzn", text)
    turned = write(tmp_path / "turned.mzn", text.replace("red, green", "green, red"))
    other = write(tmp_path / "other.mzn", text.replace("red", "rot"))
    assert printed(str(reference), str(turned), module=DIFF).startswith("same")
    found = printed(str(reference), str(other), module=DIFF, code=4)
    assert found.startswith("other variables")
    assert "--map 'red=rot'" in found
    assert printed(str(reference), str(other), "--map", "red=rot", module=DIFF).startswith("same")
    assert diff(str(reference), str(turned)).verdict == "same"


def test_values_mapped_wrongly(tmp_path: Path) -> None:
    text = "enum C = {red, green}; var C: x; solve satisfy;"
    reference = write(tmp_path / "reference.mzn", text)
    other = write(tmp_path / "other.mzn", text.replace("red", "rot"))
    words = [str(reference), str(other)]
    assert "yellow is no value of the reference" in refusal(*words, "--map", "yellow=rot", module=DIFF)
    assert "two names to rot" in refusal(*words, "--map", "red=rot", "--map", "green=rot", module=DIFF)


GRID = '''from ortools.sat.python.cp_model import CpModel
from models.puzzle import Puzzle
def queens(n: int = 6) -> Puzzle:
    """Place n queens on a board of Booleans."""
    model = CpModel()
    b = {(c, r): model.new_bool_var(f"b[{c},{r}]") for c in range(n) for r in range(n)}
    for i in range(n):
        model.add_exactly_one(b[i, r] for r in range(n))
        model.add_exactly_one(b[c, i] for c in range(n))
    for d in range(1 - n, 2 * n):
        model.add_at_most_one(x for (c, r), x in b.items() if c + r == d)
        model.add_at_most_one(x for (c, r), x in b.items() if c - r == d)
    return Puzzle("queens", {}, model, {x.name: x for x in b.values()})
'''


@pytest.mark.parametrize(
    ("change", "verdict", "parts"),
    [
        (("", ""), "same", ["right: 40 solutions"]),
        pytest.param(
            ("model.add_exactly_one(b[i, r] for r in range(n))", "pass"),
            "different",
            ["missing: exactly one of b[0,0], b[0,1],"],
            marks=pytest.mark.thorough,
        ),
        pytest.param(
            ("if c - r == d", "if c - r == d and d"),
            "different",
            ["missing: all different: q[1], q[2] - 1", "=1, and all others 0"],
            marks=pytest.mark.thorough,
        ),
        (
            ("    return", "    model.add(b[3, 3] == 0)\n    return"),
            "different",
            ["line 13: not b[3,3]", "Without this rule"],
        ),
    ],
)
def test_a_grid_of_booleans(tmp_path: Path, change: tuple[str, str], verdict: str, parts: list[str]) -> None:
    reference, grid = write(tmp_path / "reference.py", QUEENS), write(tmp_path / "grid.py", GRID.replace(*change))
    plainly = told(str(reference), str(grid), "--n", "7", module=DIFF, code=4)
    assert plainly["verdict"] == "other variables"
    (proposal,) = plainly["proposals"]
    assert proposal == "q[1..,1..]=b[0..,0..]"
    code = 0 if verdict == "same" else 4
    answer = told(str(reference), str(grid), "--n", "7", "--map", proposal, module=DIFF, code=code)
    assert answer["verdict"] == verdict
    assert all(part in answer["what_to_say"] for part in parts), answer["what_to_say"]
    theirs, ours = proposal.partition("=")[::2]
    turned = told(str(grid), str(reference), "--n", "7", "--map", f"{ours}={theirs}", module=DIFF, code=code)
    assert turned["reference"]["solutions"] == answer["submission"]["solutions"]


def test_grids_with_rows_of_none() -> None:
    """A Boolean is missing in a row, or there is one too many: that is no integer."""
    ours = puzzle({"x[0]": (0, 1), "x[1]": (0, 1)})
    theirs = puzzle({f"b[{n},{v}]": (0, 1) for n in range(2) for v in range(2)})
    result = diff(ours, theirs, labels={"b": "x"})
    assert (result.reference.solutions, result.submission.solutions, result.submission.only) == (4, 16, 12)
    assert diff(theirs, ours, labels={"x": "b"}).reference.only == 12


HIDDEN = '''from ortools.sat.python.cp_model import CpModel
from models.puzzle import Puzzle
def steps() -> Puzzle:
    """Numbers whose steps differ; the steps have no names."""
    model = CpModel()
    x = [model.new_int_var(0, 3, f"x[{i}]") for i in range(3)]
    d = [model.new_int_var(0, 3, "") for i in range(2)]
    for i in range(2):
        model.add_abs_equality(d[i], x[i] - x[i + 1])
    model.add_all_different(d)
    return Puzzle("steps", {}, model, {v.name: v for v in x})
'''


def test_rules_about_hidden_variables(tmp_path: Path) -> None:
    """The rule is blamed and not what defines the steps; it is told as the file states it."""
    ours = write(tmp_path / "ours.py", HIDDEN)
    theirs = write(tmp_path / "theirs.py", HIDDEN.replace("model.add_all_different(d)", "pass"))
    missing = told(str(ours), str(theirs), module=DIFF, code=4)["what_to_say"]
    assert "A rule is missing: model.add_all_different(d)." in missing
    assert "With this rule, it is right." in missing
    strong = told(str(theirs), str(ours), module=DIFF, code=4)["what_to_say"]
    assert "too strong: line 10: model.add_all_different(d)." in strong
