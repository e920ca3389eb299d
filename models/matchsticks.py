"""Matchsticks: move lit segments of a digital display until it reads as the least value, or as a true equation.

Asahi newspaper, "Puzzle Yokocho", 30 March 2007: seven characters of seven segments each show 716-8-9; move exactly two
segments so that the value is the smallest positive integer.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from functools import partial
from itertools import chain, product

from ortools.sat.python.cp_model import CpModel, IntVar, LinearExpr, LinearExprT, LiteralT

from models.errors import ParameterError
from models.puzzle import Drawing, Frame, Given, Point, Puzzle, Remarks, Shape, Solution, true_labels

MASKS = {
    "0": 0x77,
    "1": 0x24,
    "2": 0x5D,
    "3": 0x6D,
    "4": 0x2E,
    "5": 0x6B,
    "6": 0x7B,
    "7": 0x27,
    "8": 0x7F,
    "9": 0x6F,
    "-": 0x08,
    "=": 0x48,
    "+": 0x88,
}
"""The segments of each character in the newspaper, as a bit mask.

Bit i is segment i: 0 top, 1 upper left, 2 upper right, 3 middle, 4 lower left, 5 lower right, 6 bottom, and 7 a short
vertical through the middle, for the plus.
"""

SECOND_MASKS = {"6": 0x7A, "7": 0x25, "9": 0x2F}
"""The other usual shapes of digits, with one segment less: 6 without the top, 7 without the left, 9 without the
foot.
"""


def _segments(mask: int) -> frozenset[int]:
    """Return the numbers of the segments in a bit mask."""
    return frozenset(i for i in range(8) if mask >> i & 1)


SEGMENTS = {character: _segments(mask) for character, mask in MASKS.items()}
"""The segments of each character in the newspaper."""

SHAPES = {digit: [SEGMENTS[digit], _segments(mask)] for digit, mask in SECOND_MASKS.items()}
"""The shapes of the digits that have two, that of the newspaper first."""

CENTRES: list[Point] = [(0.5, 0), (0, 0.5), (1, 0.5), (0.5, 1), (0, 1.5), (1, 1.5), (0.5, 2), (0.5, 1)]
"""The middle of each segment, in a place that is one wide and two high."""

HORIZONTAL = {0, 3, 6}

OF_PLUS = 7
"""The upright segment of a plus, which crosses the middle one."""

PLACE_DISTANCE = 1.5
"""How far a place is from the next one, in its width."""

MARKS = {"kept": ("━━━", "┃", "╋"), "added": ("═══", "║", "╬"), "removed": ("┄┄┄", "┆", "┆")}
"""The characters of segments in a text, by what happened to them: horizontal, vertical, and that of the plus."""

MAX_VALUE_DIGITS = 15
"""The most digits of a value: solvers compare best values as floating-point numbers, in which greater ones are
not exact.
"""

MAX_DISPLAY_LENGTH = 40
"""The most places of a display; the model grows with the square of their number."""

SUM = re.compile(r"[0-9]+([-+][0-9]+)*")

LEADING_ZERO = re.compile("0[0-9]")


def matchsticks(
    expression: str = "716-8-9",
    moves: int = 2,
    goal: str = "min",
    positive: bool = True,
    leading_zero: bool = False,
    shapes: str = "6:6 7:4 9:6",
) -> Puzzle:
    """Move segments of a display so that it reads as the least value, or as a true equation.

    expression: numbers with - or + between (15 places), or an equation (40), in which a - may become a +.
    moves: exactly so many lit segments go to other places, all dark before.
    goal: min or max (the best value), any, or a value; an equation only has to be true.
    positive: only values of at least 1 count; says nothing about an equation.
    leading_zero: numbers like 04 may be shown; without an =, those behind the first always may.
    shapes: how many segments a 6 (6 or 5), 7 (4 or 3) and 9 (6 or 5) have: 7:3, or 7:4,3 for both, at first 4.

    >>> puzzle = matchsticks("6+4=4", moves=1)
    >>> puzzle.is_solution({(place, segment): 1 for place, mark in enumerate("8-4=4") for segment in SEGMENTS[mark]})
    True
    """
    is_equation, all_shapes = "=" in expression, _shapes(shapes)
    lit_at_first, target = _lit_segments(expression, moves, all_shapes), _target(goal, is_equation, positive)
    model, places, shapes_allowed = CpModel(), range(len(expression)), _characters(expression, all_shapes)
    # Exactly so many lit segments go dark, and as many dark ones are lit.
    lit = _lit_variables(model, places, shapes_allowed, lit_at_first, moves)
    # Each place shows a character; digits are at both ends, no two signs side by side, and just one = in an equation.
    shows, digit = _show_characters(model, lit, places, shapes_allowed)
    if not leading_zero:
        _forbid_leading_zeros(model, shows, digit, places if is_equation else places[:1])
    # An equation is true; an expression has a value that is positive, and the least, the greatest or the one asked for.
    totals = _column_totals(model, shows, digit, _subtraction_variables(model, shows, digit, is_equation))
    if is_equation:
        _add_up_to_nothing(model, totals)
    else:
        _add_goal(model, totals, goal, target, positive)
    parameters = {"expression": expression, "moves": moves, "goal": goal, "positive": positive}
    parameters |= {"leading_zero": leading_zero, "shapes": shapes}
    reading = partial(_reading, all_shapes, len(expression))  # returns the text that lit segments show
    draw = partial(_draw, expression, reading, lit_at_first, list(lit))
    sheets = partial(_sheets, expression, draw, [key for key in lit if key in lit_at_first])
    is_asked = partial(_is_asked, is_equation, target, positive, leading_zero)
    is_solution = partial(_is_answer, lit_at_first, moves, reading, is_asked)
    remarks = Remarks(best=partial(_best, goal, positive), note=_shapes_in_words(all_shapes))
    return Puzzle("matchsticks", parameters, model, lit, (), is_solution, draw, remarks=remarks, sheets=sheets)


Shapes = Mapping[str, Sequence[Set[int]]]
"""The segments of each character, once for each of its shapes; the display has the first ones at first."""

Segment = tuple[int, int]
"""(place, number of the segment in it)."""

Shows = Mapping[tuple[int, str], IntVar]
"""For each (place, character), the variable that is true iff the character is shown there."""


def _lit_variables(
    model: CpModel, places: Sequence[int], shapes: Shapes, given: Collection[Segment], moves: int
) -> dict[Segment, IntVar]:
    """Return a new variable for each segment (place, number of the segment), true iff it is lit at the end.

    Just as many as are moved change from lit to dark, and as many from dark to lit. model: takes the variables and
    constraints. places: the numbers of the places. shapes: those of the characters that a place may show; segments that
    none of them has are left out. given: the segments that are lit at first. moves: how many are moved.
    """
    segments = sorted(set().union(*chain(*shapes.values())))
    keys = product(places, segments)
    lit = {(place, segment): model.new_bool_var(f"lit[{place},{segment}]") for place, segment in keys}
    lit_again = [lit[segment] for segment in lit if segment in given]
    added = [lit[segment] for segment in lit if segment not in given]
    model.add(LinearExpr.sum(lit_again) == len(given) - moves)
    model.add(LinearExpr.sum(added) == moves)
    return lit


def _shapes(text: str) -> Shapes:
    """Read the shapes of characters from a text such as "6:6 7:4,3": how many segments a digit has.

    Digits that are not named have the shape of the newspaper. Raises ValueError if the text cannot be read.
    """
    # Characters have their numbers of segments as names of their shapes: "7:4,3" chooses both shapes of 7.
    shapes: dict[str, Sequence[Set[int]]] = {}
    for character, segments in SEGMENTS.items():
        shapes[character] = [segments]
    for word in text.split():
        digit, _, lengths = word.partition(":")
        shape_by_length = {str(len(shape)): shape for shape in SHAPES.get(digit, [])}
        chosen_lengths = lengths.split(",")
        distinct = set(chosen_lengths)
        if not distinct <= shape_by_length.keys() or len(distinct) < len(chosen_lengths):
            raise ParameterError(
                f"{word!r} is no shape; write 6:6, 6:5, 7:4, 7:3, 9:6, 9:5, or two of a digit as in 7:4,3"
            )
        shapes[digit] = [shape_by_length[length] for length in chosen_lengths]
    return shapes


def _shapes_in_words(shapes: Shapes) -> str:
    """Return which shapes digits have that could have others, in words."""
    lengths = {}
    for digit in SHAPES:
        lengths_of_digit = [str(len(shape)) for shape in shapes[digit]]
        lengths[digit] = " or ".join(lengths_of_digit)
    return f"a 6 has {lengths['6']} segments, a 7 has {lengths['7']}, a 9 has {lengths['9']}"


def _lit_segments(expression: str, moves: int, shapes: Shapes) -> set[Segment]:
    """Return the segments, (place, number of the segment), that are lit at first.

    expression: the text that the display shows. shapes: those of characters. Raises ValueError if the text cannot be
    read, or if ``moves`` is too large. A character is shown in its first shape.
    """
    is_equation = "=" in expression
    if not _is_readable(expression, is_equation):
        raise ParameterError(
            f"{expression!r} cannot be read; write numbers with one - or + between them, and at most one = between sums"
        )
    most = MAX_DISPLAY_LENGTH if is_equation else MAX_VALUE_DIGITS
    if len(expression) > most:
        raise ParameterError(f"the display has {len(expression)} places; write at most {most}")
    given: set[Segment] = set()
    for place, character in enumerate(expression):
        given |= {(place, segment) for segment in shapes[character][0]}
    count = len(given)
    if not 0 <= moves <= count:
        raise ParameterError(f"{expression} has {count} lit segments; move 0 to {count} of them, not {moves}")
    return given


def _target(goal: str, is_equation: bool, positive: bool) -> int | None:
    """Return the value that the goal asks for; None if it is min, max or any.

    Raises ValueError if the goal does not suit an equation, or if it is not a positive value though ``positive`` is
    true.

    is_equation: whether the display shows an equation at first.
    """
    if goal in ("min", "max", "any"):
        return None
    target = _whole_number(goal)
    if is_equation:
        raise ParameterError(f"an equation has no value; leave out the goal {goal}")
    if target < 1 and positive:
        raise ParameterError(
            f"the goal {goal} is not positive; allow it with positive=False, or choose one of at least 1"
        )
    return target


def _characters(expression: str, shapes: Shapes) -> Shapes:
    """Return the shapes of the characters that places may show: the digits, the minus, and in some cases = and plus.

    The character = is among them only if the expression has one, and plus only if the expression has a plus or a =.
    """
    signs = set(expression)
    characters = {}
    for character in MASKS:
        if character not in "+=" or {character, "="} & signs:
            characters[character] = shapes[character]
    return characters


def _whole_number(goal: str) -> int:
    """Read a goal that is a whole number; raise ParameterError for any other text."""
    if not re.fullmatch(f"[-+]?[0-9]{{1,{MAX_VALUE_DIGITS}}}", goal):
        raise ParameterError(
            f"{goal!r} is not a goal; give min, max, any or a whole number of at most {MAX_VALUE_DIGITS} digits"
        )
    return int(goal)


def _all_of(model: CpModel, *literals: LiteralT) -> IntVar:
    """Return a new variable of the model that is true iff all these literals are."""
    conjunction = model.new_bool_var("")
    model.add_bool_and(literals).only_enforce_if(conjunction)
    opposites = [~literal for literal in literals]
    model.add_bool_or(conjunction, *opposites)
    return conjunction


def _one_of(model: CpModel, literals: Sequence[IntVar]) -> IntVar:
    """Return a variable that is true iff one of these literals is, of which no two are true together."""
    if len(literals) == 1:
        return literals[0]
    union = model.new_bool_var("")
    model.add(union == LinearExpr.sum(literals))
    return union


def _forbid_leading_zeros(model: CpModel, shows: Shows, digit: Sequence[IntVar], places: Sequence[int]) -> None:
    """Add to the model that no number of two digits or more begins with 0 at these places; 0 alone is a number.

    shows: for each (place, character), the variable that is true iff it is shown. digit: for each place, the variable
    that is true iff it shows a digit.
    """
    # A 0 that a digit follows has a digit before it, so that it is not the first one.
    for place in places:
        if place + 1 == len(digit):
            continue
        literals = [~shows[place, "0"], ~digit[place + 1]]
        if place:
            literals.append(digit[place - 1])
        model.add_bool_or(literals)


def _show_characters(
    model: CpModel, lit: Mapping[Segment, IntVar], places: Sequence[int], shapes: Shapes
) -> tuple[dict[tuple[int, str], IntVar], list[IntVar]]:
    """Add to the model that each place shows one character: digits first and last, no two signs side by side, one =.

    Returns (shows, digit): shows maps (place, character) to the variable that is true iff the character is shown; digit
    has for each place the variable that is true iff it shows a digit. lit: the variable of each (place, segment).
    places: the numbers of the places. shapes: those of the characters that a place may show.
    """
    segments = sorted({segment for _, segment in lit})
    shows: dict[tuple[int, str], IntVar] = {}
    for place in places:
        for character, shapes_of_character in shapes.items():
            # A shape is shown if its segments are lit and all others of the place are dark.
            conditions = []
            for shape in shapes_of_character:
                literals = [lit[place, i] if i in shape else ~lit[place, i] for i in segments]
                conditions.append(_all_of(model, *literals))
            shows[place, character] = _one_of(model, conditions)
        model.add_exactly_one(shows[place, character] for character in shapes)
    digit = [model.new_bool_var(f"digit[{place}]") for place in places]
    for place in places:
        shows_digit = [shows[place, d] for d in "0123456789"]
        model.add(digit[place] == LinearExpr.sum(shows_digit))
    model.add_bool_and(digit[0], digit[-1])
    for place in places[1:]:
        model.add_bool_or(digit[place - 1], digit[place])
    if "=" in shapes:
        model.add_exactly_one(shows[place, "="] for place in places)
    return shows, digit


def _subtraction_variables(model: CpModel, shows: Shows, digit: Sequence[IntVar], is_equation: bool) -> list[IntVar]:
    """Return, for each place, a new variable that says whether the number at it is subtracted.

    It is subtracted if a minus is before it. Right of "=" it is subtracted if no minus is before it: all numbers there
    are moved to the left side. model: takes the variables and constraints. shows: for each place and character, the
    variable that is true iff it is shown. digit: for each place, the variable that is true iff it shows a digit.
    is_equation: whether there is a "=".
    """
    places = range(len(digit))
    minus = [model.new_bool_var(f"minus[{place}]") for place in places]
    model.add_bool_and(~minus[0])
    # From a minus on, all digits of the number behind it are marked; at most one of the two summands is 1.
    for place in places[1:]:
        continues = _all_of(model, digit[place], minus[place - 1])
        model.add(minus[place] == shows[place, "-"] + continues)
    if not is_equation:
        return minus
    is_right = [model.new_bool_var(f"right[{place}]") for place in places]
    subtracted = [model.new_bool_var(f"subtracted[{place}]") for place in places]
    for place in places:
        equals_before = [shows[earlier_place, "="] for earlier_place in places[: place + 1]]
        model.add(is_right[place] == LinearExpr.sum(equals_before))
        # The exclusive or of both.
        both = _all_of(model, minus[place], is_right[place])
        minus_and_right = minus[place] + is_right[place]
        model.add(subtracted[place] == minus_and_right - 2 * both)
    return subtracted


def _column_totals(model: CpModel, shows: Shows, digit: Sequence[IntVar], subtracted: Sequence[IntVar]) -> list[IntVar]:
    """Return, for each column from the units on, a new variable with the sum of its digits.

    A digit has the sign of its number. The numbers are below each other, units below units. model: takes the
    variables and constraints. shows: for each place and character, the variable that is true iff it is shown. digit,
    subtracted: for each place, the variables that are true iff it shows a digit, and iff its number is subtracted.
    """
    places = range(len(digit))
    # The digit at a place is in column 0 (the units) if no digit follows, and otherwise one column to the left of the
    # digit that follows.
    is_in_column = {}
    for place in places[:-1]:
        is_in_column[place, 0] = _all_of(model, digit[place], ~digit[place + 1])
    is_in_column[places[-1], 0] = digit[-1]
    for column in places[1:]:
        for place in places[:-column]:
            is_before = is_in_column[place + 1, column - 1]
            is_in_column[place, column] = _all_of(model, digit[place], is_before)
    totals = []
    for column in places:
        digits: list[LinearExprT] = []
        for place in places[: len(places) - column]:
            for d in range(1, 10):  # a 0 adds nothing
                is_shown = is_in_column[place, column], shows[place, str(d)]
                is_added = _all_of(model, *is_shown, ~subtracted[place])
                is_subtracted = _all_of(model, *is_shown, subtracted[place])
                digits += [d * is_added, -d * is_subtracted]
        # A number that reaches this column takes column + 2 places, its sign among them; only the first has none.
        most_numbers = (len(places) + 1) // (column + 2)
        largest_total = 9 * most_numbers
        total = model.new_int_var(-largest_total, largest_total, f"total[{column}]")
        model.add(total == LinearExpr.sum(digits))
        totals.append(total)
    return totals


def _add_up_to_nothing(model: CpModel, totals: Sequence[IntVar]) -> None:
    """Add to the model that the sum is 0: each column, with the carry from the one before, ends in 0.

    A carry is a tenth of such a column, at most the number of columns in absolute value, and the last one is 0. totals:
    the sum of the digits in each column, from the units on.
    """
    # 10 times the carry is the total with the carry before, so that their last decimal digit is 0.
    carry: IntVar | int = 0
    for column, total in enumerate(totals):
        carried = model.new_int_var(-len(totals), len(totals), f"carried[{column}]")
        model.add(10 * carried == total + carry)
        carry = carried
    model.add(carry == 0)


def _add_goal(model: CpModel, totals: Sequence[IntVar], goal: str, target: int | None, positive: bool) -> None:
    """Add to the model that the expression has the value that the goal asks for.

    That is the least value, the greatest value, or the target. totals: the sum of the digits in each column, from the
    units on. positive: whether the value must be at least 1.
    """
    powers = [10**column for column in range(len(totals))]
    value = LinearExpr.weighted_sum(totals, powers)
    if positive:
        model.add(value >= 1)
    if goal == "min":
        model.minimize(value)
    elif goal == "max":
        model.maximize(value)
    elif target is not None:
        model.add(value == target)


def _best(goal: str, positive: bool, value: int) -> str:
    """Return the best value in words, such as "7, the least positive value"; goal: max or min."""
    superlative = "greatest" if goal == "max" else "least"
    if positive:
        superlative += " positive"
    return f"{value}, the {superlative} value"


def _is_answer(
    given: Set[Segment],
    moves: int,
    reading: Callable[[Collection[Segment]], str],
    is_asked: Callable[[str], bool],
    solution: Solution,
) -> bool:
    """Tell whether a solution obeys the rules, without the model.

    given: the segments that are lit at first. moves: how many of them go to other places. reading: returns the text
    that lit segments show. is_asked: says whether a text is what the puzzle asks for. solution: whether each segment is
    lit at the end.
    """
    after = {*true_labels(solution)}
    removed = given - after
    added = after - given
    if not len(removed) == len(added) == moves:
        return False
    return is_asked(reading(after))


def _is_asked(is_equation: bool, target: int | None, positive: bool, leading_zero: bool, text: str) -> bool:
    """Tell whether a text is a true equation, or an expression with a value that the puzzle asks for.

    is_equation: which of the two it has to be. target: the value that the expression must have; None for any. The other
    arguments are those of `matchsticks`.
    """
    if not _is_readable(text, is_equation):
        return False
    numbers = re.findall("[0-9]+", text)
    # Behind the first number of an expression, superfluous zeros are always allowed.
    leading = numbers if is_equation else numbers[:1]
    if not leading_zero and any(map(LEADING_ZERO.match, leading)):
        return False
    value, *values_right = map(_value, text.split("="))
    if is_equation:
        return values_right == [value]
    if positive and value < 1:
        return False
    return target in (None, value)


def _draw(
    expression: str,
    reading: Callable[[Collection[Segment]], str],
    given: Collection[Segment],
    segments: Sequence[Segment],
    solution: Solution,
) -> Drawing:
    """Draw a solution with its reading as caption.

    expression: the text at first. reading: returns the text that lit segments show. given: the segments that are lit at
    first. segments: all of the display. solution: whether each segment is lit at the end.
    """
    after = {*true_labels(solution)}
    text = reading(after)
    caption = f"{expression} → {text}"
    if "=" not in expression:
        caption += f" = {_value(text)}"
    shapes = [_segment(segment, given, after) for segment in segments]
    return [Frame(shapes, caption)]


def _sheets(
    expression: str,
    draw: Callable[[Solution], Drawing],
    given: Sequence[Segment],
    _: Given,
    solutions: Sequence[Solution],
) -> list[Drawing]:
    """Return the drawings to print: the sticks as they are at first, then each solution.

    expression: the text at first, the caption. draw: draws a solution. given: the segments that are lit at first; see
    `_draw`. The argument without a name is what is given of a solution, which is not drawn.
    """
    sticks = [_segment(segment, given, given) for segment in given]
    start = [Frame(sticks, expression)]
    return [start, *map(draw, solutions)]


def _reading(shapes: Shapes, places: int, lit: Collection[Segment]) -> str:
    """Return the text that the lit segments show, one character for each place.

    shapes: those of characters. places: the number of places. lit: the lit segments. A place whose lit segments are no
    character becomes a question mark.
    """
    character_by_segments = {}
    for character, shapes_of_character in shapes.items():
        for shape in shapes_of_character:
            character_by_segments[frozenset(shape)] = character
    text = ""
    for place in range(places):
        segments = frozenset(i for p, i in lit if p == place)
        text += character_by_segments.get(segments, "?")
    return text


def _is_readable(text: str, is_equation: bool) -> bool:
    """Tell whether a text is a sum, or an equation of two sums."""
    sides = text.split("=")
    if len(sides) != 1 + is_equation:
        return False
    return all(SUM.fullmatch(side) for side in sides)


def _value(text: str) -> int:
    """Return the value of a sum such as "7-8+9"."""
    numbers = re.findall("[-+]?[0-9]+", text)
    return sum(map(int, numbers))


def _segment(segment_at_place: Segment, given: Collection[Segment], after: Collection[Segment]) -> Shape:
    """Return the shape of one segment, (place, number of the segment): kept, added, removed, or dark.

    given, after: the segments that are lit before and after the moves. The colour says which of these it is, and a text
    shows the mark of it; a dark segment is drawn without a colour.
    """
    place, segment = segment_at_place
    x, y = CENTRES[segment]
    # The corners of a segment as seen from its middle: (along it, across it).
    offsets = [(-0.4, 0.0), (-0.3, -0.1), (0.3, -0.1), (0.4, 0.0), (0.3, 0.1), (-0.3, 0.1)]
    is_flat = segment in HORIZONTAL
    if not is_flat:
        offsets = [(across, along) for along, across in offsets]
    left = PLACE_DISTANCE * place + x
    corners = [(left + right, y + down) for right, down in offsets]
    if segment_at_place in given and segment_at_place in after:
        colour = "kept"
    elif segment_at_place in given:
        colour = "removed"
    elif segment_at_place in after:
        colour = "added"
    else:
        return Shape([corners], outline=False)
    flat, upright, of_a_plus = MARKS[colour]
    mark = upright
    if is_flat:
        mark = flat
    elif segment == OF_PLUS:
        mark = of_a_plus
    return Shape([corners], colour=colour, outline=False, mark=mark)
