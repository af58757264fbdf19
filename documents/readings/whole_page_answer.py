"""Parses what an image-text model wrote of a whole page, in its family's format, into blocks."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from itertools import groupby

from documents.boxes import BoundingBox
from documents.draft.whole_page_reading import PageBlock
from documents.region_values import RegionKind
from documents.tables.written.model_answers import ELEMENT, GROUPS, HEADING, TAG, AnswerForm, text_of_answer

GRID = 500  # steps of a DocTags place, across the page and down
LOCATION = re.compile(r"<loc_(\d+)>")
UNFINISHED_TAG = re.compile(r"<[a-z_/]*\d*$")  # a tag in which the answer ends
LOCATIONS = re.compile(r"(?:\s*<loc_\d+>){4}")
FRONT_MATTER = re.compile(r"\A---\n(?:[A-Za-z_]\w*:[^\n]*\n)+---(?:\n|$)")
FENCE = re.compile(r"```\w*\n(.*?)\n?```", re.DOTALL)
PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)(?:\s*\d+(?:,\d+){3})?")
TABLE = re.compile(r"(<table\b.*?</table>)", re.DOTALL | re.IGNORECASE)
DISPLAY = re.compile(r"^[ \t]*(\$\$.+?\$\$|\\\[.+?\\\])[ \t]*$", re.DOTALL | re.MULTILINE)
PARAGRAPH = re.compile(r"\n[ \t]*\n")
OUTER_TAG = re.compile(r"</?doctag>|<page_break>|<end_of_utterance>")
KINDS: dict[str, RegionKind] = {
    "title": "title",
    "page_header": "abandon",
    "page_footer": "abandon",
    "caption": "figure_caption",
}
"""Of DocTags' elements; those of headings begin with `section_header`, all others are text."""
HOLDERS = GROUPS | {"picture"}


def page_blocks(answer: str, form: AnswerForm) -> tuple[tuple[PageBlock, ...], bool]:
    """The blocks of an answer, and whether all of it was in its form; what was not is text, too."""
    if form == "doctags":
        return _doctags(UNFINISHED_TAG.sub("", OUTER_TAG.sub("", answer).strip()))
    answer = FRONT_MATTER.sub("", answer.strip())
    fenced = FENCE.fullmatch(answer)
    blocks = tuple(_markdown(PICTURE.sub("", fenced[1] if fenced else answer)))
    return blocks, not any("<table" in block.text and block.kind != "table" for block in blocks)


def _markdown(answer: str) -> Iterator[PageBlock]:
    for index, part in enumerate(TABLE.split(answer)):
        if index % 2:
            table = text_of_answer(part, "html")
            yield PageBlock(kind="plain text" if table is None else "table", text=table or part)
            continue
        for number, piece in enumerate(DISPLAY.split(part)):
            formula = text_of_answer(piece, "latex") if number % 2 else None
            if formula is not None:
                yield PageBlock(kind="isolate_formula", text=formula)
            else:
                for paragraph in PARAGRAPH.split(piece):
                    yield from _paragraph(paragraph.strip("\n"))


def _paragraph(paragraph: str) -> Iterator[PageBlock]:
    """Headings, each a line of its own, and what stands between."""
    for is_title, lines in groupby(paragraph.split("\n"), lambda line: bool(HEADING.match(line))):
        for passage in lines if is_title else ["\n".join(lines).strip()]:
            text = text_of_answer(passage, "markdown")
            kind = "title" if is_title else "table" if text and text.startswith("<table") else "plain text"
            if text is None or text:
                yield PageBlock(kind=kind, text=passage if text is None else text)


def _doctags(answer: str) -> tuple[tuple[PageBlock, ...], bool]:
    blocks: list[PageBlock] = []
    is_parsed = True
    end = 0
    for element in ELEMENT.finditer(answer):
        is_parsed &= _loose(answer[end : element.start()], blocks)
        end = element.end()
        inner, is_whole = _element(element[1], element[2])
        blocks += inner
        is_parsed &= is_whole
    is_parsed &= _loose(answer[end:], blocks)
    return tuple(blocks), is_parsed


def _loose(text: str, blocks: list[PageBlock]) -> bool:
    """Whether nothing stands outside of elements; if something does, it is one more block."""
    box, rest = _placed(text)
    text = html.unescape(TAG.sub(" ", LOCATION.sub("", rest))).strip()
    if text:
        blocks.append(PageBlock(kind="plain text", text=text, box=box))
    return not text


def _element(name: str, content: str) -> tuple[tuple[PageBlock, ...], bool]:
    box, content = _placed(content)
    if name in HOLDERS:
        if name == "picture":  # what the picture shows is said by a tag that nothing closes
            content = "".join(element[0] for element in ELEMENT.finditer(content))
        return _doctags(content)
    if name in ("otsl", "chart"):
        captions = tuple(
            block.model_copy(update={"kind": "table_caption"})
            for element in ELEMENT.finditer(content)
            if element[1] == "caption"
            for block in _element("caption", element[2])[0]
        )
        table = text_of_answer(content, "otsl")
        if table is not None:
            return (*captions, PageBlock(kind="table", text=table, box=box)), True
    formula = text_of_answer(content, "latex") if name == "formula" else None
    if formula is not None:
        return (PageBlock(kind="isolate_formula", text=formula, box=box),), True
    text = html.unescape(TAG.sub(" ", LOCATION.sub("", content))).strip()
    kind = "title" if name.startswith("section_header") else KINDS.get(name, "plain text")
    blocks = (PageBlock(kind=kind, text=text, box=box),) if text else ()
    return blocks, name not in ("otsl", "chart", "formula")


def _placed(content: str) -> tuple[BoundingBox | None, str]:
    """The place with which an element begins, and what follows it."""
    location = LOCATIONS.match(content)
    if location is None:
        return None, content
    x0, y0, x1, y1 = (min(int(step), GRID) / GRID for step in LOCATION.findall(location[0]))
    box = BoundingBox(x0=min(x0, x1), y0=min(y0, y1), x1=max(x0, x1), y1=max(y0, y1))
    return box, content[location.end() :]
