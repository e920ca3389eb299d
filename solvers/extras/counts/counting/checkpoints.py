"""The states of a count by layers, kept in a store so that a count that was killed can go on."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from solvers.base.errors import StoreError
from solvers.cubes.store import UNENDED, CountProgress, StoreFile, seal
from solvers.extras.counts.counting.frontier import Frontier, Layer
from solvers.extras.shared.tuning import EXTRAS_TUNING


class Checkpoints(StoreFile):
    """The store of a count by layers, from which a stopped count is resumed.

    At the end of a layer, all states that are then held replace those written before, in one transaction. Layers that
    the count keeps are written once.
    """

    resumed = 0
    """The number of layers that an earlier run had finished."""

    def __init__(self, path: str, identity: Mapping[str, str], jobs: int, frontier: Frontier) -> None:
        """Open the store at this path, or make it.

        identity: facts that have to be the same when it is resumed. jobs: the number of threads, for the record.
        frontier: the count whose states are stored.
        """
        identity = {**identity, "order of items": frontier.layout.fingerprint()}
        super().__init__(path, identity, backend="cover", jobs=jobs)
        self._frontier = frontier
        self._sizes: dict[str, int] = {}
        """The number of states of each layer in the store, by the number of the layer as text."""
        self._seals: dict[str, list[str]] = {}
        """The seals of the parts of each layer in the store, in hexadecimal, by the number of the layer as text."""
        self._final: set[str] = set()
        """The numbers of the layers in the store that no step leads to any more, so that they are not written again."""
        self._written = time.perf_counter()
        """When states were last written or loaded; before that, when the store was opened."""
        self._pause = EXTRAS_TUNING.min_seconds_between_checkpoints
        """The seconds that have to pass between two times of writing."""

    def write_if_due(self) -> None:
        """Write the states that the count holds, at the end of a layer, unless too little time has passed.

        The pause between two times is in proportion to the seconds that writing took, so that writing never takes more
        than a small share of the time. The last layer is always written.
        """
        frontier = self._frontier
        is_last = frontier.layer == frontier.layout.layers
        began = time.perf_counter()
        if not is_last and began - self._written < self._pause:
            return
        with self._transaction():
            self._write()
        if is_last and not frontier.done:  # no layers are kept
            with suppress(StoreError):  # frees the space of layers that were deleted; the store is right without it
                self._run("VACUUM")
        self._written = time.perf_counter()
        pause = EXTRAS_TUNING.min_counting_per_writing * (self._written - began)
        self._pause = max(EXTRAS_TUNING.min_seconds_between_checkpoints, pause)

    def restore(self) -> None:
        """Load the stored states into the count, so that it goes on from there.

        The table "progress" has one row, with the facts of a `CountProgress` as JSON: the finished layers, the figures
        of the count, and the size and the seals (checksums) of each stored layer. It does nothing if the store is
        empty. Raises `BudgetError` if the states need more memory than the count may take.
        """
        for (facts,) in self._run("SELECT facts FROM progress"):
            progress = CountProgress(**json.loads(facts))
            self._frontier.restore(progress.layer, progress.limbs, progress.states, progress.peak, progress.held)
            self._sizes = dict(progress.sizes)
            self._seals = {number: list(seals) for number, seals in progress.seals.items()}
            # No step leads to a layer before the finished ones any more.
            self._final = {number for number in self._seals if int(number) < progress.layer}
        for number, states in self._sizes.items():
            self._frontier.restore_layer(int(number), states, self._load_parts(number))
        self.resumed = self._frontier.layer
        self._written = time.perf_counter()

    def _load_parts(self, number: str) -> Iterator[NDArray[np.uint64]]:
        """Yield the stored states of a layer, part by part, as arrays with a row for each state.

        A row has the words of the state, and then its number of ways. There is a seal for each part. number: the number
        of the layer, as text.
        """
        for part in range(len(self._seals[number])):
            self._frontier.check_stop()
            ((rows,),) = self._run("SELECT rows FROM layer WHERE number = ? AND part = ?", int(number), part)
            yield np.load(io.BytesIO(rows), allow_pickle=False)

    def _write(self) -> None:
        """Bring the store up to date: write the progress and the layers that are not yet stored, or not in this state.

        Layers that steps still lead to (``begun``) are deleted and written anew, and those that are no longer held are
        deleted. Layers that are kept (``done``) do not change any more, and are written once.
        """
        frontier = self._frontier
        for number in self._seals.keys() - self._final:
            self._run("DELETE FROM layer WHERE number = ?", int(number))
            del self._seals[number], self._sizes[number]
        for t, layer in (*frontier.done.items(), *frontier.begun.items()):
            if str(t) not in self._seals:
                self._sizes[str(t)], self._seals[str(t)] = layer.states, self._write_layer(t, layer)
        self._final = set(map(str, frontier.done))
        progress = CountProgress(
            layers=frontier.layout.layers,
            layer=frontier.layer,
            limbs=frontier.limbs,
            states=frontier.states,
            peak=frontier.peak,
            held=frontier.held,
            sizes=self._sizes,
            seals=self._seals,
        )
        facts = json.dumps(progress._asdict())
        self._run("DELETE FROM progress")
        self._write_row("progress", facts)
        self._write_session(UNENDED)

    def _write_layer(self, t: int, layer: Layer) -> list[str]:
        """Write the states of layer ``t`` in parts; return the seal of each part, a checksum in hexadecimal.

        A part has a row for each state: the words of the state, and then its number of ways.
        """
        frontier = self._frontier
        seals = list[str]()
        size = EXTRAS_TUNING.slots_per_checkpoint_part
        for table in layer.tables:
            slots = table.reshape(-1, frontier.stride)
            for start in range(0, len(slots), size):
                frontier.check_stop()
                part = slots[start : start + size]
                is_taken = part[:, frontier.layout.words :].any(axis=1)  # an empty slot has 0 ways
                stream = io.BytesIO()
                np.save(stream, part[is_taken], allow_pickle=False)
                rows = stream.getvalue()
                self._run("INSERT INTO layer VALUES (?, ?, ?)", t, len(seals), rows)
                seals.append(seal(rows).hex())
        return seals
