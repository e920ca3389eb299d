"""Everything that the core can do without, one folder each.

`solvers.plugs` lists how each is reached. An extra may import the core and other extras; nothing in the core imports an
extra.
"""
