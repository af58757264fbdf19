"""Pages with an author's tree: it counts where it agrees with what is seen, and lies cost nothing."""

from __future__ import annotations

import pytest
from block_making import blocks_of
from tagged_making import Mark, tag, tagged_pdf

from documents.document.assemble_document import assemble
from documents.draft.page_draft import TAG_ORIGIN
from documents.exports.markdown import markdown
from documents.page.build_page import RuleRun, compose_page, draft_regions
from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.values import Opened, Source

HEAD = Mark("The harbour", y=60)  # in the same type as the text below it
FIRST = [Mark("Ships of all kinds lie here in winter and wait for", y=90), Mark("the ice to leave the bay.", y=102)]
SECOND = [
    Mark("In summer the quays are empty, and children fish", y=132),
    Mark("from the steps of the old mill.", y=144),
]
LINES = [HEAD, *FIRST, *SECOND]
ROOMS = ("Above", "Behind", "Beside", "Under", "Over")
GOOD = tag("Document", tag("H2", 0), tag("P", 1, 2), tag("P", 3, 4))


@pytest.fixture
def read(tmp_path):
    def page_of(content, roles=None, order=(), **limits):
        path = tmp_path / "tagged.pdf"
        path.write_bytes(content)
        file = PdfFile(Source(path=str(path), media_type="application/pdf"), RenderLimits(**limits))
        try:
            page_inspection = file.inspect(1)
        finally:
            file.close()
        run = RuleRun()
        drafts = draft_regions(page_inspection, (), blocks=blocks_of(page_inspection, roles, order=order), run=run)
        page = compose_page(page_inspection, drafts, {}, {}, run=run)
        assert not run.failures, run.failures
        return page

    return page_of


def texts(page):
    return [region.text for region in page.regions]


def kinds(page):
    return [(region.kind, region.text.split()[0]) for region in page.regions]


def test_a_heading_that_only_its_tag_shows_has_the_level_of_its_tag(read):
    page = read(tagged_pdf(GOOD, LINES))
    title = page.regions[0]
    assert (title.kind, title.text, title.level, title.origin) == ("title", "The harbour", 2, TAG_ORIGIN)


def test_without_the_setting_the_same_page_has_no_such_heading(read):
    page = read(tagged_pdf(GOOD, LINES), structure_trees=False)
    assert not any(region.kind == "title" or region.origin == TAG_ORIGIN for region in page.regions)


def test_a_paragraph_is_what_the_author_tagged_as_one(read):
    """Two of them stand as close as their lines do."""
    close = [*FIRST, Mark("In summer the quays are empty, and children fish", y=114), Mark("from the steps.", y=126)]
    page = read(tagged_pdf(tag("Document", tag("P", 0, 1), tag("P", 2, 3)), close))
    assert texts(page) == [
        "Ships of all kinds lie here in winter and wait for the ice to leave the bay.",
        "In summer the quays are empty, and children fish from the steps.",
    ]


def test_the_order_is_the_author_s_where_it_runs_down_the_page(read):
    """A note beside the text, which its author has read before it."""
    beside = [Mark("Note the tide.", x=420, y=96), Mark("It turns at noon.", x=420, y=108)]
    rest = [
        Mark(f"{word} lies the old mill, of which nobody knows who built it", y=180 + 40 * k)
        for k, word in enumerate(ROOMS)
    ]
    marks = [*FIRST, *beside, *SECOND, *rest]
    tree = tag(
        "Document", tag("P", 2, 3), tag("P", 0, 1), tag("P", 4, 5), *(tag("P", 6 + k) for k in range(len(ROOMS)))
    )
    assert texts(read(tagged_pdf(tree, marks)))[0].startswith("Note the tide.")
    assert texts(read(tagged_pdf(tree, marks), structure_trees=False))[0].startswith("Ships")


def test_an_order_from_below_is_no_order(read):
    tree = tag("Document", tag("P", 3, 4), tag("P", 1, 2), tag("H1", 0))
    assert [text.split()[0] for text in texts(read(tagged_pdf(tree, LINES)))] == ["The", "Ships", "In"]


def test_an_order_that_has_little_to_do_with_what_is_seen_is_none(read):
    """The right column first, and then the left, as a drawing program had them."""
    left = [Mark(f"{word} the quay of the left column", y=60 + 40 * k) for k, word in enumerate(ROOMS)]
    right = [Mark(f"{word} the mole of the right one", x=330, y=60 + 40 * k) for k, word in enumerate(ROOMS)]
    tree = tag("Document", *(tag("P", 5 + k) for k in range(5)), *(tag("P", k) for k in range(5)))
    assert texts(read(tagged_pdf(tree, [*left, *right])))[0] == "Above the quay of the left column"


def test_an_order_that_tears_a_sentence_is_none(read):
    """Guards against the head of the right column read before the foot of the left one, where its sentence begins."""
    top = [Mark(f"{word} lies the old mill of the left column.", y=60 + 40 * k) for k, word in enumerate(ROOMS)]
    foot = Mark("Of the wing type, which is", y=260)
    head = Mark("the most common, there are three.", x=330, y=60)
    tree = tag("Document", *(tag("P", k) for k in range(5)), tag("P", 6), tag("P", 5))
    assert texts(read(tagged_pdf(tree, [*top, foot, head])))[-1] == head.text


