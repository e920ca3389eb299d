"""The compiled part of a cover's refutation: a fewest-options search that writes a lemma for each node that it refutes.

A node of an item's tree is an option, or a commander, which is true iff one of its children is; a position is a node's
place in the tree of some item.

A search node's lemma says that not all of some options that were chosen are in a solution. It follows from those of its
children and from binary lemmas, which say that an option excludes a node, or, of an option and itself, that no solution
holds it. They are written when they are first used, and kept. All are steps of LRAT: a literal that becomes false makes
the next clause a unit, until one is false.

References
----------
L. Cruz-Filipe, M. Heule, W. Hunt, M. Kaufmann, P. Schneider-Kamp, "Efficient certified RAT verification", CADE 2017,
doi:10.1007/978-3-319-63046-5_14
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from solvers.model.cover_kernel import (
    choose,
    copy_level,
    fewest_options,
    has,
    leave_none,
    lowest_bit,
    popcount,
    remove,
    take_first,
)

part_of_search = njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
"""Marks functions that only `_exclude` and `_search` call: to compile them for Python, too, takes a fifth longer."""

Ints = NDArray[np.int32]

NO_ROUND = 255
"""The round of a pair that does not exclude each other."""

DEPTH, RETURNED, NEXT_ID, GARBAGE, ANSWER = range(5)
"""Places in the array of counters.

They hold the level; whether the search has come back from a branch; the number of the next lemma; the number of lemmas
to delete; and the clause that refutes the node that was left last.
"""

DONE, SOLUTION, FULL, UNEXPLAINED = range(4)
"""The reasons why `search` returns.

