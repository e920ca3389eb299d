"""Counts an exact cover's solutions, all and up to symmetry, without listing them."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from solvers.backends.cover import require_cover
from solvers.base.errors import BudgetError, Stopped
from solvers.cubes.search import fingerprint
from solvers.extras.counts.counting.backward import Backward
from solvers.extras.counts.counting.burnside import count_orbits, option_images
from solvers.extras.counts.counting.checkpoints import Checkpoints
from solvers.extras.counts.counting.frontier import GIGABYTE, Frontier
from solvers.extras.counts.counting.reduced_cover import Instance
from solvers.extras.shared.large_groups import conjugacy
from solvers.model.exact_cover import ExactCover
from solvers.running.plug import Tally
from solvers.running.question import Request, UsedPieces
from solvers.symmetry.groups import Group
from solvers.symmetry.key import Encoded, Key

FREE_MEMORY_SHARE = 0.8
"""The share of the free memory that a count may take by default."""

TELL_SECONDS = 0.2
"""Seconds between two reports of a count's state."""


class PieceSums:
    """Counts of used pieces, packed into integers.

    The sum of its options' weights says which pieces a solution uses. Each name of a piece has its own bits in the sum,
    which hold the number of its uses.
    """

    def __init__(self, key: Key, used: UsedPieces, options: int) -> None:
        """Compute the weights of the options.

        With pieces A and B of 4 bits each, an option that uses A has the weight 1, one that uses B the weight 16. key:
        the key of the puzzle. used: says which piece a literal uses. options: the number of the cover's options; the
        first of them are the variables of the model, and others use no piece.
        """
        piece_of_label = {label: used.fills(label, 1)[0] for label in key.position}
        self._pieces = sorted(set(piece_of_label.values()))
        self._bits = len(piece_of_label).bit_length()  # of each piece, so that even all options together fit
        self._text_of_counts = used.piece_names
        shift = {piece: self._bits * number for number, piece in enumerate(self._pieces)}
        self.weights = [0] * options
        for label, piece in piece_of_label.items():
            self.weights[key.variables[key.position[label]]] += 1 << shift[piece]

    def are_kept(self, image: Sequence[int]) -> bool:
        """Tell whether a permutation of the options maps each option to one of the same piece.

        image: the image of each option, by number.
        """
        return all(self.weights[to] == weight for to, weight in zip(image, self.weights, strict=True))

    def count(self, part: Instance, backward: Backward) -> dict[int, int]:
        """Count the solutions of a reduced cover by used pieces; return their numbers by the sum of weights.

        An option of the reduced cover represents several of the cover, its ``members``; ``chosen`` are options of the
        cover that are in every solution. part: the reduced cover. backward: the pass back over the layers of a count of
        it; its ``sums`` returns the number of solutions for each sum of weights.
        """
        sum_of_chosen = sum(self.weights[option] for option in part.chosen)
        solutions_by_sum = backward.sums([sum(self.weights[option] for option in members) for members in part.members])
        return {sum_of_chosen + number: solutions for number, solutions in solutions_by_sum.items()}

    def piece_names(self, number: int) -> str:
        """Return, as text, the names of the pieces that a solution uses.

        number: the sum of the weights of its options, in which each piece has its own bits for the number of its uses.
        """
        mask = (1 << self._bits) - 1
        uses = {piece: number >> self._bits * place & mask for place, piece in enumerate(self._pieces)}
        return self._text_of_counts({piece: count for piece, count in uses.items() if count})


class CountRequest(NamedTuple):
    """The answers that a count has to give besides the numbers of solutions."""

    marginals: bool
    """Whether to count the solutions in which each literal of the key is true."""
    sample: int
    """The number of solutions to draw at random."""
    is_distinct: bool
    """Whether no solution is drawn twice."""
    seed: int
    by: PieceSums | None
    """Weights by whose sums, which say the used pieces, solutions are to be counted; None if that is not asked for."""

    @property
    def looks_back(self) -> bool:
        """Tell whether the count needs a second pass over its layers, from the last to the first."""
        return self.marginals or self.sample > 0 or self.by is not None


