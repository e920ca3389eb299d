"""The collection: what each puzzle is called on the command line, and the module and function that declare it."""

PUZZLES = {
    "pentomino": ("models.pentomino", "pentomino"),
    "packing": ("models.packing", "packing"),
    "checker": ("models.checker", "checker"),
    "coloured-packing": ("models.coloured_packing", "coloured_packing"),
    "edge-matching": ("models.edge_matching", "edge_matching"),
    "dissection": ("models.dissection", "dissection"),
    "matchsticks": ("models.matchsticks", "matchsticks"),
    "flip-it": ("models.flip_it", "flip_it"),
    "magic": ("models.magic", "magic"),
}

CLASSICS = {
    "queens": ("models.classics.arrangements", "queens"),
    "langford": ("models.classics.arrangements", "langford"),
    "costas": ("models.classics.arrangements", "costas"),
    "golomb": ("models.classics.arrangements", "golomb"),
    "all-interval": ("models.classics.arrangements", "all_interval"),
    "cycles": ("models.classics.arrangements", "cycles"),
    "latin": ("models.classics.designs", "latin"),
    "triples": ("models.classics.designs", "triples"),
}
"""Classics of combinatorics in the same form: what `python -m solvers classics` counts besides the puzzles."""

PENCIL = {
    "sudoku": ("models.digits.sudoku", "sudoku"),
    "nonogram": ("models.pencil.nonogram", "nonogram"),
    "star-battle": ("models.pencil.star_battle", "star_battle"),
    "skyscrapers": ("models.digits.skyscrapers", "skyscrapers"),
    "futoshiki": ("models.digits.futoshiki", "futoshiki"),
    "calcudoku": ("models.digits.calcudoku", "calcudoku"),
    "kakuro": ("models.digits.kakuro", "kakuro"),
    "numbrix": ("models.digits.numbrix", "numbrix"),
    "slitherlink": ("models.pencil.slitherlink", "slitherlink"),
    "masyu": ("models.pencil.masyu", "masyu"),
    "akari": ("models.pencil.akari", "akari"),
    "dominosa": ("models.digits.dominosa", "dominosa"),
    "numberlink": ("models.pencil.numberlink", "numberlink"),
    "hashi": ("models.pencil.hashi", "hashi"),
    "nurikabe": ("models.pencil.nurikabe", "nurikabe"),
    "heyawake": ("models.pencil.heyawake", "heyawake"),
}
"""Pencil puzzles, as newspapers print them: what `python -m solvers unique` judges by thousands."""

SIZED = {"sudoku": ("models.digits.sudoku", "parameters_with_size")}
"""Puzzles whose size follows from the content of their cells, and the function that returns their parameters for it."""

OTHER_NAMES = {
    "arukone": "numberlink",
    "bridges": "hashi",
    "fences": "slitherlink",
    "flow": "numberlink",
    "griddlers": "nonogram",
    "hanjie": "nonogram",
    "hashiwokakero": "hashi",
    "hidato": "numbrix",
    "keen": "calcudoku",
    "kenken": "calcudoku",
    "killer": "sudoku",
    "knights": "cycles",
    "light-up": "akari",
    "lightup": "akari",
    "loopy": "slitherlink",
    "mathdoku": "calcudoku",
    "n-queens": "queens",
    "nqueens": "queens",
    "pearl": "masyu",
    "picross": "nonogram",
    "polyomino": "packing",
    "soma": "packing",
    "steiner": "triples",
    "towers": "skyscrapers",
    "two-not-touch": "star-battle",
    "unequal": "futoshiki",
}
"""The puzzle that other people call so; a message suggests it."""

COLLECTION = {**PUZZLES, **CLASSICS, **PENCIL}
"""Everything that has a name."""
