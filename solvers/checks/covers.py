"""Was a model read as the right exact cover, and does what was derived from the cover follow?

Several backends are told what one piece of code reads and derives. A mistake in it would be in all their answers, so
each fact is verified here before a solver hears of it, by code that shares nothing with what derived it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from solvers.base.errors import CheckError
from solvers.checks.constraints import RULES, InDomain, count_of, intervals

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

Words = NDArray[np.uint64]
"""Sets of options, in 64-bit words, a row for each set."""

TakeOut = Callable[[Words, Words, NDArray[np.int64]], int]
"""The type of `solvers.checks.pair_kernel.take_out_pairs`."""


class CountLike(Protocol):
    """The item of a cover that several options may or must cover."""

    @property
    def options(self) -> Sequence[int]:
        """The options that cover the item."""

    @property
    def low(self) -> int:
        """The least number of them that are chosen."""

    @property
    def high(self) -> int:
        """The greatest number of them that are chosen."""


class CoverLike(Protocol):
    """A model as an exact cover, as it was read; see `solvers.model.exact_cover.ExactCover`."""

    @property
    def variables(self) -> int:
        """The number of variables of the model, which are the first options."""

    @property
    def options(self) -> int:
        """The number of options, with those that are no variables."""

    @property
    def items(self) -> Sequence[Sequence[int]]:
        """The options of each item that exactly one of them has to cover."""

    @property
    def optional(self) -> Sequence[Sequence[int]]:
        """The options of each item that at most one of them may cover."""

    @property
    def counts(self) -> Sequence[CountLike]:
        """The items that several options may or must cover."""

    @property
    def slack(self) -> Mapping[int, int]:
        """The variable that is 0 if an option is chosen, for each option that is no variable."""

    @property
    def exclusions(self) -> Sequence[tuple[int, int]]:
        """The pairs of options that are never chosen together."""

    @property
    def fixed(self) -> Mapping[int, bool]:
        """Options that are chosen, or not, in every solution."""

    @property
    def contradictory(self) -> bool:
        """The claim of the cover that there is no solution."""


class CountRule(NamedTuple):
    """A rule that at least ``low`` and at most ``high`` of some Boolean variables are 1."""

    variables: frozenset[int]
    low: int
    high: int


NEVER = CountRule(frozenset(), 1, 1)
"""The rule that no assignment obeys."""


def check_reading(model: CpModel, cover: CoverLike) -> None:
    """Raise `CheckError` unless a cover says the same as the model from which it was read.

    Both are brought to the same few forms of rules; the two sets of rules have to be equal.

    >>> from types import SimpleNamespace
    >>> from ortools.sat.python.cp_model import CpModel
    >>> model = CpModel()
    >>> _ = model.add_exactly_one(model.new_bool_var("a"), model.new_bool_var("b"))
    >>> read = {"variables": 2, "items": [[0]], "fixed": {}, "slack": {}, "contradictory": False}
    >>> read |= dict.fromkeys(["optional", "counts", "exclusions"], [])
    >>> check_reading(model, SimpleNamespace(**read))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    solvers.base.errors.CheckError: the model was read as a wrong exact cover: the rule of variable 0 is not ...
    """
    # Rules that a model spells out in pairs are replaced by one "exactly one"; a cover may have either.
    of_model, implied = _with_exact_choices(set(_rules_of_model(model)))
    of_cover = set(_rules_of_cover(cover)) - implied
    # A cover that claims that there is no solution needs no rules, if the model's rules show that.
    if cover.contradictory and _is_impossible(of_model):
        return
    if cover.contradictory:
        raise CheckError("the model was read as a wrong exact cover: one without a solution")
    for rules, others, owner in ((of_cover, of_model, "model"), (of_model, of_cover, "cover")):
        for rule in rules - others:
            first_variables = ", ".join(map(str, sorted(rule.variables)[:5]))
            raise CheckError(
                f"the model was read as a wrong exact cover: the rule of variable {first_variables} is not one of "
                f"the {owner}"
            )


def check_exclusions(
    cover: CoverLike,
    options: Sequence[int],
    together: NDArray[np.bool_],
    reasons: NDArray[np.int64],
    take_out: Callable[[], TakeOut],
) -> None:
    """Raise `CheckError` unless everything that a search leaves out follows from a cover.

    The cover states some of it; a reason has to show each other pair. From all pairs of options, those are taken out
    that the cover states or a reason shows. Each pair that the search leaves out has to be among them, and each option
    that is not left to the search has to be without a solution.

    cover: one that is known to be read rightly. options: those that are left to the search; it is quick if those of an
    item are neighbours. together: a square matrix that says which two of them (by their places in ``options``) may be
    chosen together; its diagonal does not matter. reasons: a row (option, option, item) for each pair of options that
    was derived; the item is the index of one of the cover's items, which the two leave without any option. take_out:
    returns the compiled function that verifies reasons; it is called if there are reasons.
    """
    last_item = np.zeros(cover.options, np.int64)
    for number, item in enumerate(cover.items):
        last_item[list(item)] = number
    # The options that are not left to the search are placed behind the others, those of one item together.
    missing = sorted(set(range(cover.options)).difference(options), key=last_item.__getitem__)
    order = np.array([*options, *missing], np.int64)
    if len(order) != cover.options:
        raise CheckError("a search of an exact cover has an option twice")
    place = np.argsort(order)  # for each option, its place in ``order``: the inverse permutation
    dead = np.zeros(cover.options, np.bool_)  # by place: whether the option is in no solution
    dead[place[[option for option, chosen in cover.fixed.items() if not chosen]]] = True
    # ``compatible`` is a set for each option, by place: those that it can be chosen with.
    compatible = _compatible_options(cover, place)
    if cover.contradictory:  # no option is in a solution
        dead[:] = True
    else:
        items = _sets([place[list(item)] for item in cover.items], cover.options)
        reasons_by_place = np.column_stack([place[reasons[:, :2]], reasons[:, 2]])
        _take_out_reasoned(compatible, items, dead, reasons_by_place, take_out)
    # [:1] takes the first wrong option, if there is any; the same is done for pairs below.
    for option in order[len(options) :][~dead[len(options) :]][:1].tolist():
        raise CheckError(f"option {option} of an exact cover was ruled out without a reason")
    left_out = _members(compatible[: len(options)], cover.options)[:, : len(options)] & ~together
    np.fill_diagonal(left_out, False)
    if left_out.any():  # quick, unlike to list them
        first, second = np.argwhere(left_out)[0].tolist()
        raise CheckError(
            f"options {options[first]} and {options[second]} of an exact cover exclude each other without a reason"
        )


def check_excluded_literals(
    cover: CoverLike,
    pairs: NDArray[np.int64],
    ruled_out: Iterable[int],
    reasons: NDArray[np.int64],
    take_out: Callable[[], TakeOut],
) -> None:
    """Raise `CheckError` unless a cover implies all exclusions in a list of literals, as a solver is given them.

    The literals are turned into the options that they choose, and `check_exclusions` does the rest. pairs: two literals
    a row that are not true together. ruled_out: literals that are false in every solution. A literal is a variable, or
    -v - 1 for the negation of variable v; a slack option is chosen where its variable is 0, that is, by such a
    negation. reasons, take_out: see `check_exclusions`.
    """
    option_by_literal = np.full(
        2 * cover.variables, -1, np.int64
    )  # the option that a literal chooses, from -v to v - 1
    option_by_literal[cover.variables :] = np.arange(cover.variables)
    for option, variable in cover.slack.items():
        option_by_literal[cover.variables - variable - 1] = option
    pairs_of_options = _options_of_literals(option_by_literal, pairs)
    dead = set(_options_of_literals(option_by_literal, np.array([*ruled_out], np.int64)).tolist())
    dead |= {option for option, is_chosen in cover.fixed.items() if not is_chosen}
    last_item = {option: number for number, item in enumerate(cover.items) for option in item}
    options = sorted({*range(cover.options)} - dead, key=lambda option: last_item.get(option, -1))
    place = np.full(cover.options, -1, np.int64)
    place[options] = np.arange(len(options))
    # Pairs with a dead option need not be checked: the option alone is.
    first, second = place[pairs_of_options[(place[pairs_of_options] >= 0).all(axis=1)]].T
    together = np.ones((len(options), len(options)), np.bool_)
    together[first, second] = together[second, first] = False
    check_exclusions(cover, options, together, reasons, take_out)


def check_added_exclusions(proto: Any, first: int, pairs: NDArray[np.int64], ruled_out: Iterable[int]) -> None:
    """Raise `CheckError` unless the constraints that were added to a proto are exclusions of verified lists.

    Each is a bool_and: without an enforcement literal, its literals are true; with one, they are true wherever that is.
    In both cases their negations are excluded. proto: what a solver is given. first: the number of the first constraint
    that was added. pairs, ruled_out: as for `check_excluded_literals`.
    """
    added_pairs = [np.zeros((0, 2), np.int64)]
    set_to_false: set[int] = set()
    for number in range(first, len(proto.constraints)):
        constraint = proto.constraints[number]
        enforcement = list(constraint.enforcement_literal)
        excluded = -1 - np.array(constraint.bool_and.literals, np.int64)
        if len(enforcement) > 1:
            raise CheckError("a solver was given an exclusion of more than two literals, which nobody has verified")
        if enforcement:
            added_pairs.append(np.column_stack([np.full(len(excluded), enforcement[0]), excluded]))
        else:
            set_to_false.update(excluded.tolist())
    for literal in set_to_false.difference(ruled_out):
        raise CheckError(f"a solver was given literal {literal} as false, which nobody has verified")
    _require_known(np.concatenate(added_pairs), pairs)


def check_excluding_clauses(
    clauses: NDArray[np.int64], numbers: Mapping[int, int], pairs: NDArray[np.int64], ruled_out: Iterable[int]
) -> None:
    """Raise `CheckError` unless clauses are exclusions of verified lists.

    A clause of two literals excludes the pair of their negations. clauses: an array with two literals of the formula a
    row, or one. numbers: maps each literal of the model that is in the lists to the literal of the formula. pairs,
    ruled_out: as for `check_excluded_literals`, in literals of the model.
    """
    literals = np.array(sorted(numbers), np.int64)
    least = int(literals.min(initial=0))
    formula_literals = np.zeros(int(literals.max(initial=0)) - least + 1, np.int64)  # from the least literal on
    formula_literals[literals - least] = [numbers[literal] for literal in literals.tolist()]
    if clauses.shape[1] == 2:
        _require_known(-clauses, formula_literals[pairs - least])
    else:
        false_clauses = {-numbers[literal] for literal in ruled_out}
        for literal in {*clauses.ravel().tolist()} - false_clauses:
            raise CheckError(f"a solver was given the clause ({literal}), which nobody has verified")


def _require_known(pairs: NDArray[np.int64], known: NDArray[np.int64]) -> None:
    """Raise `CheckError` unless each pair, a row of two literals in any order, is one of the known ones.

    A solver is mostly given the known pairs in their order, so that only the others are looked up. Two pairs are the
    same if their codes are: each sorted pair as one number.
    """
    if len(pairs) == len(known):
        pairs = pairs[(pairs[:, 0] != known[:, 0]) | (pairs[:, 1] != known[:, 1])]
    if not len(pairs):
        return
    every_pair = np.sort(np.concatenate([pairs, known]), axis=1)
    # Each pair as one number, (first, second) in base ``high - low + 1``; then binary search in the sorted known ones.
    low = int(every_pair.min(initial=0))
    codes = (every_pair[:, 0] - low) * (int(every_pair.max(initial=0)) - low + 1) + (every_pair[:, 1] - low)
    codes_of_pairs, known_codes = codes[: len(pairs)], np.sort(codes[len(pairs) :])
    places = np.searchsorted(known_codes, codes_of_pairs)  # np.isin would load numpy.ma, in each command
    is_known = places < len(known_codes)
    is_known[is_known] = known_codes[places[is_known]] == codes_of_pairs[is_known]
    for first, second in pairs[~is_known][:1].tolist():
        raise CheckError(
            f"a solver was given the exclusion of literals {first} and {second}, which nobody has verified"
        )


def _options_of_literals(options_of: NDArray[np.int64], literals: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the options that literals choose, in the shape of ``literals``.

    Raises `CheckError` for a literal that chooses none. options_of: the option of each literal -v to v - 1 of v
    variables, in this order; -1 for none. So literal l is at the place l + v.
    """
    variables = len(options_of) // 2
    places_of_literals = literals + variables
    for literal in literals[(places_of_literals < 0) | (places_of_literals >= len(options_of))].ravel()[:1].tolist():
        raise CheckError(f"literal {literal} of an exact cover chooses no option")
    options_found = options_of[places_of_literals]
    for literal in literals[options_found < 0].ravel()[:1].tolist():
        raise CheckError(f"literal {literal} of an exact cover chooses no option")
    return options_found


