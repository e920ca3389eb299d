"""The modules that every other module may import; begin with `plugs.py`, which collects what there is."""
