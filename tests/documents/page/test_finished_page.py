"""A page in reading order, with OCR's lines in points and warnings for what is doubtful."""

from __future__ import annotations

from pathlib import Path

from block_making import blocks_of
from page_making import box, detection_of, inspection, line

from documents.inspection import Glyph
from documents.page.build_page import compose_page, draft_regions
from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.values import PageWarning, Reading, ReadLine, Source

PROSE = "The harbour master signs the ledger every morning before the fog lifts."


def test_what_ocr_read_lies_where_it_is_printed():
    """Guards against citations that point beside the line: crops have margins and a scale of their own."""
    page_inspection = inspection(ink=[box(100, 100, 300, 112)])
    drafts = draft_regions(
        page_inspection, [detection_of("plain text", 100, 98, 300, 114)], crop_margin=(10 / 792, 2 / 792)
    )
    assert drafts[0].crop_box == box(90, 96, 310, 116)
    reading = Reading(
        text="Harbour",
        lines=(ReadLine(text="Harbour", box=box(30, 12, 600, 48), confidence=0.9),),
        confidence=0.9,
        reader="r",
    )
    page = compose_page(page_inspection, drafts, {0: reading}, {0: (660, 60)})
    (region,) = page.regions
    assert region.text == "Harbour"
    assert region.spans[0].box == box(100, 100, 290, 112)
    assert (region.text_source, region.reader, region.confidence) == ("ocr", "r", 0.9)


def test_regions_are_numbered_in_reading_order_with_running_heads_first():
    """Guards against an order of regions that is that of the detector."""
    lines = [
        line("17", x=300, y=760),
        line("Head of the Page", x=60, y=40),
        line(PROSE, x=316, y=200, width=230),
        line(PROSE, x=60, y=200, width=230),
    ]
    lines[2] = lines[2].model_copy(update={"text": f"Then {PROSE}"})
    page_inspection = inspection(*lines)
    blocks = blocks_of(page_inspection, {"17": "page_number", "Head of the Page": "page_header"}, order=[PROSE])
    page = compose_page(page_inspection, draft_regions(page_inspection, [], blocks=blocks), {}, {})
    assert [region.kind for region in page.regions] == ["abandon", "plain text", "plain text", "abandon"]
    assert page.regions[1].box.x0 < page.regions[2].box.x0
    assert [region.order for region in page.regions] == [0, 1, 2, 3]


def codes(page):
    return [warning.code for warning in page.warnings]


def test_warnings_stand_in_the_order_of_regions_whichever_was_read_first():
    """Guards against a page whose bytes depend on what else was being read: readings come as they are done."""
    page_inspection = inspection(ink=[box(100, 100 * k, 300, 100 * k + 12) for k in (1, 2)])
    drafts = draft_regions(
        page_inspection, [detection_of("plain text", 100, 100 * k - 2, 300, 100 * k + 14) for k in (1, 2)]
    )
    readings = {
        draft.index: Reading(text="x", warnings=(PageWarning(code=f"code_{draft.index}", message="m"),))
        for draft in drafts
    }
    backwards = dict(reversed(readings.items()))
    assert len(readings) == 2
    first, second = (compose_page(page_inspection, drafts, order, {}) for order in (readings, backwards))
    assert first.model_dump_json() == second.model_dump_json()


def test_hidden_text_is_told():
    """Guards against unseen text that is left out, or let in, without a word."""
    page_inspection = inspection(
        line(PROSE), line("Secret", y=300, hidden="no_ink"), line("Far", x=5000, hidden="off_page")
    )
    page = compose_page(page_inspection, draft_regions(page_inspection, []), {}, {})
    assert codes(page) == ["hidden_text", "hidden_text"]
    assert "Secret" not in page.model_dump_json()
    assert page.warnings[0].box == box(60, 300, 90, 310)


def test_letters_that_the_file_does_not_tell_are_never_silent():
    """A word with a replacement character was delivered without a warning."""
    lines = [line("The sta\ufffd of the harbour o\ufffdce", bad_share=0.06), line("signs the book.", y=114)]
    two_lines = inspection(*lines)
    page = compose_page(two_lines, draft_regions(two_lines, []), {}, {})
    (warning,) = page.warnings
    assert (warning.code, warning.page) == ("lost_characters", 1)
    assert "2 characters" in warning.message


def test_a_rejected_layer_and_an_unsure_reading_are_told():
    """Guards against doubtful text that looks as good as sound text."""
    page_inspection = inspection(line("\ue054\ue068" * 20, bad_share=1.0))
    drafts = draft_regions(page_inspection, [])
    page = compose_page(page_inspection, drafts, {0: Reading(text="Harbor?", confidence=0.4)}, {0: (100, 20)})
    assert codes(page) == ["text_layer_rejected", "low_confidence"]
    assert page.regions[0].text == "Harbor?"
    content = compose_page(
        page_inspection, drafts, {0: Reading(text="Harbor?", confidence=0.4)}, {0: (100, 20)}, low_confidence=0.3
    )
    assert codes(content) == ["text_layer_rejected"]


