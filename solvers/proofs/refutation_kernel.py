"""The compiled part of a cover's refutation: a fewest-options search that writes a lemma for each node that it refutes.

Arrays are named as in `cover_refutation.Trees` and `cover_refutation.Search`. A node of a tree is an option, or a
commander, which is true iff one of its children is; a position is a node's place in the tree of some item.

A search node's lemma says that not all of some options that were chosen are in a solution. It follows from those of its
children and from binary lemmas, which say that an option excludes a node, or, of an option and itself, that no solution
holds it. They are written when they are first used, and kept. All are steps of LRAT: a literal that becomes false makes
the next clause a unit, until one is false.
"""

from typing import Any

import numpy as np
from numba import njit

from solvers.cover.kernel import lowest_bit, popcount

NEVER = 255
"""The round of an exclusion that is none."""

DEPTH, RETURNED, NEXT_ID, GARBAGE, ANSWER = range(5)
"""Places in the array of counters. ANSWER is the clause that refutes the search node that was left last."""

DONE, SOLUTION, FULL, FAILED = range(4)
"""Why `search` returns: at its end, at a solution whose clause it has to be told, with enough written, by a mistake."""

MOST_GARBAGE = 2_000
"""Lemmas of no more use are deleted when there are more than so many."""

DIGITS = 12
"""The most characters that a number takes, with the blank behind it."""


def compile_kernel(cache: bool) -> tuple[Any, Any]:
    """(exclude, search), from the cache where there is one."""
    return njit(cache=cache, nogil=True)(_exclude), njit(cache=cache, nogil=True)(_search)


def _exclude(trees, keep, new, rounds, why, number):  # type: ignore[no-untyped-def]
    """One round: what leaves some item without options, by what ``keep`` says, is taken out of ``new``; how often.

    An option that does so by itself is excluded by itself.
    """
    items, words = trees.rows.shape
    candidates = np.zeros(words, np.uint64)
    removed = 0
    for option in range(keep.shape[0]):
        if rounds[option, option] < number:
            continue
        for item in range(items):
            covered = False
            for i in range(trees.covers.shape[1]):
                if trees.covers[option, i] == item:
                    covered = True
                    break
            if covered:
                continue
            for w in range(words):
                candidates[w] = keep[option, w] & ~trees.rows[item, w]
            alone = True
            some = True
            for w in range(words):
                word = trees.rows[item, w] & keep[option, w]
                while word and some:
                    other = w * 64 + np.int64(lowest_bit(word))
                    word &= word - np.uint64(1)
                    alone = False
                    union = np.uint64(0)
                    for v in range(words):
                        candidates[v] &= ~keep[other, v]
                        union |= candidates[v]
                    some = union != 0
                if not some:
                    break
            if alone:
                if rounds[option, option] == NEVER:
                    rounds[option, option] = number
                    why[option, option] = item
                    for other in range(keep.shape[0]):
                        new[other, option >> 6] &= ~(np.uint64(1) << np.uint64(option & 63))
                    new[option] = 0
                    removed += 1
                break
            if not some:
                continue
            for w in range(words):
                word = candidates[w]
                while word:
                    other = w * 64 + np.int64(lowest_bit(word))
                    word &= word - np.uint64(1)
                    if rounds[option, other] == NEVER:
                        rounds[option, other] = rounds[other, option] = number
                        why[option, other] = why[other, option] = item
                        new[option, w] &= ~(np.uint64(1) << np.uint64(other & 63))
                        new[other, option >> 6] &= ~(np.uint64(1) << np.uint64(option & 63))
                        removed += 1
    return removed


