"""The additions of the pictures: pages, pictures and sheets of solutions, and how often each literal is true."""

from solvers.base.wing import OutputRow, SettingRow, Wing

_HERE = "solvers.extras.pictures"
_LAST_SHEET = 48

TABLE = Wing(
    outputs={
        "gallery": OutputRow(
            f"{_HERE}.gallery:GalleryFile",
            "write a page (HTML) with pictures of all solutions",
            settings=("title", "author", "text"),
        ),
        "svg": OutputRow(f"{_HERE}.pictures:SvgFolder", "write a picture (SVG) of each solution", is_folder=True),
        "sheet": OutputRow(
            f"{_HERE}.sheet:Sheets",
            "print board, pieces, solutions (.pdf, several .svg)",
            settings=("title", "author", "paper", "cell"),
            also=(
                *((".svg", f"-{page}.svg") for page in range(2, _LAST_SHEET + 1)),
                (".svg", "-solutions.svg"),
                *((".svg", f"-solutions-{page}.svg") for page in range(2, _LAST_SHEET + 1)),
            ),
        ),
        "marginals": OutputRow(
            f"{_HERE}.marginals:MarginalsFile",
            "how often each literal holds (.json, .csv, .svg, .txt)",
            lists_solutions=False,
        ),
    },
    settings={
        "paper": SettingRow("size of the sheets (default: a4)", choices=("a4", "letter")),
        "cell": SettingRow("width of a cell on the sheets (default: fills them)", metavar="MM"),
        "title": SettingRow("title of the page or the sheets", metavar="TEXT"),
        "author": SettingRow("author of the page or the sheets", metavar="TEXT"),
        "text": SettingRow("text of the page, above the puzzle", metavar="FILE"),
    },
    functions={
        # the number of solutions that hold each literal, made of a puzzle, its key, the counts and the total
        "marginals": f"{_HERE}.marginals:Marginals",
        # the picture (SVG) of a solution of a puzzle
        "picture": f"{_HERE}.pictures:picture",
    },
)
