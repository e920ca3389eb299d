"""Everything that the core can do without: nine wings, which may import the core and the wings before them.

The order is that of `base.plugs.WINGS`. The ``table.py`` of a wing says what it adds, and its README what it is for.
Nothing in the core imports a wing.
"""
