"""Regions as the author of a tagged PDF parted them: headings, order, cells of tables."""