class Counting:
    """A count of an exact cover's solutions, layer by layer.

    Each symmetry has to be an automorphism of the cover.
    """

    name = "cover"
    method = "frontier"
    advice = ""

    store: Checkpoints | None = None
    """Remembers what was counted, once it is opened."""

    def __init__(
        self,
        cover: ExactCover,
        group: Group,
        stop: threading.Event,
        jobs: int,
        gigabytes: float | None,
        asked: CountRequest,
        file: str | None,
        identity: Mapping[str, str],
    ) -> None:
        """Prepare the count; nothing is counted yet.

        cover: its solutions are counted. group: the symmetries under which solutions count once. stop: ends the count
        when set. jobs: the number of threads. gigabytes: the memory limit; None for a share of the free memory. asked:
        the other answers that are wanted, such as marginals. file: the path of the store; None for none. identity:
        facts that have to be the same when a store is resumed.
        """
        self._cover = cover
        self._group = group
        self._stop = stop
        self.jobs = jobs
        self._asked = asked
        self._file = file
        self._identity = identity
        self._budget = int(gigabytes * GIGABYTE) if gigabytes else int(FREE_MEMORY_SHARE * free_memory())
        self.size = {"items": len(cover.items) + len(cover.optional), "options": cover.options}

    def set_stop_event(self, stop: threading.Event) -> None:
        """Let this event stop the count, in place of the one given to the constructor."""
        self._stop = stop

    def run(self, tell: Callable[[Tally], None]) -> Tally:
        """Count the solutions, all and up to symmetry, and return the result.

        Call ``tell`` with the state a few times a second. By the orbit-counting lemma, the orbits follow from the
        numbers of solutions that the symmetries of each class leave unchanged; the identity leaves all unchanged.

        Raises `Stopped` once the event is set, and `BudgetError` if the states need more memory than allowed. Raises
        `CheckError` if the counts make no whole number of orbits. Raises `InputError` if the program GAP is needed for
        a large group and breaks down.
        """
        frontiers: list[Frontier] = []  # the count by layers of all solutions, once it is begun: one or none
        states_of_classes: list[int] = []  # for each class of symmetries, the states of the solutions it does not move
        marginals: Sequence[int] | None = None
        samples: Sequence[Encoded] = ()
        last_report = 0.0

        def tally() -> Tally:
            """Return the state of the work, without the numbers of solutions; the count has to be begun."""
            (frontier,) = frontiers
            statistics = {
                "width": frontier.layout.width,
                "layers": frontier.layout.layers,
                "layers_done": frontier.layer,
                "states": frontier.states,
                "peak_states": frontier.peak,
            }
            if states_of_classes:
                classes = 1 + len(states_of_classes)  # the identity is a class, too
                statistics |= {"classes": classes, "states_of_classes": sum(states_of_classes)}
            return Tally(statistics, {"states": frontier.peak_bytes}, resumed=self.store.resumed if self.store else 0)

        def tell_sometimes() -> None:
            """Tell the state if `TELL_SECONDS` have passed since the last time."""
            nonlocal last_report
            if time.perf_counter() - last_report > TELL_SECONDS:
                tell(tally())
                last_report = time.perf_counter()

        def count(part: Instance) -> Mapping[int, int]:
            """Return the number of solutions of a reduced cover by the sum of weights; by 0 if there are no weights.

            The first call is with the whole cover, and keeps what was asked for besides; these answers need a second
            pass, back over the layers. Each later call is with the solutions that the symmetries of one class leave
            unchanged.
            """
            nonlocal marginals, samples
            by = self._asked.by
            if frontiers:
                frontier = Frontier(part, self._stop, budget=self._budget, jobs=self.jobs, keep=by is not None)
                total = frontier.count(tell_sometimes)
                states_of_classes.append(frontier.states)
                return by.count(part, Backward(frontier, total, tell_sometimes)) if by else {0: total}
            frontier = Frontier(part, self._stop, budget=self._budget, jobs=self.jobs, keep=self._asked.looks_back)
            frontiers.append(frontier)
            if self._file is None:
                total = frontier.count(tell_sometimes)
            else:
                self.store = Checkpoints(self._file, self._identity, self.jobs, frontier)
                self.store.restore()
                total = frontier.count(tell_sometimes, self.store.write_if_due)
            if self._asked.looks_back:
                backward = Backward(frontier, total, tell_sometimes)
                marginals = self._literal_marginals(part, backward.option_counts(), total)
                asked = self._asked
                option_lists = backward.sample(asked.sample, asked.seed, asked.is_distinct)  # of the reduced cover
                samples = [self._literal_numbers(part, options) for options in option_lists]
                counts = by.count(part, backward) if by else {0: total}
                frontier.done.clear()  # frees the memory of the layers
                return counts
            return {0: total}

        try:
            group = self._group
            # The number of orbits by the sum of weights; `classes` yields (an element, the size of its class).
            orbits, total = count_orbits(self._cover, group, conjugacy.classes(group, self._stop), count)
        except (BudgetError, Stopped):
            if frontiers:
                tell(tally())
            raise
        by = self._asked.by
        features = {by.piece_names(number): solutions for number, solutions in orbits.items()} if by else {}
        return tally()._replace(
            solutions=sum(orbits.values()), total=total, marginals=marginals, samples=samples, features=features
        )

    def _literal_marginals(self, part: Instance, uses: Sequence[int], total: int) -> list[int]:
        """Return the number of solutions in which each literal of the key is true, by the literal's number.

        A key variable is an option of the cover: its literal with the value 1 is true where the option is chosen, that
        with 0 in all other solutions. part: the reduced cover; an option of it represents its ``members`` in the cover.
        uses: the number of solutions that contain each of its options. total: the number of all solutions, each of
        which contains the options that are always chosen, ``part.chosen``.
        """
        solutions_with = [0] * self._cover.options
        for members, count in [*zip(part.members, uses, strict=True), (part.chosen, total)]:
            for option in members:
                solutions_with[option] = count
        key = self._group.key
        literals = map(key.literal, range(key.size))  # (position of the variable in the key, value)
        counts_and_values = ((solutions_with[key.variables[position]], value) for position, value in literals)
        return [count if value else total - count for count, value in counts_and_values]

    def _literal_numbers(self, part: Instance, options: Sequence[int]) -> Encoded:
        """Return the solution with these options of the reduced cover as literal numbers of the key.

        options: the chosen ones, by number in ``part``; each represents options of the cover, its ``members``. The
        first options of the cover are the model's variables.
        """
        values = np.zeros(self._cover.options, dtype=np.int64)  # 1 for the options of the cover that are chosen
        values[[member for option in options for member in part.members[option]]] = 1
        values[list(part.chosen)] = 1
        return self._group.key.encode(values[: self._cover.variables])


