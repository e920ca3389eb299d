"""Models in XCSP3: PyCSP3's parser reads them, our translation makes CP-SAT models, our evaluator checks solutions.

The translation shares nothing with the evaluator, which reads the file by itself.
"""
