"""Tuned constants of the extras; `solvers.base.tuning.override_tuning` gives them other values."""

from dataclasses import dataclass


@dataclass
class ExtrasTuning:
    """The tuned constants of the extras, read where they are needed from `EXTRAS_TUNING`."""

    # Predictions and races
    min_cover_probes: int = 30
    """The least probes of the search tree of an exact cover from which its size is predicted."""

    max_cover_probes: int = 2000
    """The most probes for that, though there may be time for more."""

    listing_prediction_seconds: float = 1.0
    """Seconds for probes beside a listing."""

    head_start_seconds: float = 2.0
    """Seconds for which a counter is alone before a listing races it."""

    max_listed_solutions: int = 1_000_000
    """The most predicted solutions that are listed to count them; to list more would take minutes, and D4 counts."""

    # Counts by layers
    transitions_per_buffer: int = 1 << 17
    """Steps that a thread writes down before they are sorted in; a few hundredths of a second."""

    max_states_for_one_thread: int = 10_000
    """States from which on a layer is shared among threads."""

    min_seconds_between_checkpoints: float = 5.0
    """The least seconds that are counted between one time that states are written and the next."""

    min_counting_per_writing: float = 10
    """The least time that is counted in between, as a multiple of the time that writing took."""

    slots_per_checkpoint_part: int = 1 << 18
    """The most slots whose states are written at once; some megabytes."""

    # Others
    max_listed_for_candidates: int = 20_000
    """The most solutions that are listed; if there are more, each candidate is counted by itself."""

    judging_alone_seconds: float = 0.5
    """Seconds of judging lines before other processes are started, which takes each of them longer."""

    cluster_connect_seconds: float = 8
    """Seconds within which a Dask scheduler and its workers have to answer."""

    smallest_reason_seconds: float = 3.0
    """Processor seconds of `explain` for smallest reasons; later steps have reasons that are found at once."""


EXTRAS_TUNING = ExtrasTuning()
