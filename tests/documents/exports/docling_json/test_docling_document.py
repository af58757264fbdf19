"""DoclingDocument JSON, judged by docling-core itself."""

from __future__ import annotations

import pytest
from docling_core.types.doc.document import DoclingDocument
from page_making import box, opened, page, region
from work import steps_of

from documents.document.assemble_document import assemble
from documents.exports.docling_json.docling_document import docling, to_docling
from documents.region_values import ListItem, Table, TableCell, TextRange
from documents.values import Annotation, Document, FormField

TABLE = Table(
    num_rows=2,
    num_columns=2,
    num_header_rows=1,
    cells=(
        TableCell(row=0, column=0, num_columns=2, text="Boats", box=box(60, 400, 200, 410)),
        TableCell(row=1, column=0, text="Alma", box=box(60, 420, 120, 430)),
        TableCell(row=1, column=1, text="04:10", box=box(130, 420, 200, 430)),
    ),
)
PAGE = page(
    region("Running head", "abandon", (60, 20, 200, 30)),
    region("The harbour", "title", (60, 60, 300, 80), size=18),
    region("First paragraph of the text.\n\n1. one\n2. two", corners=(60, 100, 500, 200)),
    region("", "figure", (60, 220, 300, 380)),
    region("Boats\nAlma\t04:10", "table", (60, 400, 200, 430), table=TABLE),
)


@pytest.fixture(scope="module")
def read() -> DoclingDocument:
    return DoclingDocument.model_validate_json(to_docling(assemble("d", 1, opened(), [PAGE])))


def test_every_region_is_an_item_in_reading_order(read):
    assert [(item.label.value, item.text) for item in read.texts] == [
        ("page_header", "Running head"),
        ("section_header", "The harbour"),
        ("text", "First paragraph of the text."),
        ("list_item", "one"),
        ("list_item", "two"),
    ]
    assert len(read.pictures) == 1


def test_running_heads_are_furniture(read):
    assert [item.text for item in read.texts if item.content_layer.value == "furniture"] == ["Running head"]
    assert "Running head" not in read.export_to_markdown()


def test_cells_keep_their_spans_and_boxes(read):
    cells = read.tables[0].data.table_cells
    assert [(c.text, c.start_col_offset_idx, c.end_col_offset_idx, c.column_header) for c in cells] == [
        ("Boats", 0, 2, True),
        ("Alma", 0, 1, False),
        ("04:10", 1, 2, False),
    ]
    assert cells[1].bbox.l == 60


def test_every_item_lies_on_its_page(read):
    for item, _ in read.iterate_items():
        (place,) = item.prov
        assert place.page_no in read.pages


def test_captions_and_notes_belong_to_their_figure_or_table():
    """Guards against captions that no reader of the format finds, or finds twice."""
    regions = (
        region("Table 1: Boats", "table_caption", (60, 380, 200, 392), order=0, describes=1),
        region("Boats", "table", (60, 400, 200, 430), table=TABLE, order=1),
        region("Source: log.", "table_footnote", (60, 432, 200, 440), order=2, describes=1),
        region("", "figure", (60, 450, 300, 600), order=3),
        region("Figure 1: Tide", "figure_caption", (60, 604, 200, 616), order=4, describes=3),
    )
    body = to_docling(assemble("d", 1, opened(), [page(*regions)]))
    read = DoclingDocument.model_validate_json(body)
    assert read.tables[0].caption_text(read) == "Table 1: Boats"
    assert [ref.resolve(read).text for ref in read.tables[0].footnotes] == ["Source: log."]
    assert read.pictures[0].caption_text(read) == "Figure 1: Tide"
    written = read.export_to_markdown()
    assert [written.count(text) for text in ("Table 1: Boats", "Figure 1: Tide")] == [1, 1]


def test_lists_in_lists_are_groups_under_the_item_above():
    """Guards against nested lists that docling shows flat."""
    whole = region("1. one\n• under one\n2. two")
    (one, under, two) = whole.items
    mark = under.box.shifted(20, 0)
    whole = whole.model_copy(update={"items": (one, under.model_copy(update={"box": mark}), two)})
    read = DoclingDocument.model_validate_json(to_docling(assemble("d", 1, opened(), [page(whole)])))
    assert read.export_to_markdown() == "1. one\n    - under one\n2. two"


def test_notes_of_page_and_margin_are_footnotes():
    regions = (region("Text."), region("1 See the log.", note="foot"), region("So they say.", note="side"))
    read = DoclingDocument.model_validate_json(to_docling(assemble("d", 1, opened(), [page(*regions)])))
    assert [item.label.value for item in read.texts] == ["text", "footnote", "footnote"]


