"""The content list and the middle JSON: what each region becomes, and where it is."""

from __future__ import annotations

import re
from typing import Any

import pytest

from deployments.ingress.facades.mineru.content_list import content_list
from deployments.ingress.facades.mineru.middle_json import _joined, middle_json
from documents.boxes import NO_BOX, BoundingBox
from documents.region_values import ListItem, Region, RegionKind, Span, Table, TableCell, TextRange, region_of
from documents.values import Document, Page

SIZE = (500.0, 800.0)


def place(y: float = 100, height: float = 80) -> BoundingBox:
    return BoundingBox(x0=50, y0=y, x1=450, y1=y + height)


def region(
    kind: RegionKind, text: str = "", *, order: int = 0, box: BoundingBox | None = None, **fields: Any
) -> Region:
    box = box or place(100 * (order + 1))
    spans = tuple(Span(text=line, box=box, source="text_layer") for line in text.split("\n") if line)
    return region_of(kind, text=text, order=order, box=box, score=0.9, spans=spans, **fields)


def table(*rows: tuple[str, ...], header_rows: int = 1) -> Table:
    cells = tuple(
        TableCell(row=r, column=c, text=text, box=place())
        for r, row in enumerate(rows)
        for c, text in enumerate(row)
        if text
    )
    return Table(num_rows=len(rows), num_columns=len(rows[0]), num_header_rows=header_rows, cells=cells)


def document(*pages: tuple[Region, ...], size: tuple[float, float] = SIZE) -> Document:
    numbered = tuple(Page(number=k, size=size, regions=regions) for k, regions in enumerate(pages, start=1))
    return Document(id="d", revision=1, pages=numbered)


def items(*pages: tuple[Region, ...], **more: Any) -> list[dict[str, Any]]:
    return content_list(document(*pages, **more), {})


def test_places_are_thousandths_of_the_page_as_a_person_sees_it():
    """MinerU's example: integers from 0 to 1000, and pages from 0."""
    (item,) = items((region("plain text", "Lamps burn.", box=BoundingBox(x0=-3, y0=80, x1=250.4, y1=803)),))
    assert item == {"type": "text", "text": "Lamps burn.", "bbox": [0, 100, 501, 1000], "page_idx": 0}
    (item,) = items((region("plain text", "Flow", box=NO_BOX),), size=(0, 0))
    assert item == {"type": "text", "text": "Flow", "page_idx": 0}


def test_headings_have_levels_and_lists_have_items():
    marked = (ListItem(line=1, marker="-", box=place()), ListItem(line=2, marker="-", box=place()))
    heading, listed, code, note = items(
        (
            region("title", "Rules", level=2),
            region("plain text", "Bring:\n- a lamp\n- a rope", order=1, items=marked),
            region("plain text", "if tide:\n    wait()", order=2, code=True),
            region("plain text", "1 As of May.", order=3, note="foot"),
        )
    )
    assert (heading["type"], heading["text"], heading["text_level"]) == ("text", "Rules", 2)
    assert (listed["type"], listed["list_items"]) == ("list", ["Bring:", "- a lamp", "- a rope"])
    assert (code["type"], code["code_body"]) == ("code", "if tide:\n    wait()")
    assert (note["type"], note["text"]) == ("text", "1 As of May.")  # RAGFlow drops MinerU's `page_footnote`


def test_captions_stand_with_their_table_and_figure_alone():
    page = (
        region("table_caption", "Table 1: Tides", order=0, describes=1),
        region("table", "Port\tTide", order=1, table=table(("Port", "Tide"), ("A & B", "2"))),
        region("table_footnote", "at noon", order=2, describes=1),
        region("figure", "pier", order=3),
        region("figure_caption", "Figure 1: The pier", order=4, describes=3),
        region("figure_caption", "An orphan", order=5, describes=None),
    )
    written = content_list(document(page), {"figures/page-0001-01.png": "images/page-0001-01.png"})
    assert [item["type"] for item in written] == ["table", "image", "text"]
    assert (written[0]["table_caption"], written[0]["table_footnote"]) == (["Table 1: Tides"], ["at noon"])
    assert "<td>A &amp; B</td>" in written[0]["table_body"]
    assert (written[1]["image_caption"], written[1]["img_path"]) == (["Figure 1: The pier"], "images/page-0001-01.png")
    assert written[2]["text"] == "An orphan"


def test_formulas_are_latex_where_their_signs_are_known():
    known, unknown = items(
        (region("isolate_formula", "a = b", latex="a = b"), region("isolate_formula", "x ? y", order=1))
    )
    assert (known["type"], known["text"], known["text_format"]) == ("equation", "$$\na = b\n$$", "latex")
    assert (unknown["type"], unknown["text"], "text_format" in unknown) == ("equation", "x ? y", False)


def test_running_heads_stand_at_the_end_of_their_page_by_their_kind():
    furniture = (
        region("abandon", "Harbour Rules", order=0, box=place(10, 10)),
        region("abandon", "– 7 –", order=1, box=place(780, 10)),
        region("abandon", "printed in May", order=2, box=place(770, 10)),
    )
    text = region("plain text", "Lamps burn.", order=3)
    kinds = [(item["type"], item["page_idx"]) for item in items((*furniture, text), (text,))]
    assert kinds == [("text", 0), ("header", 0), ("page_number", 0), ("footer", 0), ("text", 1)]


