"""Survey: one puzzle in many variants, a row for each.

Begin with `__main__.py`, the command. Imports everything but the other commands and the library, which offers
`survey_variants`.
"""
