"""Office formulas as LaTeX and as plain characters."""