def test_a_paragraph_over_pages_has_a_place_on_each_and_loses_no_word():
    """Guards against highlights that end with the page, and against a word that is cut by its end."""
    first = region("plain text", "Ships wait for the tide and the harbour mas-", box=place(700))
    rest = region(
        "plain text", "ter keeps the log.", box=place(50), continues=True, struck=(TextRange(start=4, end=9),)
    )
    one, other = items((first,), (rest, region("plain text", "More.", order=1)))[:2]
    assert (one["page_idx"], other["page_idx"]) == (0, 1)
    assert (one["bbox"][1], other["bbox"][1]) == (875, 62)
    words = re.split(r"\s+", f"{one['text']} {other['text']}")
    assert " ".join(words) == "Ships wait for the tide and the harbour master ~~keeps~~ the log."


PARTS = (("No.", "Item"), ("1", "Rope"), ("2", "Sail")), (("No.", "Item"), ("3", "Oar"), ("4", "Anchor"))


@pytest.mark.parametrize("repeats", [True, False])
def test_a_table_over_pages_is_one_item_whose_other_parts_are_in_the_middle_json(repeats: bool):
    """RAGFlow takes every table of the middle JSON whose words stand, without spaces, in the one that it looks for."""
    more = PARTS[1] if repeats else PARTS[1][1:]
    pages = (
        (region("table", "x", box=place(600), table=table(*PARTS[0])),),
        (region("table", "y", box=place(50), table=table(*more, header_rows=int(repeats)), continues=True),),
    )
    (item,) = items(*pages)
    words = re.sub(r"<[^>]+>|\s", "", item["table_body"])
    assert words == "No.Item1Rope2Sail3Oar4Anchor"
    middle = middle_json(document(*pages), "1")["pdf_info"]
    parts = [page["para_blocks"][0]["blocks"][0]["lines"][0]["spans"][0]["content"] for page in middle]
    assert parts == ["No.Item1Rope2Sail", "3Oar4Anchor"]
    assert [page["para_blocks"][0]["bbox"][1] for page in middle] == [600, 50]


def test_equal_tables_on_different_pages_are_not_taken_for_one():
    """Guards against highlights of all forms of a file where one is cited: they have the same words."""
    page = (region("table", "x", table=table(*PARTS[0])),)
    middle = middle_json(document(page, page), "1")["pdf_info"]
    assert all("content" not in part["para_blocks"][0]["blocks"][0]["lines"][0]["spans"][0] for part in middle)


@pytest.mark.parametrize("cell", ["Rope.", "a rope that is worn-"])
def test_the_words_of_a_long_table_are_joined_a_bounded_number_of_times(monkeypatch: pytest.MonkeyPatch, cell: str):
    """Guards against a table of a hundred pages whose words are joined as a whole for each page, or page by page for
    each row; in the second one no page stands in the whole as it is, since each cuts a word."""
    num_cells = 0

    def joined(table: Table, row: int) -> str:
        nonlocal num_cells
        num_cells += len(table.cells)
        return _joined(table, row)

    monkeypatch.setattr("deployments.ingress.facades.mineru.middle_json._joined", joined)
    rows = [(f"{k}", cell, "Oak") for k in range(30)]
    parts = [table(("", "out and torn", ""), *rows, header_rows=0) for _ in range(20)]
    parts[0] = table(("No.", "Note", "Item"), *rows)
    pages = [
        (region("table", "x", box=place(50), table=part, continues=number > 0),) for number, part in enumerate(parts)
    ]
    middle_json(document(*pages), "1")
    assert num_cells <= 5 * sum(len(part.cells) for part in parts)


def test_parts_with_the_same_words_are_each_found_in_the_whole_table():
    """Guards against a part without words since the one before it has the same."""
    part = table(("1", "Rope"), ("2", "Sail"), header_rows=0)
    pages = [(region("table", "x", box=place(50), table=part, continues=number > 0),) for number in range(3)]
    middle = middle_json(document(*pages), "1")["pdf_info"]
    parts = [page["para_blocks"][0]["blocks"][0]["lines"][0]["spans"][0]["content"] for page in middle]
    assert parts == ["1Rope2Sail"] * 3


def test_a_row_that_goes_on_over_the_page_stands_in_the_whole_table_alone():
    """Guards against a later part that is looked for with the row that the whole table has elsewhere."""
    first = table(("No.", "Note", "Item"), ("1", "it is quite worn", "Rope"))
    rest = table(("No.", "Note", "Item"), ("", "out and torn", ""), ("2", "as new", "Sail"))
    pages = (
        (region("table", "x", box=place(600), table=first),),
        (region("table", "y", box=place(50), table=rest, continues=True),),
        (region("table", "z", box=place(50), table=table(("3", "new", "Oar"), header_rows=0), continues=True),),
    )
    middle = middle_json(document(*pages), "1")["pdf_info"]
    spans = [page["para_blocks"][0]["blocks"][0]["lines"][0]["spans"][0] for page in middle]
    assert [span.get("content") for span in spans] == [None, "2asnewSail", "3newOar"]


def test_the_middle_json_has_each_line_in_points():
    page = (region("title", "Rules", level=1), region("abandon", "7", order=1, box=place(780, 10)))
    (only,) = middle_json(document(page), "1")["pdf_info"]
    assert (only["page_idx"], only["page_size"]) == (0, [500.0, 800.0])
    ((title,), (number,)) = only["para_blocks"], only["discarded_blocks"]
    assert (title["type"], number["type"]) == ("title", "page_number")
    assert title["lines"][0]["spans"] == [{"type": "text", "bbox": [50, 100, 450, 180], "content": "Rules"}]
