"""The figures of the cubes that are searched, added up, and the forecast of the time that the rest takes."""

from bisect import bisect_left
from fractions import Fraction
from typing import NamedTuple

from solvers.cubes.cube import Found

MIN_CUBES_TO_FORECAST = 10
"""The number of cubes that have to be done before the remaining time is forecast."""

MIN_SHARE_TO_FORECAST = 0.05
"""The share of the space that has to be searched for that, where cubes are not in random order.

Earlier forecasts were wrong by a factor of 20.
"""

MIN_STEPS_TO_FORECAST = 4
"""The number of steps by which that was done: fewer say nothing of how much they differ, and so many say little."""

PACE_ERRORS = 3.0
"""The width of the range of a forecast, in standard errors of the pace."""


class PaceStep(NamedTuple):
    """A moment at which some part of the work was done; the sums are over all moments until then."""

    now: float
    done: float
    took_squared: float
    """The sum of the squares of the seconds between moments."""
    both: float
    """The sum of the products of these seconds and of what was done in them."""
    done_squared: float


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
        self.left_range: dict[str, float | None] = {"left_low": None, "left_high": None}
        """The range of this estimate."""
        self._searched = Fraction(0)
        """The share of the space that is searched."""
        self._pace: list[PaceStep] = []
        """A step each time that cubes were finished."""

    @property
    def progress(self) -> float:
        """The share of the space that was searched; what was searched in one piece may be searched again."""
        return min(1.0, float(self._searched))

    def add(self, found: Found, now: float) -> None:
        """Add the figures of some cubes; now: the seconds since the run began.

        found: a finished part of the search. Where it says how much work is open, the forecast counts work, otherwise
        shares of the space; cubes of earlier runs say nothing of the pace.
        """
        self.cubes += found.cubes
        self._searched += found.weight
        if found.resumed:
            self.resumed[found.resumed] = self.resumed.get(found.resumed, 0) + found.cubes
        self.worker_memory = max(self.worker_memory, found.memory)
        figures = dict(found.statistics)
        # The nodes of splitting are no work of the backend.
        self.cut += figures.pop("cut", 0)
        for unit, count in figures.items():
            self.statistics[unit] = self.statistics.get(unit, 0) + count
        if found.open is not None:
            self._forecast(found.done, found.open, now, MIN_CUBES_TO_FORECAST)
        elif found.cubes and not found.resumed:
            self._forecast(float(found.weight), 1 - self.progress, now, MIN_SHARE_TO_FORECAST)

    def _forecast(self, done: float, still_open: float, now: float, least: float) -> None:
        """Estimate the seconds that are left, as a range, unless too little is done.

        Cubes are searched in random order, or counted by their shares of the space, so the open ones are taken to need
        as long as the finished ones, with all checks. The pace is the seconds for each unit of ``done``. Only the later
        half of the time so far counts, because workers were started in the earlier half, or the time of a few steps
        where that is longer. The standard error of the pace comes from the squares of (seconds of a step - pace *
        what was done in it). The range is the estimate divided and multiplied by 1 + `PACE_ERRORS` relative errors.

        done: what was just finished, in cubes or as a share of the space. still_open: what is left. now: the seconds
        since the run began. least: what has to be done for a forecast.
        """
        step = self._next_step(done, now)
        self._pace.append(step)
        half_time = (self._pace[0].now + now) / 2
        # The step before the later half, or an earlier one, so that there are enough steps after it.
        place = max(0, min(bisect_left(self._pace, (half_time,)), len(self._pace) - MIN_STEPS_TO_FORECAST) - 1)
        first_step, steps = (
            self._pace[place],
            len(self._pace) - 1 - place,
        )  # ``steps`` come after the step ``first_step``
        done_since = step.done - first_step.done
        if done_since < least or steps < MIN_STEPS_TO_FORECAST:
            return
        pace = (now - first_step.now) / done_since
        # The sum of (took - pace * done) ** 2 over the steps, expanded to the sums that each step keeps.
        took_squared = step.took_squared - first_step.took_squared
        both = step.both - first_step.both
        done_squared = step.done_squared - first_step.done_squared
        squared_errors = max(0.0, took_squared - 2 * pace * both + pace**2 * done_squared)
        # The divisor, less than the number of steps, makes the range wider where these are few.
        variance = squared_errors * steps / (steps + 1 - MIN_STEPS_TO_FORECAST)
        relative_error = variance**0.5 / (done_since * pace) if pace else 0.0
        factor = 1 + PACE_ERRORS * relative_error
        left = self.seconds_left = still_open * pace
        self.left_range = {"left_low": left / factor, "left_high": left * factor}

    def _next_step(self, done: float, now: float) -> PaceStep:
        """Return the step at which ``done`` was finished, with the sums of all steps until then.

        So the sums over a range of steps are differences of two steps. now: the seconds since the run began. The first
        step took no time, as there is none before it.
        """
        previous = self._pace[-1] if self._pace else PaceStep(now, 0.0, 0.0, 0.0, 0.0)
        took = now - previous.now
        return PaceStep(
            now,
            previous.done + done,
            previous.took_squared + took**2,
            previous.both + took * done,
            previous.done_squared + done**2,
        )
