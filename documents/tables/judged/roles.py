"""What the judge of cells says of two pieces and of each piece, in the order of its outputs."""

from __future__ import annotations

# relations of two pieces: they share one cell, or a row or column that the cells of both take
RELATIONS = ("cell", "row", "column")
MARKS = ("header", "wide", "tall", "outside")  # a head of columns; in a cell of several columns, or rows; of no cell
