"""The additions of the questions: a command for each, drawings among the givens, and functions of the same names."""

from solvers.base.wing import CommandRow, Preparation, Wing

_HERE = "solvers.extras.questions"
_COMMANDS = f"{_HERE}.commands"

TABLE = Wing(
    commands={
        "hints": CommandRow(f"{_COMMANDS}:hints", "find the fewest hints that determine a solution"),
        "minimal": CommandRow(f"{_COMMANDS}:minimal", "say which of the given hints can be left out"),
        "repair": CommandRow(f"{_COMMANDS}:repair", "find the fewest changes that leave one solution"),
        "why": CommandRow(f"{_COMMANDS}:why", "say why a fact follows, or why there is no solution"),
        "explain": CommandRow(f"{_COMMANDS}:explain", "lead to the solution step by step"),
        "grade": CommandRow(f"{_COMMANDS}:grade", "say how hard it is to find the solution"),
        "candidates": CommandRow(f"{_COMMANDS}:candidates", "say how many solutions each literal leaves"),
        "which": CommandRow(f"{_COMMANDS}:which", "say which solution a drawing shows"),
        "make": CommandRow(f"{_HERE}.make.command:main", "make puzzles with one solution, of the level asked for"),
    },
    options=("apart", "unique_apart"),
    functions={
        # the property by which assemblies are counted: a function from a puzzle to one from a solution to a text
        "level": f"{_HERE}.disassembly.of_solutions:Level",
        # takes a solution apart: a function from a puzzle and a solution to an object with steps
        "disassembly": f"{_HERE}.disassembly.of_solutions:disassembly_of",
        # reads the facts of a solution that files, drawings and texts about cells give
        "facts": f"{_HERE}.recognise.cells:FactReader",
        # reads a drawing of a solution: a function from a path, a question and a stop to a `running.plug.Recognition`
        "recognise": f"{_HERE}.recognise.recognise:recognise",
        # finds the hints that tell a solution from all others
        "hints of listed": f"{_HERE}.invent.hints:hints_of_listed",
    },
    library={
        name: f"{_HERE}.functions:{name}"
        for name in ("hints", "minimal", "repair", "why", "explain", "grade", "candidates", "possible", "which")
    }
    | {"make": f"{_HERE}.make.functions:make"},
    preparations=(Preparation("disassembly", f"{_HERE}.disassembly.of_solutions:prepare"),),
)
