"""Tables in chunks: rows stay whole, headers are said again, every cell is cited with its own box."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from documents.boxes import BoundingBox
from documents.region_values import Region, Table, TableCell, TableRegion
from documents.values import Document, Page
from retrieval.chunking.chunk_size import ByteCounter
from retrieval.chunking.chunker import chunk

CELLS = st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="|"), min_size=1, max_size=8)
HEAD = ["No.", "Item"]


def table_of(rows, page=1, num_header_rows=1, **more) -> Region:
    box = BoundingBox(x0=0, y0=0, x1=100, y1=100)
    cells = tuple(
        TableCell(row=r, column=c, text=text, box=BoundingBox(x0=c, y0=r, x1=c + 1, y1=r + 1))
        for r, row in enumerate(rows)
        for c, text in enumerate(row)
    )
    table = Table(num_rows=len(rows), num_columns=len(rows[0]), num_header_rows=num_header_rows, cells=cells)
    return TableRegion(kind="table", box=box, score=1.0, text="table", table=table, **more)


def chunks_of(*regions, budget=16):
    pages = tuple(Page(number=n, size=(600, 800), regions=(region,)) for n, region in enumerate(regions, 1))
    return chunk(Document(id="doc", revision=1, pages=pages), ByteCounter(), budget)


@settings(deadline=None)
@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=12))
def test_every_row_is_whole_in_one_chunk_under_the_header(rows):
    chunks = chunks_of(table_of([HEAD, *map(list, rows)]))
    lines = [part.text.split("\n") for part in chunks]
    assert all(first == "No. | Item" for first, *_ in lines)
    assert [line for _, *rest in lines for line in rest] == [f"{a} | {b}" for a, b in rows]
    assert all(part.num_tokens <= 16 for part in chunks)


@settings(deadline=None)
@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=12))
def test_each_span_is_a_cell_at_its_box(rows):
    table = [HEAD, *map(list, rows)]
    for part in chunks_of(table_of(table)):
        for span in part.spans:
            text = part.text[span.text_start : span.text_end]
            assert table[int(span.box.y0)][int(span.box.x0)] == text


def test_the_part_on_the_next_page_has_the_header_of_the_first():
    """Guards against rows that nobody understands without the page before."""
    first = table_of([HEAD, ["1", "Rope"]])
    second = table_of([["2", "Sail"]], num_header_rows=0, continues=True)
    texts = [part.text for part in chunks_of(first, second)]
    assert texts == ["No. | Item\n1 | Rope", "No. | Item\n2 | Sail"]


def test_a_row_that_no_chunk_can_hold_is_cut_between_its_cells():
    chunks = chunks_of(table_of([["a" * 30, "b" * 30], ["c", "d"]], num_header_rows=0))
    assert [part.text for part in chunks] == ["a" * 30, "b" * 30, "c | d"] or all(
        part.num_tokens <= 16 for part in chunks
    )
    assert "".join("".join(part.text.split()) for part in chunks).replace("|", "") == "a" * 30 + "b" * 30 + "cd"


def test_a_header_that_takes_too_much_is_said_once():
    chunks = chunks_of(table_of([["h" * 30, "i"], ["1", "2"], ["3", "4"]]))
    assert sum("h" * 30 in part.text for part in chunks) == 1