@njit(nogil=True)
def _write(text, end, number, separator):  # type: ignore[no-untyped-def]
    """Write a number and a character; the new end of the text, which has to have room."""
    if number < 0:
        text[end] = ord("-")
        end += 1
        number = -number
    first = end
    while True:
        text[end] = ord("0") + number % 10
        end += 1
        number //= 10
        if number == 0:
            break
    for i in range((end - first) // 2):
        text[first + i], text[end - 1 - i] = text[end - 1 - i], text[first + i]
    text[end] = separator
    return end + 1


@njit(nogil=True)
def _roomy(text, end, numbers):  # type: ignore[no-untyped-def]
    """The text, or a longer copy, with room for so many more numbers."""
    if end + numbers * DIGITS <= len(text):
        return text
    longer = np.empty(2 * (len(text) + numbers * DIGITS), np.uint8)
    longer[:end] = text[:end]
    return longer


@njit(nogil=True)
def _write_step(text, end, number, literals, hints):  # type: ignore[no-untyped-def]
    blank = ord(" ")
    text = _roomy(text, end, len(literals) + len(hints) + 3)
    end = _write(text, end, number, blank)
    for literal in literals:
        end = _write(text, end, literal, blank)
    end = _write(text, end, 0, blank)
    for hint in hints:
        end = _write(text, end, hint, blank)
    end = _write(text, end, 0, ord("\n"))
    return text, end


@njit(nogil=True)
def _direct(trees, option, node, hints):  # type: ignore[no-untyped-def]
    """How the tree of an item excludes two of its nodes; the number of clauses, 0 if none does.

    Up from the option to a commander, across to another of the same group, and down to the node.
    """
    for a in range(trees.first_place[option], trees.first_place[option + 1]):
        for b in range(trees.first_place[node], trees.first_place[node + 1]):
            if trees.tree[trees.places[a]] != trees.tree[trees.places[b]]:
                continue
            left = trees.places[a]
            up = 0
            while left >= 0:
                right = trees.places[b]
                down = 0
                while right >= 0 and trees.group[left] != trees.group[right]:
                    down += 1
                    right = trees.parent[right]
                if right == left:
                    break
                if right >= 0:
                    n = 0
                    at = trees.places[a]
                    for _ in range(up):
                        hints[n] = trees.up[at]
                        n += 1
                        at = trees.parent[at]
                    for k in range(trees.first_member[trees.group[left]], trees.first_member[trees.group[left] + 1]):
                        if trees.members[k] == right:
                            hints[n] = trees.apart[left, k - trees.first_member[trees.group[left]]]
                    n += 1
                    at = trees.places[b]
                    for k in range(down):
                        hints[n + down - 1 - k] = trees.up[at]
                        at = trees.parent[at]
                    return n + down
                up += 1
                left = trees.parent[left]
    return 0


@njit(nogil=True)
def _walk(trees, item, chosen, limit, branches, rounds, lemma, need):  # type: ignore[no-untyped-def]
    """What makes every option of an item false that is no branch, last things first, if the chosen options are true.

    Writes rows of ``need``: an option and the node that it excludes, by a lemma of a round before the limit; or -1 and
    a clause. Returns how many; -1 if some option is not excluded.
    """
    options = rounds.shape[0]
    stack = np.empty(trees.rows.shape[1] * 64 + 64, np.int64)
    top = 0
    if trees.root[item] >= 0:
        for k in range(trees.first_member[trees.root[item]], trees.first_member[trees.root[item] + 1]):
            stack[top] = trees.members[k]
            top += 1
    else:  # a variable and its negation: no tree
        for w in range(trees.rows.shape[1]):
            word = trees.rows[item, w]
            while word:
                stack[top] = -1 - (w * 64 + np.int64(lowest_bit(word)))
                word &= word - np.uint64(1)
                top += 1
    count = 0
    while top:
        top -= 1
        position = stack[top]
        node = np.int64(trees.node[position]) if position >= 0 else -1 - position
        if node < options:
            if (branches[node >> 6] >> np.uint64(node & 63)) & np.uint64(1):
                continue
            if rounds[node, node] < limit:
                need[count, 0] = node
                need[count, 1] = node
                count += 1
                continue
        best = -1
        for option in chosen:
            if rounds[option, node] < limit:
                if lemma[option, node]:
                    best = option
                    break
                if best < 0:
                    best = option
        if best >= 0:
            need[count, 0] = best
            need[count, 1] = node
            count += 1
        elif node < options:
            return -1
        else:
            need[count, 0] = -1
            need[count, 1] = trees.down[position]
            count += 1
            for k in range(trees.first_member[trees.below[position]], trees.first_member[trees.below[position] + 1]):
                stack[top] = trees.members[k]
                top += 1
    return count


@njit(nogil=True)
def _clause(needed, lemma):  # type: ignore[no-untyped-def]
    """The number of a clause that is needed, 0 if it is not written yet."""
    return needed[1] if needed[0] < 0 else np.int64(lemma[needed[0], needed[1]])


@njit(nogil=True)
def _prove(trees, option, node, rounds, why, lemma, counters, text, end):  # type: ignore[no-untyped-def]
    """Write the lemma that the option excludes the node, and what it rests on; (text, end), end -1 by a mistake."""
    options = rounds.shape[0]
    goals = np.empty((1 << 16, 2), np.int64)
    need = np.empty((2 * len(trees.node) + 64, 2), np.int64)
    hints = np.empty(len(need) + 1, np.int64)
    both = np.empty(2, np.int64)
    no_branches = np.zeros(trees.rows.shape[1], np.uint64)
    goals[0, 0] = option
    goals[0, 1] = node
    height = 1
    while height:
        p = goals[height - 1, 0]
        x = goals[height - 1, 1]
        if lemma[p, x]:
            height -= 1
            continue
        direct = _direct(trees, p, x, hints) if p != x else 0
        if direct == 1:
            lemma[p, x] = hints[0]
            if x < options:
                lemma[x, p] = hints[0]
            height -= 1
            continue
        both[0] = p
        both[1] = x
        count = 0
        item = -1
        if direct == 0 and x < options:
            item = np.int64(why[p, x])
            count = _walk(trees, item, both[: 1 if p == x else 2], rounds[p, x], no_branches, rounds, lemma, need)
        elif direct == 0:
            position = trees.places[trees.first_place[x]]
            need[0, 0] = -1
            need[0, 1] = trees.down[position]
            count = 1
            for k in range(trees.first_member[trees.below[position]], trees.first_member[trees.below[position] + 1]):
                child = np.int64(trees.node[trees.members[k]])
                alone = child < options and rounds[child, child] <= rounds[p, x]
                need[count, 0] = child if alone else p
                need[count, 1] = child
                count += 1
        missing = False
        for k in range(count):
            if _clause(need[k], lemma) == 0:
                if height == len(goals):
                    return text, -1
                goals[height] = need[k]
                height += 1
                missing = True
        if count < 0:
            return text, -1
        if missing:
            continue
        for k in range(count):
            hints[k] = _clause(need[count - 1 - k], lemma)
        if item >= 0 and trees.clause[item]:
            hints[count] = trees.clause[item]
            count += 1
        both[0] = -trees.literal[p]
        both[1] = -trees.literal[x]
        number = counters[NEXT_ID]
        text, end = _write_step(text, end, number, both[: 1 if p == x else 2], hints[: max(count, direct)])
        lemma[p, x] = number
        if x < options:
            lemma[x, p] = number
        counters[NEXT_ID] = number + 1
        height -= 1
    return text, end


def _search(  # type: ignore[no-untyped-def]
    trees,
    keep,
    rounds,
    why,
    lemma,
    available,
    branches,
    untried,
    open_items,
    open_count,
    path,
    used,
    refuting,
    refuting_count,
    garbage,
    counters,
    text,
    enough,
):
    """Search on from the state; (why it returns, text, end).

    used[depth]: which places of the path the lemma of that depth needs so far; used[-1]: those of the answer's clause.
    refuting[depth]: the clauses that refute the branches of that depth so far.
    """
    items, words = trees.rows.shape
    given = trees.given
    end = 0
    depth = counters[DEPTH]
    removed = np.empty(words, np.uint64)
    need = np.empty((2 * len(trees.node) + 64, 2), np.int64)
    hints = np.empty(len(need) + refuting.shape[1] + 1, np.int64)
    literals = np.empty(len(path), np.int64)
    chosen = np.empty(len(path), np.int64)
    while True:
        if counters[RETURNED] == 0:
            # Enter a node.
            if end > enough:
                counters[DEPTH] = depth
                return FULL, text, end
            if open_count[depth] == 0:
                counters[DEPTH] = depth
                return SOLUTION, text, end
            fewest = np.int64(1) << 60
            best = -1
            for j in range(open_count[depth]):
                item = open_items[depth, j]
                count = np.int64(0)
                for w in range(trees.span[item, 0], trees.span[item, 1]):
                    count += np.int64(popcount(trees.rows[item, w] & available[depth, w]))
                if count < fewest:
                    fewest = count
                    best = item
                    if count == 0:
                        break
            open_items[depth, items] = best
            for w in range(words):
                branches[depth, w] = untried[depth, w] = trees.rows[best, w] & available[depth, w]
            refuting_count[depth] = 0
            used[depth, :depth] = 0
        else:
            # Come back from a child; ``answer`` and used[-1] say what refutes it.
            if not used[-1, depth]:
                # It refutes this node too.
                for k in range(refuting_count[depth]):
                    if refuting[depth, k] > given:
                        garbage[counters[GARBAGE]] = refuting[depth, k]
                        counters[GARBAGE] += 1
                if depth == 0:
                    return DONE, text, end
                depth -= 1
                continue
            refuting[depth, refuting_count[depth]] = counters[ANSWER]
            refuting_count[depth] += 1
            used[depth, :depth] |= used[-1, :depth]
        option = -1
        for w in range(words):
            word = untried[depth, w]
            if word:
                option = w * 64 + np.int64(lowest_bit(word))
                untried[depth, w] = word & (word - np.uint64(1))
                break
        if option >= 0:
            path[depth] = option
            still_open = 0
            for j in range(open_count[depth]):
                item = open_items[depth, j]
                covered = False
                for i in range(trees.covers.shape[1]):
                    if trees.covers[option, i] == item:
                        covered = True
                        break
                if not covered:
                    open_items[depth + 1, still_open] = item
                    still_open += 1
            open_count[depth + 1] = still_open
            for w in range(words):
                available[depth + 1, w] = available[depth, w] & keep[option, w]
            depth += 1
            counters[RETURNED] = 0
            continue
        # All branches are refuted: write this node's lemma.
        item = open_items[depth, items]
        for w in range(words):
            removed[w] = trees.rows[item, w] & ~branches[depth, w] & trees.alive[w]
            for place in range(depth):
                if used[depth, place]:
                    removed[w] &= keep[path[place], w]
        while True:
            most = np.int64(0)
            best = -1
            for place in range(depth):
                count = np.int64(0)
                for w in range(trees.span[item, 0], trees.span[item, 1]):
                    count += np.int64(popcount(removed[w] & ~keep[path[place], w]))
                if count > most:
                    most = count
                    best = place
            if best < 0:
                break
            used[depth, best] = 1
            for w in range(words):
                removed[w] &= keep[path[best], w]
        n = 0
        for place in range(depth):
            if used[depth, place]:
                chosen[n] = path[place]
                literals[n] = -trees.literal[path[place]]
                n += 1
        needed = _walk(trees, item, chosen[:n], NEVER, branches[depth], rounds, lemma, need)
        if needed < 0:
            return FAILED, text, end
        for k in range(needed):
            if _clause(need[k], lemma) == 0:
                text, end = _prove(trees, need[k, 0], need[k, 1], rounds, why, lemma, counters, text, end)
                if end < 0:
                    return FAILED, text, 0
        total = 0
        for k in range(refuting_count[depth]):
            hints[total] = refuting[depth, k]
            total += 1
        for k in range(needed):
            hints[total] = _clause(need[needed - 1 - k], lemma)
            total += 1
        if trees.clause[item]:
            hints[total] = trees.clause[item]
            total += 1
        number = counters[NEXT_ID]
        counters[NEXT_ID] = number + 1
        text, end = _write_step(text, end, number, literals[:n], hints[:total])
        for k in range(refuting_count[depth]):
            if refuting[depth, k] > given:
                garbage[counters[GARBAGE]] = refuting[depth, k]
                counters[GARBAGE] += 1
        if counters[GARBAGE] > MOST_GARBAGE:
            text = _roomy(text, end, counters[GARBAGE] + 3)
            end = _write(text, end, number, ord(" "))
            text[end] = ord("d")
            text[end + 1] = ord(" ")
            end += 2
            for k in range(counters[GARBAGE]):
                end = _write(text, end, garbage[k], ord(" "))
            end = _write(text, end, 0, ord("\n"))
            counters[GARBAGE] = 0
        counters[ANSWER] = number
        used[-1, :depth] = used[depth, :depth]
        counters[RETURNED] = 1
        if depth == 0:
            return DONE, text, end
        depth -= 1
