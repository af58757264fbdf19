"""Where a cell is said to stand is where the typesetter put it: its letters lie in that row and that column."""

from __future__ import annotations

from itertools import permutations

import pymupdf
import pytest

pytest.importorskip("typst")

from training.structure.drawings.drawn_document import DrawnCell, DrawnDocument
from training.structure.drawings.tables.cells import SourceCell, cells_by_columns, html_cells
from training.structure.drawings.texts import Texts, installed_texts
from training.structure.drawings.typst.documents import draw, write
from training.structure.drawings.web.documents import draw_web, sheet
from training.structure.drawings.web.press import Press

TOLERANCE = 1.0  # points
MAX_DISORDER = 0.01  # of the pairs of cells: a word that is wider than its column reaches into the next
MIN_PAIRS = 2_000

HTML = """<table><thead>
<tr><th rowspan="2" style="color:#000001">a</th><th colspan="2" style="border-color:#000009;color:#000002">b</th></tr>
<tr><th style="color:#000003">c</th><th>&nbsp;</th></tr></thead>
<tbody><tr><td colspan="3" style="color:#000004">group</td></tr>
<tr></tr><tr><td></td><td style="color:#000005">d<p style="color:#000006">e</p></td></tr></tbody></table>
<table role="presentation"><tr><td style="color:#000007">no table</td></tr></table>
<p style="color:#00000a">text</p><table><tr><td><p style="color:#000008">f</p></td></tr></table>"""


@pytest.fixture(scope="module")
def texts() -> Texts:
    return installed_texts()


def test_spans_empty_cells_and_heads_of_html_are_counted() -> None:
    assert html_cells(HTML) == {
        1: DrawnCell(0, 0, 0, 2, 1, is_header=True),
        2: DrawnCell(0, 0, 1, 1, 2, is_header=True),
        3: DrawnCell(0, 1, 1, is_header=True),
        4: DrawnCell(0, 2, 0, 1, 3),
        5: DrawnCell(0, 4, 1),
        6: DrawnCell(0, 4, 1),
        8: DrawnCell(1, 0, 0),
    }


def test_a_cell_of_two_rows_moves_the_next_row_aside() -> None:
    spans = [(2, 1), (1, 1), (1, 1), (1, 2), (1, 1)]
    cells = [SourceCell((colour,), *span) for colour, span in enumerate(spans, 1)]
    places = {colour: (cell.row, cell.column) for colour, cell in cells_by_columns(0, cells, num_columns=2).items()}
    assert places == {1: (0, 0), 2: (0, 1), 3: (1, 1), 4: (2, 0), 5: (3, 0)}


def test_a_cell_ends_with_the_rows_of_its_group() -> None:
    """As in a browser: what spans more rows than are left of `<thead>` or `<tbody>` ends with the last of them."""
    cell = '<td rowspan="5" style="color:#00000{}"></td>'
    html = f"<table><thead><tr>{cell.format(1)}</tr></thead><tr></tr><tr>{cell.format(2)}</tr><tr></tr></table>"
    assert html_cells(html) == {1: DrawnCell(0, 0, 0, is_header=True), 2: DrawnCell(0, 2, 0, num_rows=2)}


def test_letters_of_typst_tables_lie_in_their_rows_and_columns(texts: Texts) -> None:
    num_pairs = num_wrong = 0
    for seed in range(30):
        is_mirrored = write(seed, texts, "table pages").writer.is_right_to_left
        pairs, wrong = _disorder(draw(seed, texts, "table pages"), is_mirrored=is_mirrored)
        num_pairs += pairs
        num_wrong += wrong
    assert num_pairs > MIN_PAIRS
    assert num_wrong <= MAX_DISORDER * num_pairs


@pytest.mark.parametrize("kind", ["statistics", "data_sheet", "timetable", "statement", "invoice", "survey", "tables"])
def test_letters_of_web_tables_lie_in_their_rows_and_columns(kind: str, press: Press) -> None:
    num_pairs = num_wrong = 0
    for seed in range(6):
        if "rotate(" in sheet(seed, kind).html():  # a page that is read with the head turned
            continue
        pairs, wrong = _disorder(draw_web(seed, press, kind), is_mirrored=sheet(seed, kind).words.rtl)
        num_pairs += pairs
        num_wrong += wrong
    assert num_pairs > 50
    assert num_wrong <= MAX_DISORDER * num_pairs


@pytest.mark.parametrize("kind", ["price list", "flyer", "invoice", "table pages"])
def test_every_block_of_a_typst_table_has_a_cell(kind: str, texts: Texts) -> None:
    for seed in range(10):
        blocks = write(seed, texts, kind).blocks.values()
        assert all(block.cell is not None for block in blocks if block.role == "table")


def _disorder(document: DrawnDocument, *, is_mirrored: bool) -> tuple[int, int]:
    """Pairs of cells of one table and page, and how many do not stand to each other as their rows and columns do."""
    num_pairs = num_wrong = 0
    with pymupdf.open(stream=document.content) as pdf:
        for page in pdf:
            spots = _spots(page)
            cells = [(document.blocks[ink].cell, spot) for ink, spot in spots.items() if ink in document.blocks]
            for (a, spot_a), (b, spot_b) in permutations(cells, 2):
                if a is None or b is None or a.table != b.table:
                    continue
                if a.row + a.num_rows <= b.row:
                    num_pairs += 1
                    num_wrong += spot_a[3] > spot_b[1] + TOLERANCE
                if a.column + a.num_columns <= b.column:
                    left, right = (spot_b, spot_a) if is_mirrored else (spot_a, spot_b)
                    num_pairs += 1
                    num_wrong += left[2] > right[0] + TOLERANCE
    return num_pairs, num_wrong


def _spots(page: pymupdf.Page) -> dict[int, list[float]]:
    """The box of the origins of each colour's letters."""
    spots: dict[int, list[float]] = {}
    for block in page.get_text("rawdict")["blocks"]:
        for span in (span for line in block.get("lines", ()) for span in line["spans"]):
            for letter in span["chars"]:
                x, y = letter["origin"]
                if letter["c"].isspace():
                    continue
                spot = spots.setdefault(span["color"], [x, y, x, y])
                spot[:] = [min(spot[0], x), min(spot[1], y), max(spot[2], x), max(spot[3], y)]
    return spots
