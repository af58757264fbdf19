"""Web documents: every letter of the PDF has the colour of a block, every kind prints, columns are read in order."""

from __future__ import annotations

import re
from collections import Counter

import pymupdf
import pytest

from documents.segments.roles import ROLES
from training.structure.drawings.drawn_document import DrawnDocument
from training.structure.drawings.web.documents import KINDS, draw_web, sheet
from training.structure.drawings.web.press import Press


def letters(document: DrawnDocument) -> list[tuple[int, int, float, float]]:
    """Page, colour and place of every letter."""
    places: list[tuple[int, int, float, float]] = []
    with pymupdf.open(stream=document.content) as pdf:
        for page in pdf:
            for block in page.get_text("rawdict")["blocks"]:
                spans = [span for line in block.get("lines", ()) for span in line["spans"]]
                places += [
                    (page.number, span["color"], *letter["origin"])
                    for span in spans
                    for letter in span["chars"]
                    if not letter["c"].isspace()
                ]
    return places


@pytest.mark.parametrize("kind", KINDS)
def test_every_letter_of_a_printed_document_belongs_to_a_block(kind: str, press: Press) -> None:
    document = draw_web(5, press, kind)
    colours = Counter(colour for _, colour, _, _ in letters(document))
    known = sum(count for colour, count in colours.items() if colour in document.blocks)
    assert colours.total() > 40
    assert known >= 0.99 * colours.total()
    shown = sum(colour in colours for colour in document.blocks)
    assert shown >= 0.8 * len(document.blocks)  # what did not fit on a slide is left out


@pytest.mark.parametrize("kind", KINDS)
def test_blocks_are_in_one_order_and_have_roles(kind: str) -> None:
    """Two running heads once had the same place."""
    blocks = sheet(6, kind).blocks.values()
    assert len({block.order for block in blocks}) == len(blocks)
    assert all(block.role in ROLES for block in blocks)
    assert all(block.level is None or block.role == "heading" for block in blocks)


def test_the_same_seed_gives_the_same_document() -> None:
    assert sheet(11).blocks == sheet(11).blocks
    assert sheet(11).html() == sheet(11).html()
    assert sheet(11).html() != sheet(12).html()


def test_columns_are_read_one_after_the_other(press: Press) -> None:
    """In a page of two columns, what is higher in the first comes before all of the second."""
    seed = next(
        seed
        for seed in range(400)
        if "columns:2" in sheet(seed, "report").html() and not sheet(seed, "report").words.rtl
    )
    document = draw_web(seed, press, "report")
    tops: dict[int, tuple[bool, float]] = {}
    with pymupdf.open(stream=document.content) as pdf:
        middle = pdf[0].rect.width / 2
    for page, colour, x, y in letters(document):
        block = document.blocks[colour]
        if page == 0 and block.role in ("text", "heading") and (colour not in tops or (x > middle, y) < tops[colour]):
            tops[colour] = (x > middle, y)
    in_order = sorted(tops, key=lambda colour: document.blocks[colour].order)
    assert len({tops[colour][0] for colour in tops}) == 2  # there is text in both columns
    assert [tops[colour] for colour in in_order] == sorted(tops.values())


def test_roles_that_web_documents_are_for_are_drawn() -> None:
    roles: Counter[str] = Counter()
    for kind in KINDS:
        for seed in range(10):
            roles.update(block.role for block in sheet(seed, kind).blocks.values())
    expected = set(ROLES) - {"formula"}
    assert expected <= set(roles)


def test_titles_are_at_most_one_in_a_document() -> None:
    for kind in KINDS:
        titles = sum(block.role == "title" for block in sheet(3, kind).blocks.values())
        assert titles <= 1, kind


def test_list_markers_are_letters_of_their_items() -> None:
    """A marker that the browser makes itself has no colour that is known."""
    written = "".join(sheet(seed, "web_page").html() for seed in range(5))
    assert 'class="li"' in written
    assert not re.search(r"<(ul|ol|li)\b", written)
