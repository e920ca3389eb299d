"""Reasons: rules and facts that force a fact, held against every smaller set of them; steps, grades, rules in words."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from random import Random
from shutil import which
from typing import Any

import pytest
from ortools.sat.python.cp_model import CpModel, IntVar

from models.boards import grid
from models.digits.sudoku import sudoku
from models.puzzle import Puzzle
from solvers import InputError
from solvers.base.tuning import override_tuning
from solvers.extras.questions.functions import explain, why
from solvers.extras.questions.invent.posing import pose
from solvers.extras.questions.reasons.reason import Contradiction, Rule
from solvers.extras.questions.reasons.rules import rules
from solvers.extras.questions.reasons.steps import explain as steps_of
from solvers.extras.questions.reasons.why import reasoner
from solvers.extras.shared.tuning import EXTRAS_TUNING
from solvers.files.given import Fact
from solvers.symmetry.key import Key
from tests.support.command import printed, run
from tests.support.declared import BOOLEAN, declared, puzzle
from tests.support.own_models import write
from tests.support.random_models import can_hold, random_puzzle
from tests.support.symmetric import latin_by_integers


def hold_steps_against_every_smaller_set(puzzle: Puzzle) -> int:
    """How many steps there were."""

    def is_forced(fact: Fact, rules: Sequence[Rule], facts: Sequence[Fact]) -> bool:
        return not can_hold(puzzle, ready.key, {c for rule in rules for c in rule.constraints}, facts, [fact])

    if puzzle.model.proto.has_objective():
        return 0
    ready = pose(puzzle, (), "none", None, threading.Event())
    if (solution := ready.solution({})) is None:
        with pytest.raises(InputError, match="no solution"):
            steps_of(ready, bool)
        return 0
    first = dict([*ready.key.decode(solution).items()][:1])
    ready = pose(puzzle, [*first.items()], "none", None, threading.Event())
    steps = steps_of(ready, bool)
    every, _ = reasoner(ready)
    known: list[Fact] = [*steps.given]
    for step in steps:
        assert step.is_smallest
        assert is_forced(step.fact, step.rules, step.facts)
        width = sum(rule.width for rule in step.rules)
        smaller = [*combinations(every.rules, len(step.rules) - 1)] if step.rules else []
        as_many = combinations(every.rules, len(step.rules))
        for fewer in [*smaller, *(some for some in as_many if sum(rule.width for rule in some) < width)]:
            assert not is_forced(step.fact, fewer, known)
        for facts in combinations(known, len(step.facts) - 1) if step.facts else ():
            assert not is_forced(step.fact, step.rules, facts)
        known.append(step.fact)
    return len(steps)


def hold_quick_steps_against_all_parts(puzzle: Puzzle) -> int:
    """How many steps there were, none of them with time for the smallest reason."""
    ready = pose(puzzle, (), "none", None, threading.Event())
    if puzzle.model.proto.has_objective() or (solution := ready.solution({})) is None:
        return 0
    first = dict([*ready.key.decode(solution).items()][:1])
    ready = pose(puzzle, [*first.items()], "none", None, threading.Event())
    with override_tuning(EXTRAS_TUNING, smallest_reason_seconds=0.0):
        steps = steps_of(ready, bool)
    known: list[Fact] = [*steps.given]

    def is_forced(fact: Fact, rules: Sequence[Rule], facts: Sequence[Fact]) -> bool:
        return not can_hold(puzzle, ready.key, {c for rule in rules for c in rule.constraints}, facts, [fact])

    for step in steps:
        assert not step.is_smallest
        assert {*step.facts} <= {*known}
        assert is_forced(step.fact, step.rules, step.facts)
        for place in range(len(step.rules)) if step.is_minimal else ():
            assert not is_forced(step.fact, [*step.rules[:place], *step.rules[place + 1 :]], step.facts)
        for place in range(len(step.facts)) if step.is_minimal else ():
            assert not is_forced(step.fact, step.rules, [*step.facts[:place], *step.facts[place + 1 :]])
        known.append(step.fact)
    return len(steps)


def test_clues_of_a_sudoku_are_known_and_each_step_is_a_single() -> None:
    """Without a smallest reason, too: a cell with one value left, or a value with one cell, needs few rules."""
    with override_tuning(EXTRAS_TUNING, smallest_reason_seconds=0.0):
        steps = explain(sudoku(puzzle="1.....3..4.....2"))
    assert len(steps.given) == 4
    assert len(steps) == 12
    assert all(len(step.rules) <= 4 for step in steps)
    assert steps.head.startswith("12. ")
    assert str(steps) == "\n".join([*steps.parts, steps.rest])
    assert steps.rest.startswith("12 steps\n")


@pytest.mark.parametrize("words", [["explain", "sudoku"], ["grade", "sudoku", "--steps"]], ids=lambda words: words[0])
def test_each_step_is_printed_once(words: list[str]) -> None:
    """While the search goes on, or at its end."""
    shown = printed(*words, "--puzzle", "1.....3..4.....2", module="solvers")
    numbers = [line.partition(".")[0] for line in shown.splitlines() if ", by " in line]
    assert numbers == [*map(str, range(1, 13))]
    assert shown.count("12 steps") == 1


def test_quick_reasons_of_random_models() -> None:
    assert sum(hold_quick_steps_against_all_parts(random_puzzle(seed)) for seed in range(12)) > 2


@pytest.mark.thorough
def test_quick_reasons_of_many_random_models() -> None:
    assert sum(hold_quick_steps_against_all_parts(random_puzzle(seed)) for seed in range(12, 100)) > 12


def random_schedule(chance: Random) -> tuple[Puzzle, dict[str, Callable[..., bool]]]:
    """Three tasks on a machine or under a capacity, and what each named rule says of their starts."""
    model, sizes = CpModel(), [chance.randint(1, 2) for _ in range(3)]
    starts = [model.new_int_var(0, 3, f"start{n}") for n in range(3)]
    tasks = [
        model.new_interval_var(s, size, s + size, f"task{n}")
        for n, (s, size) in enumerate(zip(starts, sizes, strict=True))
    ]
    said: dict[str, Callable[..., bool]] = {}
    if chance.random() < 0.6:
        model.add_no_overlap(tasks).with_name("one machine")
        pairs = [*combinations(range(3), 2)]
        said["one machine"] = lambda *at: all(at[i] + sizes[i] <= at[j] or at[j] + sizes[j] <= at[i] for i, j in pairs)
    else:
        demands, capacity = [chance.randint(1, 3) for _ in range(3)], chance.randint(2, 4)
        model.add_cumulative(tasks, demands, capacity).with_name("capacity")
        said["capacity"] = lambda *at: all(
            sum(d for d, s, size in zip(demands, at, sizes, strict=True) if s <= time < s + size) <= capacity
            for time in range(5)
        )
    for number in range(3):
        first, second, shift = chance.randrange(3), chance.randrange(3), chance.randint(-1, 2)
        name = f"rule {number}"
        model.add(starts[first] <= starts[second] - shift).with_name(name)
        said[name] = lambda *at, i=first, j=second, shift=shift: at[i] <= at[j] - shift
    return Puzzle("tasks", {}, model, dict(enumerate(starts))), said


def known_contradictions(schedule: Puzzle) -> Sequence[Contradiction]:
    """All minimal contradictions of a puzzle without a solution."""
    known = why(schedule, every=True).known
    assert known
    return known.sets


@pytest.mark.thorough
def test_reasons_of_schedules() -> None:
    """Held against every set of rules by plain enumeration."""
    reasons = 0
    for seed in range(20):
        schedule, said = random_schedule(Random(seed))

        def solutions(names: Sequence[str], said: dict[str, Callable[..., bool]] = said) -> list[tuple[int, ...]]:
            return [at for at in product(range(4), repeat=3) if all(said[name](*at) for name in names)]

        if not (every := solutions([*said])):
            contradictions = known_contradictions(schedule)
            subsets = [{*names} for n in range(len(said) + 1) for names in combinations(said, n)]
            bad = [names for names in subsets if not solutions([*names])]
            minimal = [sorted(names) for names in bad if not any(fewer < names for fewer in bad)]
            assert sorted(sorted(rule.text for rule in found.rules) for found in contradictions) == sorted(minimal)
            reasons += 1
            continue
        for task in range(3):
            if len(values := {at[task] for at in every}) == 1:
                reason = why(schedule, f"{task}={min(values)}").reason
                assert reason
                names = [rule.text for rule in reason.rules]
                assert {at[task] for at in solutions(names)} == values
                fewer = combinations(said, len(names) - 1) if names else ()
                assert not any({at[task] for at in solutions(names)} == values for names in fewer)
                reasons += 1
    assert reasons > 10


@pytest.mark.thorough
def test_random_models() -> None:
    assert sum(hold_steps_against_every_smaller_set(random_puzzle(seed)) for seed in range(150)) > 12


@pytest.mark.thorough
def test_steps_lead_to_the_only_solution() -> None:
    steps = explain("magic", given={(0, 0): 1, (0, 1): 6})
    assert "7 steps" in str(steps)
    assert len(steps) == steps._repr_html_().count("<svg") == 7
    assert steps.open_facts == 0
    assert all(step.is_minimal for step in steps)  # the smallest ones take a quick machine


def test_steps_of_few_rules_come_first_and_speak_of_cells() -> None:
    """The square says nothing of cells but draws them."""
    drawn = replace(latin_by_integers(3), draw=lambda own: grid.board(3, 3, {at: str(v) for at, v in own.items()}))
    text = str(explain(drawn, given={(0, 0): 1, (0, 1): 2, (1, 0): 2}))
    heads = [line for line in text.splitlines() if line[0].isdigit() and ". " in line]
    one, two = "1 rule and 2 facts:", "2 rules and 2 facts:"
    assert [head.partition("by ")[2] for head in heads] == [one, one, two, one, one, one]
    assert "   all different: rows 1-3 column 1\n   given or found: row 1 column 1 = 1; row 2 column 1 = 2\n" in text
    assert "(0, 0)" not in text


def test_squares_that_are_booleans_are_told_as_cells() -> None:
    rooks = puzzle(
        dict.fromkeys(product(range(3), repeat=2), BOOLEAN),
        *(lambda m, *x, n=n: m.add_exactly_one(x[3 * n : 3 * n + 3]) for n in range(3)),
        *(lambda m, *x, n=n: m.add_exactly_one(x[n::3]) for n in range(3)),
        lambda m, *x: m.add_at_most_one(x[::4]),
        draw=lambda own: grid.board(3, 3, {at: "Q" for at, there in own.items() if there}),
    )
    text = str(explain(rooks, given={(0, 1): 1, (1, 2): 1}))
    assert "1. row 3 column 1 = Q, by 3 rules and 2 facts:" in text
    assert "   exactly one Q: row 1 columns 1-3\n" in text or "   exactly one Q: row 3 columns 1-3\n" in text


def test_rules_in_words() -> None:
    spoken: list[Callable[..., object]] = [
        lambda m, a, b, x, y: m.add_at_most_one(a, b, ~a),
        lambda m, a, b, x, y: m.add_bool_or(a, ~b).only_enforce_if(b),
        lambda m, a, b, x, y: m.add(x + 2 * y <= 4),
        lambda m, a, b, x, y: m.add(x != y),
        lambda m, a, b, x, y: m.add_max_equality(x, [y]),
        lambda m, a, b, x, y: m.add(x == 1).with_name("one"),
        lambda m, a, b, x, y: m.add(y == 1).with_name("one"),
        lambda m, a, b, x, y: m.add_all_different(x, y + 1),
    ]
    model = declared({"a": BOOLEAN, "b": BOOLEAN, "x": (0, 5), "y": (0, 5)}, *spoken)
    words = Puzzle(
        "words", {}, model, {"A": model.get_int_var_from_proto_index(0), "X": model.get_int_var_from_proto_index(2)}
    )
    told = rules(words, Key(model, words.key), model)
    assert [rule.text for rule in told] == [
        "at most one of A, b, not A",
        "A or not b if b",
        "X + 2·y <= 4",
        "X != y",
        "constraint 5 (lin_max)",
        "one",
        "all different: X, y + 1",
    ]
    assert told[5].constraints == (5, 6)


@pytest.mark.parametrize(
    ("words", "pictures", "veils"),
    [
        (["why", "magic", "1 1=5", "--given", "0 0=1"], 1, 0),
        (["why", "magic", "0 0=1"], 1, 0),
        pytest.param(
            ["why", "magic", "--given", "0 0=1", "--given", "1 1=4", "--given", "2 2=3"],
            1,
            0,
            marks=pytest.mark.thorough,
        ),
        pytest.param(["explain", "magic", "--given", "0 0=1", "--given", "0 1=6"], 7, 0, marks=pytest.mark.thorough),
        pytest.param(["repair", "magic", "givens"], 1, 1, marks=pytest.mark.thorough),
        (["repair", "packing", "holes", "--board", "3x5", "--pieces", "FPU"], 0, 0),
        (["minimal", "magic", "hints.txt"], 2, 1),
        (["hints", "magic", "mine.txt"], 1, 1),
        (["repair", "pentomino", "givens", "--board", "3x5", "--subset", "--by-cell"], 1, 1),
        (["repair", "packing", "givens", "--board", "2x2x2", "--pieces", "1x1x2 x*"], 2, 4),
    ],
)
def test_pages_of_questions(words: list[str], pictures: int, veils: int, tmp_path: Path) -> None:
    """The part that an answer tells lies over the rest, which has a veil; reasons on cells are shaded instead."""
    (tmp_path / "hints.txt").write_text("1 6 .\n. 5 .\n. . 9\n", encoding="utf-8")
    (tmp_path / "mine.txt").write_text("1 6 7\n8 5 2\n3 4 9\n", encoding="utf-8")
    words = [str(tmp_path / word) if word.endswith(".txt") else word for word in words]
    done = run("solvers.run", *words, "--gallery", str(tmp_path / "page.html"))
    assert done.returncode in (0, 4), done.stderr
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert (page.count("<svg xmlns"), page.count('fill-opacity=".75"')) == (pictures, veils)


def test_the_best_value_is_a_rule() -> None:
    sums = (lambda m, x, y: m.add(x + y == 9).with_name("sum"), lambda m, x, y: m.maximize(x))
    answer = why(puzzle({"x": (0, 9), "y": (0, 9)}, *sums), "y=0")
    assert answer.reason
    assert [rule.text for rule in answer.reason.rules] == ["sum", "the value is the best"]


def test_a_solution_of_zeros_lacks_the_fact() -> None:
    answer = why(puzzle({"x": BOOLEAN}), "x=1")
    assert answer.as_json()["forced"] is False
    assert str(answer).startswith("It is not so in every solution that x=1. Here is one in which it is not so:")


def test_an_overlap_without_a_name() -> None:
    """Two things after each other, for which there is no room if the other one starts at 1."""

    def apart(model: CpModel, start: IntVar) -> None:
        model.add_no_overlap([model.new_fixed_size_interval_var(begin, 2, "") for begin in (start, 1)])

    (contradiction,) = known_contradictions(puzzle({"start": (0, 1)}, apart))
    assert [rule.text for rule in contradiction.rules] == ["no overlap of interval 1, interval 2"]
    reason = why(puzzle({"start": (0, 3)}, apart), "start=3").reason
    assert reason
    assert [rule.text for rule in reason.rules] == ["no overlap of interval 1, interval 2"]
    assert explain(puzzle({"start": (0, 3)}, apart)).open_facts == 0


NAMED = """var 1..3: x:: output_var;
var 1..3: y:: output_var;
constraint int_lin_le([1,-1],[x,y],-1):: mzn_constraint_name("x before y");
constraint int_ne(y,2):: mzn_constraint_name("not two");
solve satisfy;
"""


def test_rules_of_minizinc_have_their_authors_names(tmp_path: Path) -> None:
    reason = why(str(write(tmp_path / "named.fzn", NAMED)), "y=3").reason
    assert reason
    assert {rule.text for rule in reason.rules} <= {"x before y", "not two"}
    assert reason.rules[0].text == "x before y"


EXAMS = """enum DAY = {Mon, Tue, Wed};
array[1..3] of var DAY: exam;
constraint :: "first" exam[1] < exam[2];
constraint exam[2] < exam[3];
constraint forall(i in 2..2)(exam[i] = Wed \\/ exam[i - 1] = Tue);
solve satisfy;
"""


@pytest.mark.thorough
@pytest.mark.skipif(not which("minizinc"), reason="needs MiniZinc")
def test_rules_and_values_of_minizinc_are_named_as_the_author_did(tmp_path: Path) -> None:
    """A constraint has its name, or its line; its text stands for words on variables that MiniZinc introduced."""
    path = str(write(tmp_path / "exams.mzn", EXAMS))
    (known,) = why(path).as_json()["sets"]
    clause = "line 5: forall(i in 2..2)(exam[i] = Wed \\/ exam[i - 1] = Tue) [i=2]"
    assert known["rules"] == ["first", "exam[2] < exam[3] (line 4)", clause]
    assert str(why(path, given=["exam[2]=Mon"], smallest=True)).endswith("  first\n  given: exam[2]=Mon")
    with pytest.raises(InputError, match="'Sun' is not a value; write Mon, Tue, Wed or a whole number behind the ="):
        why(path, "exam[2]=Sun")
    path = str(write(tmp_path / "exams.mzn", EXAMS.replace("constraint forall", "% forall")))
    answer = why(path, "exam[2]!=Wed")
    assert str(answer).startswith("In every solution, exam[2] != Wed. ")
    assert str(why(path, "exam[2]=Tue")).endswith("  first\n  exam[2] < exam[3] (line 4)")
    assert printed("run", path, "--quiet").endswith("exam[1] = Mon\nexam[2] = Tue\nexam[3] = Wed\n")


@pytest.mark.skipif(not which("minizinc"), reason="needs MiniZinc")
@pytest.mark.parametrize(
    ("model", "solution"),
    [
        pytest.param("enum E = {a, b} ++ {c}; var E: x; constraint x > b;", "x = 3", id="parts"),
        pytest.param("enum E = {a, b}; var 1..card(E): x; constraint x = 2;", "x = 2", id="number"),
        pytest.param('enum E = {a, b}; var b..b: x; output ["x\\n"];', "x = b", id="output"),
    ],
)
def test_only_values_of_enumerations_have_names(model: str, solution: str, tmp_path: Path) -> None:
    """Whatever the author's output shows; not those of an enumeration whose parts MiniZinc puts together."""
    path = str(write(tmp_path / "names.mzn", f"{model} var 0..1: y; constraint y = 1; solve satisfy;\n"))
    assert f"\n{solution}\n" in printed("run", path, "--quiet", "--key", "x")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(
            "from ortools.sat.python import cp_model\nm = cp_model.CpModel()\nx = m.new_int_var(0, 3, 'x')\n"
            "m.add(x > 3)\ncp_model.CpSolver().solve(m)\n",
            ["x >= 4 (line 4)"],
            id="script",
        ),
        pytest.param(
            "import cpmpy\nx = cpmpy.intvar(0, 3, name='x')\nrule = x > 3\nrule.set_description('too much')\n"
            "cpmpy.Model(rule).solve()\n",
            ["too much"],
            id="cpmpy",
        ),
        pytest.param(
            "from ortools.sat.python.cp_model import CpModel\nfrom models.puzzle import Puzzle\ndef own() -> Puzzle:\n"
            "    m = CpModel()\n    x = m.new_int_var(0, 3, 'x')\n    m.add_no_overlap(\n"
            "        [m.new_fixed_size_interval_var(at, 4, n) for n, at in (('a', x), ('b', 1))])\n"
            "    return Puzzle('own', {}, m, {'x': x})\n",
            ["no overlap of a, b (line 6)"],
            id="puzzle",
        ),
    ],
)
def test_rules_of_programs_have_names_or_lines(content: str, words: list[str], tmp_path: Path) -> None:
    assert why(str(write(tmp_path / "own.py", content))).as_json()["sets"][0]["rules"] == words


def test_a_rule_is_as_wide_as_the_cells_that_its_constraints_speak_of() -> None:
    """Enforcement literals, targets and indices count, and all constraints of one name are one rule."""

    def widths(*said: Any) -> list[int]:
        asked = pose(puzzle(dict.fromkeys("wxyz", (0, 3)), *said), (), "none", None, threading.Event())
        return [rule.width for rule in rules(asked.puzzle, asked.key, asked.rules)]

    def enforced(m: Any, w: Any, x: Any, y: Any, z: Any) -> None:
        is_one = m.new_bool_var("")
        m.add(w == 1).only_enforce_if(is_one)
        m.add(x + y == 2).only_enforce_if(is_one)

    def named(m: Any, w: Any, x: Any, y: Any, z: Any) -> None:
        m.add(w != x).with_name("apart")
        m.add(y != z).with_name("apart")

    assert widths(enforced) == [1, 2]
    assert widths(named) == [4]
    assert widths(lambda m, w, x, y, z: m.add_multiplication_equality(w, [x, y])) == [3]
    assert widths(lambda m, w, x, y, z: m.add_element(w, [x, y, z], z)) == [4]
