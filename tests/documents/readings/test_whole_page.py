"""A page that one answer describes: its blocks go to the regions that they are of, and none of its words is lost."""

from __future__ import annotations

import pytest
from block_making import blocks_of
from page_making import box, detection_of, inspection, line

from documents.draft.whole_page_reading import PageReading
from documents.page.build_page import compose_page, draft_regions
from documents.readings.whole_page_answer import page_blocks
from documents.region_values import FigureRegion, TableRegion
from documents.values import PageWarning, Reading

LEFT, RIGHT = (60, 290), (320, 550)
TEXTS = {
    "title": "Harbour dues of the year",
    "left": "The dues of boats are paid by owners on the first day of each quarter, at the office of the harbour.",
    "right": "Ships that stay for more than a week pay a half of it once more, and are told so in writing.",
    "foot": "Nobody pays twice.",
}
DETECTIONS = [
    detection_of("title", 60, 50, 550, 70),
    detection_of("plain text", LEFT[0], 100, LEFT[1], 160),
    detection_of("plain text", RIGHT[0], 100, RIGHT[1], 150),
    detection_of("table", 60, 300, 550, 400),
    detection_of("plain text", 60, 700, 200, 712),
]
TABLE = "<table><tr><th>Boat</th><th>Dues</th></tr><tr><td>Alma</td><td>12</td></tr></table>"
PRINTED = (
    box(60, 52, 300, 68),
    *(box(LEFT[0], 100 + 12 * k, LEFT[1], 109 + 12 * k) for k in range(5)),
    *(box(RIGHT[0], 100 + 12 * k, RIGHT[1], 109 + 12 * k) for k in range(4)),
    box(60, 310, 250, 320),
    box(60, 340, 250, 350),
    box(60, 701, 160, 711),
)


def scan(detections=DETECTIONS, printed=PRINTED):
    """A page without a text layer, with ink in each of its regions."""
    page_inspection = inspection(ink=[detection.box for detection in detections]).model_copy(
        update={"printed_lines": printed}
    )
    return page_inspection, draft_regions(page_inspection, detections, text_source="ocr")


def composed(answer, form="markdown", page=None, **reading):
    page_inspection, drafts = page or scan()
    blocks, _ = page_blocks(answer, form)
    whole = PageReading(**({"blocks": blocks, "confidence": 0.9, "reader": "model"} | reading))
    return compose_page(page_inspection, drafts, {}, {}, page_reading=whole)


def texts(page):
    return {region.box.y0: region.text for region in page.regions}


def codes(page):
    return [warning.code for warning in page.warnings]


ANSWER = "\n\n".join([f"# {TEXTS['title']}", TEXTS["left"], TEXTS["right"], TABLE, TEXTS["foot"]])


def test_blocks_without_places_go_to_regions_in_their_turn():
    """By their kinds, their order and how much is printed there."""
    page = composed(ANSWER)
    by_left = {(region.box.x0, region.box.y0): region for region in page.regions}
    assert by_left[60, 50].text == TEXTS["title"]
    assert by_left[60, 100].text == TEXTS["left"]
    assert by_left[320, 100].text == TEXTS["right"]
    assert by_left[60, 700].text == TEXTS["foot"]
    table = by_left[60, 300]
    assert isinstance(table, TableRegion)
    assert table.table is not None
    assert [cell.text for cell in table.table.cells] == ["Boat", "Dues", "Alma", "12"]
    assert {region.reader for region in page.regions} == {"model"}
    assert not {"page_text_unplaced", "region_unmatched"} & {*codes(page)}


def test_what_a_model_leaves_out_shifts_nothing():
    """Guards against matching by number alone: each later paragraph stood in the region before it."""
    page = composed("\n\n".join([TEXTS["left"], TEXTS["right"], TABLE, TEXTS["foot"]]))
    by_left = {(region.box.x0, region.box.y0): region.text for region in page.regions}
    assert by_left[60, 100] == TEXTS["left"]
    assert by_left[320, 100] == TEXTS["right"]
    assert by_left[60, 700] == TEXTS["foot"]
    assert "region_unmatched" in codes(page)


def test_what_belongs_nowhere_is_text_of_the_page_with_a_warning():
    """No visible word is lost, and nothing is said of a place that nobody knows."""
    more = "A long paragraph that stands nowhere on the page. " * 30
    page = composed(f"{ANSWER}\n\n{more}\n\n{TABLE}")
    assert page.regions[-2].text.split() == more.split()
    assert page.regions[-2].box == box(0, 0, *page.size)
    assert isinstance(page.regions[-1], TableRegion)
    assert page.regions[-1].table is not None
    assert [region.order for region in page.regions] == list(range(len(page.regions)))
    (warning,) = [warning for warning in page.warnings if warning.code == "page_text_unplaced"]
    assert warning.message.startswith("2 blocks")


