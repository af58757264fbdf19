"""Digits of a page that nothing but one look of a model says."""

from documents.draft.whole_page_reading import PageBlock, PageReading
from documents.exports.html import to_html
from documents.exports.markdown import markdown
from documents.exports.plain_text import plain_text
from documents.page.build_page import compose_page, draft_regions
from documents.page.unproved_digits import Evidence, PrintedDigits, evidence_of, with_unproved_digits
from documents.region_values import Span, region_of, table_in
from documents.values import Document, Reading, ReadLine
from tests.documents.page_making import box, detection_of, inspection, line
from tests.documents.work import steps_of

CROP = (480, 120)
SIZE = {0: CROP}


def read(text, top=0.0, height=24.0, width=480.0):
    return ReadLine(text=text, box=box(0, top, width, top + height), confidence=0.9)


def page_of(kind, lines, looks, page=None):
    """A region of a scan with these lines and looks at them."""
    page = page or inspection(ink=[box(60, 100, 300, 160)])
    drafts = draft_regions(page, [detection_of(kind, 60, 100, 300, 160)], text_source="ocr")
    reading = Reading(text="", reader="r").with_lines(lines, ()).model_copy(update={"looks": tuple(map(tuple, looks))})
    return compose_page(page, drafts, {0: reading}, SIZE)


def unproved(page):
    return [
        part.text[one.start : one.end] for region in page.regions for part in parts(region) for one in part.unproved
    ]


def parts(region):
    table = table_in(region)
    return [region] if table is None else table.cells


def test_a_digit_that_no_further_look_reads_is_marked_in_every_text():
    """The picture shows 1,240: the 7 is in none."""
    page = page_of("plain text", [read("Paid 1,270 on 3 May")], [[read("Paid 1,240 on 3 May")]])
    assert unproved(page) == ["1,270"]
    assert [warning.code for warning in page.warnings] == ["unproved_digits"]
    document = Document(id="d", revision=1, pages=(page,))
    assert markdown(document) == "Paid 1,270\\[?\\] on 3 May\n"
    assert plain_text(document) == "Paid 1,270[?] on 3 May\n"
    assert "Paid 1,270[?] on 3 May" in to_html(document, {})


def test_a_digit_that_a_further_look_reads_is_not_marked():
    page = page_of(
        "plain text", [read("Paid 1,240 on 3 May")], [[read("Paid 1.24O on")], [read("Paid 1,240 on 3 May")]]
    )
    assert unproved(page) == []
    assert not page.warnings


def test_a_number_of_another_line_proves_only_what_it_says():
    """Guards against 17 that is proved by the 17 of the next line."""
    lines = [read("12 boats", 0), read("17 ships", 60)]
    looks = [[read("12 boats", 0), read("17 ships", 60)]]
    assert unproved(page_of("plain text", lines, looks)) == []
    wrong = [read("17 boats", 0), read("17 ships", 60)]
    assert unproved(page_of("plain text", wrong, looks)) == ["17"]


def test_a_single_digit_is_proved_in_its_own_place_alone():
    """A 7 stands somewhere in most regions; 17 seldom does by chance."""
    look = [read("boats", 0), read("7", 60), read("17", 90)]
    assert unproved(page_of("plain text", [read("7 boats", 0)], [look])) == ["7"]
    assert unproved(page_of("plain text", [read("17 boats", 0)], [look])) == []


def test_digits_of_a_table_that_a_model_wrote_are_marked_in_their_cells():
    """Markup tells no places; a cell that it fills where nothing is printed has a mark."""
    markup = '<table><tr><td colspan="2">Left</td></tr><tr><td>04</td><td>15</td></tr></table>'
    page = page_of("table", [read(markup, height=120)], [[read("Left", 0), read("04", 60)]])
    assert unproved(page) == ["15"]
    assert "<td>15[?]</td>" in markdown(Document(id="d", revision=1, pages=(page,)))


def test_the_files_own_lines_prove_what_a_model_read_of_their_region():
    """A page whose `text_source` is OCR."""
    page = inspection(line("Paid 1,240", x=65, y=110))
    assert unproved(page_of("plain text", [read("Paid 1,240", height=120)], [], page)) == []
    assert unproved(page_of("plain text", [read("Paid 1,210", height=120)], [], page)) == ["1,210"]


def test_digits_of_a_whole_page_reading_are_compared_with_looks_at_the_page():
    page = inspection(ink=[box(60, 100, 300, 160)])
    drafts = draft_regions(page, [detection_of("plain text", 60, 100, 300, 160)])
    look = (ReadLine(text="Invoice 2219", box=box(0.1, 0.13, 0.4, 0.15), confidence=0.9),)
    for text, marked in (("Invoice 2219", []), ("Invoice 2279", ["2279"])):
        blocks = (PageBlock(kind="plain text", text=text),)
        answer = PageReading(blocks=blocks, confidence=0.9, looks=(look,))
        assert unproved(compose_page(page, drafts, {}, {}, page_reading=answer)) == marked


def test_a_formula_with_unproved_digits_has_its_mark_at_its_end():
    page = page_of("isolate_formula", [read(r"\[x = 12\]", height=120)], [[read("x = 17")]])
    assert unproved(page) == ["12"]
    assert markdown(Document(id="d", revision=1, pages=(page,))) == "$$x = 12 [?]$$\n"


def test_a_page_of_which_nothing_was_read_costs_nothing():
    """Pages with a sound text layer are the most."""
    assert evidence_of(box(0, 0, 1, 1), [line("Paid 12")], [], {}, {}, None, {}) is None


def test_the_work_grows_with_what_a_page_says_and_not_with_its_square():
    """Rows of equal digits are what a caller would send."""

    def steps(num_lines):
        lines = [read("1 2 3 4 5", 0.1 * k, 0.1) for k in range(num_lines)]
        spans = tuple(
            Span(text=one.text, box=one.box, source="ocr", text_start=10 * k, text_end=10 * k + 9)
            for k, one in enumerate(lines)
        )
        text = "\n".join(one.text for one in lines)
        region = region_of("plain text", box=box(0, 0, 480, 480), score=1.0, text=text, text_source="ocr", spans=spans)
        looks = tuple(PrintedDigits(digit, one.box) for one in lines for digit in "12345")
        return steps_of(lambda: with_unproved_digits([region], Evidence(looks=(looks,))))

    assert steps(800) < 3 * steps(400)


def test_where_nobody_looked_again_nothing_is_marked():
    """`ocr.prove_digits` may be off, and stored readings were never looked at again."""
    page = inspection(ink=[box(60, 100, 300, 160)])
    drafts = draft_regions(page, [detection_of("plain text", 60, 100, 300, 160)], text_source="ocr")
    reading = Reading(text="", reader="r").with_lines([read("Paid 1,270 on 3 May")], ())
    composed = compose_page(page, drafts, {0: reading}, SIZE)
    assert unproved(composed) == []
    assert composed.warnings == ()
