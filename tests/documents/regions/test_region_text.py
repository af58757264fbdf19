"""Links and what is struck out stand in the text that a region's lines became."""

from __future__ import annotations

import pytest
from block_making import blocks_of
from page_making import box, inspection, line

from documents.inspection import Word
from documents.page.build_page import compose_page, draft_regions
from documents.values import Reading, ReadLine


def words_of(*parts, **more):
    """Words of one line; those in brackets have the marks."""
    return tuple(
        Word(
            text=text.strip("[]"),
            box=box(60 + 40 * k, 100, 95 + 40 * k, 110),
            font_size=10,
            **(more if "[" in text else {}),
        )
        for k, text in enumerate(parts)
    )


def read(page_inspection, readings=None, **options):
    drafts = draft_regions(page_inspection, [], blocks=blocks_of(page_inspection), **options)
    page = compose_page(page_inspection, drafts, {d.index: readings for d in drafts} if readings else {}, {})
    (region,) = [one for one in page.regions if one.text]
    return region


def test_a_link_in_a_text_layer_knows_its_place():
    """Guards against `here` linked inside "There", because its letters stand there first."""
    words = words_of("There", "is", "more", "[here]", link="https://a.example/")
    region = read(inspection(line("There is more here", words=words)))
    (link,) = region.links
    assert (link.text, link.start, link.end) == ("here", 14, 18)


@pytest.mark.parametrize("text", ["Pay 310 or 310 now", "Pay  310 or 31O now"])
def test_words_that_ocr_read_again_stay_struck_out(text):
    """Guards against an old price that is valid as soon as a person asks for OCR."""
    page_inspection = inspection(
        line("Pay 310 or 310 now", words=words_of("Pay", "[310]", "or", "310", "now", struck=True))
    )
    reading = Reading(text=text, lines=(ReadLine(text=text, box=box(0, 0, 300, 20), confidence=0.9),))
    region = read(page_inspection, reading, text_source="ocr")
    assert [region.text[one.start : one.end] for one in region.struck] == ["310"]
    assert region.struck[0].start == 4


def raised(*parts):
    """Words of one line; `^` and `_` begin those that are raised and lowered, without a space before them."""
    rises = {"^": "super", "_": "sub"}
    return tuple(
        Word(
            text=text.lstrip("^_"),
            box=box(60 + 40 * k, 100, 95 + 40 * k, 110),
            font_size=7 if text[0] in rises else 10,
            rise=rises.get(text[0]),
            spaced=text[0] not in rises,
        )
        for k, text in enumerate(parts)
    )


def test_exponents_and_marks_of_notes_are_told_apart():
    words = raised(
        "A", "note", "^†", "of", "x", "^2", "and", "λ", "_g", "is", "10", "^3", "m", "^2,", "all", "told.", "^‡"
    )
    region = read(inspection(line("A note† of x² and λg is 10³ m², all told.‡", words=words)))
    scripts = [(region.text[one.start : one.end], one.rise, one.is_note) for one in region.scripts]
    assert scripts == [
        ("†", "super", True),
        ("²", "super", False),
        ("g", "sub", False),
        ("³", "super", False),
        ("²,", "super", False),
        ("‡", "super", True),
    ]
    assert [one.text[script.start : script.end] for one in region.spans for script in one.scripts] == [
        text for text, *_ in scripts
    ]
