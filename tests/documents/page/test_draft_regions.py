"""Detections and text layer made one: nothing that is seen is lost, nothing unseen comes in."""

from __future__ import annotations

import numpy as np
from block_making import blocks_of
from hypothesis import given, settings
from hypothesis import strategies as st
from page_making import box, detection_of, inspection, line

from documents.draft.page_draft import BLOCK_ORIGIN, DETECTOR_ORIGIN, INK_ORIGIN, LINES_ORIGIN
from documents.page.build_page import draft_regions

PROSE = "The harbour master signs the ledger every morning before the fog lifts."

WORDS = st.text(alphabet="abcdefghij .", min_size=1, max_size=30).filter(str.strip)
LINES = st.lists(
    st.builds(line, WORDS, st.integers(0, 560), st.integers(0, 780), st.sampled_from([8.0, 10.0, 20.0])), max_size=25
)
KINDS = ("title", "plain text", "abandon", "figure", "table", "figure_caption", "isolate_formula")
CORNERS = st.tuples(st.integers(0, 500), st.integers(0, 700), st.integers(1, 400), st.integers(1, 400))
DETECTIONS = st.lists(
    st.builds(
        lambda kind, c, score: detection_of(kind, c[0], c[1], c[0] + c[2], c[1] + c[3], score=score),
        st.sampled_from(KINDS),
        CORNERS,
        st.floats(0.15, 1.0),
    ),
    max_size=12,
)


@settings(max_examples=200, deadline=None)
@given(LINES, DETECTIONS, st.randoms())
def test_every_line_is_in_exactly_one_region(lines, detections, chance):
    """Guards against text that vanishes because the detector missed it, or that comes out twice."""
    page_inspection = inspection(*lines)
    blocks = chance.sample(blocks := blocks_of(page_inspection), chance.randint(0, len(blocks)))
    drafts = draft_regions(page_inspection, detections, text_source="text_layer", blocks=blocks)
    held = sorted((one for draft in drafts for one in draft.lines), key=repr)
    assert held == sorted(lines, key=repr)
    assert [draft.index for draft in drafts] == list(range(len(drafts)))


@settings(max_examples=50, deadline=None)
@given(LINES, DETECTIONS, st.randoms())
def test_the_drawing_order_of_lines_changes_nothing_that_is_read(lines, detections, chance):
    """Guards against results that depend on the order in which a file draws."""
    mixed = list(lines)
    chance.shuffle(mixed)
    one, two = (
        {(d.kind, frozenset(map(repr, d.lines))) for d in draft_regions(inspection(*ordered_lines), detections)}
        for ordered_lines in (lines, mixed)
    )
    assert {lines for _, lines in one} == {lines for _, lines in two}


def test_hidden_lines_are_in_no_region():
    """Guards against instructions that nobody sees on the page and every reader of the text gets."""
    drafts = draft_regions(inspection(line(PROSE), line("Secret", y=300, hidden="no_ink")), [])
    assert [one.text for draft in drafts for one in draft.lines] == [PROSE]


def test_a_page_without_any_region_is_one_region_if_it_holds_ink():
    """Guards against a scan that comes out empty when layout finds nothing."""
    (draft,) = draft_regions(inspection(ink=[box(60, 60, 300, 300)]), [])
    assert (draft.text_source, draft.reason, draft.box) == ("ocr", "no text layer", box(0, 0, 612, 792))
    assert draft_regions(inspection(), []) == ()


def test_ink_that_the_detector_missed_on_a_scan_is_read_too():
    """Guards against lines of a scan that are lost with the detector's misses."""
    drafts = draft_regions(
        inspection(ink=[box(60, 60, 300, 100), box(60, 500, 300, 512)]), [detection_of("plain text", 58, 58, 302, 104)]
    )
    assert [draft.text_source for draft in drafts] == ["ocr", "ocr"]
    assert drafts[1].box.y0 == 500


def test_an_empty_detection_on_a_sound_page_is_dropped():
    """Guards against needless OCR of drawings in born-digital pages."""
    drafts = draft_regions(
        inspection(line(PROSE), ink=[box(60, 500, 300, 512)]),
        [detection_of("plain text", 55, 95, 500, 115), detection_of("title", 58, 498, 302, 514)],
    )
    assert [draft.reason for draft in drafts] == ["sound"]


def test_labels_stay_in_their_figure_and_prose_comes_out_of_it():
    """Guards against a shaded box of text that is taken for a figure and lost."""
    labels = [line("Axis", y=110), line("Legend", y=130)]
    prose = [line(PROSE, y=300 + 12 * k, width=300) for k in range(4)]
    page_inspection = inspection(*labels, *prose)
    detections = [detection_of("figure", 50, 100, 400, 200), detection_of("figure", 50, 290, 400, 360)]
    blocks = blocks_of(page_inspection, {"Axis": "figure_text", "Legend": "figure_text"})
    drafts = draft_regions(page_inspection, detections, blocks=blocks)
    kinds = {draft.kind: {one.text for one in draft.lines} for draft in drafts if draft.lines}
    assert kinds == {"figure": {"Axis", "Legend"}, "plain text": {PROSE}}


