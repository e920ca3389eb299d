"""The collection: what each puzzle is called on the command line, and the module and function that declare it."""

PUZZLES = {
    "pentomino": ("models.pentomino", "pentomino"),
}
