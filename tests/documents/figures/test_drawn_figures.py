"""A drawing is one figure with its words, whatever the layout network saw of it."""

from __future__ import annotations

from block_making import blocks_of
from page_making import box, detection_of, inspection, kept, line, printed

from documents.inspection import Drawing, Grid
from documents.page.build_page import compose_page, draft_regions

CHART = box(200, 300, 400, 450)
SENTENCE = "The wind is from the west and the harbour is full of boats"
PROSE = [line(SENTENCE, 60, 600 + 12 * k) for k in range(6)]
TICKS = [
    *(printed(str(10 * k), 196 - 4 * len(str(10 * k)), 440 - 28 * k, 8) for k in range(6)),
    *(printed(str(2000 + k), 200 + 45 * k, 456, 8) for k in range(5)),
]


def drawn(share=0.6, slanted=3, arrows=0, at=CHART):
    return Drawing(box=at, num_slanted=slanted, slanted_share=share, num_arrows=arrows)


def page_of(lines, drawings, ink=()):
    return inspection(*lines, ink=[*(d.box for d in drawings), *ink]).model_copy(update={"drawings": tuple(drawings)})


def kinds(page_inspection, detections):
    return sorted(d.kind for d in kept(page_inspection, detections))


def test_a_table_seen_in_a_drawing_is_a_figure():
    """Guards against a chart whose lines of the grid were taken for rules."""
    page_inspection = page_of([*PROSE, printed("Crew", 250, 350, 8)], [drawn()])
    assert kinds(page_inspection, [detection_of("table", 205, 305, 395, 445)]) == ["figure"]


def test_a_table_with_small_icons_stays_a_table():
    page_inspection = page_of([*PROSE, printed("Crew", 250, 350, 8)], [drawn(share=0.05)])
    assert kinds(page_inspection, [detection_of("table", 205, 305, 395, 445)]) == ["table"]


def test_boxes_joined_by_arrows_are_a_figure():
    page_inspection = page_of([*PROSE, printed("Crew", 250, 350, 8)], [drawn(share=0.0, slanted=0, arrows=3)])
    assert kinds(page_inspection, [detection_of("table", 205, 305, 395, 445)]) == ["figure"]


def test_an_ornament_that_the_network_did_not_see_is_no_figure():
    """Guards against headings on a drawn ground that no text format would show."""
    page_inspection = page_of([*PROSE, printed("Annual report", 250, 350, 24)], [drawn()])
    assert kinds(page_inspection, [detection_of("title", 250, 345, 380, 380)]) == ["title"]


def test_a_drawing_with_axes_is_a_figure_that_nobody_saw():
    page_inspection = page_of([*PROSE, *TICKS], [drawn(share=0.0, slanted=0)])
    (figure,) = [d for d in kept(page_inspection, []) if d.kind == "figure"]
    assert all(figure.box.contains(*tick.box.center) for tick in TICKS)


def framed(rows):
    """A frame around a plot of bars that the network saw, with rows of eight numbers above it."""
    numbers = [printed(str(10 + k), 205 + 24 * k, 310 + 12 * row, 8) for row in range(rows) for k in range(8)]
    names = [printed(f"Port {k}", 160, 360 + 20 * k, 8) for k in range(3)]
    frame = drawn(share=0.0, slanted=0, at=box(150, 280, 420, 450))
    return kept(page_of([*PROSE, *numbers, *names], [frame]), [detection_of("figure", 200, 345, 400, 445)])


def test_a_frame_with_an_axis_around_a_plot_is_the_figure():
    """Guards against bars without their axis, names and legend; rows of numbers in a frame are a table's."""
    (figure,) = framed(1)
    assert figure.box == box(150, 280, 420, 450)
    assert all(one.box != box(150, 280, 420, 450) for one in framed(3))


def test_a_ruled_table_of_numbers_has_no_axes():
    """Guards against tables whose columns stand at even steps."""
    cells = [printed(str(7 * k + c), 210 + 40 * c, 310 + 20 * k, 8) for k in range(7) for c in range(5)]
    page_inspection = page_of([*PROSE, *cells, *TICKS], [drawn(share=0.0, slanted=0)])
    assert "figure" not in kinds(page_inspection, [detection_of("table", 200, 300, 400, 450)])


def test_numbers_and_names_of_axes_and_a_legend_beside_a_drawing_belong_to_it():
    name = printed("Boats per year", 260, 470, 8)
    sideways = line("Boats in port", 160, 330, size=8, width=8, angle=270)
    sideways = sideways.model_copy(update={"box": box(162, 330, 170, 400)})
    legend = printed("Sail", 410, 330, 8)
    page_inspection = page_of([*PROSE, *TICKS, name, sideways, legend], [drawn()])
    (figure,) = [d for d in kept(page_inspection, [detection_of("figure", 200, 300, 400, 450)]) if d.kind == "figure"]
    assert all(figure.box.contains(*one.box.center) for one in (*TICKS, name, sideways, legend))


def test_a_caption_a_note_and_the_page_number_stay_outside():
    caption = printed("Figure 3: Boats", 250, 458, 8)
    note = printed("Source: harbour office", 230, 470, 8)
    number = printed("73", 300, 280, 10)
    page_inspection = page_of([*PROSE, caption, note, number], [drawn()])
    (figure,) = [d for d in kept(page_inspection, [detection_of("figure", 200, 300, 400, 450)]) if d.kind == "figure"]
    assert not any(figure.box.contains(*one.box.center) for one in (caption, note, number))