def rows_of_words(x, y, count, *, pitch=16, width=300):
    """Ink as words in rows, a blank cell between rows and between words."""
    words = range(0, width, 36)
    return [box(x + dx, y + k * pitch, x + dx + 28, y + k * pitch + 8) for k in range(count) for dx in words]


def test_a_scan_that_was_taken_for_a_figure_is_read():
    """Guards against a page of text without a layer that comes out empty because layout sees a picture in it."""
    ink = rows_of_words(60, 100, 12)
    drafts = draft_regions(inspection(ink=ink), [detection_of("figure", 40, 80, 400, 320)])
    assert [(draft.kind, draft.text_source) for draft in drafts] == [("plain text", "ocr")]
    (one_line,) = draft_regions(inspection(ink=rows_of_words(60, 100, 1)), [detection_of("figure", 50, 90, 400, 120)])
    assert (one_line.kind, one_line.text_source) == ("plain text", "ocr")


def test_a_figure_that_cuts_a_line_of_a_scan_does_not_cut_its_crop():
    """Guards against halves of letters, where a doubtful box ends within a line."""
    ink = rows_of_words(60, 100, 4, pitch=20)
    title = detection_of("title", 50, 155, 400, 172)
    drafts = draft_regions(inspection(ink=ink), [detection_of("figure", 90, 80, 380, 125), title])
    text = [draft for draft in drafts if draft.kind == "plain text"]
    assert [(draft.text_source, draft.box.x0 <= 60) for draft in text] == [("ocr", True)]
    assert text[0].box.y0 <= 100


def test_pictures_of_a_scan_stay_pictures():
    """Guards against photographs and drawings whose edges come out as words."""
    chance = np.random.default_rng(0)
    photo = [box(x, y, x + 2, y + 2) for x in range(60, 300, 4) for y in range(100, 300, 4) if chance.random() < 0.7]
    plot = [box(60, 100, 62, 298), box(60, 298, 300, 299), *(box(60 + k, 290 - k, 62 + k, 292 - k) for k in range(180))]
    turned = [box(one.y0, one.x0, one.y1, one.x1) for one in rows_of_words(60, 100, 12)]
    for ink in (photo, plot, turned):
        (draft,) = draft_regions(inspection(ink=ink), [detection_of("figure", 50, 50, 400, 400)])
        assert (draft.kind, draft.text_source) == ("figure", "text_layer")


def test_a_figure_of_rows_beside_a_sound_layer_stays_a_figure():
    """Guards against OCR of the tables and panels that born-digital pages draw as pictures."""
    ink = rows_of_words(60, 300, 12)
    drafts = draft_regions(inspection(line(PROSE), ink=ink), [detection_of("figure", 40, 280, 400, 520)])
    assert {draft.kind: draft.text_source for draft in drafts} == {"figure": "text_layer", "plain text": "text_layer"}


def test_regions_say_where_they_come_from():
    """Guards against a reader of the JSON who cannot tell what the network found from what was gathered."""
    page_inspection = inspection(line(PROSE, y=100), line(PROSE, y=400), ink=[box(60, 600, 300, 640)])
    figure = detection_of("figure", 60, 600, 300, 640)
    drafts = draft_regions(page_inspection, [figure], blocks=blocks_of(page_inspection)[:1])
    assert sorted(draft.origin for draft in drafts) == sorted([DETECTOR_ORIGIN, BLOCK_ORIGIN, LINES_ORIGIN])
    (scan,) = draft_regions(inspection(ink=[box(60, 600, 300, 640)]), [])
    assert scan.origin == INK_ORIGIN


def test_crops_for_ocr_are_widened_and_stay_on_the_page():
    """Guards against first and last letters that a tight box cuts off."""
    (draft,) = draft_regions(
        inspection(ink=[box(0, 100, 300, 112)]),
        [detection_of("plain text", 0, 98, 302, 114)],
        crop_margin=(0.01, 0.005),
    )
    assert draft.crop_box.x0 == 0
    assert draft.crop_box.x1 > 302 + 7
    assert draft.crop_box.y0 < 98 - 3


def test_sideways_text_is_not_mixed_into_the_lines_beside_it():
    """Guards against a stamp in the margin that is read into the sentences."""
    stamp = line("printed on Monday", x=20, y=100, angle=270)
    drafts = draft_regions(inspection(line(PROSE), stamp), [detection_of("plain text", 10, 90, 500, 200)])
    assert {draft.angle for draft in drafts} == {0, 270}
