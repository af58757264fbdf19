"""What looks like something else than it is tagged as teaches nothing; the PDFs are written object by object."""

from __future__ import annotations

import pytest

from documents.segments.roles import ROLES
from tests.documents.tagged_making import Mark, tag, tagged_pdf
from training.structure.tagged.pages import examples

PROSE = "The harbour master signs the ledger every morning before the fog lifts and the boats leave."
TEXT = [Mark(PROSE, y=110 + 14 * k + 10 * (k // 2)) for k in range(6)]
PARAGRAPHS = [tag("P", 0, 1), tag("P", 2, 3), tag("P", 4, 5)]


def roles(tmp_path, elements, marks):
    """The role of each text that follows three paragraphs; None where it is unknown."""
    path = tmp_path / "a.pdf"
    path.write_bytes(tagged_pdf(tag("Document", *PARAGRAPHS, *elements), [*TEXT, *marks]))
    (example,) = examples(path)
    known = {text: ROLES[index] for text, index in zip(example.tokens.texts, example.role, strict=True) if index >= 0}
    assert known[PROSE] == "text"
    return [known.get(mark.text) for mark in marks]


@pytest.mark.parametrize(
    "mark",
    [
        Mark("Who may moor here", font="F2"),
        Mark("Who may moor here", size=14),
        Mark("WHO MAY MOOR HERE"),
        Mark("1. Who may moor here"),
        Mark("moor(boat, quay);", font="F3"),
        Mark("Figure 3: the quay in winter"),
    ],
    ids=["bold", "large", "capitals", "numbered", "monospaced", "numbered as a figure"],
)
def test_a_short_paragraph_that_stands_out_may_be_a_heading_an_item_code_or_a_caption(tmp_path, mark):
    assert roles(tmp_path, [tag("P", 6)], [mark._replace(y=300)]) == [None]


def test_a_short_paragraph_as_the_text_is_is_text(tmp_path):
    assert roles(tmp_path, [tag("P", 6)], [Mark("Boats may moor here.", y=300)]) == ["text"]


def test_an_item_needs_a_label_or_a_marker(tmp_path):
    """Guards against lists of which LibreOffice Impress makes an item of every text box."""
    marks = [Mark("a loose text", y=300), Mark("- an item", y=330), Mark("*", y=360), Mark("labelled", x=300, y=360)]
    items = [tag("LI", 6), tag("LI", 7), tag("LI", tag("Lbl", 8), tag("LBody", 9))]
    assert roles(tmp_path, [tag("L", *items)], marks) == [None, "list_item", "list_item", "list_item"]


def test_a_heading_set_as_text_is_none_if_it_is_long_or_a_caption(tmp_path):
    marks = [Mark(PROSE.lower(), y=300), Mark("Figure 2: the quay", y=330), Mark("Harbour dues", y=360)]
    assert roles(tmp_path, [tag("H2", k) for k in (6, 7, 8)], marks) == [None, None, "heading"]


@pytest.mark.parametrize(
    ("rows", "role"),
    [
        ([tag("TR", tag("TD", 6), tag("TD", 7)), tag("TR", tag("TD", 8), tag("TD", 9))], "table"),
        ([tag("TR", tag("TD", k)) for k in (6, 7, 8, 9)], None),
        ([tag("TR", *(tag("TD", k) for k in (6, 7, 8, 9)))], None),
        ([tag("TR", tag("TD", tag("H2", 6)), tag("TD", 7)), tag("TR", tag("TD", 8), tag("TD", 9))], None),
    ],
    ids=["table", "one column", "one row", "with a heading"],
)
def test_a_table_that_only_places_text_teaches_nothing(tmp_path, rows, role):
    marks = [Mark(text, x=x, y=y) for text, x, y in (("a", 60, 300), ("b", 300, 300), ("c", 60, 330), ("d", 300, 330))]
    assert roles(tmp_path, [tag("Table", *rows)], marks) == [role] * 4


def test_pages_whose_lines_are_paragraphs_are_left_out(tmp_path):
    """Guards against texts that someone broke into lines by hand: what belongs together is not tagged."""
    lines = [
        "The harbour master signs the",
        "ledger every morning before",
        "the fog lifts and the boats",
        "leave for the banks",
    ]
    marks = [Mark(text, y=100 + 14 * k) for k, text in enumerate(lines)]
    path = tmp_path / "a.pdf"
    path.write_bytes(tagged_pdf(tag("Document", *(tag("P", k) for k in range(4))), marks))
    assert list(examples(path)) == []
