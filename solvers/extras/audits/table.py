"""The additions of the audits: two commands and their functions."""

from solvers.base.wing import CommandRow, Wing

_HERE = "solvers.extras.audits"

TABLE = Wing(
    commands={
        "audit": CommandRow(f"{_HERE}.audit.__main__:main", "say what a symmetry-breaking constraint removes"),
        "diff": CommandRow(f"{_HERE}.diff.__main__:main", "say whether two models have the same solutions"),
    },
    library={
        "audit": f"{_HERE}.audit.judge:audit",
        "diff": f"{_HERE}.diff.difference:diff",
    },
)
