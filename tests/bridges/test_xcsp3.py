"""Models in XCSP3: each form of a constraint against plain enumeration, by the model and by the evaluator."""

import random
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from solvers import InputError, solve
from solvers.extras.bridges.xcsp3.evaluate import SecondReading
from solvers.extras.bridges.xcsp3.load import puzzle_of, translations
from solvers.files.catalogue import find
from tests.bridges.xcsp3_cases import DEFAULT, OBJECTIVES, THOROUGH
from tests.support.command import refusal, report_of
from tests.support.tiers import sampled

pytestmark = pytest.mark.skipif(find_spec("pycsp3") is None, reason="pip install pycsp3")

INSTANCE = '<instance format="XCSP3" type="{}"><variables>{}</variables>\n<constraints>{}</constraints>{}</instance>'


def declared(variables: str) -> list[tuple[str, list[int], list[int]]]:
    """The variables of a case: (name, shape, domain)."""
    found = []
    for text in variables.split(";"):
        name, *words = text.split()
        domain: list[int] = []
        for word in words:
            low, _, high = word.partition("..")
            domain += range(int(low), int(high or low) + 1)
        found.append((name.partition("[")[0], [*map(int, re.findall(r"\[(\d+)\]", name))], domain))
    return found


def instance(variables: str, constraints: str, objective: str = "") -> str:
    """The text of a file."""
    elements = []
    for text in variables.split(";"):
        name, domain = text.split(maxsplit=1)
        array, bracket, size = name.partition("[")
        elements.append(
            f'<array id="{array}" size="[{size}"> {domain} </array>'
            if bracket
            else f'<var id="{name}"> {domain} </var>'
        )
    goal = f"<objectives>{objective}</objectives>" if objective else ""
    return INSTANCE.format("COP" if objective else "CSP", "".join(elements), constraints, goal)


def assignments(variables: str) -> Iterator[tuple[dict[str, int], list[Any]]]:
    """All assignments: the values by name, and as the predicates take them."""
    names, domains, shapes = [], [], []
    for name, shape, domain in declared(variables):
        places = [*product(*map(range, shape))]
        names += ["".join([name, *(f"[{one}]" for one in place)]) for place in places]
        domains += [domain] * len(places)
        shapes.append(shape)
    for values in product(*domains):
        left, taken = [*values], []
        for shape in shapes:
            taken.append(nested(left, shape))
        yield dict(zip(names, values, strict=True)), taken


def nested(left: list[int], shape: list[int]) -> Any:
    """Take the values of a variable, or of an array as tuples, from the front of a list."""
    if not shape:
        return left.pop(0)
    return tuple(nested(left, shape[1:]) for _ in range(shape[0]))


@cache
def read(is_thorough: bool) -> Mapping[str, Any]:
    """What the translation returns for each case, all read in one process."""
    texts = {name: instance(*case[:2]) for name, case in (THOROUGH if is_thorough else DEFAULT).items()}
    if not is_thorough:
        texts |= {f"objective {name}": instance(*case[:3]) for name, case in OBJECTIVES.items()}
    return dict(zip(texts, translations([*texts.values()], "cases"), strict=True))


def check(name: str, is_thorough: bool) -> None:
    """Compare the number of solutions and the evaluator's verdicts with plain enumeration by the predicate."""
    variables, constraints, predicate = (THOROUGH if is_thorough else DEFAULT)[name]
    text = instance(variables, constraints)
    puzzle = puzzle_of(read(is_thorough)[name], text, name, ["*"])
    reading = SecondReading(text, puzzle.key)
    assert not puzzle.remarks.warnings
    right = 0
    for values, taken in assignments(variables):
        is_solution = bool(predicate(*taken))
        right += is_solution
        assert reading.is_solution(values) == is_solution, values
    assert solve(puzzle, jobs=1).total == right


def test_there_is_a_case_for_each_form() -> None:
    assert len(DEFAULT) + len(THOROUGH) + len(OBJECTIVES) >= 101


@pytest.mark.parametrize("name", sampled(DEFAULT, 2))
def test_a_form_of_a_constraint(name: str) -> None:
    check(name, False)


@pytest.mark.thorough
@pytest.mark.parametrize("name", THOROUGH)
def test_another_form_of_a_constraint(name: str) -> None:
    check(name, True)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_an_objective(name: str) -> None:
    variables, constraints, objective, predicate, value = OBJECTIVES[name]
    puzzle = puzzle_of(read(False)[f"objective {name}"], instance(variables, constraints, objective), name)
    values: list[Any] = [value(*taken) for _, taken in assignments(variables) if predicate(*taken)]
    assert solve(puzzle, jobs=1).total == values.count(max(values))


@pytest.mark.thorough
def test_many_tasks_without_intervals() -> None:
    name = "cumulative, many tasks"
    puzzle = puzzle_of(read(True)[name], instance(*THOROUGH[name][:2]), name)
    assert len({solve(puzzle, backend=backend, jobs=1).total for backend in ("cp-sat", "cp")}) == 1


