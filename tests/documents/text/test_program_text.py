"""Programs keep their indents, with and without numbers before their lines."""

from __future__ import annotations

import pytest
from page_making import box, detection_of, inspection

from documents.inspection import TextLine, Word
from documents.page.build_page import compose_page, draft_regions
from documents.segments.blocks import SegmentBlock

CODE = (
    "def total(rows):",
    "    result = 0",
    "    for row in rows:",
    "        if row.paid:",
    "            result += row.amount  # paid",
    "    return result",
    "",
    "def mean(rows):",
    "    return total(rows) / len(rows)",
    "",
    "print(mean([]))",
)
WIDE = 6.0  # points of a letter


def code_line(text, x, y, *, monospaced=True):
    """A line as it is printed: its words stand where spaces leave them."""
    words, at = [], 0
    for part in text.split(" "):
        if part:
            place = box(x + WIDE * at, y, x + WIDE * (at + len(part)), y + 10)
            words.append(Word(text=part, box=place, font_size=10.0))
        at += len(part) + 1
    around = box(words[0].box.x0, y, words[-1].box.x1, y + 10)
    plain = " ".join(word.text for word in words)
    return TextLine(text=plain, box=around, font_size=10.0, fonts=("Mono",), monospaced=monospaced, words=tuple(words))


def read(lines):
    """The text of a page that is one listing and a paragraph in other type."""
    body = [
        code_line("Words of a paragraph that is no program at all. " * 4, 60, 500 + 12 * k, monospaced=False)
        for k in range(8)
    ]
    page = inspection(*lines, *body)
    top, bottom = min(line.box.y0 for line in lines), max(line.box.y1 for line in lines)
    detections = [
        detection_of("plain text", 50, top - 2, 400, bottom + 2),
        detection_of("plain text", 50, 498, 610, 600),
    ]
    code, text = range(len(lines)), range(len(lines), len(page.lines))
    blocks = [
        SegmentBlock(segments=tuple(code), role="code", score=0.9),
        SegmentBlock(segments=tuple(text), role="text", score=0.9),
    ]
    drafts = draft_regions(page, detections, blocks=blocks, text_source="text_layer")
    regions = compose_page(page, drafts, {}, {}).regions
    (listing,) = [region for region in regions if region.kind == "plain text" and region.code]
    return listing


def unnumbered(text):
    return "\n".join(line.rstrip() for line in text.split("\n"))


def test_a_listing_keeps_its_indents_and_the_spaces_in_its_lines():
    lines = [code_line(text, 60, 100 + 12 * k) for k, text in enumerate(CODE) if text]
    assert unnumbered(read(lines).text) == "\n".join(CODE)


@pytest.mark.parametrize("first", [1, 8, 96])
@pytest.mark.parametrize("separator", ["", ":", ".", " |"])
@pytest.mark.parametrize("own_line", [True, False])
@pytest.mark.parametrize("gap", [1, 3, 6])
def test_the_indent_of_a_numbered_line_is_measured_behind_the_numbers(first, separator, own_line, gap):
    """Guards against `2 result = 0`, the same in every depth, though the listing is set in by four."""
    lines, expected = [], []
    width = len(str(first + len(CODE))) + len(separator)
    for k, text in enumerate(CODE):
        number = f"{first + k}{separator}".rjust(width)
        code = f"{number}{' ' * gap}{text}".rstrip()
        expected.append(f"{number} {text}".rstrip())
        if own_line and text:
            lines += [code_line(number, 60, 100 + 12 * k), code_line(text, 60 + WIDE * (width + gap), 100 + 12 * k)]
        else:
            lines.append(code_line(code, 60, 100 + 12 * k))
    assert unnumbered(read(lines).text) == "\n".join(expected)


def test_numbers_in_other_type_are_a_column_too():
    lines = []
    for k, text in enumerate(CODE, 1):
        lines.append(code_line(f"{k:>2}", 60, 100 + 12 * k, monospaced=False))
        lines += [code_line(text, 90, 100 + 12 * k)] if text else []
    assert unnumbered(read(lines).text) == "\n".join(f"{k:>2} {text}".rstrip() for k, text in enumerate(CODE, 1))


def test_figures_that_begin_a_line_by_chance_are_no_numbers_of_lines():
    lines = [code_line(text, 60, 100 + 12 * k) for k, text in enumerate(("7 push", "    2 add", "1 pop"))]
    assert read(lines).text == "7 push\n    2 add\n1 pop"


def test_every_printed_line_of_a_program_has_its_place():
    lines = [code_line(f"{k:>2}   {text}", 60, 100 + 12 * k) for k, text in enumerate(CODE, 1) if text]
    code = read(lines)
    assert [code.text[span.text_start : span.text_end].split() for span in code.spans] == [
        line.text.split() for line in lines
    ]
