"""Results for the eye: reports, drawings as text and as SVG, heat maps.

Begin with `draw.py`. May import backends and all below.
"""
