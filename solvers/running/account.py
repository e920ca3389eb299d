"""The figures of the cubes that are searched, added up, and the forecast of the time that the rest takes."""

from bisect import bisect_left
from fractions import Fraction

from solvers.cubes.cube import Found

MIN_CUBES_TO_FORECAST = 10
"""The number of cubes that have to be done before the remaining time is forecast."""


class Account:
    """The sum of the figures of all finished cubes."""

    def __init__(self) -> None:
        """Begin with no cube."""
        self.cubes = 0
        """The number of cubes that were searched."""
        self.cut = 0
        """The number of nodes of our own search that it took to split the space."""
        self.resumed: dict[str, int] = {}
        """The number of cubes that earlier runs on the same store had finished, by backend."""
        self.statistics: dict[str, int] = {}
        """The work of the search, in the solver's own units."""
        self.worker_memory = 0
        """The peak memory, in bytes, of the largest worker; 0 if there is none."""
        self.seconds_left: float | None = None
        """The estimate for the rest; None if there is none."""
        self._searched = Fraction(0)
        self._pace: list[tuple[float, float]] = []
        """How many cubes were done after how many seconds."""

    @property
    def progress(self) -> float:
        """The share of the space that was searched; what was searched in one piece may be searched again."""
        return min(1.0, float(self._searched))

    def add(self, found: Found, now: float) -> None:
        """Add the figures of some cubes; now: the seconds since the run began."""
        self.cubes += found.cubes
        self._searched += found.weight
        if found.resumed:
            self.resumed[found.resumed] = self.resumed.get(found.resumed, 0) + found.cubes
        self.worker_memory = max(self.worker_memory, found.memory)
        spent = dict(found.statistics)
        self.cut += spent.pop("cut", 0)
        for unit, count in spent.items():
            self.statistics[unit] = self.statistics.get(unit, 0) + count
        if found.open is not None:
            self._forecast(found.done, found.open, now)

    def _forecast(self, done: float, still_open: float, now: float) -> None:
        """Estimate the seconds that are left, unless too few cubes are done.

        Cubes are searched in random order, so the open ones are taken to need as long as the finished ones, with all
        checks. Only the later half of the time so far counts, because workers were started in the earlier half.

        done: the cubes that were just finished. still_open: those that are left. now: the seconds since the run began.
        """
        before = self._pace[-1][1] if self._pace else 0.0
        in_all = before + done
        self._pace.append((now, in_all))
        half = (self._pace[0][0] + now) / 2
        then, done_then = self._pace[max(bisect_left(self._pace, (half, 0)) - 1, 0)]
        if in_all - done_then >= MIN_CUBES_TO_FORECAST:
            self.seconds_left = (now - then) * still_open / (in_all - done_then)
