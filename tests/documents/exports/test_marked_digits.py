"""Marks behind unproved digits move what else is known of a text."""

from documents.exports.marked_digits import marked_region
from documents.region_values import Link, ListItem, Script, Span, TextRange, region_of
from tests.documents.page_making import box

PLACE = box(0, 0, 10, 10)


def of(text, *unproved, **fields):
    ranges = [TextRange(start=start, end=end) for start, end in unproved]
    return region_of("plain text", box=PLACE, score=1.0, text=text, text_source="ocr", unproved=ranges, **fields)


def test_what_is_proved_stays_the_same_value():
    region = of("12 boats")
    assert marked_region(region) is region


def test_links_scripts_and_lines_are_where_their_words_are():
    text = "See 12 here and x2"
    region = marked_region(
        of(
            text,
            (4, 6),
            links=[Link(text="12 here", uri="https://example.org", start=4, end=11)],
            scripts=[Script(start=17, end=18, rise="sub")],
            spans=[Span(text=text, box=PLACE, source="ocr", text_start=0, text_end=18)],
        )
    )
    assert region.text == "See 12[?] here and x2"
    (link,) = region.links
    assert region.text[link.start : link.end] == link.text == "12[?] here"
    (script,) = region.scripts
    assert region.text[script.start : script.end] == "2"
    (span,) = region.spans
    assert (span.text_start, span.text_end) == (0, 21)
    assert region.unproved == ()


def test_the_number_of_an_item_keeps_its_form():
    """`12.` begins an item; `12[?].` would not."""
    region = marked_region(
        of(
            "12. Ropes\n13. Nets",
            (0, 2),
            items=[ListItem(line=0, marker="12.", box=PLACE), ListItem(line=1, marker="13.", box=PLACE)],
        )
    )
    assert region.text == "12.[?] Ropes\n13. Nets"