def test_warnings_of_others_are_kept_and_carry_the_page():
    """Guards against warnings of the reader that vanish or name no page."""
    page_inspection = inspection(ink=[box(60, 100, 300, 112)], number=3)
    cut = PageWarning(code="repetition_cut", message="cut")
    drafts = draft_regions(page_inspection, [])
    page = compose_page(
        page_inspection, drafts, {0: Reading(text="x", warnings=(cut,))}, {}, [PageWarning(code="late", message="m")]
    )
    assert [(warning.code, warning.page) for warning in page.warnings] == [("late", None), ("repetition_cut", 3)]


def test_a_region_that_was_not_read_is_still_on_the_page():
    """Guards against a failed region that leaves no trace."""
    page_inspection = inspection(ink=[box(60, 100, 300, 112)])
    page = compose_page(page_inspection, draft_regions(page_inspection, []), {}, {})
    assert [(region.text, region.text_source) for region in page.regions] == [("", "ocr")]


def test_a_program_is_told_by_its_type_unless_all_of_the_page_is_typed():
    """Guards against programs as paragraphs, and typewritten letters as programs."""
    code = [line("def first(boat):", y=300, monospaced=True), line("return 1", x=80, y=312, monospaced=True)]
    prose = [line(PROSE, y=100 + 12 * k) for k in range(4)]
    regions = compose_page(inspection(*prose, *code), draft_regions(inspection(*prose, *code), []), {}, {}).regions
    assert [(one.code, one.text) for one in regions][1:] == [(True, "def first(boat):\n    return 1")]
    typed = inspection(*(one.model_copy(update={"monospaced": True}) for one in prose), *code)
    assert not any(one.code for one in compose_page(typed, draft_regions(typed, []), {}, {}).regions)


def test_a_line_of_a_program_that_looks_like_a_formula_stays_one():
    prose = [line(PROSE, y=100 + 12 * k) for k in range(4)]
    glyphs = tuple(
        Glyph(text=text, box=box(60 + 9 * k, 302, 66 + 9 * k, 310), baseline=310, font_size=10, font="CMMI10")
        for k, text in enumerate("x=y")
    )
    code = line("x = y", y=300, monospaced=True, glyphs=glyphs)
    for page_inspection, kind in (
        (inspection(*prose, code), "plain text"),
        (inspection(*prose, code.model_copy(update={"monospaced": False})), "isolate_formula"),
    ):
        assert compose_page(page_inspection, draft_regions(page_inspection, []), {}, {}).regions[-1].kind == kind


def read_as(kind, text):
    page_inspection = inspection(ink=[box(60, 100, 300, 160)])
    drafts = draft_regions(page_inspection, [detection_of(kind, 60, 100, 300, 160)])
    lines = (ReadLine(text=text, box=box(0, 0, 480, 120), confidence=0.9),)
    return compose_page(page_inspection, drafts, {0: Reading(text=text, lines=lines, reader="r")}, {0: (480, 120)})


def test_a_table_that_ocr_wrote_is_a_table_with_cells():
    """Guards against LaTeX in the text of a document."""
    page = read_as("table", r"\begin{tabular}{ll} Boat & Left \\ Alma & 04:10 \\ \end{tabular}")
    (region,) = page.regions
    assert region.table is not None
    assert region.text == "Boat\tLeft\nAlma\t04:10"
    assert {cell.box for cell in region.table.cells} == {region.box}
    assert codes(page) == []


def test_a_table_that_does_not_parse_is_text_and_told():
    """Guards against half a table that passes for a whole one."""
    page = read_as("table", r"\begin{tabular}{ll} Boat & Left \\ Alma")
    assert page.regions[0].table is None
    assert page.regions[0].text.startswith("\\begin{tabular}")
    assert codes(page) == ["table_not_parsed"]
    assert page.warnings[0].box == page.regions[0].box


def test_a_formula_that_ocr_wrote_is_one():
    """Guards against formulas that Markdown shows as brackets."""
    (region,) = read_as("isolate_formula", r"\[ a^{2} = b \]").regions
    assert (region.kind, region.latex) == ("isolate_formula", "a^{2} = b")


def test_the_lines_of_a_region_are_told_from_the_top_whatever_gathered_them() -> None:
    """Guards against chunks, which are made of spans, whose last line comes first."""
    path = Path(__file__).parents[2] / "data" / "columns.pdf"
    file = PdfFile(Source(path=str(path), media_type="application/pdf"), RenderLimits())
    inspection = file.inspect(1)
    file.close()
    page = compose_page(inspection, draft_regions(inspection, []), {}, {})
    tops = [[span.box.y0 for span in region.spans] for region in page.regions]
    assert max(map(len, tops)) > 2
    assert tops == [sorted(top) for top in tops]
