"""The table of extras: everything in `solvers.extras` that the core can use, imported when it is asked for.

Each row names its place as "module:name".
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

from solvers.errors import InputError

COMMANDS = {
    "audit": "solvers.extras.audit.__main__:main",
    "check": "solvers.extras.proofs.checker:main",
    "classics": "solvers.extras.classics.__main__:main",
    "compare": "solvers.extras.survey.compare:main",
    "diff": "solvers.extras.audit.diff:main",
    "kept": "solvers.extras.kept.__main__:main",
    "layers": "solvers.extras.layers:main",
    "minizinc": "solvers.extras.minizinc.__main__:main",
    "prepare": "solvers.extras.prepare:main",
    "survey": "solvers.extras.survey.__main__:main",
    "verified": "solvers.extras.verified.__main__:main",
}
"""The commands of `python -m solvers` besides `run`: functions that take a command line's words and return an
exit code.
"""

COUNTERS = {
    "frontier": "solvers.extras.count_race:by_layers_or_list",
    "counter": "solvers.extras.count_race:by_race",
}
"""The ways to count without listing, by the value of `--method`.

Each is a function that takes a `running.question.Request` and returns a counter, or None if it cannot count.
"""

SECOND_WAYS = {
    "verify": "solvers.extras.second_count:SecondWay",
    "verified": "solvers.extras.verified.counter:VerifiedCount",
}
"""The ways to count a second time, by the option that asks for it."""

WITH_CPMPY = ".py with CPMpy"

FORMATS = {
    ".dlx": "solvers.extras.formats.dlx:dlx",
    ".fzn": "solvers.extras.minizinc.load:flatzinc",
    ".mzn": "solvers.extras.minizinc.load:minizinc",
    ".pb": "solvers.extras.formats.saved_model:saved_model",
    ".pbtxt": "solvers.extras.formats.saved_model:saved_model",
    ".xmpuzzle": "models.boards.burrtools:xmpuzzle",
    WITH_CPMPY: "solvers.extras.cpmpy.model:cpmpy_file",
}
"""The functions that read models from files, by the ending of the file's name."""


class OutputRow(NamedTuple):
    """An output of a run: an option that names the file or folder, and the class that writes it."""

    place: str
    """A subclass of `outputs.output.Output`, made with the path and the settings."""
    meaning: str
    """The text of the option in --help."""
    is_folder: bool = False
    settings: tuple[str, ...] = ()
    """Further options for the output; those that are given are passed to the class as keywords."""
    lists_solutions: bool = True
    """True if it writes the solutions themselves, which --count-only does not keep."""
    needs_all: bool = False
    """True if it cannot be combined with options that end a run before all solutions are listed."""
    companions: tuple[str, ...] = (".part",)
    """The endings that are appended to its name to make the names of further files that it writes."""
    also: tuple[tuple[str, str], ...] = ()
    """Further files that it may write: pairs of an ending of its name, and the ending that replaces it."""


OUTPUTS = {
    "solutions": OutputRow(
        "solvers.outputs.solutions:SolutionsFile",
        "write each solution: JSON lines, a table (.csv) or drawings (.txt)",
        companions=(".part", ".part.sorted"),
    ),
    "gallery": OutputRow(
        "solvers.extras.pages.gallery:GalleryFile",
        "write a page (HTML) with pictures of all solutions",
        settings=("title", "author"),
    ),
    "svg": OutputRow(
        "solvers.extras.pages.pictures:SvgFolder", "write a picture (SVG) of each solution", is_folder=True
    ),
    "sheet": OutputRow(
        "solvers.extras.pages.sheet:Sheets",
        "print board, pieces and solutions (.pdf, or several .svg)",
        settings=("title", "author", "paper"),
        also=((".svg", "-solutions.svg"), *((".svg", f"-solutions-{page}.svg") for page in range(2, 13))),
    ),
    "marginals": OutputRow(
        "solvers.extras.marginals:MarginalsFile",
        "how often each literal holds (.json, .csv, .svg, .txt)",
        lists_solutions=False,
    ),
    "keep": OutputRow(
        "solvers.extras.kept.file:KeptFile",
        "save the complete count, for the command kept",
        lists_solutions=False,
    ),
    "certify": OutputRow(
        "solvers.extras.proofs.certificate:CertificateFolder",
        "write a proof of the count, for solvers.check",
        is_folder=True,
        needs_all=True,
    ),
}
"""The outputs, by option; the last is written last, as it takes longest."""