def test_a_page_without_regions_is_the_answer_in_its_order():
    """A layout network that finds nothing costs places, not words."""
    page_inspection = inspection(ink=[])
    page = compose_page(
        page_inspection, (), {}, {}, page_reading=PageReading(blocks=page_blocks(ANSWER, "markdown")[0])
    )
    assert [region.kind for region in page.regions] == ["title", "plain text", "plain text", "table", "plain text"]


DOCTAGS = (
    "<doctag><text><loc_49><loc_442><loc_165><loc_451>Nobody pays twice.</text>"
    "<otsl><loc_49><loc_189><loc_450><loc_253><ched>Boat<ched>Dues<nl><fcel>Alma<fcel>12<nl></otsl>"
    "<text><loc_261><loc_63><loc_450><loc_95>Right.</text><text><loc_49><loc_63><loc_237><loc_80>Left one.</text>"
    "<text><loc_49><loc_80><loc_237><loc_101>Left two.</text>"
    "<text><loc_300><loc_300><loc_450><loc_310>Where nothing was found.</text></doctag>"
)


def test_blocks_with_places_go_where_they_stand_whatever_their_order():
    """A place that no region covers is a region of its own, without a warning."""
    page = composed(DOCTAGS, "doctags")
    by_left = {(round(region.box.x0), round(region.box.y0)): region.text for region in page.regions}
    assert by_left[60, 100] == "Left one.\nLeft two."
    assert by_left[320, 100] == "Right."
    assert by_left[60, 700] == "Nobody pays twice."
    assert by_left[367, 475] == "Where nothing was found."
    assert "page_text_unplaced" not in codes(page)
    assert "region_unmatched" in codes(page)  # the title


def test_a_region_with_a_sound_text_layer_keeps_it():
    """Its words are found again in the answer, and are not there twice."""
    lines = [line("Harbour dues of the year", x=60, y=55, size=14), line("The dues of boats are paid", x=60, y=105)]
    page_inspection = inspection(*lines, ink=[detection.box for detection in DETECTIONS])
    drafts = draft_regions(page_inspection, DETECTIONS)
    drafts = tuple(
        draft if draft.lines else draft.model_copy(update={"text_source": "ocr", "reason": "no text layer"})
        for draft in drafts
    )
    page = composed("# Harbour dues of the year\n\nThe dues of boats are paid", page=(page_inspection, drafts))
    whole = " ".join(region.text for region in page.regions)
    assert whole.count("Harbour dues") == 1
    assert whole.count("boats") == 1
    assert "page_text_unplaced" not in codes(page)


def half_scanned(*layer, num_scanned=1):
    """A page with a sound text layer in some blocks and, below, regions without any."""
    lines = [line(text, x=60, y=100 + 100 * k) for k, text in enumerate(layer)]
    places = range(len(layer), len(layer) + num_scanned)
    regions = [detection_of("plain text", 60, 100 + 100 * k, 400, 115 + 100 * k) for k in places]
    page = inspection(*lines, ink=[region.box for region in regions])
    sound = {"text_source": "text_layer", "reason": "sound", "layer_lines": ()}
    drafts = tuple(
        draft.model_copy(update={**sound, "lines": draft.layer_lines}) if draft.layer_lines else draft
        for draft in draft_regions(page, regions, text_source="ocr", blocks=blocks_of(page))
    )
    assert sum(draft.text_source == "ocr" for draft in drafts) == num_scanned
    return page, drafts


@pytest.mark.parametrize(
    "answer",
    ["Total 12 EUR due in May\n\nTotal 17 EUR due in May", "Total 17 EUR due in May\n\nTotal 12 EUR due in May"],
)
def test_a_block_like_a_sound_layer_that_says_something_else_is_kept(answer):
    """Each block with most words of a region's layer was taken for it and dropped: the second total was lost."""
    page = composed(answer, page=half_scanned("Total 12 EUR due in May"))
    assert texts(page) == {100: "Total 12 EUR due in May", 200: "Total 17 EUR due in May"}


def test_a_layer_takes_no_more_blocks_than_it_has_words_for():
    """One line of a layer took any number of blocks that repeat it."""
    page = composed("\n\n".join(["Total 12 EUR due in May"] * 3), page=half_scanned("Total 12 EUR due in May"))
    assert " ".join(region.text for region in page.regions).count("Total 12 EUR due in May") == 3


def test_a_misread_paragraph_of_a_sound_layer_is_not_there_twice():
    """With a word misread, it says nothing new; the region without a layer keeps its own block."""
    layer = "The dues of boats are paid by owners on the first day of each quarter"
    answer = (
        "The dues of goats are paid by owners on the first day of each quarter\n\nShips that stay for longer pay more"
    )
    page = composed(answer, page=half_scanned(layer))
    assert texts(page) == {100: layer, 200: "Ships that stay for longer pay more"}