def changed(text: str, rng: random.Random) -> str:
    """A text whose constraints are changed at one place."""
    head, middle, rest = text.partition("<constraints>")
    words = re.findall(r"<[^>]*>|[\w%.]+|\s+|.", rest)
    place, other = (rng.randrange(1, len(words) - 3) for _ in range(2))
    numbers = [number for number, word in enumerate(words) if re.fullmatch(r"-?\d+", word)]
    relations = [number for number, word in enumerate(words) if word in RELATIONS]
    kind = rng.randrange(5)
    if kind == 0:
        del words[place]
    elif kind == 1:
        words[place] = words[other]
    elif kind == 2:
        words.insert(place, words[other])
    elif kind == 3 and numbers:
        words[rng.choice(numbers)] = str(rng.randint(-2, 4))
    elif relations:
        words[rng.choice(relations)] = rng.choice(RELATIONS)
    return head + middle + "".join(words)


RELATIONS = ["lt", "le", "ge", "gt", "eq", "ne", "in", "notin"]


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(1))
def test_what_is_changed_is_refused_or_both_readings_agree(seed: int) -> None:
    rng = random.Random(seed)
    cases = [*DEFAULT.values(), *THOROUGH.values()]
    chosen = [(case[0], changed(instance(*case[:2]), rng)) for case in rng.choices(cases, k=200)]
    counted = 0
    for (variables, text), found in zip(chosen, translations([text for _, text in chosen], "changed"), strict=True):
        if "failure" in found or len(found["unused"]) == len(found["variables"]):
            continue
        puzzle = puzzle_of(found, text, "model.xml", ["*"])
        assert not puzzle.remarks.warnings, text
        reading = SecondReading(text, puzzle.key)
        right = sum(reading.is_solution(values) for values, _ in assignments(variables))
        assert solve(puzzle, jobs=1).total == right, text
        counted += 1
    assert counted > 50


DECLARATIONS = [
    (
        '<array id="x" size="[3]"><domain for="x[0]"> 0 1 </domain><domain for="others"> 2..4 </domain></array>',
        "<allDifferent> x[] </allDifferent>",
        12,
    ),
    (
        '<array id="x" size="[2][2]"><domain for="x[0][] x[1][0]"> 0 1 </domain><domain for="x[1][1]"> 5 </domain>'
        "</array>",
        "<sum><list> x[][] </list><condition> (eq,7) </condition></sum>",
        3,
    ),
    (
        '<array id="x" size="[4]"><domain for="x[0..2]"> 0 1 </domain></array>',
        "<sum><list> x[0..2] </list><condition> (eq,1) </condition></sum>",
        3,
    ),
    (
        '<var id="x"> 0 2 </var><var id="y" as="x"/><array id="z" size="[2]" as="x"/>',
        "<intension> eq(add(x,y),add(z[0],z[1])) </intension>",
        6,
    ),
    (
        '<array id="x" size="[2]"> 0..3 </array><array id="y" size="[2]"> 0..3 </array>',
        '<extension><list> x[] </list><supports id="t"> (0,1)(1,2) </supports></extension>'
        '<extension><list> y[] </list><supports as="t"/></extension>',
        4,
    ),
    (
        '<var id="x"> 0..3 </var><!-- c --><var id="y"> 0..3 </var>',
        '<!-- a --><intension note="n"> lt(x, <!-- b --> y) </intension>',
        6,
    ),
    ('<var id="x"> 0..1000000 </var><var id="y"> 0..3 </var>', "<intension> eq(x,mul(y,300000)) </intension>", 4),
    (
        '<var id="x"> 0..1000000 </var><var id="y"> 1..3 </var>',
        "<intension> eq(div(x,300000),y) </intension><intension> eq(mod(x,299999),2) </intension>",
        3,
    ),
]


@cache
def read_declarations() -> Mapping[str, Any]:
    """What the translation returns for each text with declarations."""
    texts = [INSTANCE.format("CSP", variables, constraints, "") for variables, constraints, _ in DECLARATIONS]
    return dict(zip(texts, translations(texts, "declarations"), strict=True))


@pytest.mark.parametrize(("variables", "constraints", "right"), DECLARATIONS)
def test_declarations(variables: str, constraints: str, right: int) -> None:
    text = INSTANCE.format("CSP", variables, constraints, "")
    puzzle = puzzle_of(read_declarations()[text], text, "model.xml")
    assert puzzle.file
    assert puzzle.file.violation
    assert solve(puzzle, jobs=1).total == right


HOLE = instance("x[3] -1 1", "<intension> ne(x[0],x[1]) </intension>")


@pytest.mark.thorough
def test_a_variable_that_no_constraint_names(tmp_path: Path) -> None:
    """It has no value in solutions, of which a warning tells, unless the key names it; a hole is no value."""
    path = tmp_path / "model.xml"
    path.write_text(HOLE, encoding="utf-8")
    puzzle = find(str(path)).declare()
    assert [*puzzle.key] == ["x[0]", "x[1]"]
    assert "no constraint names x[2], so solutions have no value there" in puzzle.remarks.warnings[0]
    assert solve(puzzle, jobs=1).total == 2
    assert report_of(str(path), "--key", "x")["total"] == 4