It is at its end; at a solution, whose clause it has to be told; enough is written; or it cannot say why it turned back.
"""

MAX_UNUSED_LEMMAS = 2_000
"""The number of lemmas that are no longer needed at which they are deleted."""

MAX_NUMBER_CHARACTERS = 12
"""The most characters that a number takes, with the blank behind it."""


class Trees(NamedTuple):
    """The trees of all items, as arrays.

    Clauses are given by their numbers in the formula; 0 or -1 means none. Nodes are the options, then the commanders;
    positions are places of nodes in trees.
    """

    given: int
    """The number of clauses of the formula."""
    literal: Ints
    """The literal of each node."""
    first_place: Ints
    """For each node, where its positions begin in ``places``."""
    places: Ints
    clause: Ints
    """For each item that has to be covered, the clause that some option covers it."""
    root: Ints
    """For each such item, the group at the root of its tree, which has no commander."""
    node: Ints
    """The node at each position."""
    tree: Ints
    parent: Ints
    group: Ints
    below: Ints
    """For each position of a commander, the group of its children."""
    up: Ints
    """For each position, the clause by which it makes its parent true."""
    down: Ints
    """For each position of a commander, the clause by which it makes one of its children true."""
    apart: Ints
    """For each position and each place in its group, the clause that keeps the two apart."""
    first_member: Ints
    """For each group, where its positions begin in ``members``."""
    members: Ints


class ExclusionTable(NamedTuple):
    """The pairs of an option and a node that exclude each other.

    An option that excludes itself is in no solution.
    """

    rounds: NDArray[np.uint8]
    """For each exclusion, the round in which it was found; NO_ROUND if it was not found."""
    why: NDArray[np.int16]
    """For each exclusion, the item that would have no option left."""
    lemma: NDArray[np.int32]
    """For each exclusion, the clause that states it; 0 if the clause is not written yet."""
    alive: NDArray[np.uint64]
    """One set: the options that are not excluded by themselves."""


class ProofLevels(NamedTuple):
    """The state of a search that writes its refutation.

    Arrays have an entry for each level, unless said otherwise.
    """

    available: NDArray[np.uint64]
    branches: NDArray[np.uint64]
    untried: NDArray[np.uint64]
    """The branches that are still to be tried."""
    item: NDArray[np.int64]
    """The item whose options are the branches."""
    open_items: Ints
    open_count: NDArray[np.int64]
    path: NDArray[np.int64]
    """The option that was chosen."""
    used: NDArray[np.uint8]
    """The places of the path that the level's lemma needs so far; in the last row, those of the answer's clause."""
    refuting: NDArray[np.int64]
    """The clauses that refute branches of the level so far."""
    refuting_count: NDArray[np.int64]
    garbage: NDArray[np.int64]
    """The lemmas that are no longer needed; one array for all levels."""
    counters: NDArray[np.int64]
    """DEPTH to ANSWER."""


class Text(NamedTuple):
    """The text that was written."""

    characters: NDArray[np.uint8]
    end: int
    """The number of characters that were written; there is room for more."""


def _exclude(matrix, new, exclusions, number):
    """Run one round that looks for exclusions; return how many were found.

    A pair of options that leaves some item without options is an exclusion, and so is a single option that does. Row o
    of ``matrix.keep`` is the set, as 64-bit words, of the options that are still possible beside option o. An exclusion
    is removed from ``new``, a copy of ``matrix.keep``; ``keep`` itself stays, so that each exclusion follows from those
    of earlier rounds.

    matrix: the `Matrix` of items and options; row i of ``matrix.rows`` is the set of the options of item i. exclusions:
    the `ExclusionTable`, to which the exclusions are added. number: the number of the round.
    """
    rounds, why, keep = exclusions.rounds, exclusions.why, matrix.keep
    items, words = matrix.rows.shape
    sets = np.zeros((1, words), np.uint64)  # its only row is the set of candidates, as `take_first` takes rows
    candidates = sets[0]
    removed = 0
    for option in range(keep.shape[0]):
        # An option that an earlier round has excluded by itself needs no pairs.
        if rounds[option, option] < number:
            continue
        for item in range(items):
            if has(matrix.rows, item, option):
                continue
            if _is_without(matrix, option, item):
                rounds[option, option] = number
                why[option, option] = item
                for other in range(keep.shape[0]):
                    remove(new, other, option)
                for w in range(words):
                    new[option, w] = 0
                removed += 1
                break
            # `leave_none` writes into the candidates the options that, with this one, leave the item without options;
            # it returns whether there are any.
            if not leave_none(matrix, option, item, candidates):
                continue
            # `take_first` removes the first member from row 0 and returns it; -1 once the row is empty.
            other = take_first(sets, 0)
            while other >= 0:
                if rounds[option, other] == NO_ROUND:
                    rounds[option, other] = rounds[other, option] = number
                    why[option, other] = why[other, option] = item
                    remove(new, option, other)
                    remove(new, other, option)
                    removed += 1
                other = take_first(sets, 0)
    return removed


@part_of_search
def _is_without(matrix, option, item):
    """Tell whether choosing an option leaves this item without options.

    matrix: the `Matrix` of items and options. Its ``rows`` are the options of each item, its ``keep`` the options that
    each option leaves possible, both as 64-bit words. ``span`` gives the first word of an item's options and the word
    behind the last one.
    """
    for w in range(matrix.span[item, 0], matrix.span[item, 1]):
        if matrix.rows[item, w] & matrix.keep[option, w]:
            return False
    return True


@part_of_search
def _write(characters, end, number, separator):
    """Write a number in decimal digits and a separator into an array of characters at ``end``; return the new end.

    The digits are written from the last one, and reversed then. There has to be room. separator: the code of a
    character. (Strings are slow in compiled code.)
    """
    if number < 0:
        characters[end] = ord("-")
        end += 1
        number = -number
    first = end
    while True:
        characters[end] = ord("0") + number % 10
        end += 1
        number //= 10
        if number == 0:
            break
    for i in range((end - first) // 2):
        characters[first + i], characters[end - 1 - i] = characters[end - 1 - i], characters[first + i]
    characters[end] = separator
    return end + 1


@part_of_search
def _roomy(text, numbers):
    """Return the `Text`, or a longer copy of it, with room for ``numbers`` more numbers.

    The copy is at least twice as long, so that few copies are made.
    """
    size = len(text.characters)
    if text.end + numbers * MAX_NUMBER_CHARACTERS <= size:
        return text
    longer = np.empty(2 * (size + numbers * MAX_NUMBER_CHARACTERS), np.uint8)
    for place in range(text.end):
        longer[place] = text.characters[place]
    return Text(longer, text.end)


@part_of_search
def _write_step(text, number, literals, hints):
    """Append a lemma to a `Text`.

    It is written as its number, its literals, and the clauses (hints) from which it follows. Return the text.
    """
    blank = ord(" ")
    text = _roomy(text, len(literals) + len(hints) + 3)
    characters = text.characters
    end = _write(characters, text.end, number, blank)
    for literal in literals:
        end = _write(characters, end, literal, blank)
    end = _write(characters, end, 0, blank)
    for hint in hints:
        end = _write(characters, end, hint, blank)
    return Text(characters, _write(characters, end, 0, ord("\n")))


@part_of_search
def _write_deletions(text, levels):
    """Append to a `Text` a step that deletes the lemmas in the garbage of the `ProofLevels`, and empty the garbage.

    A deletion is written as the number of the last lemma, the letter d, the numbers of the deleted lemmas, and 0.
    Returns the text.
    """
    counters = levels.counters
    text = _roomy(text, counters[GARBAGE] + 3)
    characters = text.characters
    end = _write(characters, text.end, counters[NEXT_ID] - 1, ord(" "))
    characters[end] = ord("d")
    characters[end + 1] = ord(" ")
    end += 2
    for place in range(counters[GARBAGE]):
        end = _write(characters, end, levels.garbage[place], ord(" "))
    counters[GARBAGE] = 0
    return Text(characters, _write(characters, end, 0, ord("\n")))


@part_of_search
def _exclude_by_tree(trees, option, node, hints):
    """Write the clauses by which an item's tree makes an option and a node exclude each other; return their number.

    They lead up from the option to a commander, across to another one of the same group, and down to the node: if the
    option is true, so are the commanders above it; the other commander is then false, and so is all below it. The
    result is 0 if no tree has both in different branches. trees: the `Trees`. hints: an array that gets the numbers of
    the clauses from place 0 on, in the order in which they propagate.
    """
    # Positions of the option and of the node are compared only where they are in the same item's tree.
    for a in range(trees.first_place[option], trees.first_place[option + 1]):
        for b in range(trees.first_place[node], trees.first_place[node + 1]):
            if trees.tree[trees.places[a]] != trees.tree[trees.places[b]]:
                continue
            # left and right climb from the option and the node to their parents until both are in one group.
            left = trees.places[a]
            up = 0
            while left >= 0:
                right = trees.places[b]
                down = 0
                while right >= 0 and trees.group[left] != trees.group[right]:
                    down += 1
                    right = trees.parent[right]
                if right == left:  # one is above the other
                    break
                if right >= 0:
                    count = 0
                    # Up: the clause of each position that was climbed on the left.
                    at = trees.places[a]
                    for _ in range(up):
                        hints[count] = trees.up[at]
                        count += 1
                        at = trees.parent[at]
                    # Across: the clause that keeps left and right apart, found by the place of right in the group.
                    for k in range(trees.first_member[trees.group[left]], trees.first_member[trees.group[left] + 1]):
                        if trees.members[k] == right:
                            hints[count] = trees.apart[left, k - trees.first_member[trees.group[left]]]
                    count += 1
                    # Down: the clauses climbed on the right, in reverse order.
                    at = trees.places[b]
                    for k in range(down):
                        hints[count + down - 1 - k] = trees.up[at]
                        at = trees.parent[at]
                    return count + down
                up += 1
                left = trees.parent[left]
    return 0


@part_of_search
def _push_members(trees, group, stack, top):
    """Push the positions of a group of the `Trees` on a stack, an array filled up to ``top``.

    Return its new height.
    """
    for k in range(trees.first_member[group], trees.first_member[group + 1]):
        stack[top] = trees.members[k]
        top += 1
    return top


@part_of_search
def _push_options(matrix, item, stack, top):
    """Push the options of an item without tree on a stack, each as -1 - option; return its new height.

    The numbers are negative so that `_walk` can tell them from positions. matrix: the matrix of items and options.
    stack: an array that is filled up to ``top``.
    """
    for w in range(matrix.rows.shape[1]):
        word = matrix.rows[item, w]
        while word:
            stack[top] = -1 - (w * 64 + np.int64(lowest_bit(word)))
            word &= word - np.uint64(1)
            top += 1
    return top


@part_of_search
def _excluder(exclusions, chosen, node, limit):
    """Return a chosen option that excludes the node by a lemma of a round before ``limit``.

    The result is -1 if there is no such option. An option whose lemma is written already is preferred, as it costs no
    new step. exclusions: the `ExclusionTable`. chosen: an array of options.
    """
    best = -1
    for option in chosen:
        if exclusions.rounds[option, node] < limit:
            if exclusions.lemma[option, node]:
                return option
            if best < 0:
                best = option
    return best


@part_of_search
def _walk(matrix, trees, exclusions, item, chosen, limit, branches, need):
    """List the clauses that make the options of an item false, except the branches, if the chosen options are true.

    A depth-first search goes down the item's tree. Where a chosen option excludes a node, the lemma of this exclusion
    is needed, and nothing below the node. Of another commander, the clause that makes one of its children true is
    needed, and all children are visited.

    A row of ``need`` is (an option, the node that it excludes), by a lemma of a round before ``limit``, or (-1, the
    number of a clause). Clauses propagate in the opposite order of the rows. matrix, trees, exclusions: the tables of
    the search. branches: one set of options. Returns the number of rows, or -1 if some option is not excluded.
    """
    options = exclusions.rounds.shape[0]
    stack = np.empty(matrix.rows.shape[1] * 64 + 64, np.int64)
    if trees.root[item] >= 0:
        top = _push_members(trees, trees.root[item], stack, 0)
    else:  # a variable and its negation: no tree
        top = _push_options(matrix, item, stack, 0)
    count = 0
    while top:
        top -= 1
        position = stack[top]
        # A negative entry of the stack is an option that has no position.
        node = np.int64(trees.node[position]) if position >= 0 else -1 - position
        if node < options:
            if has(branches, 0, node):
                continue
            # The option is in no solution: its own lemma suffices.
            if exclusions.rounds[node, node] < limit:
                need[count, 0] = need[count, 1] = node
                count += 1
                continue
        excluder = _excluder(exclusions, chosen, node, limit)
        if excluder >= 0:
            need[count, 0] = excluder
            need[count, 1] = node
            count += 1
        elif node < options:
            return -1
        else:
            need[count, 0] = -1
            need[count, 1] = trees.down[position]
            count += 1
            top = _push_members(trees, trees.below[position], stack, top)
    return count


@part_of_search
def _list_commander_clauses(trees, exclusions, option, node, need):
    """List the clauses by which an option excludes a commander; return their number.

    They are the clause that makes one of the commander's children true, and the lemmas that exclude each child, by
    itself or by the option. trees, exclusions: the tables of the search. node: the commander. need: gets the rows, each
    (-1, the number of a clause) or (an option, the node that it excludes by a lemma).
    """
    rounds = exclusions.rounds
    position = trees.places[trees.first_place[node]]
    group = trees.below[position]
    need[0, 0] = -1
    need[0, 1] = trees.down[position]
    count = 1
    for k in range(trees.first_member[group], trees.first_member[group + 1]):
        child = np.int64(trees.node[trees.members[k]])
        # A child that is an option may be in no solution: then its own lemma, entered as (child, child), is used.
        is_excluded_by_itself = child < len(rounds) and rounds[child, child] <= rounds[option, node]
        need[count, 0] = child if is_excluded_by_itself else option
        need[count, 1] = child
        count += 1
    return count


@part_of_search
def _clause(needed, lemma):
    """Return the number of the clause for a row of ``need`` (see `_walk`), 0 if it is not written yet.

    needed: the row. lemma: the table of clauses in the `ExclusionTable`.
    """
    return needed[1] if needed[0] < 0 else np.int64(lemma[needed[0], needed[1]])


@part_of_search
def _record(lemma, option, node, clause):
    """Write into the table ``lemma`` the number of the clause by which an option excludes a node.

    If the node is an option, the number is written for both orders of the two.
    """
    lemma[option, node] = clause
    if node < len(lemma):
        lemma[node, option] = clause


@part_of_search
def _prove(matrix, trees, exclusions, counters, option, node, text):
    """Append the lemma that an option excludes a node to the `Text`, after the lemmas on which it rests.

    A stack of goals (option, node) replaces recursion: a goal is written once all that it needs is. matrix, trees,
    exclusions: the tables of the search. counters: those of the `ProofLevels`; NEXT_ID numbers the lemma. Returns
    (whether the reason is known, the text). The reason is unknown if some option is not excluded, or if there are too
    many goals.
    """
    lemma = exclusions.lemma
    options = len(lemma)
    goals = np.empty((1 << 16, 2), np.int64)
    need = np.empty((2 * len(trees.node) + 64, 2), np.int64)
    hints = np.empty(len(need) + 1, np.int64)
    both = np.empty(2, np.int64)
    no_branches = np.zeros((1, matrix.rows.shape[1]), np.uint64)
    goals[0, 0] = option
    goals[0, 1] = node
    height = 1
    while height:
        # P1. [Is the last goal proved?]
        goal_option, goal_node = goals[height - 1, 0], goals[height - 1, 1]
        if lemma[goal_option, goal_node]:
            height -= 1
            continue
        # P2. [Does a tree exclude the pair? If by a single clause, that is the lemma.]
        direct = _exclude_by_tree(trees, goal_option, goal_node, hints) if goal_option != goal_node else 0
        if direct == 1:
            _record(lemma, goal_option, goal_node, hints[0])
            height -= 1
            continue
        # P3. [Find what it rests on.]
        both[0], both[1] = goal_option, goal_node
        literals = both[: 1 if goal_option == goal_node else 2]
        count = 0
        item = -1
        if direct == 0 and goal_node < options:
            item = np.int64(exclusions.why[goal_option, goal_node])
            # The pair was excluded because it leaves the item ``why`` without options, by exclusions of earlier rounds.
            limit = exclusions.rounds[goal_option, goal_node]
            count = _walk(matrix, trees, exclusions, item, literals, limit, no_branches, need)
        elif direct == 0:
            count = _list_commander_clauses(trees, exclusions, goal_option, goal_node, need)
        if count < 0:
            return False, text
        # P4. [Prove that first.]
        proved = height
        for k in range(count):
            if _clause(need[k], lemma) == 0:
                if height == len(goals):
                    return False, text
                goals[height, 0], goals[height, 1] = need[k, 0], need[k, 1]
                height += 1
        if height > proved:
            continue
        # P5. [Write the lemma.]
        for k in range(count):
            hints[k] = _clause(need[count - 1 - k], lemma)
        if item >= 0 and trees.clause[item]:
            hints[count] = trees.clause[item]
            count += 1
        both[0], both[1] = -trees.literal[goal_option], -trees.literal[goal_node]
        text = _write_step(text, counters[NEXT_ID], literals, hints[: max(count, direct)])
        _record(lemma, goal_option, goal_node, counters[NEXT_ID])
        counters[NEXT_ID] += 1
        height -= 1
    return True, text


@part_of_search
def _discard(levels, depth, given):
    """Move the lemmas that refute the branches of a level to the garbage, from which `_write_deletions` deletes them.

    levels: the `ProofLevels`. depth: the level. given: the number of clauses of the formula, which are not deleted.
    """
    for k in range(levels.refuting_count[depth]):
        if levels.refuting[depth, k] > given:
            levels.garbage[levels.counters[GARBAGE]] = levels.refuting[depth, k]
            levels.counters[GARBAGE] += 1


@part_of_search
def _choose_reasons(matrix, exclusions, levels, depth, left):
    """Choose chosen options of the path that exclude all options of an item, except the branches.

    The item is that of the level ``depth``, and the path has the options chosen above it. First come the places on the
    path that the lemmas of the branches need, then, as long as options remain, the place that excludes most of them.
    The choice is written into ``levels.used``. levels: the `ProofLevels`. left: room for one set of options. matrix,
    exclusions: the tables of the search.

    A row of ``matrix.keep`` is the set of options that an option leaves possible, so ``left`` shrinks to its
    intersection with the rows of the chosen places.
    """
    item, keep, path, used = levels.item[depth], matrix.keep, levels.path, levels.used
    for w in range(len(left)):
        # Options that are excluded by themselves need no reason.
        left[w] = matrix.rows[item, w] & ~levels.branches[depth, w] & exclusions.alive[w]
        for place in range(depth):
            if used[depth, place]:
                left[w] &= keep[path[place], w]
    while True:
        most = np.int64(0)
        best = -1
        for place in range(depth):
            count = np.int64(0)
            for w in range(matrix.span[item, 0], matrix.span[item, 1]):
                count += np.int64(popcount(left[w] & ~keep[path[place], w]))
            if count > most:
                most, best = count, place
        if best < 0:
            return
        used[depth, best] = 1
        for w in range(len(left)):
            left[w] &= keep[path[best], w]


@part_of_search
def _write_lemma(matrix, trees, exclusions, levels, depth, scratch, text):
    """Append the lemma of a level whose branches are all refuted, after the lemmas on which it rests.

    The lemma says that not all of some options on the path are in a solution; its literals are their negations. depth:
    the level. matrix, trees, exclusions: the tables of the search. levels: the `ProofLevels`. scratch: a `_Scratch`.
    text: a `Text`. Returns (whether the reason is known, the text).
    """
    item = levels.item[depth]
    chosen, literals, need, hints = scratch.chosen, scratch.literals, scratch.need, scratch.hints
    # L1. [Which of the options on the path does the lemma need?]
    _choose_reasons(matrix, exclusions, levels, depth, scratch.left)
    length = 0
    for place in range(depth):
        if levels.used[depth, place]:
            chosen[length] = levels.path[place]
            literals[length] = -trees.literal[levels.path[place]]
            length += 1
    # L2. [Prove what they exclude.]
    # `_walk` fills the rows of ``need`` with (option, node that it excludes) or (-1, clause).
    branches = levels.branches[depth : depth + 1]
    need_count = _walk(matrix, trees, exclusions, item, chosen[:length], NO_ROUND, branches, need)
    if need_count < 0:
        return False, text
    for k in range(need_count):
        if _clause(need[k], exclusions.lemma) == 0:
            known, text = _prove(matrix, trees, exclusions, levels.counters, need[k, 0], need[k, 1], text)
            if not known:
                return False, text
    # L3. [Name what makes it follow: the branches are false, the other options are, but the item has one.]
    hint_count = 0
    for k in range(levels.refuting_count[depth]):
        hints[hint_count] = levels.refuting[depth, k]
        hint_count += 1
    for k in range(need_count):
        hints[hint_count] = _clause(need[need_count - 1 - k], exclusions.lemma)
        hint_count += 1
    if trees.clause[item]:
        hints[hint_count] = trees.clause[item]
        hint_count += 1
    text = _write_step(text, levels.counters[NEXT_ID], literals[:length], hints[:hint_count])
    levels.counters[NEXT_ID] += 1
    return True, text


class _Scratch(NamedTuple):
    """Arrays in which `_write_lemma` works."""

    left: NDArray[np.uint64]
    chosen: NDArray[np.int64]
    literals: NDArray[np.int64]
    need: NDArray[np.int64]
    hints: NDArray[np.int64]


def _search(matrix, trees, exclusions, levels, characters, enough):
    """Continue the search from its state, the `ProofLevels`, and write the lemmas of the nodes that it refutes.

    Returns (why it stops, array of characters, number of these written). It stops with `DONE`, with `FULL` once there
    are ``enough`` characters, with `SOLUTION` at a solution (the caller adds the clause that excludes it as the answer,
    and calls again), or with `UNEXPLAINED`. matrix, trees, exclusions: the tables of the search. levels: the state.
    characters: an array for the text, which may be replaced by a longer one.
    """
    words, size = matrix.rows.shape[1], 2 * len(trees.node) + 64
    counters, used = levels.counters, levels.used
    scratch = _Scratch(
        np.empty(words, np.uint64),
        np.empty(len(levels.path), np.int64),
        np.empty(len(levels.path), np.int64),
        np.empty((size, 2), np.int64),
        np.empty(size + levels.refuting.shape[1] + 1, np.int64),
    )
    text = Text(characters, 0)
    depth = counters[DEPTH]
    reason = DONE
    while depth >= 0:
        if not counters[RETURNED]:
            # R1. [Enter a node.]
            if text.end > enough or levels.open_count[depth] == 0:
                reason = FULL if text.end > enough else SOLUTION
                break
            # R2. [Branch on the options of an item with the fewest.]
            # `fewest_options` returns the open item with the fewest available options, and their number.
            item, _ = fewest_options(matrix, levels, depth, 0)
            levels.item[depth] = item
            for w in range(words):
                levels.branches[depth, w] = matrix.rows[item, w] & levels.available[depth, w]
                levels.untried[depth, w] = levels.branches[depth, w]
            levels.refuting_count[depth] = 0
            for place in range(depth):
                used[depth, place] = 0
        elif used[-1, depth]:
            # R3. [Come back from a branch; the lemma of the level below (the answer) refutes it.]
            levels.refuting[depth, levels.refuting_count[depth]] = counters[ANSWER]
            levels.refuting_count[depth] += 1
            for place in range(depth):
                used[depth, place] |= used[-1, place]
        else:
            # R4. [Go back further: the answer does not need the branch, so it refutes this node, too.]
            _discard(levels, depth, trees.given)
            depth -= 1
            continue
        # R5. [Try the next branch.]
        option = take_first(levels.untried, depth)
        if option >= 0:
            levels.path[depth] = option
            # The next level begins as a copy of this one, from which `choose` removes what the option covers and
            # excludes.
            copy_level(levels, depth)
            depth += 1
            choose(matrix, levels, depth, option)
            counters[RETURNED] = 0
            continue
        # R6. [All are refuted: write this node's lemma, and go back.]
        known, text = _write_lemma(matrix, trees, exclusions, levels, depth, scratch, text)
        if not known:
            reason = UNEXPLAINED
            break
        counters[ANSWER] = counters[NEXT_ID] - 1
        for place in range(depth):
            used[-1, place] = used[depth, place]
        counters[RETURNED] = 1
        _discard(levels, depth, trees.given)
        if counters[GARBAGE] > MAX_UNUSED_LEMMAS:
            text = _write_deletions(text, levels)
        depth -= 1
    counters[DEPTH] = depth
    return reason, text.characters, text.end


def compile_kernel(cache: bool) -> tuple[Any, Any]:
    """Return the compiled functions (exclude, search); cache: keep them in numba's cache."""
    return njit(cache=cache, nogil=True)(_exclude), njit(cache=cache, nogil=True)(_search)
