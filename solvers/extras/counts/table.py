"""The additions of the counts: counts without lists, second counts, predictions."""

from solvers.base.wing import CommandRow, Preparation, Wing

_HERE = "solvers.extras.counts"

TABLE = Wing(
    commands={
        "estimate": CommandRow(f"{_HERE}.estimate:main", "predict the solutions and the time of a listing"),
        "verified": CommandRow(f"{_HERE}.verified.__main__:main", "build the verified counter, or count with it"),
    },
    options=("method", "memory", "verify", "verified"),
    counters={
        "frontier": f"{_HERE}.count_race:by_layers_or_list",
        "counter": f"{_HERE}.count_race:by_race",
        "ganak": f"{_HERE}.counting.formula:by_ganak",
    },
    second_ways={
        "verify": f"{_HERE}.second_count:SecondWay",
        "verified": f"{_HERE}.verified.counter:VerifiedCount",
    },
    functions={
        # what is told of a run whose listing will not end soon
        "long listing": f"{_HERE}.estimate:LongListing",
    },
    library={"estimate": f"{_HERE}.estimate:predict"},
    preparations=(Preparation("counts by layers", f"{_HERE}.prepare:prepare"),),
)
