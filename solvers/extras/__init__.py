"""Everything that the core can do without: eight wings, which may import the core and the wings before them.

The order is that of `solvers.plugs.WINGS`. Each wing says in its `table.py` what it adds, and in its README what it is
for. Nothing in the core imports a wing.
"""
