"""Exact covers, recognised in a model's constraints: items that exactly one (or at most one) option may cover."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from solvers.base.errors import NoCoverError
from solvers.base.tuning import TUNING
from solvers.model.reading import Count, all_negated, choice_of, count_of, has_objective, negation, variable_of

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel


MAX_OPTIONS = 20_000
"""The table of options that go together has a bit for each two of them: 50 MB for so many."""


@dataclass(eq=False)
class ExactCover:
    """A model as an exact cover. Options are Boolean variables, by their index in the model's proto.

    A variable that no exactly-one constraint holds gets an item of its own, which a slack option (a number from
    ``variables`` on) covers where the variable is 0. So every option covers an item that has to be covered.
    """

    variables: int
    """The number of variables of the model."""
    items: list[list[int]] = field(default_factory=list)
    """For each item that exactly one option has to cover, the options that cover it."""
    optional: list[list[int]] = field(default_factory=list)
    """For each item that at most one option may cover, the options that cover it."""
    counts: list[Count] = field(default_factory=list)
    """The items that several options may or must cover."""
    slack: dict[int, int] = field(default_factory=dict)
    """For each slack option, the variable that is 0 if the option is chosen."""
    exclusions: list[tuple[int, int]] = field(default_factory=list)
    """The pairs of options that must not be chosen together."""
    fixed: dict[int, bool] = field(default_factory=dict)
    """Options that are chosen, or not chosen, in every solution."""
    joins_clauses: bool = False
    """True if an item was read from several clauses."""
    contradictory: bool = False
    """True if some option is both chosen and not chosen in every solution, or if an item has no option to cover it."""

    @property
    def options(self) -> int:
        """The number of options, including slack options."""
        return self.variables + len(self.slack)

    @property
    def items_per_option(self) -> float:
        """The average number of items that an option covers.

        The item of a slack option is left out: it has two options, the slack one and another.
        """
        return (sum(map(len, self.items)) - 2 * len(self.slack)) / max(self.variables, 1)

    @property
    def suits_branching_on_items(self) -> bool:
        """Tell whether the backend `cover`, which branches on items, is expected to be the fastest."""
        return self.items_per_option >= TUNING.min_items_per_option and self.options <= MAX_OPTIONS

    def cover_without(self, options: Collection[int]) -> "ExactCover":
        """Return the cover in which these options are never chosen."""
        fixed = {**self.fixed, **dict.fromkeys(options, False)}
        return replace(self, fixed=fixed, contradictory=self.contradictory or any(map(self.fixed.get, options)))


def exact_cover(model: "CpModel") -> ExactCover:
    """Return a model as an exact cover; raise `NoCoverError`, which names the obstacle, if it is not one.

    Nothing is searched: the constraints have to say exactly-one, at-most-one, bounds on a number of variables,
    exclusions of two variables, or fix one. A variable in no exactly-one gets an item and a slack option, which covers
    the item where the variable is 0; in the example, that is option 3 for the variable c.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> model = CpModel()
    >>> a, b, c = (model.new_bool_var(name) for name in "abc")
    >>> _ = model.add_exactly_one(a, b)
    >>> _ = model.add_implication(b, ~c)
    >>> cover = exact_cover(model)
    >>> cover.items, cover.exclusions
    ([[0, 1], [2, 3]], [(1, 2)])
    """
    proto = model.proto
    if has_objective(model):
        raise _no_cover("it has an objective")
    cover = ExactCover(len(proto.variables))
    clauses: list[list[int]] = []
    for index, variable in enumerate(proto.variables):
        domain = list(variable.domain)
        if domain[0] < 0 or domain[-1] > 1:
            raise _no_cover(f"the variable {variable.name or index} is not a Boolean")
        if domain[0] == domain[-1]:
            _fix(cover, index if domain[0] else negation(index))
    for number, constraint in enumerate(proto.constraints):
        if not _add_constraint(cover, constraint, proto, clauses):
            raise _no_cover(
                f"constraint {number} is neither exactly-one nor at-most-one nor an exclusion of two, nor a count"
            )
    for literal in proto.assumptions:
        _fix(cover, literal)
    _join_clauses(cover, clauses)
    cover.contradictory |= not all(cover.items)  # an item without options
    # An option that covers no item gets one together with a slack option, which means that it is not chosen.
    covered = {option for item in cover.items for option in item}
    for option in sorted(set(range(cover.variables)) - covered):
        slack = cover.options
        cover.slack[slack] = option
        cover.items.append([option, slack])
    return cover


def _add_constraint(cover: ExactCover, constraint: Any, proto: Any, clauses: list[list[int]]) -> bool:
    """Add a constraint of a model to a cover; return False if it is of a kind that a cover cannot have.

    It becomes an item, an item that several options may cover, a pair of options that exclude each other, or a fixed
    option. proto: the model's. clauses: gets the clauses that say that one of some options is chosen; `_join_clauses`
    makes items of them. Raises `NoCoverError` if the constraint is of a kind that a cover can have, but with literals
    that it cannot.
    """
    enforced = list(constraint.enforcement_literal)
    choice = choice_of(constraint, proto) if not enforced else None  # exactly-one or at-most-one, also as a sum
    if choice and all(literal >= 0 for literal in choice.literals):
        (cover.items if choice.is_exact else cover.optional).append(_options(choice.literals))
    elif not enforced and (count := count_of(constraint, proto)):  # a sum that bounds how many options are chosen
        _add_count(cover, count)
    elif choice and choice.is_exact and len(choice.literals) == 1:
        _add_clause(cover, choice.literals, clauses)
    elif choice and not choice.is_exact and len(choice.literals) == 2:
        _add_clause(cover, all_negated(choice.literals), clauses)
    elif choice:
        raise _no_cover("it counts negated variables")
    elif constraint.has_bool_or():
        _add_clause(cover, [*constraint.bool_or.literals, *all_negated(enforced)], clauses)
    elif constraint.has_bool_and():
        implied = list(constraint.bool_and.literals)
        # "An option implies that others are not chosen", as most implications say.
        if len(enforced) == 1 and enforced[0] >= 0 and all(literal < 0 for literal in implied):
            _exclude_options(cover, enforced[0], all_negated(implied))
            return True
        for literal in implied:
            _add_clause(cover, [literal, *all_negated(enforced)], clauses)
    else:
        return False
    return True


def _options(literals: Iterable[int]) -> list[int]:
    """Return the options of an item as a list; raise `NoCoverError` if an option is listed twice."""
    options = list(literals)
    if len(set(options)) < len(options):
        raise _no_cover("it counts a variable twice in one constraint")
    return options


def _add_count(cover: ExactCover, count: Count) -> None:
    """Add the rule that a number of options is within bounds to a cover.

    If the bounds decide all these options, as 0 and 0 do, they are fixed. If the bounds allow every number, nothing is
    added; if they allow none, the cover becomes contradictory.
    """
    if count.low > count.high:
        cover.contradictory = True
    elif count.low == len(count.options) or count.high == 0:
        for option in count.options:
            _fix(cover, option if count.low else negation(option))
    elif count.low > 0 or count.high < len(count.options):
        cover.counts.append(count)


def _join_clauses(cover: ExactCover, clauses: Sequence[Sequence[int]]) -> None:
    """Add an item for each clause whose options exclude each other pairwise, as DIMACS files write exactly-one.

    The exclusions that follow from such items are removed from the cover. clauses: lists of options of which at least
    one is chosen. Raises `NoCoverError` if two options of a clause may be chosen together.
    """
    excluded = set(cover.exclusions)
    implied: set[tuple[int, int]] = set()
    for options in clauses:
        pairs = [*combinations(sorted(options), 2)]
        if not excluded.issuperset(pairs):
            raise _no_cover("it has a clause that is not an exclusion of two variables")
        implied.update(pairs)
        cover.items.append(list(options))
    cover.joins_clauses = bool(implied)
    if implied:
        cover.exclusions[:] = [pair for pair in cover.exclusions if pair not in implied]


def _add_clause(cover: ExactCover, literals: list[int], clauses: list[list[int]]) -> None:
    """Add a clause to a cover, as an exclusion or a fixed option, or to ``clauses`` if it has no negations.

    literals: i for option i, -i - 1 for its negation. An empty clause makes the cover contradictory; one that is always
    true adds nothing. Raises `NoCoverError` for any other clause.
    """
    distinct = set(literals)
    if any(negation(literal) in distinct for literal in distinct):
        return
    if not distinct:
        cover.contradictory = True
    elif len(distinct) == 1:
        _fix(cover, distinct.pop())
    elif len(distinct) == 2 and max(distinct) < 0:  # two negations: the options exclude each other
        first, second = sorted(all_negated(distinct))
        cover.exclusions.append((first, second))
    elif min(distinct) >= 0:
        clauses.append(sorted(distinct))
    else:
        raise _no_cover("it has a clause that is not an exclusion of two variables")


def _exclude_options(cover: ExactCover, option: int, others: Iterable[int]) -> None:
    """Add the rule that an option excludes others to a cover; an option that excludes itself is never chosen."""
    for other in others:
        if other == option:
            _fix(cover, negation(option))
        else:
            cover.exclusions.append((min(option, other), max(option, other)))


def _fix(cover: ExactCover, literal: int) -> None:
    """Fix the option of a literal, chosen for i and not chosen for -i - 1.

    The cover becomes contradictory if the option is fixed the other way already.
    """
    option = variable_of(literal)
    cover.contradictory |= cover.fixed.setdefault(option, literal >= 0) != (literal >= 0)


def _no_cover(reason: str) -> NoCoverError:
    """Return the error that says that the model is not an exact cover.

    reason: a clause such as "it has an objective".
    """
    return NoCoverError(f"the model is not an exact cover: {reason}")
