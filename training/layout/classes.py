"""The classes of regions, in the order of DocStructBench; all code that draws or scores names them by number."""

from __future__ import annotations

from typing import get_args

from documents.region_values import RegionKind

CLASSES: tuple[RegionKind, ...] = get_args(RegionKind)
TITLE, TEXT, ABANDON, FIGURE, FIG_CAP, TABLE, TAB_CAP, TAB_NOTE, FORMULA, FORM_CAP = range(len(CLASSES))

# How often each is drawn, of a hundred regions (1,915 of 120 pages): the rarer, the more its score counts in the loss.
SHARES = (8, 57, 16, 2.7, 2.0, 4, 3.2, 1.6, 3.1, 1.4)
