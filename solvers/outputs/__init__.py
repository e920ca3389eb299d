"""What a run leaves behind: files of solutions, pictures, marginals, a page, a certificate, an exported model.

Begin with `output.py`. May import running and all below.
"""
