"""Evaluates assignments against files of formulas: OPB and Knuth's exact covers.

The code shares nothing with the readers that make the models.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection
from math import prod


def opb_violation(text: str) -> Callable[[Callable[[str], int]], str]:
    """Return the function that returns what an assignment of an OPB file violates, "" for nothing.

    The function takes a function that returns the value, 0 or 1, of a variable by its name. text: the file, whose
    statements end with semicolons; an objective cannot be violated.

    >>> check = opb_violation("+2 x1 +3 ~x2 x3 >= 3 ;")
    >>> check({"x1": 0, "x2": 0, "x3": 1}.get), check({"x1": 1, "x2": 1, "x3": 1}.get)
    ('', 'constraint 1')
    """
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("*")]
    statements = [statement for statement in " ".join(lines).split(";") if statement.strip()]
    constraints = [statement for statement in statements if not re.match(r"\s*(min|max)\s*:", statement)]

    def total(sum_text: str, value: Callable[[str], int]) -> int:
        """Return the value of a sum such as +2 x1 +3 ~x2 x3: coefficients times products of literals.

        ~x is 1 - x. sum_text: the text of the sum. value: returns the value of a variable by its name. A coefficient 1
        may be left out at the beginning, and a sign alone is that of 1.
        """
        terms: list[tuple[int, list[str]]] = []
        for word in re.findall(r"[+-]\s*[0-9]+|[+-]|[0-9]+|[~A-Za-z_]\S*", sum_text):
            if not word[0].isalpha() and word[0] not in "~_":
                number = re.sub(r"\s", "", word)
                terms.append((int(number + "1" if number in "+-" else number), []))
            elif not terms:
                terms.append((1, [word]))
            else:
                terms[-1][1].append(word)
        products = (
            coefficient * prod(1 - value(literal[1:]) if literal[0] == "~" else value(literal) for literal in literals)
            for coefficient, literals in terms
        )
        return sum(products)

    def violation(value: Callable[[str], int]) -> str:
        """Return the first constraint that an assignment violates; "" for none."""
        for number, statement in enumerate(constraints, 1):
            sum_text, relation, bound_text = re.split(r"(>=|<=|=)", statement, maxsplit=1)
            difference = total(sum_text, value) - int(re.sub(r"\s", "", bound_text))
            if not {">=": difference >= 0, "<=": difference <= 0, "=": difference == 0}[relation]:
                return f"constraint {number}"
        return ""

    return violation


def dlx_violation(text: str) -> Callable[[Collection[int]], str]:
    """Return the function that returns what a choice of options of an exact cover violates, "" for nothing.

    The function takes the chosen options, as numbers of lines from 1. text: the file, in the format of Knuth's
    programs: its first line names the primary items, perhaps with bounds as in 1:2|a, a bar, and the secondary items.

    >>> check = dlx_violation("a b | c\\na c:1\\nb c:1\\nb c:2\\n")
    >>> check([2, 3]), check([2, 4])
    ('', 'the item c')
    """
    lines = text.splitlines()
    # The first line that is no comment names the items.
    line_numbers = [
        number for number, line in enumerate(lines, 1) if line.strip() and not line.lstrip().startswith("|")
    ]
    primary, _, secondary = (lines[line_numbers[0] - 1] + " ").partition(" | ")
    bounds = {}
    for word in primary.split():
        amounts, _, name = word.rpartition("|")
        low, _, high = amounts.rpartition(":")
        bounds[name] = (int(low or high or 1), int(high or 1))

    def violation(chosen: Collection[int]) -> str:
        """Return "the item NAME" for an item that is covered too rarely or too often, or in several colours; or "".

        A primary item is covered as often as its bounds say, once without them. A secondary item is covered once at
        most, or several times with one colour, as in c:1. chosen: the options, as numbers of lines.
        """
        times_covered: Counter[str] = Counter()
        colours: dict[str, list[str]] = {}
        for number in chosen:
            for word in lines[number - 1].split():
                item, _, colour = word.partition(":")
                times_covered[item] += 1
                colours.setdefault(item, []).append(colour)
        for item, (low, high) in bounds.items():
            if not low <= times_covered[item] <= high:
                return f"the item {item}"
        for item in secondary.split():
            item_colours = colours.get(item, [])  # "" for an option that gives none
            if len(item_colours) > 1 and (len({*item_colours}) > 1 or not item_colours[0]):
                return f"the item {item}"
        return ""

    return violation