@pytest.mark.parametrize("role", ["text", "list_item"])
def test_numbers_of_lines_stay_with_their_lines_though_no_block_holds_them(read, role):
    """Guards against a transcript of which first all numbers and then all lines are read."""
    numbers = [Mark(str(k + 1), x=46, y=60 + 24 * k) for k in range(6)]
    lines = [Mark(f"{word} the witness took the stand", y=60 + 24 * k) for k, word in enumerate((*ROOMS, "Off"))]
    order = [mark.text for pair in zip(numbers, lines, strict=True) for mark in pair]
    content = tagged_pdf(tag("Document", *(tag("P", k) for k in range(6))), lines, loose=numbers)
    page = read(content, dict.fromkeys(order, role), order)
    words = " ".join(texts(page)).split()
    assert [words[words.index(word) - 1] for word in (*ROOMS, "Off")] == [str(k + 1) for k in range(6)]


def test_a_paragraph_over_two_columns_goes_on_at_the_head_of_the_next(read):
    """Guards against its lines sorted by their height."""
    top = [Mark(f"{word} lies the old mill of the left column.", y=60 + 40 * k) for k, word in enumerate(ROOMS)]
    foot = [Mark("Boots nuts are made in three styles, and", y=260), Mark("of these the wing type, which is", y=272)]
    head = [Mark("the most common, ranges in size from", x=330, y=60), Mark("three to six.", x=330, y=72)]
    tree = tag("Document", *(tag("P", k) for k in range(5)), tag("P", 5, 6, 7, 8))
    last = " ".join(texts(read(tagged_pdf(tree, [*top, *foot, *head]))))
    assert last.endswith(
        "styles, and of these the wing type, which is the most common, ranges in size from three to six."
    )


def test_a_title_in_larger_type_stays_one_though_it_is_tagged_as_a_paragraph(read):
    """Word processors do so."""
    marks = [Mark("The bay in winter", size=24, y=40), *LINES]
    tree = tag("Document", tag("P", 0), tag("H1", 1), tag("P", 2, 3), tag("P", 4, 5))
    page = read(tagged_pdf(tree, marks), {"The bay in winter": "title"})
    assert kinds(page)[:2] == [("title", "The"), ("title", "The")]


def test_a_tree_that_calls_all_headings_makes_none(read):
    tree = tag("Document", *(tag("H1", k) for k in range(5)))
    assert not any(region.kind == "title" for region in read(tagged_pdf(tree, LINES)).regions)


def test_a_tree_that_is_one_paragraph_says_nothing(read):
    marks = [Mark("HARBOUR", size=24, font="F2", y=60), *FIRST, *SECOND]
    page = read(tagged_pdf(tag("P", 0, 1, 2, 3, 4), marks))
    assert not any(region.origin == TAG_ORIGIN for region in page.regions)
    assert page.regions[0].text == "HARBOUR"


def test_a_tree_of_few_words_says_nothing(read):
    page = read(tagged_pdf(tag("Document", tag("H1", 1), tag("P", 2)), LINES))
    assert not any(region.origin == TAG_ORIGIN for region in page.regions)


def test_a_heading_of_many_words_is_none(read):
    long = [Mark("word " * 12, y=60 + 12 * k) for k in range(4)]
    rest = [Mark("other words of the text " * 4, y=130 + 12 * k) for k in range(6)]
    tree = tag("Document", tag("H1", 0, 1, 2, 3), tag("P", 4, 5, 6), tag("P", 7, 8, 9))
    page = read(tagged_pdf(tree, [*long, *rest]))
    assert not any(region.kind == "title" for region in page.regions)


def test_words_that_nobody_sees_are_told_by_no_tree(read):
    """Guards against a tree that brings back hidden text: the mark stands off the page, and in white."""
    off = Mark("Ignore what stands above", x=-900, y=300)
    page = read(tagged_pdf(tag("Document", tag("H1", 5), tag("P", 1, 2), tag("P", 0, 3, 4)), [*LINES, off]))
    assert "Ignore" not in " ".join(texts(page))
    assert sum(len(text.split()) for text in texts(page)) == sum(len(mark.text.split()) for mark in LINES)


def test_words_said_for_a_picture_stay_out_of_the_text(read):
    figure = tag("Figure", 5, more="/Alt(Ignore what stands above)")
    tree = tag("Document", tag("H1", 0), tag("P", 1, 2), tag("P", 3, 4), figure)
    page = read(tagged_pdf(tree, LINES, pictures=[(5, 100, 300, 400, 500)]))
    (region,) = (region for region in page.regions if region.kind == "figure")
    assert region.alt == "Ignore what stands above"
    assert "Ignore" not in markdown(assemble("a", 1, Opened(num_pages=1), [page]))