def _take_out_reasoned(
    can: Words, items: Words, dead: NDArray[np.bool_], reasons: NDArray[np.int64], take_out: Callable[[], TakeOut]
) -> None:
    """Take out of ``can`` the pairs that have a valid reason, and mark the options that are in no solution.

    Whether a pair follows may depend on pairs that were taken out before it; those that do not follow yet are tried
    again. Raises `CheckError` once no remaining one follows. can: for each option, the others that it can be chosen
    with. items: for each item, its options. dead: for each option, whether it is in no solution. reasons, take_out: see
    `check_exclusions`.
    """
    _rule_out(can, items, dead)
    if not (len(reasons) or dead.any()):  # nothing was taken out
        return
    while len(reasons):  # in their order, most follow from those before
        unverified = take_out()(can, items, reasons)  # which it moves to the front
        if unverified == len(reasons):
            raise CheckError(
                f"two options of an exact cover were said to leave item {reasons[0, 2]} without options, "
                "which they do not"
            )
        # The others were moved to the front; they may follow now that more pairs are out.
        reasons = np.ascontiguousarray(reasons[:unverified])
    _rule_out(can, items, dead)


def _discard_options(can: Words, dead: NDArray[np.bool_], options: NDArray[np.int64]) -> None:
    """Mark options as in no solution, and take all their pairs out of ``can``.

    can, dead: as in `_take_out_reasoned`. options: their numbers. The options that are alive are kept in each set, and
    the sets of dead options become empty.
    """
    if len(options):
        dead[options] = True
        can &= _sets([np.flatnonzero(~dead)], len(can))
        can[dead] = 0