def count_by_layers(request: Request) -> Counting | None:
    """Return a count by layers for a request whose model is an exact cover, or None if it does not fit.

    It fits if the conjugacy classes of the group are known and the symmetries are automorphisms of the cover; unless
    the user asked for the method, or for counts by pieces, also only if the backend for covers was chosen. Raises
    `InputError` if the method was asked for by name and does not fit: ``refuse_method`` raises it, and does nothing if
    the user named no method.
    """
    question, options = request.question, request.options
    model = question.model
    key = question.key
    group = question.group
    cover, parameters = request.cover, options.solver_parameters
    if not conjugacy.are_known(group):
        request.refuse_method("needs GAP for so many symmetries; choose listing")
        return None
    spares_listing = options.by is not None and cover is not None and not options.names_backend
    is_asked = options.method is not None or spares_listing
    if not is_asked and request.choice.backend != "cover":
        return None
    if cover is None or parameters:
        cover = require_cover(model, key.variables, parameters)  # raises an error that says what is in the way
    if not has_symmetries(cover, group):
        request.refuse_method(
            "cannot be used: the symmetries of the solutions are not symmetries of the exact cover; choose listing"
        )
        return None
    used, by = question.puzzle.feature, None
    if options.by is not None and isinstance(used, UsedPieces):
        by = PieceSums(key, used, cover.options)
        images = [option_images(cover, key, generator) for generator in group.generators]
        if not all(image and by.are_kept(image) for image in images):
            request.refuse_method("cannot count by pieces where symmetries exchange them; choose listing")
            return None
    asked = CountRequest(options.marginals, options.sample or 0, options.distinct, options.seed, by)
    request.identity["search"] = f"counts layer by layer, {'keeps all' if asked.looks_back else 'keeps the last'}"
    identity = fingerprint(model, key, request.identity) if options.store else {}
    return Counting(cover, group, request.stop, options.jobs, options.memory, asked, options.store, identity)


def has_symmetries(cover: ExactCover, group: Group) -> bool:
    """Tell whether every symmetry of the group is an automorphism of the cover.

    An automorphism permutes the cover's options so that items are mapped to items. The result is False if a symmetry
    only maps solutions to solutions.
    """
    return all(option_images(cover, group.key, generator) for generator in group.generators)


def free_memory() -> int:
    """Return the free memory of this machine in bytes.

    On Linux it is what the kernel calls available, or what the limit of the container (its control group) leaves, if
    that is less. The result is half of the machine's memory if the free part is not known, and 2 GB if that is not
    known either.
    """
    free = []
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        free += [1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")]
        control_group = Path("/sys/fs/cgroup")
        limit = (control_group / "memory.max").read_text(encoding="ascii").strip()
        if limit != "max":
            free.append(int(limit) - int((control_group / "memory.current").read_text(encoding="ascii")))
    except (OSError, ValueError):
        pass
    if free:
        return min(free)
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, ValueError, OSError):
        return 2 * GIGABYTE
