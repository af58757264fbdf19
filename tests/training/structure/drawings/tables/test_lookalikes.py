"""What only looks like a table teaches no cells."""

from __future__ import annotations

from training.structure.drawings.tables.cells import html_cells
from training.structure.drawings.tables.lookalikes import lookalike
from training.structure.drawings.web.documents import sheet


def test_what_only_looks_like_a_table_has_no_cells() -> None:
    for seed in range(30):
        page = sheet(seed, "letter")
        before = set(page.blocks)
        html = lookalike(page)
        assert not html_cells(html)
        assert all(page.blocks[ink].role != "table" for ink in set(page.blocks) - before)
