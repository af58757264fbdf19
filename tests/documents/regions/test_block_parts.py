"""Parts of a page as the structure network reads its lines, but for what tables and figures hold."""

from __future__ import annotations

from dataclasses import replace

import pytest
from block_making import blocks_of
from hypothesis import given, settings
from hypothesis import strategies as st
from page_making import detection_of, inspection, line

from documents.draft.page_draft import BLOCK_ORIGIN, PageDraft
from documents.draft.text_source import Layer
from documents.regions.block_parts import BlockLimits, take_blocks
from documents.regions.region_parts import begin_parts
from documents.segments.blocks import SegmentBlock
from documents.segments.roles import ROLES

PROSE = "The harbour master signs the ledger every morning."


def parts_of(lines, detections, blocks=None, roles=None, score=0.9):
    page_inspection = inspection(*lines)
    page = PageDraft(inspection=page_inspection, layer=Layer(page_inspection), kept=tuple(detections))
    made = blocks_of(page_inspection, roles, score=score) if blocks is None else blocks
    return take_blocks(replace(begin_parts(page), blocks=tuple(made)), BlockLimits()).parts


def texts(part):
    return [one.text for one in part.lines]


def block(role, *segments):
    return SegmentBlock(segments=segments, role=role, score=0.9)


def lines_at(*places, text=PROSE):
    return [line(f"{text} {k}", x=x, y=y, width=200) for k, (x, y) in enumerate(places)]


LINES = st.lists(
    st.builds(line, st.sampled_from("abc"), st.integers(0, 500), st.integers(0, 700)), min_size=1, max_size=20
)
DETECTIONS = st.lists(
    st.builds(
        lambda kind, x, y, w, h: detection_of(kind, x, y, x + w, y + h),
        st.sampled_from(["table", "figure", "plain text", "title"]),
        *(st.integers(1, 400) for _ in range(4)),
    ),
    max_size=6,
)


@settings(deadline=None)
@given(LINES, DETECTIONS, st.data())
def test_each_line_is_in_exactly_one_part(lines, detections, data):
    """Whatever the network reads, and though it leaves lines out."""
    numbers = data.draw(st.permutations(range(len(lines))))
    ends = sorted(data.draw(st.sets(st.integers(1, len(lines)), max_size=5)))
    blocks = [
        SegmentBlock(
            segments=tuple(numbers[first:end]),
            role=data.draw(st.sampled_from(ROLES)),
            score=data.draw(st.sampled_from([0.2, 0.9])),
        )
        for first, end in zip([0, *ends], ends, strict=False)
    ]
    parts = parts_of(lines, detections, blocks)
    assert sorted(id(one) for part in parts for one in part.lines) == sorted(map(id, lines))


def test_a_block_is_a_part_with_the_place_and_kind_of_its_role():
    lines = lines_at((60, 100), (60, 112), (60, 300), (60, 750))
    parts = parts_of(lines, [], [block("page_number", 3), block("heading", 2), block("text", 0, 1)])
    assert [(part.kind, part.role, part.order, len(part.lines)) for part in parts] == [
        ("abandon", "page_number", 0, 1), ("title", "heading", 1, 1), ("plain text", "text", 2, 2),
    ]  # fmt: skip
    assert {part.origin for part in parts} == {BLOCK_ORIGIN}


def test_what_the_network_for_layout_sees_of_text_is_dropped_where_lines_stand_there():
    """Guards against text twice: read by OCR, and as lines."""
    title, empty = detection_of("title", 50, 90, 400, 120), detection_of("plain text", 50, 500, 400, 520)
    parts = parts_of(lines_at((60, 100)), [title, empty])
    assert [(part.kind, len(part.lines)) for part in parts] == [("plain text", 1), ("plain text", 0)]
    assert parts[1].detection == empty


@pytest.mark.parametrize("role", ["text", "heading", "list_item", "caption", "table", "value", "footnote"])
def test_lines_in_a_table_stay_in_it(role):
    """Guards against cells that stand in the text beside their table."""
    lines = lines_at((60, 100), (60, 130), (60, 300))
    parts = parts_of(
        lines, [detection_of("table", 50, 90, 400, 150)], [block("text", 2), block(role, 0), block(role, 1)]
    )
    assert [(part.kind, texts(part), part.order) for part in parts] == [
        ("table", texts_of(lines[:2]), 1), ("plain text", texts_of(lines[2:]), 0),
    ]  # fmt: skip


def texts_of(lines):
    return [one.text for one in lines]


