"""The additions of the ground: large groups, and the command that compiles ahead."""

from solvers.base.wing import CommandRow, Wing

_HERE = "solvers.extras.shared"

TABLE = Wing(
    commands={"prepare": CommandRow(f"{_HERE}.prepare:main", "compile, once, what runs would compile")},
    functions={
        # a group by generators, made of an `automorphisms.FoundGroup`
        "large group": f"{_HERE}.large_groups.group:LargeGroup",
        # the group that more symmetries generate than are listed without need
        "declared large group": f"{_HERE}.large_groups.group:group_of_generators",
        # breaks the symmetries of such groups
        "held to prefixes": f"{_HERE}.large_groups.prefixes:restrict_to_prefixes",
    },
)
