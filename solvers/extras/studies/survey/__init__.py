"""Many runs: one puzzle in many variants (`__main__.py`, the command survey)."""
