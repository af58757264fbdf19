"""Tries the table strategies on an area (ruled, judged); the proposal that fits best is the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from documents.boxes import BoundingBox
from documents.tables.cells import Cut
from documents.tables.fit import fit, is_shaded_text
from documents.tables.judged.judged_cut import cut_by_judge
from documents.tables.judged.weights import cell_judge
from documents.tables.labels_beside import with_labels_beside
from documents.tables.ruled import cut_by_grid
from documents.tables.settings import Strategy, TableSettings
from documents.tables.table_area import TableArea

MAX_FIT = 1.0  # no cut fits better


def best_cut(area: TableArea, settings: TableSettings) -> Cut | None:
    """The proposal that fits best, or None where none fits well enough.

    Down the page only rules make cells: gaps are those of sentences.
    """
    if len(area.words) < 2:
        return None
    best: Cut | None = None
    least = settings.least_fit
    for name in ("ruled",) if area.is_vertical else settings.strategies:
        if best is not None and least >= MAX_FIT:
            break
        for cut in PROPOSALS[name](area, settings):
            value = fit(cut, settings.fit)
            if value >= least if best is None else value > least:
                best = cut
                least = value + (settings.sure_rules if name == "ruled" else 0.0)
    return best


def _by_rules(area: TableArea, settings: TableSettings) -> Iterator[Cut]:
    """The boxes between rules."""
    for cells in area.grids:
        boxes = BoundingBox.around(list(cells))
        cut = cut_by_grid(cells, [one for one in area.words if boxes.contains(*one.box.center)])
        if cut is not None and not is_shaded_text(cut, settings.fit):
            outside = [one for one in area.words if not boxes.contains(*one.box.center)]
            yield with_labels_beside(cut, outside, settings.labels)


def _by_judge(area: TableArea, _: TableSettings) -> Iterator[Cut]:
    """The cells that a network sees in the words."""
    cut = cut_by_judge(area.words, area.rules, cell_judge())
    if cut is not None:
        yield cut


PROPOSALS: Mapping[Strategy, Callable[[TableArea, TableSettings], Iterator[Cut]]] = {
    "ruled": _by_rules,
    "judged": _by_judge,
}
