"""A tagged PDF that is written here, object by object as ISO 32000-1 (14.7) has it, is its own truth."""

from __future__ import annotations

import xml.etree.ElementTree as Xml

import pytest

from benchmarks.truths.tagged_pdf import list_items, tagged_pages

PROSE = "The harbour was closed until the spring of the next year. " * 6
NUM_WORDS = len(PROSE.split())


def tagged_pdf(elements, loose=""):
    """One page; `elements` (tag, text, row) stand in the tree as listed, and are drawn the last first."""
    content = "".join(
        f"/{tag} <</MCID {k}>> BDC BT /F1 4 Tf 20 {760 - 20 * row} Td ({text}) Tj ET EMC\n"
        for k, (tag, text, row) in reversed([*enumerate(elements)])
    )
    content += f"/Artifact BMC BT /F1 4 Tf 20 20 Td ({loose}) Tj ET EMC\n"
    first = 7
    kids = " ".join(f"{first + k} 0 R" for k in range(len(elements)))
    objects = [
        "<</Type/Catalog/Pages 2 0 R/StructTreeRoot 5 0 R/MarkInfo<</Marked true>>>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/StructParents 0/Contents 4 0 R"
        "/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>",
        f"<</Length {len(content)}>>\nstream\n{content}endstream",
        f"<</Type/StructTreeRoot/K 6 0 R/ParentTree<</Nums[0[{kids}]]>>>>",
        f"<</Type/StructElem/S/Document/P 5 0 R/K[{kids}]>>",
        *(f"<</Type/StructElem/S/{tag}/P 6 0 R/Pg 3 0 R/K {k}>>" for k, (tag, _, _) in enumerate(elements)),
    ]
    body = b"%PDF-1.7\n"
    places = []
    for number, body_of_object in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj\n{body_of_object}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<</Size {size}/Root 1 0 R>>\nstartxref\n{len(body)}\n"
    return body + f"{end}%%EOF\n".encode()


@pytest.fixture
def pages_of(tmp_path):
    def read(elements, loose=""):
        (tmp_path / "tagged.pdf").write_bytes(tagged_pdf(elements, loose))
        return tagged_pages(tmp_path / "tagged.pdf", 12)

    return read


def test_headings_and_paragraphs_stand_in_the_order_of_the_tree_and_not_as_they_are_drawn(pages_of):
    (page,) = pages_of([("H1", "A title", 0), ("P", PROSE, 1), ("H2", "B &lt; c", 2)], loose="12")
    assert page.markdown.split("\n\n") == [
        "# A title",
        PROSE.strip(),
        "## B &amp;lt; c",
        "<!-- furniture: 12 -->",
    ]
    assert page.scores == {"text", "order", "heads", "table", "furn", "no_table"}


def test_each_text_tells_its_type_and_whether_it_stands_alone(pages_of):
    (page,) = pages_of([("H1", "A title", 0), ("P", PROSE, 1), ("LI", "an item", 2)])
    assert [(text.role, text.font, text.size) for text in page.texts] == [
        (role, "Helvetica", 4.0) for role in ("heading", "paragraph", "other")
    ]
    assert page.texts[0].num_words == 2


def test_a_page_whose_tree_lacks_a_part_of_what_is_printed_is_no_truth(pages_of):
    """Guards against trees that hold a title alone: all that is read would count as too much."""
    assert pages_of([("H1", "A title", 0), ("P", PROSE, 1)], loose="printed " * (NUM_WORDS // 12)) != []
    assert pages_of([("H1", "A title", 0), ("P", PROSE, 1)], loose="printed " * (NUM_WORDS // 6)) == []


def test_a_tree_that_lists_a_page_from_its_foot_says_nothing_of_order(pages_of):
    """Guards against footers that a slide's tree lists before its title."""
    upward = [("P", PROSE, 3), ("P", PROSE, 2), ("P", PROSE, 1), ("H1", "A title", 0)]
    (page,) = pages_of(upward)
    assert "order" not in page.scores
    (page,) = pages_of(upward[::-1])
    assert "order" in page.scores


def test_a_caption_that_is_tagged_as_a_heading_is_a_paragraph(pages_of):
    (page,) = pages_of([("H1", "A title", 0), ("H3", "Table 2: Costs", 1), ("P", PROSE, 2), ("H2", ".", 3)])
    assert page.markdown.split("\n\n") == ["# A title", "Table 2: Costs", PROSE.strip(), "."]


def test_a_tree_that_makes_all_lines_headings_says_nothing_of_headings(pages_of):
    (page,) = pages_of([("H1", PROSE, 0), ("H2", PROSE, 1), ("P", PROSE, 2)])
    assert "heads" not in page.scores


def test_items_of_lists_have_neither_their_labels_nor_what_is_nested_in_them(tmp_path):
    """Word writes the label into the item's body."""
    tree = Xml.fromstring(
        "<struct std='L'><struct std='LI'><struct std='LBody'><line text='2. First of all (all) things'/>"
        "<struct std='L'><struct std='LI'><struct std='Lbl'><line text='o'/></struct>"
        "<struct std='LBody'><line text='of which one'/></struct></struct></struct></struct></struct></struct>"
    )
    assert list(list_items(tree)) == ["First of all (all) things", "of which one"]


def test_items_of_a_list_in_a_table_are_text_of_their_cell():
    """Guards against results that are judged by items which no Markdown table can have."""
    item = "<struct std='LI'><struct std='LBody'><line text='{}'/></struct></struct>"
    tree = Xml.fromstring(
        f"<struct std='Sect'><struct std='L'>{item.format('outside')}</struct><struct std='Table'><struct std='TR'>"
        f"<struct std='TD'><struct std='L'>{item.format('inside')}</struct></struct></struct></struct></struct>"
    )
    assert list(list_items(tree)) == ["outside"]


def test_text_of_a_figure_is_no_text(pages_of):
    (page,) = pages_of([("P", PROSE, 0), ("Figure", "axis", 1)])
    assert "axis" not in page.markdown


def test_a_file_that_is_not_tagged_or_damaged_has_no_truth(tmp_path):
    for content in (
        b"%PDF-1.7\nnothing",
        b"",
        tagged_pdf([("P", PROSE, 0)]).replace(b"StructTreeRoot", b"StructTreeRooo"),
    ):
        (tmp_path / "other.pdf").write_bytes(content)
        assert tagged_pages(tmp_path / "other.pdf", 12) == []
