"""The tree of a tagged PDF as it is written; hostile ones end within their limits."""

from __future__ import annotations

import pytest
from tagged_making import Mark, tag, tagged_pdf

from documents.pdf import structure_tree
from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.values import Source

LINES = [Mark("A heading", y=60), Mark("Some words", y=90), Mark("and others", y=120)]


@pytest.fixture
def tree_of(tmp_path):
    def read(content, **limits):
        path = tmp_path / "tagged.pdf"
        path.write_bytes(content)
        file = PdfFile(Source(path=str(path), media_type="application/pdf"), RenderLimits(**limits))
        try:
            return file.inspect(1).tree
        finally:
            file.close()

    return read


def roles(tree):
    return [(node.role, node.parent) for node in tree.nodes]


def test_nodes_stand_behind_their_parents_and_contents_in_the_order_of_the_tree(tree_of):
    """The last line is drawn last and listed first."""
    tree = tree_of(tagged_pdf(tag("Document", tag("P", 2), tag("H1", 0), tag("P", 1)), LINES))
    assert roles(tree) == [("Document", -1), ("P", 0), ("H1", 0), ("P", 0)]
    assert [content.node for content in tree.contents] == [1, 2, 3]
    (line,) = tree.contents[1].lines
    assert 59 < line.x0 < 62
    assert 50 < line.y0 < line.y1 < 64


def test_names_of_the_author_s_own_are_mapped_to_standard_ones(tree_of):
    tree = tree_of(tagged_pdf(tag("Document", tag("Kapitel", 0)), LINES, role_map="/Kapitel/H2"))
    assert roles(tree)[1] == ("H2", 0)


def test_cells_tell_what_they_span_and_an_empty_one_is_a_cell(tree_of):
    """Guards against columns that shift where PDFium shows no element without content."""
    cells = tag("TR", tag("TH", 0, more="/A<</O/Table/ColSpan 2/RowSpan 3>>"), tag("TD"), tag("TD", 1))
    tree = tree_of(tagged_pdf(tag("Table", cells), LINES))
    cells_with_spans = [(node.role, node.num_columns, node.num_rows) for node in tree.nodes if node.parent == 1]
    assert cells_with_spans == [("TH", 2, 3), ("TD", 1, 1), ("TD", 1, 1)]


def test_pictures_have_a_place_and_the_words_said_instead(tree_of):
    figure = tag("Figure", 3, more="/Alt(A map of the harbour)")
    tree = tree_of(tagged_pdf(tag("Document", tag("P", 0), figure), LINES, pictures=[(3, 100, 200, 300, 400)]))
    assert tree.nodes[2].alt == "A map of the harbour"
    (box,) = tree.contents[1].pictures
    assert (round(box.x0), round(box.y0), round(box.x1), round(box.y1)) == (100, 200, 300, 400)


def test_what_is_no_part_of_the_text_is_told(tree_of):
    page = tagged_pdf(tag("P", 0, 1, 2), LINES, artifacts=[Mark("17", x=300, y=770)], loose=[Mark("draft", y=400)])
    (box,) = tree_of(page).artifacts
    assert box.y0 > 750


def test_without_the_setting_no_tree_is_read(tree_of):
    assert tree_of(tagged_pdf(tag("P", 0, 1, 2), LINES), structure_trees=False) is None


def test_a_file_that_is_not_tagged_has_no_tree(tree_of):
    content = tagged_pdf(tag("P", 0, 1, 2), LINES).replace(b"/StructTreeRoot 5 0 R", b"/StructTreeRooX 5 0 R")
    assert tree_of(content) is None


def test_an_element_that_is_its_own_descendant_ends(tree_of):
    """Guards against a walk without an end: object 7 names 6, its parent, as its kid."""
    content = tagged_pdf(tag("Document", tag("Sect", tag("P", 0))), LINES).replace(b"/K[8 0 R]", b"/K[6 0 R]")
    tree = tree_of(content)
    assert tree is None or len(tree.nodes) <= structure_tree.MAX_NODES


def test_a_tree_deeper_than_its_limit_is_cut_off(tree_of):
    tree = tag("P", 0)
    for _ in range(4 * structure_tree.MAX_DEPTH):
        tree = tag("Div", tree)
    read = tree_of(tagged_pdf(tree, LINES))
    assert read is None or len(read.nodes) <= structure_tree.MAX_DEPTH + 1


def test_a_tree_of_very_many_elements_is_cut_off(tree_of, monkeypatch):
    monkeypatch.setattr(structure_tree, "MAX_NODES", 20)
    monkeypatch.setattr(structure_tree, "MAX_KIDS", 30)
    marks = [Mark("x", y=20 + k % 700) for k in range(200)]
    tree = tree_of(tagged_pdf(tag("Document", *(tag("P", k) for k in range(200))), marks))
    assert len(tree.nodes) == 20


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"/K[0]", b"/K[(x)]"),
        (b"/S/P", b"/S 5"),
        (b"/K 6 0 R", b"/K 99 0 R"),
        (b"Nums[0[", b"Nums[7["),
        (b"/MCID 0", b"/MCID x"),
    ],
)
def test_a_broken_tree_is_no_reason_to_lose_the_page(tree_of, old, new):
    content = tagged_pdf(tag("Document", tag("P", 0), tag("P", 1)), LINES)
    assert old in content
    tree_of(content.replace(old, new))


def test_a_walled_child_reads_the_tree(with_pool, tmp_path):
    """Guards against a library that the child's walls keep from loading."""
    path = tmp_path / "walled.pdf"
    path.write_bytes(tagged_pdf(tag("Document", tag("H1", 0), tag("P", 1, 2)), LINES))
    source = Source(path=str(path), media_type="application/pdf")

    async def use(pool):
        await pool.open(source)
        return (await pool.inspect(source, 1)).inspection().tree

    assert roles(with_pool(use)) == [("Document", -1), ("H1", 0), ("P", 0)]