@pytest.mark.parametrize(
    ("kind", "role", "score", "is_kept"),
    [
        ("figure", "text", 0.9, False),
        ("figure", "heading", 0.9, False),
        ("figure", "caption", 0.9, False),
        ("figure", "text", 0.4, True),  # the network is unsure of it
        ("figure", "figure_text", 0.9, True),
        ("figure", "label", 0.9, True),
        ("table", "stamp", 0.9, False),
    ],
)
def test_prose_in_a_figure_and_a_stamp_on_a_table_are_none_of_its_words(kind, role, score, is_kept):
    """Guards against a shaded box of text that is taken for a figure and lost."""
    lines = lines_at((60, 100), (60, 112))
    (area, *others) = parts_of(
        lines, [detection_of(kind, 50, 90, 400, 150)], roles=dict.fromkeys(texts_of(lines), role), score=score
    )
    assert area.kind == kind
    assert texts(area) == (texts_of(lines) if is_kept else [])
    assert [texts(part) for part in others] == ([] if is_kept else [texts_of(lines)])


def test_a_block_that_lies_in_a_table_in_part_is_parted():
    """Guards against a caption that goes into its table with the words that touch it."""
    lines = lines_at((60, 100), (60, 300), (60, 312))
    parts = parts_of(lines, [detection_of("table", 50, 90, 400, 150)], [block("text", 0, 1, 2)])
    assert [texts(part) for part in parts] == [texts_of(lines[:1]), texts_of(lines[1:])]


def test_a_block_over_two_columns_is_parted_where_it_goes_on():
    """Guards against a box around both columns, in which everything lies."""
    lines = lines_at((60, 600), (60, 612), (320, 100), (320, 112))
    parts = parts_of(lines, [], [block("text", 0, 1, 2, 3)])
    assert [texts(part) for part in parts] == [texts_of(lines[:2]), texts_of(lines[2:])]
    assert [part.order for part in parts] == [0, 0]


@pytest.mark.parametrize("angle", [90, 270])
def test_the_lines_of_a_block_on_a_page_turned_aside_are_one_part(angle):
    """Guards against columns told by places on the sheet, where they are to be told as the lines are read."""
    step = -12 if angle == 90 else 12
    lines = [
        line(f"{PROSE} {k}", x=300 + step * k, y=100, width=10, angle=angle).model_copy(update={"angle": angle})
        for k in range(3)
    ]
    lines = [one.model_copy(update={"box": one.box.model_copy(update={"y1": 400.0})}) for one in lines]
    assert len(parts_of(lines, [], [block("text", 0, 1, 2)])) == 1


@pytest.mark.parametrize(("role", "num_parts"), [("list_item", 1), ("contents", 1), ("code", 1), ("text", 3)])
def test_items_in_a_row_are_one_part(role, num_parts):
    lines = lines_at((60, 100), (60, 130), (60, 160))
    assert len(parts_of(lines, [], [block(role, k) for k in range(3)])) == num_parts


def test_items_with_text_between_them_are_two_lists():
    lines = lines_at((60, 100), (60, 130), (60, 160))
    parts = parts_of(lines, [], [block("list_item", 0), block("text", 1), block("list_item", 2)])
    assert [texts(part) for part in parts] == [[one.text] for one in lines]


@pytest.mark.parametrize(
    ("text", "y", "kind"),
    [
        ("Table 1: Boats", 320, "table_caption"),
        ("Figure 1: Boats", 160, "figure_caption"),
        ("Boats of the year", 160, "table_caption"),  # the table is nearer
        ("Boats of the year", 320, "figure_caption"),
    ],
)
def test_a_caption_is_of_what_its_words_name_or_of_what_stands_nearest(text, y, kind):
    areas = [detection_of("table", 50, 90, 400, 150), detection_of("figure", 50, 340, 400, 500)]
    caption = parts_of([line(text, y=y)], areas, [block("caption", 0)])[-1]
    assert (caption.kind, caption.role) == (kind, "caption")


def test_lines_of_no_block_make_paragraphs():
    """Guards against a page without any text where no network has read it."""
    lines = lines_at((60, 100), (60, 112), (60, 300))
    parts = parts_of(lines, [], [])
    assert sorted(len(part.lines) for part in parts) == [1, 2]
    assert all(part.order is None and part.kind == "plain text" for part in parts)


def test_a_label_and_its_value_on_one_level_are_one_text():
    """Guards against the fields of an invoice, each a paragraph, and what they say another one."""
    lines = [
        line("Number:", x=60, y=100, width=50),
        line("549910", x=200, y=100, width=40),
        line("Address:", x=60, y=120, width=50),
        line("20 Quay Street", x=200, y=140, width=80),
    ]
    blocks = [block(role, k) for k, role in enumerate(("label", "value", "label", "value"))]
    assert [texts(part) for part in parts_of(lines, [], blocks=blocks)] == [
        ["Number:", "549910"],
        ["Address:"],
        ["20 Quay Street"],
    ]