def test_a_name_and_pictures_that_are_given_are_in_it():
    """Guards against pictures that a client asked for and cannot find."""
    image = {
        "mimetype": "image/png",
        "dpi": 144,
        "size": {"width": 2, "height": 1},
        "uri": "data:image/png;base64,AA==",
    }
    body = docling(assemble("d", 1, opened(), [PAGE]), name="tide", pictures={"figures/page-0001-01.png": image})
    document = DoclingDocument.model_validate(body)
    assert document.name == "tide"
    assert [picture.image.dpi for picture in document.pictures if picture.image is not None] == [144]


def test_a_page_is_written_in_work_in_line_with_its_regions():
    """Guards against 20,000 figures on a page that took a minute."""

    def document_of(num):
        regions = []
        for k in range(num):
            regions.append(region("", "figure", order=2 * k))
            regions.append(region(f"Figure {k}", "figure_caption", order=2 * k + 1, describes=2 * k))
        return Document(id="d", revision=1, pages=(page(*regions),))

    small, large = (document_of(num) for num in (32, 128))
    assert [len(picture["captions"]) for picture in docling(large)["pictures"]] == [1] * 128
    assert steps_of(lambda: docling(large)) < 6 * steps_of(lambda: docling(small))


def test_what_is_struck_out_is_so_in_the_format_itself():
    """Guards against void words that read as valid to whoever takes Docling's format; the oracle is its own writer."""
    cells = (
        TableCell(row=0, column=0, text="180 150", box=box(0, 0, 9, 9), struck=(TextRange(start=0, end=3),)),
        TableCell(row=0, column=1, text="all", box=box(9, 0, 19, 9)),
    )
    regions = (
        region("Old part", "title", level=1, struck=(TextRange(start=0, end=3),)),
        region("Void.\n\nPay 310 now", struck=(TextRange(start=0, end=5), TextRange(start=11, end=14))),
        region("• gone\n• old new", struck=(TextRange(start=2, end=6), TextRange(start=9, end=12)), items=()),
        region("", "table", table=Table(num_rows=1, num_columns=2, num_header_rows=0, cells=cells)),
        region("Table 1: old", "table_caption", struck=(TextRange(start=9, end=12),)),
    )
    items = tuple(ListItem(line=k, marker="•", box=box(0, 0, 1, 1)) for k in range(2))
    made = [one.model_copy(update={"items": items} if one.text.startswith("•") else {}) for one in regions]
    document = Document(id="d", revision=1, pages=(page(*made),))
    text = DoclingDocument.model_validate_json(to_docling(document)).export_to_markdown()
    assert "## ~~Old~~ part" in text
    assert "~~Void.~~\n\nPay ~~310~~ now" in text
    assert "- ~~gone~~\n- ~~old~~ new" in text
    assert "| ~~180~~ 150 " in text
    assert "Table 1: ~~old~~" in text


def test_fields_of_a_form_are_key_values():
    fields = (
        FormField(name="a.city", label="City", kind="text", value="Chur", box=box(60, 100, 160, 112)),
        FormField(name="pay", kind="radio", value="Card", state="on", box=box(60, 120, 70, 130)),
        FormField(name="news", kind="check", value="Yes", state="off", box=box(60, 140, 70, 150)),
        FormField(name="sign", kind="signature", state="unsigned", box=box(60, 160, 160, 180)),
    )
    form_page = page(region("City Chur", corners=(30, 100, 160, 112))).model_copy(update={"fields": fields})
    written = to_docling(assemble("d", 1, opened(), [form_page, page(region("Next"), number=2)]))
    document = DoclingDocument.model_validate_json(written)
    (item,) = document.key_value_items
    cells = {cell.cell_id: cell for cell in item.graph.cells}
    pairs = [(cells[link.source_cell_id], cells[link.target_cell_id]) for link in item.graph.links]
    assert [(key.text, key.orig, value.label.value, value.text) for key, value in pairs] == [
        ("City", "a.city", "value", "Chur"),
        ("pay", "pay", "checkbox", "☒ Card"),
        ("news", "news", "checkbox", "☐ Yes"),
        ("sign", "sign", "value", ""),
    ]
    place = pairs[0][1].prov
    assert (place.page_no, place.bbox.l, place.bbox.b) == (1, 60, 112)
    assert "key-value" not in document.export_to_markdown(), "the values stand in the text, and once"


def test_comments_are_texts_in_the_layer_of_notes():
    comments = (
        Annotation(kind="highlight", words="harbour", text="Which one?", author="Ada", box=box(60, 60, 100, 80)),
        Annotation(kind="underline", words="quay", box=box(60, 90, 100, 99)),
        Annotation(kind="note", box=box(60, 60, 100, 80)),
    )
    written = to_docling(assemble("d", 1, opened(), [PAGE.model_copy(update={"annotations": comments})]))
    document = DoclingDocument.model_validate_json(written)
    notes = [item for item in document.texts if item.content_layer.value == "notes"]
    assert [(item.text, item.prov[0].bbox.t) for item in notes] == [("Which one?", 60), ("quay", 90)]
    assert notes[0].meta.model_dump()["pagemill__comment"]["author"] == "Ada"
    assert "Which one?" not in document.export_to_markdown()