def _rule_out(can: Words, items: Words, dead: NDArray[np.bool_]) -> None:
    """Mark the options that leave some item without options, and take them and those marked before out of ``can``.

    can, items, dead: as in `_take_out_reasoned`.
    """
    for item_words, is_covering in zip(items, _members(items, len(can)), strict=True):
        used = np.flatnonzero(item_words)  # the words in which the item has options
        compatible_words = np.bitwise_or.reduce(can[:, used] & item_words[used], axis=1)
        # Of the item's options none is left beside an option that does not cover the item itself.
        dead |= ~is_covering & (compatible_words == 0)
    _discard_options(can, dead, np.flatnonzero(dead))


def _compatible_options(cover: CoverLike, place: NDArray[np.int64]) -> Words:
    """Return, for each option, the set of the others that the cover's items and exclusions let it be chosen with.

    place: the place of each option: row n and bit n of the sets belong to the option at place n.
    """
    # All pairs, without those in one item, those that exclude each other, and those of an option with itself.
    can = np.repeat(_sets([range(cover.options)], cover.options), cover.options, axis=0)
    for item in (*cover.items, *cover.optional):
        can[place[list(item)]] &= ~_sets([place[list(item)]], cover.options)
    pairs = np.array([*cover.exclusions, *zip(range(cover.options), range(cover.options), strict=True)], np.int64)
    _take_out_pairs(can, *place[pairs.reshape(-1, 2).T])
    return can