def test_text_beside_a_figure_stays_text():
    beside = [line("The wind is from the west today", 405, 310 + 12 * k, width=150) for k in range(8)]
    detected = [detection_of("figure", 200, 300, 400, 450), detection_of("plain text", 403, 308, 560, 410)]
    result = kept(page_of([*PROSE, *beside], [drawn()]), detected)
    assert sorted(d.kind for d in result) == ["figure", "plain text"]
    assert next(d for d in result if d.kind == "figure").box.x1 <= 401


def test_a_drawing_under_text_is_a_ground_for_it():
    """Guards against a mark across the page that takes its text away."""
    lines = [line(SENTENCE, 205, 305 + 12 * k, size=6) for k in range(10)]
    detected = [detection_of("plain text", 200, 300, 400, 430), detection_of("table", 200, 300, 400, 450, score=0.3)]
    assert "figure" not in kinds(page_of(lines, [drawn()]), detected)


def test_a_figure_whose_ink_is_letters_alone_is_text():
    """Guards against formulas and headings that the network takes for pictures."""
    result = kinds(page_of(PROSE, []), [detection_of("figure", 58, 598, 360, 674)])
    assert "figure" not in result


def test_a_heading_in_a_figure_stays_where_the_network_is_surer_of_it():
    title = printed("Our harbour", 250, 330, 20)
    for score, expected in ((0.7, ["figure", "title"]), (0.3, ["figure"])):
        detected = [
            detection_of("figure", 200, 300, 400, 450, score=0.4),
            detection_of("title", 248, 328, 360, 352, score=score),
        ]
        assert kinds(page_of([*PROSE, title], [drawn()]), detected) == expected


def composed(page_inspection, detections, in_figure=()):
    """The regions; the network reads `in_figure` as words of a figure, and all else as text."""
    blocks = blocks_of(page_inspection, {one.text: "figure_text" for one in in_figure})
    return compose_page(page_inspection, draft_regions(page_inspection, detections, blocks=blocks), {}, {}).regions


def test_the_words_that_a_figure_takes_are_delivered_as_its_own():
    sideways = line("Boats in port", angle=270).model_copy(update={"box": box(176, 330, 184, 400)})
    page_inspection = page_of([*PROSE, *TICKS, sideways], [drawn()])
    detections = [detection_of("table", 205, 305, 395, 445), detection_of("plain text", 186, 295, 198, 450)]
    regions = composed(page_inspection, detections, [*TICKS, sideways])
    (figure,) = [region for region in regions if region.kind == "figure"]
    assert all(one.text in figure.text for one in (*TICKS, sideways))
    others = " ".join(region.text for region in regions if region.kind != "figure")
    assert others.split() == (" ".join([SENTENCE] * 6)).split()


def test_labels_in_a_drawing_stay_in_it_though_they_are_sentences_together():
    """Guards against diagrams whose boxes hold a few words each."""
    places = [(x, y) for y in (310, 350, 390, 430) for x in (205, 310)]
    labels = [line("Boats come in here", x, y, size=6, width=60) for x, y in places]
    detections = [detection_of("figure", *(200, 300, 400, 450))]
    page_inspection = page_of([*PROSE, *labels], [drawn()])
    (figure,) = [r for r in composed(page_inspection, detections, labels) if r.kind == "figure"]
    assert figure.text.count("Boats come in here") == len(labels)
    bare = inspection(*PROSE, *labels, ink=[CHART])
    assert "Boats" not in "".join(r.text for r in composed(bare, detections) if r.kind == "figure")


def test_icons_in_the_cells_of_a_ruled_table_make_no_figure_of_it():
    """Guards against a list of features, ticked by drawn circles, whose names were words in a figure."""
    cells = tuple(box(x, y, x + 50, y + 25) for y in range(300, 450, 25) for x in range(200, 400, 50))
    names = [("Crew", 205, 305), ("Basic", 255, 305), ("Plus", 305, 305), ("Pro", 355, 305)]
    names += [(name, 205, 330 + 25 * k) for k, name in enumerate(("Sails", "Oars", "Nets", "Ropes", "Lamps"))]
    page_inspection = page_of([*PROSE, *(printed(*name, 8) for name in names)], [drawn(share=0.3, slanted=15)])
    page_inspection = page_inspection.model_copy(update={"grids": (Grid(box=CHART, cells=cells),)})
    assert kinds(page_inspection, [detection_of("table", 200, 300, 400, 450)]) == ["table"]


def test_a_chart_whose_lines_make_a_grid_stays_a_figure():
    cells = tuple(box(x, y, x + 50, y + 25) for y in range(300, 450, 25) for x in range(200, 400, 50))
    page_inspection = page_of([*PROSE, *TICKS, printed("Crew", 250, 350, 8)], [drawn()])
    page_inspection = page_inspection.model_copy(update={"grids": (Grid(box=CHART, cells=cells),)})
    assert kinds(page_inspection, [detection_of("table", 200, 300, 400, 450)]) == ["figure"]
