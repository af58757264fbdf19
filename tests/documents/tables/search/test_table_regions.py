"""Which regions are tables, once rules are known."""

from __future__ import annotations

from page_making import box, detection_of, detections_after_rules, inspection, printed, printed_table

from documents.inspection import Grid, Ruling
from documents.values import Detection

ROWS = [["Boat", "Left"], ["Alma", "04:10"], ["Dunlin", "05:15"]]
FRAME = box(55, 95, 255, 155)


def gridded(*more):
    cells = tuple(box(55 + 100 * c, 95 + 20 * r, 155 + 100 * c, 115 + 20 * r) for r in range(3) for c in range(2))
    page_inspection = inspection(*printed_table(ROWS), *more)
    return page_inspection.model_copy(update={"grids": (Grid(box=FRAME, cells=cells),)})


def test_a_grid_of_words_is_a_table_whatever_was_detected():
    chances: tuple[list[Detection], ...] = (
        [],
        [detection_of("figure", 50, 90, 260, 160)],
        [detection_of("plain text", 60, 100, 120, 130)],
    )
    for detections in chances:
        tables = [d for d in detections_after_rules(gridded(), detections) if d.kind == "table"]
        assert [t.box for t in tables] == [FRAME]


def test_a_grid_replaces_the_parts_that_were_detected_in_it():
    detections = [
        detection_of("table", 55, 95, 255, 120),
        detection_of("table", 55, 130, 250, 155),
        detection_of("table_caption", 58, 98, 200, 112),
    ]
    assert [d.box for d in detections_after_rules(gridded(), detections)] == [FRAME]


def test_a_caption_beside_its_table_stays():
    caption = printed("Table 1. Boats", 60, 97)
    kept = detections_after_rules(gridded(caption), [detection_of("table_caption", 58, 95, 200, 108)])
    assert {d.kind for d in kept} == {"table", "table_caption"}


def test_a_caption_that_was_detected_with_the_first_row_leaves_it_to_the_table():
    """Guards against headers of ruled tables that became part of the caption, as in a guidance of the FDA."""
    caption = printed("Table 1. Boats", 60, 80)
    kept = detections_after_rules(gridded(caption), [detection_of("title", 55, 78, 255, 113)])
    assert {d.kind: d.box for d in kept} == {"title": box(55, 78, 255, 95), "table": FRAME}


def test_a_note_that_was_detected_with_the_last_row_leaves_it_to_the_table():
    note = printed("Times of the summer", 60, 160)
    kept = detections_after_rules(gridded(note), [detection_of("plain text", 55, 138, 255, 172)])
    assert {d.kind: d.box for d in kept} == {"plain text": box(55, 155, 255, 172), "table": FRAME}


def test_a_table_reaches_to_its_last_rule():
    """Guards against last rows that the detector cut off."""
    page_inspection = inspection(*printed_table(ROWS))
    page_inspection = page_inspection.model_copy(
        update={"rules": tuple(Ruling(box=box(55, y, 255, y + 0.5)) for y in (95, 115, 155))}
    )
    (table,) = detections_after_rules(page_inspection, [detection_of("table", 55, 95, 255, 130)])
    assert table.box.y1 == 155.5


def test_a_rule_of_another_width_is_none_of_the_tables():
    page_inspection = inspection(*printed_table(ROWS))
    rules = (Ruling(box=box(55, 95, 255, 95.5)), Ruling(box=box(20, 150, 500, 150.5)))
    (table,) = detections_after_rules(
        page_inspection.model_copy(update={"rules": rules}), [detection_of("table", 55, 95, 255, 130)]
    )
    assert table.box.y1 == 130


def test_text_that_was_detected_around_a_grid_is_what_stands_above_and_below():
    """Guards against a table of a few words that is lost in the paragraph around it."""
    page_inspection = gridded(printed("Boats of the summer", 60, 70), printed("Times of the harbour", 60, 170))
    kept = detections_after_rules(page_inspection, [detection_of("plain text", 55, 60, 400, 190, score=0.9)])
    assert [d.box for d in kept if d.kind == "table"] == [FRAME]
    assert [d.box for d in kept if d.kind == "plain text"] == [box(55, 60, 400, 95), box(55, 155, 400, 190)]


def test_a_table_in_a_cell_does_not_replace_the_table_around_it():
    """Guards against a table of which nothing is left but the one in its last cell."""
    page_inspection = gridded(*printed_table([["1", "2"], ["3", "4"]], x=260, width=15, y=102, pitch=22))
    wide = box(255, 95, 300, 155)
    inner = Grid(
        box=box(256, 97, 292, 142), cells=tuple(box(x, y, x + 18, y + 22.5) for y in (97, 119.5) for x in (256, 274))
    )
    (outer,) = page_inspection.grids
    outer = Grid(box=box(55, 95, 300, 155), cells=(*outer.cells, wide))
    tables = detections_after_rules(page_inspection.model_copy(update={"grids": (outer, inner)}), [])
    assert outer.box in [d.box for d in tables]


def test_a_grid_from_edge_to_edge_is_the_ground_of_a_slide():
    """Guards against slides with a bar above and below, all of whose text was one table."""
    cells = tuple(box(306 * c, 264 * r, 306 * (c + 1), 264 * (r + 1)) for r in range(3) for c in range(2))
    page_inspection = inspection(*printed_table(ROWS, y=200, width=280, pitch=200))
    page_inspection = page_inspection.model_copy(update={"grids": (Grid(box=box(0, 0, 612, 792), cells=cells),)})
    assert detections_after_rules(page_inspection, []) == []


def test_a_grid_of_which_one_cell_holds_paragraphs_is_the_layout_of_a_page():
    """Guards against a newsletter whose columns Word sets as cells."""
    cells = (box(50, 90, 150, 120), box(50, 120, 150, 700), box(150, 90, 560, 120), box(150, 120, 560, 700))
    beside = [printed(text, 60, 100 + 30 * k) for k, text in enumerate(("Boats", "Ports"))]
    head = printed("News of the harbour", 160, 100)
    for num_lines, expected in ((20, []), (3, [box(50, 90, 560, 700)])):
        text = [
            printed("The wind is from the west and the boats stay here", 160, 130 + 12 * k) for k in range(num_lines)
        ]
        page_inspection = inspection(*beside, head, *text).model_copy(
            update={"grids": (Grid(box=box(50, 90, 560, 700), cells=cells),)}
        )
        assert [d.box for d in detections_after_rules(page_inspection, []) if d.kind == "table"] == expected


def test_text_that_is_shaded_line_by_line_is_text():
    """Guards against Word's white ground of each line, which is a grid of one column; names in a frame are a table."""
    prose = (
        "River from April through November. The plan",
        "seeks to keep the salmon's waters cold for",
        "a long time and sets",
    )
    prose = (*prose, "an average release of water below the dam")
    lefts = (200, 200, 55, 55)  # a picture stands beside the first two
    cells = tuple(box(left, 95 + 15 * k, 400, 110 + 15 * k) for k, left in enumerate(lefts))
    for texts, expected in ((prose, []), (("Boats", "Skiff", "Barge", "Ketch"), [box(55, 95, 400, 155)])):
        lines = [printed(text, lefts[k] + 5, 98 + 15 * k) for k, text in enumerate(texts)]
        page_inspection = inspection(*lines).model_copy(
            update={"grids": (Grid(box=box(55, 95, 400, 155), cells=cells),)}
        )
        assert [d.box for d in detections_after_rules(page_inspection, []) if d.kind == "table"] == expected
