"""The additions of the studies: many runs in one command."""

from solvers.base.wing import CommandRow, Wing

_HERE = "solvers.extras.studies"

TABLE = Wing(
    commands={
        "compare": CommandRow(f"{_HERE}.compare.__main__:main", "run puzzles by several methods, side by side"),
        "survey": CommandRow(f"{_HERE}.survey.__main__:main", "count many variants of a puzzle"),
        "confirm": CommandRow(f"{_HERE}.confirm.__main__:main", "count again by every other program that is installed"),
        "unique": CommandRow(f"{_HERE}.unique.__main__:main", "say which of many puzzles have exactly one solution"),
    },
    library={
        "compare_backends": f"{_HERE}.compare.side_by_side:compare_backends",
        "confirm": f"{_HERE}.confirm.functions:confirm",
        "survey_variants": f"{_HERE}.survey.functions:survey_variants",
        "unique": f"{_HERE}.unique.functions:unique",
    },
)
