"""Many runs: variants, backends side by side, known counts, models audited and compared.

Begin with `compare/__main__.py`.
"""
