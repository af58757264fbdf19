"""The page between two rules, and what a rule is."""
