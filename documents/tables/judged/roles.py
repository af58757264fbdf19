"""What the judge of cells says of two pieces and of each piece, in the order of its outputs."""

from __future__ import annotations

RELATIONS = ("cell", "row", "column")  # that two pieces share: one cell; a row or column that the cells of both take
MARKS = ("header", "wide", "tall", "outside")  # a head of columns; in a cell of several columns, or rows; of no cell
