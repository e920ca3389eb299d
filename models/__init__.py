"""The collection: what each puzzle is called on the command line, and the module and function that declare it."""

PUZZLES = {
    "pentomino": ("models.pentomino", "pentomino"),
    "packing": ("models.packing", "packing"),
    "checker": ("models.checker", "checker"),
    "dissection": ("models.dissection", "dissection"),
    "matchsticks": ("models.matchsticks", "matchsticks"),
    "flip-it": ("models.flip_it", "flip_it"),
    "magic": ("models.magic", "magic"),
}