def placed(text, x0, y0, x1, y1):
    steps = (round(500 * x0 / 612), round(500 * y0 / 792), round(500 * x1 / 612), round(500 * y1 / 792))
    return f"<text>{''.join(f'<loc_{step}>' for step in steps)}{text}</text>"


def test_a_block_over_a_sound_layer_and_a_region_without_any_is_the_latters():
    """More than half of it stood over the layer, and all of it was dropped."""
    page, (sound, scanned) = half_scanned("Total 12 EUR due in May")
    tall = sound.model_copy(update={"box": box(60, 40, 400, 185)})
    answer = placed("Total 12 EUR due in May Ships pay more", 60, 100, 400, 216)
    whole = composed(answer, "doctags", page=(page, (scanned, tall)))
    assert "Total 12 EUR due in May Ships pay more" in [region.text for region in whole.regions]


@pytest.mark.parametrize(("text", "is_kept"), [("Paid in full by stamp", True), ("Total 12 EUR due in May", False)])
def test_a_block_of_other_words_than_the_layer_beneath_it_is_a_region(text, is_kept):
    """What a stamp over a text layer says was dropped."""
    whole = composed(placed(text, 60, 100, 175, 110), "doctags", page=half_scanned("Total 12 EUR due in May"))
    all_texts = [region.text for region in whole.regions if region.text]
    assert sorted(all_texts) == sorted({text, "Total 12 EUR due in May"} if is_kept else {text})


def test_what_stands_in_a_tables_region_beside_the_table_leaves_it_a_table():
    """A caption or a note in the box of the table made all of it text."""
    note = placed("All dues in crowns.", 60, 380, 250, 395)
    page = composed(DOCTAGS.replace("</doctag>", f"{note}</doctag>"), "doctags")
    (table,) = [region for region in page.regions if isinstance(region, TableRegion)]
    assert table.table is not None
    assert [cell.text for cell in table.table.cells] == ["Boat", "Dues", "Alma", "12"]
    assert "All dues in crowns." in [region.text for region in page.regions]


def test_words_of_a_layer_that_is_to_be_read_anew_say_where_a_block_stands():
    """In another order than that of the page, which turns alone would not find."""
    lines = [line("alpha beta gamma delta", x=60, y=105), line("one two three four", x=320, y=105)]
    page_inspection = inspection(*lines)
    drafts = draft_regions(page_inspection, DETECTIONS[1:3], text_source="ocr", blocks=blocks_of(page_inspection))
    page = composed("One two three four!\n\nAlpha, beta gamma delta.", page=(page_inspection, drafts))
    assert {region.box.x0: region.text for region in page.regions} == {
        60: "Alpha, beta gamma delta.",
        320: "One two three four!",
    }


def test_an_answer_that_nobody_would_believe_is_a_guess():
    """As a region's is."""
    page = composed(ANSWER, is_doubtful=True, confidence=0.1)
    assert not any(region.text for region in page.regions)
    assert {line.guess for region in page.regions for line in region.unreadable} >= {TEXTS["left"]}


def test_a_rule_that_fails_over_the_answer_leaves_all_of_it_on_the_page(monkeypatch):
    """Matching is a guess; the words are not."""

    def fail(*_):
        raise ValueError("a rule that never works")

    monkeypatch.setattr("documents.readings.whole_page.match_blocks", fail)
    page = composed(ANSWER)
    words = " ".join(region.text for region in page.regions).split()
    for text in TEXTS.values():
        assert set(text.split()) <= set(words)
    assert {"rule_failed", "page_text_unplaced"} <= {*codes(page)}


FIGURES = [detection_of("figure", 60, 100, 300, 300), detection_of("plain text", 60, 320, 300, 332)]


@pytest.mark.parametrize("answer", [TABLE, "no table"])
def test_a_chart_has_its_table_beside_it(answer):
    """The figure stays what it is; an answer that is no table is told and nothing else."""
    page_inspection, drafts = scan(FIGURES, (box(60, 320, 200, 330),))
    (index,) = [draft.index for draft in drafts if draft.kind == "figure"]
    unparsed = () if answer == TABLE else (PageWarning(code="answer_unparsed", message="m"),)
    charts = {index: Reading(text=answer, reader="charts", warnings=unparsed)}
    page = compose_page(page_inspection, drafts, {}, {}, charts=charts)
    figures = [region for region in page.regions if isinstance(region, FigureRegion)]
    tables = [region for region in page.regions if isinstance(region, TableRegion)]
    assert len(figures) == 1
    if answer != TABLE:
        assert not tables
        assert "answer_unparsed" in codes(page)
        return
    (table,) = tables
    assert (table.order, table.box, table.reader) == (figures[0].order + 1, figures[0].box, "charts")
    assert table.table is not None
    assert table.table.num_rows == 2
