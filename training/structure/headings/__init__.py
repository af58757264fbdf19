"""Trains the judge of headings and levels, which sees a whole document."""