def _sets(members: Sequence[Collection[int] | NDArray[np.int64]], options: int) -> Words:
    """Return sets of options as words, a row for each set; option n is bit n % 64 of word n // 64.

    members: the options in each set. options: the number of all options.
    """
    sets = np.zeros((len(members), -(-options // 64)), np.uint64)
    for row, members_of_set in zip(sets, members, strict=True):
        numbers = np.array(members_of_set, np.int64)
        np.bitwise_or.at(row, numbers >> 6, _bit(numbers))
    return sets


def _members(sets: Words, options: int) -> NDArray[np.bool_]:
    """Return sets of options as a matrix: does each set, a row, have each option? options: the number of all."""
    return np.unpackbits(sets.view(np.uint8), axis=1, count=options, bitorder="little").view(np.bool_)


def _bit(options: NDArray[np.int64]) -> Words:
    """Return the word for each option in which only its bit is set."""
    return np.uint64(1) << (options & 63).astype(np.uint64)


def _take_out_pairs(can: Words, first: NDArray[np.int64], second: NDArray[np.int64]) -> None:
    """Take pairs of options out of ``can``: for each option, the others that it can be chosen with."""
    np.bitwise_and.at(can, (first, second >> 6), ~_bit(second))
    np.bitwise_and.at(can, (second, first >> 6), ~_bit(first))


def _rules_of_cover(cover: CoverLike) -> Iterator[CountRule]:
    """Yield the rules of a cover as `CountRule`; raise `CheckError` if its slack options are not just that.

    A slack option is an option that is no variable, chosen where its variable is 0. Its item has to consist of it and
    its variable; it says nothing about the variable, so that no rule is yielded for it.
    """
    for options in cover.items:
        slack = [option for option in options if option >= cover.variables]
        if not slack:
            yield from _count_rules(options, 1, 1)
        elif sorted(options) != sorted([*slack, cover.slack.get(slack[0], -1)]):
            raise CheckError("the model was read as a wrong exact cover: an item has a slack option and others")
    for options in cover.optional:
        yield from _count_rules(options, 0, 1)
    for count in cover.counts:
        yield from _count_rules(count.options, count.low, count.high)
    for pair in cover.exclusions:
        yield from _count_rules(pair, 0, 1)
    for option, is_chosen in cover.fixed.items():
        yield from _count_rules([option], int(is_chosen), int(is_chosen))


def _rules_of_model(model: CpModel) -> Iterator[CountRule]:
    """Yield the rules of a model, each of which counts Boolean variables; raise `CheckError` if one does not.

    Domains that lack 0 or 1, constraints and assumptions are read. An enforced clause becomes a clause with the negated
    enforcement literals.
    """
    proto = model.clone().proto
    for number, variable in enumerate(proto.variables):
        for value in (0, 1):
            if not any(low <= value <= high for low, high in intervals(variable.domain)):
                yield CountRule(frozenset([number]), 1 - value, 1 - value)
    for constraint in proto.constraints:
        enforced = list(constraint.enforcement_literal)
        if constraint.has_bool_or():
            yield from _clause_rules([*constraint.bool_or.literals, *(-literal - 1 for literal in enforced)])
        elif constraint.has_bool_and():
            for literal in constraint.bool_and.literals:
                yield from _clause_rules([literal, *(-literal - 1 for literal in enforced)])
        else:
            # `RULES` maps the name of each kind of constraint to the function that reads it; counting kinds become
            # `InDomain`.
            kind = next((kind for kind in RULES if getattr(constraint, f"has_{kind}")()), "")
            rule = RULES[kind](getattr(constraint, kind), proto) if kind else None
            if enforced or not isinstance(rule, InDomain):
                raise CheckError(f"the model was read as an exact cover, but it has the constraint {kind!r}")
            yield from _sum_rules(rule)
    for literal in proto.assumptions:
        yield from _clause_rules([literal])


def _with_exact_choices(rules: set[CountRule]) -> tuple[set[CountRule], set[CountRule]]:
    """Return (equivalent rules, those that were left out).

    The first set has a rule "exactly one" in place of the second. Where at least one of some variables is 1, and of
    each two at most one, exactly one of them is: one rule says so.

    >>> rules, implied = _with_exact_choices({CountRule(frozenset([4, 7]), 1, 2), CountRule(frozenset([4, 7]), 0, 1)})
    >>> rules == {CountRule(frozenset([4, 7]), 1, 1)}, len(implied)
    (True, 2)
    """
    exact: set[CountRule] = set()
    implied: set[CountRule] = set()
    for rule in rules:
        is_at_least_one = rule.low == 1 and rule.high == len(rule.variables) > 1
        if is_at_least_one:
            pairs = {CountRule(frozenset(pair), 0, 1) for pair in combinations(rule.variables, 2)}
            # Every pair has its rule "at most one".
            if pairs <= rules:
                exact.add(CountRule(rule.variables, 1, 1))
                implied |= {rule, *pairs}
    return (rules - implied) | exact, implied


def _clause_rules(literals: Iterable[int]) -> Iterator[CountRule]:
    """Yield the rule that at least one of these literals is true; -v - 1 is the negation of variable v.

    A clause of two negations is an at-most-one, and a tautology no rule at all. Raises `CheckError` if a cover cannot
    say it.
    """
    distinct = set(literals)
    if len(distinct) == 2 and max(distinct) < 0:  # as most of very many clauses are
        yield CountRule(frozenset(-literal - 1 for literal in distinct), 0, 1)
    elif not any(-literal - 1 in distinct for literal in distinct):
        yield from _sum_rules(InDomain(count_of([*distinct]), [(1, max(1, len(distinct)))]))


def _sum_rules(rule: InDomain) -> Iterator[CountRule]:
    """Yield a rule about a sum of Booleans in the usual forms; raise `CheckError` if it does not count them.

    Weights have to have one absolute value, and the allowed numbers have to be an interval. Literals have to be all
    variables or all negations, unless their values are fixed, or every number of them is allowed. For example, 2a - 2b
    = 0 counts a and (not b): the sum is -2 plus twice their number, so this number has to be 1.
    """
    # Terms of weight size or -size: the sum is ``least`` plus size times the number of true literals, which are the
    # variables of positive weight and the negations of the others. ``allowed`` has the numbers that the domain allows.
    weights: dict[int, int] = {}
    for variable, coefficient in zip(rule.expression.variables, rule.expression.coefficients, strict=True):
        weights[variable] = weights.get(variable, 0) + coefficient
    terms = {variable: weight for variable, weight in weights.items() if weight}
    sizes = {abs(weight) for weight in terms.values()} or {1}
    size = max(sizes)
    negative = [variable for variable, weight in terms.items() if weight < 0]
    least = rule.expression.offset - size * len(negative)
    intervals_of_counts = [(-(-(low - least) // size), (high - least) // size) for low, high in rule.domain]
    allowed = sorted(
        {count for low, high in intervals_of_counts for count in range(max(low, 0), min(high, len(terms)) + 1)}
    )
    if len(sizes) > 1:
        raise CheckError("the model was read as an exact cover, but it has a sum with different weights")
    if allowed in ([len(terms)], [0]):  # all literals are true, or none
        for variable in terms:
            is_true = (variable in negative) != bool(allowed[0])
            yield CountRule(frozenset([variable]), int(is_true), int(is_true))
        return
    if len(negative) == len(terms):  # count the variables instead of their negations
        allowed = [len(terms) - count for count in reversed(allowed)]
    elif negative and len(allowed) <= len(terms):
        raise CheckError("the model was read as an exact cover, but it has a sum of variables and negations")
    low, high = min(allowed, default=1), max(allowed, default=0)
    if len(allowed) not in (0, high - low + 1):
        raise CheckError("the model was read as an exact cover, but a number of variables lies in no interval")
    yield from _count_rules(terms, low, high)


def _count_rules(options: Collection[int], low: int, high: int) -> Iterator[CountRule]:
    """Yield the rule that between ``low`` and ``high`` of some options are chosen, in the usual forms.

    Nothing is yielded if it always holds, and a rule for each option if they all are chosen, or none.
    """
    low, high = max(low, 0), min(high, len(options))
    if low > high:
        yield NEVER
    elif low == high and high in (0, len(options)):
        for option in options:
            yield CountRule(frozenset([option]), min(low, 1), min(low, 1))
    elif low > 0 or high < len(options):
        yield CountRule(frozenset(options), low, high)


def _is_impossible(rules: Collection[CountRule]) -> bool:
    """Tell whether rules in the usual forms contradict each other at first sight."""
    return NEVER in rules or any(
        len(rule.variables) == 1 and CountRule(rule.variables, 1 - rule.low, 1 - rule.high) in rules for rule in rules
    )