EXPORTS = {".fzn": "solvers.extras.minizinc.export:flatzinc"}
"""The functions that write models, by the ending of the file's name."""

EXTRAS = {
    # solves a puzzle on several backends
    "compare_backends": "solvers.extras.survey.side_by_side:compare",
    # makes a puzzle of a model of CPMpy
    "model of cpmpy": "solvers.extras.cpmpy.model:puzzle_of",
    # writes the model of a puzzle
    "export": "solvers.extras.formats.export:export",
    # the same on the command line; it returns the exit code
    "exported": "solvers.extras.formats.export:exported",
    # reads the facts of a solution that files, drawings and texts about cells give
    "facts": "solvers.extras.recognise.cells:FactReader",
    # reads the drawing of --which: a function from a path, a question and a stop to a `running.plug.Recognition`
    "recognise": "solvers.extras.recognise.recognise:recognise",
    # answers the question of an `options.Inventing` on the command line, and returns the exit code
    "answered": "solvers.extras.invent.answers:answered",
    # finds the hints that --hints asks for of a run that has ended, notes them in its report, and tells them
    "hints told": "solvers.extras.invent.answers:hints_told",
    # finds the hints that tell a solution from all others
    "hints of listed": "solvers.extras.invent.hints:hints_of_listed",
    # a group by generators, made of an `automorphisms.FoundGroup`
    "large group": "solvers.extras.large_groups.group:LargeGroup",
    # the group that more symmetries generate than are listed without need
    "declared large group": "solvers.extras.large_groups.group:declared_group",
    # breaks the symmetries of such groups
    "held to prefixes": "solvers.extras.large_groups.prefixes:held_to_prefixes",
    # makes the gallery that a notebook shows
    "gallery": "solvers.extras.widget.gallery:gallery_of",
    # the number of solutions that hold each literal, made of a puzzle, its key, the counts and the total
    "marginals": "solvers.extras.marginals:Marginals",
    # the picture (SVG) of a solution of a puzzle
    "picture": "solvers.extras.pages.pictures:picture",
    # an executor from the address of a cluster's scheduler
    "cluster": "solvers.extras.clusters:Cluster",
    # what is told of a run whose listing will not end soon
    "long listing": "solvers.extras.estimate:LongListing",
    # predicts the search of a puzzle on the command line, and returns the exit code
    "estimated": "solvers.extras.estimate:estimated",
    # the progress of a search, below the cell of a notebook
    "bar": "solvers.extras.widget.bar:Bar",
}
"""All other functions and classes of extras that the core uses, as "module:name"."""

PACKAGES = {"anywidget": "notebooks", "traitlets": "notebooks"}
"""The packages that extras need; for each, the extra of this distribution that installs it."""


def is_installed(place: str) -> bool:
    """Tell whether a module exists; only the packages around it are imported.

    place: "module:name"; only the module is looked for.
    """
    try:
        return find_spec(place.partition(":")[0]) is not None
    except ModuleNotFoundError:
        return False


def place_of(place: str, asked: str) -> tuple[str, str]:
    """Split "module:name" into (module, name); raise `InputError` if the module is not installed.

    asked: how the user asked for it, such as "--cluster", for the error message.
    """
    module, _, name = place.partition(":")
    if not is_installed(place):
        raise InputError(f"{asked} is not installed: this copy of kazoeru has no {module}")
    return module, name


def plugged(place: str, asked: str) -> Any:
    """Import a module and return one of its objects.

    place: "module:name".

    asked: how the user asked for it, for the error message.

    Raises `InputError` if the extra, or a package that it needs, is not installed.
    """
    module, name = place_of(place, asked)
    try:
        return getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in PACKAGES:
            raise
        raise InputError(f"{asked} needs {package}; install it with pip install '.[{PACKAGES[package]}]'") from None