def test_without_the_parser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.xml"
    path.write_text(HOLE, encoding="utf-8")
    monkeypatch.setattr("solvers.extras.bridges.xcsp3.load.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"needs pycsp3; install it with pip install '\.\[xcsp3\]'"):
        find(str(path)).declare()


X = "x[3] 0..3; y 0..3"
REFUSALS = {
    "": "no XML",
    "a b ((": "no XML",
    "<puzzle/>": "this is no XCSP3",
    "<instance format='XCSP2'/>": "this is no XCSP3",
    "<instance/>": "no constraint names a variable",
    instance(X, ""): "no constraint names a variable",
    instance(X, "<intension> lt(x[0],z) </intension>"): "line 2: intension: 'z' is no variable",
    instance(X, "<intension> lt(x[0],x[3]) </intension>"): "line 2: intension: 'x[3]' is no variable",
    instance(X, "<intension> lt(x[0]) </intension>"): "line 2: intension: lt of 1 operands is not understood",
    instance(X, "<intension> foo(x[0],y) </intension>"): "line 2: intension: this is not understood",
    instance(X, "<intension/>"): "line 2: intension: this is not understood",
    instance(X, "\n<block><sum><list> x[4] </list><condition> (le,3) </condition></sum></block>"): "line 3: sum:",
    instance(X, "<sum><list> x[] </list></sum>"): "line 2: sum: it has no <condition>",
    instance(X, "<sum><list> x[] </list><condition> (in,y) </condition></sum>"): "line 2: sum: the condition in needs",
    instance(X, "<sum><list> x[] </list><condition> (le,{1,2}) </condition></sum>"): "line 2: sum: the condition le",
    instance(X, "<sum><list> x[] </list><coeffs> 1 2 </coeffs><condition> (le,3) </condition></sum>"): (
        "line 2: sum: <coeffs> has length 2 in place of 3"
    ),
    instance("x[2][3] 0..1", "<sum><list> x[0][3] </list><condition> (le,3) </condition></sum>"): "outside its array",
    instance(X, "<extension><list> x[] </list><supports> (0,1)(1,2) </supports></extension>"): (
        "line 2: extension: its table has rows of other lengths than 3"
    ),
    instance(X, "<minimum><list> </list><condition> (le,3) </condition></minimum>"): "line 2: minimum: it has an empty",
    instance(
        X,
        "<cumulative><origins> x[] </origins><lengths> 1 1 1 </lengths><heights> 1 1 1 </heights>"
        "<condition> (ge,1) </condition></cumulative>",
    ): "line 2: cumulative: its condition ge is not understood",
    instance(X, "<stretch><list> x[] </list><values> 1 </values><widths> 1..2 </widths></stretch>"): (
        "line 2: stretch: this constraint is not understood"
    ),
    instance(X, "<not><intension> lt(y,1) </intension></not>"): "line 2: not: this is not understood",
    instance(X, '<intension type="soft"> lt(y,1) </intension>'): "line 2: intension: its @type is not understood",
    instance(X, "<group><intension> lt(%0,%1) </intension><args> x[] </args></group>"): (
        "line 2: intension: it gets 3 arguments in place of 2"
    ),
    instance(X, "<slide><list> x[] </list><intension> lt(y,2) </intension></slide>"): (
        "line 2: intension: it has no parameter"
    ),
    instance(X, "<allDifferent><matrix> x[] </matrix></allDifferent>"): "line 2: allDifferent: its matrix is not one",
    instance("x 0..9; x 0..3", "<intension> lt(x,1) </intension>"): "x is declared twice",
    instance("x 3..1", "<intension> lt(x,1) </intension>"): "line 1: var: this is not understood",
    instance("x 0..99999999999999999999", "<intension> lt(x,1) </intension>"): "line 1: var: its numbers are too large",
    INSTANCE.format(
        "CSP", '<array id="v" size="[2]" type="symbolic"> red green </array>', "<allEqual> v[] </allEqual>", ""
    ): ("line 1: array: v[0] is not an integer"),
}


@cache
def failures() -> Mapping[str, Any]:
    """What the translation returns for each text that it refuses."""
    return dict(zip(REFUSALS, translations([*REFUSALS], "refusals"), strict=True))


@pytest.mark.parametrize("text", REFUSALS)
def test_a_refusal_names_the_constraint_and_its_line(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(REFUSALS[text])):
        puzzle_of(failures()[text], text, "model.xml")


def test_a_refusal_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_text(instance(X, "\n<intension> lt(x[0],z) </intension>"), encoding="utf-8")
    assert "line 3: intension: 'z' is no variable" in refusal(str(path))


def test_the_evaluator_tells_what_it_does_not_read() -> None:
    text = instance(X, "<intension> lt(y,2) </intension><stretch><list> x[] </list></stretch>")
    evaluator = SecondReading(text, ["y"])
    assert evaluator.unread == ["stretch"]
    assert evaluator.is_solution({"y": 1})
    assert not evaluator.is_solution({"y": 2})
    assert not evaluator.is_solution({"y": -1})
