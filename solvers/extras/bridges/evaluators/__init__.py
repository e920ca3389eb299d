"""Second readings of files: small evaluators that share nothing with the readers that make models.

Begin with `flatzinc.py`. May import nothing of the project.
"""
