"""Sideways lines in the region of a table are names of its columns, or text of their own where no table is made."""

from __future__ import annotations

from page_making import box, detection_of, inspection, printed, printed_table

from documents.page.build_page import compose_page, draft_regions

BODY = [["Hull", "60", "61"], ["Brest", "50", "51"], ["Bergen", "55", "56"]]
PROSE = ["The harbour lies open to the east and freezes", "over in winter, so that all boats stay in it."]
FRAME = detection_of("table", 50, 20, 355, 175)


def sideways(text, x, y0, y1):
    """A line that is read from the bottom, of one word."""
    (word,) = (line := printed(text, 0, 0)).words
    around = box(x, y0, x + 10, y1)
    return line.model_copy(update={"angle": 270, "box": around, "words": (word.model_copy(update={"box": around}),)})


def regions_of(*lines):
    page_inspection = inspection(*lines)
    page = compose_page(page_inspection, draft_regions(page_inspection, [FRAME]), {}, {})
    return [(region.kind, region.text, region.angle) for region in page.regions]


def test_sideways_names_of_columns_are_in_the_table():
    ((kind, text, _),) = regions_of(*printed_table(BODY), sideways("Land", 163, 30, 90), sideways("Sea", 263, 30, 90))
    assert kind == "table"
    assert "Land" in text
    assert "Sea" in text


def test_sideways_lines_are_text_of_their_own_where_no_table_is_made():
    """Guards against a stamp in the margin that is read into the sentences of what was detected as a table."""
    prose = [printed(text, 70, 100 + 12 * k) for k, text in enumerate(PROSE)]
    regions = regions_of(*prose, sideways("Received", 53, 95, 125))
    assert sorted((text.replace("\n", " "), angle) for _, text, angle in regions) == [
        ("Received", 270),
        (" ".join(PROSE), 0),
    ]
