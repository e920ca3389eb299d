"""The additions of the bridges: models in other programs' formats, and clusters."""

from solvers.base.wing import CommandRow, Wing

_HERE = "solvers.extras.bridges"
_PROGRAM = f"{_HERE}.scripts.load:script"
_MATRIX = f"{_HERE}.formats.zero_one:matrix"
_SAVED_MODEL = f"{_HERE}.formats.saved_model:cp_sat_model"

TABLE = Wing(
    commands={
        "export": CommandRow(f"{_HERE}.formats.export:main", "write the model for another program"),
        "minizinc": CommandRow(f"{_HERE}.minizinc.__main__:main", "solve FlatZinc, as a solver of MiniZinc"),
    },
    options=("cluster",),
    formats={
        ".csv": _MATRIX,
        ".dlx": f"{_HERE}.formats.dlx:dlx",
        ".fzn": f"{_HERE}.minizinc.load:flatzinc",
        ".json": f"{_HERE}.formats.nonograms:nonogram_json",
        ".mzn": f"{_HERE}.minizinc.load:minizinc",
        ".non": f"{_HERE}.formats.nonograms:non",
        ".npy": _MATRIX,
        ".opb": f"{_HERE}.formats.opb:opb",
        ".pb": _SAVED_MODEL,
        ".pbtxt": _SAVED_MODEL,
        ".txt": _MATRIX,
        ".xml": f"{_HERE}.xcsp3.load:xcsp3",
        ".xmpuzzle": "models.packings.burrtools:xmpuzzle",
        ".ipynb": _PROGRAM,
        ".py as a program": _PROGRAM,
    },
    exports={".fzn": f"{_HERE}.minizinc.export:flatzinc"},
    functions={
        # the backend of other people's solvers of FlatZinc
        "backend fzn": f"{_HERE}.minizinc.backend:FlatZincBackend",
        # makes a puzzle of a model of OR-Tools, CPMpy or PySAT
        "foreign model": f"{_HERE}.foreign:puzzle_of",
        # an executor from the address of a cluster's scheduler
        "cluster": f"{_HERE}.clusters:Cluster",
        # a writer of solutions, and of how they come apart, for BurrTools; it is made with the puzzle
        "burrtools": f"{_HERE}.formats.burrtools_solutions:PackedSolutions",
        # reads a problem of a file of BurrTools: a function from its path and the number of the problem
        "problem of burrtools": "models.packings.burrtools:read_problem",
        # tells a link or a game ID from another name; the puzzle that it holds; the writers of solutions
        # and of puzzles as links; the link that a text file holds
        "is link": f"{_HERE}.links.names:is_link",
        "link": f"{_HERE}.links.read:read",
        "link of solution": f"{_HERE}.links.write:solution_link",
        "link of puzzle": f"{_HERE}.links.write:puzzle_link",
        "link in": f"{_HERE}.links.read:link_in",
    },
    library={
        "export": f"{_HERE}.formats.export:export",
        "xmpuzzle_solutions": f"{_HERE}.formats.burrtools_stored:xmpuzzle_solutions",
    },
)
