"""The additions of the notebook: galleries, progress and puzzles to explore, in cells of a notebook."""

from solvers.base.wing import Wing

_HERE = "solvers.extras.notebook"

TABLE = Wing(
    functions={
        # makes the gallery that a notebook shows
        "gallery": f"{_HERE}.gallery:gallery_of",
        # the progress of a search, below the cell of a notebook
        "bar": f"{_HERE}.bar:Bar",
    },
    library={"explore": f"{_HERE}.explorer:explore"},
    packages={"anywidget": "notebooks", "traitlets": "notebooks"},
)