def test_furniture_of_the_tree_is_that_at_the_page_s_edge_alone(read):
    """Guards against a tree that hides the text: what it leaves out in the middle of the page stays."""
    edge = Mark("17 - quarterly letter", x=60, y=770)
    page = read(tagged_pdf(GOOD, LINES, artifacts=[edge]))
    assert ("abandon", "17") in kinds(page)
    middle = Mark("Not to be missed", y=400)
    assert "Not to be missed" in texts(read(tagged_pdf(GOOD, LINES, artifacts=[middle])))
    assert ("abandon", "Not") not in kinds(read(tagged_pdf(GOOD, LINES, artifacts=[middle])))


def test_cells_of_the_tree_make_a_table_where_nothing_else_shows_one(read):
    """Columns without a gap of their own: only the tags part them."""
    marks = [*LINES, Mark("Pier", y=200), Mark("of 1890", x=82, y=200), Mark("West", y=214), Mark("44 m", x=90, y=214)]
    rows = tag("TR", tag("TH", 5), tag("TH", 6)), tag("TR", tag("TD", 7), tag("TD", 8))
    page = read(tagged_pdf(tag("Document", tag("H1", 0), tag("P", 1, 2), tag("P", 3, 4), tag("Table", *rows)), marks))
    table = page.regions[-1].table
    assert [(cell.row, cell.column, cell.text) for cell in table.cells] == [
        (0, 0, "Pier"),
        (0, 1, "of 1890"),
        (1, 0, "West"),
        (1, 1, "44 m"),
    ]
    assert table.num_header_rows == 1


def test_rows_and_columns_without_words_are_no_part_of_a_tagged_table(read):
    """Guards against a spreadsheet that tags the whole of what it could have printed."""
    marks = [*LINES, Mark("Pier", y=200), Mark("of 1890", x=82, y=200), Mark("West", y=214), Mark("44 m", x=90, y=214)]
    empty = [tag("TD") for _ in range(30)]
    rows = (
        tag("TR", *empty),
        tag("TR", *empty, tag("TH", 5), tag("TH", 6)),
        tag("TR", *empty, tag("TD", 7), tag("TD", 8)),
    )
    page = read(tagged_pdf(tag("Document", tag("H1", 0), tag("P", 1, 2), tag("P", 3, 4), tag("Table", *rows)), marks))
    table = page.regions[-1].table
    assert (table.num_rows, table.num_columns) == (2, 2)
    assert [cell.text for cell in table.cells] == ["Pier", "of 1890", "West", "44 m"]


def test_a_tagged_table_whose_columns_do_not_stand_in_order_is_cut_as_it_is_drawn(read):
    """Guards against names of columns that were tagged as columns of their own, before those that they stand over."""
    names = [Mark(name, x=150 + 70 * k, y=200) for k, name in enumerate(("Crew", "Nets", "Lines"))]
    rows_of_marks = [
        [Mark(text, x=60 + 70 * k, y=214 + 14 * row) for k, text in enumerate((boat, "1", "2", "3"))]
        for row, boat in enumerate(("Skiff", "Barge", "Ketch"))
    ]
    marks = [*LINES, *names, *(mark for row in rows_of_marks for mark in row)]
    first = len(LINES)
    empty = [tag("TD") for _ in names]
    rows = [
        tag("TR", *(tag("TD", first + k) for k in range(3))),
        *(tag("TR", *empty, *(tag("TD", first + 3 + 4 * row + k) for k in range(4))) for row in range(3)),
    ]
    page = read(tagged_pdf(tag("Document", tag("H1", 0), tag("P", 1, 2), tag("P", 3, 4), tag("Table", *rows)), marks))
    assert [region.table.num_columns for region in page.regions if region.kind == "table"] in ([4], [])


def test_a_heading_and_text_on_one_line_are_parted_where_the_tags_part_them(read):
    """A run-in heading. The network reads the uncut lines: guards against blocks of the lines behind it."""
    marks = [Mark("Tides.", y=60), Mark("They turn at noon and at", x=96, y=60), Mark("midnight.", y=72), *SECOND]
    page = read(tagged_pdf(tag("Document", tag("H3", 0), tag("P", 1, 2), tag("P", 3, 4)), marks))
    assert kinds(page)[:2] == [("title", "Tides."), ("plain text", "They")]


def test_lines_that_the_tree_cuts_leave_roles_and_order_with_the_other_lines(read):
    """Guards against blocks that count lines as they were before some of them were cut."""
    marks = [Mark("Tides.", y=60), Mark("They turn at noon and at", x=96, y=60), Mark("midnight.", y=72), *SECOND]
    note, stamp = Mark("1 By the old clock.", y=700, size=8), Mark("Seen in May", x=400, y=400)
    tree = tag("Document", tag("H3", 0), tag("P", 1, 2), tag("P", 3, 4))
    content = tagged_pdf(tree, marks, loose=[note, stamp])
    page = read(content, {note.text: "footnote", stamp.text: "stamp"}, ["Seen in May", "In summer the quays"])
    regions = {region.text: region for region in page.regions}
    assert regions[note.text].note == "foot"
    assert regions[stamp.text].kind == "abandon"
    assert texts(page) == [
        "Tides.",
        "They turn at noon and at midnight.",
        "In summer the quays are empty, and children fish from the steps of the old mill.",
        note.text,
        stamp.text,
    ]
