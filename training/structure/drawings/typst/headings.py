"""Headings and titles of all kinds."""

from __future__ import annotations

from collections.abc import Callable

from training.structure.drawings.typst.manuscript import BOLD, ITALIC, Manuscript, boxed, face, inked, shade, size
from training.structure.drawings.typst.pages import LINE
from training.structure.drawings.typst.style import WHITE, HeadingStyle

ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
NUM_LEVELS = 3


def heading(m: Manuscript, level: int, text: str | None = None) -> str:
    """A heading on lines of its own; `level` is the place in the style's list, 0 the highest."""
    style = m.style.headings[level]
    body = _inline(m, style, level, text)
    if style.align == "start" and m.likely(0.03):  # what stands at the end of the line is no part of the heading
        body += f"#h(1fr){m.say('text', m.either(m.writer.date(), m.writer.number(), m.writer.phrase(1, 2)))}"
    if style.line == "underline":
        body = f"#underline[{body}]"
    if style.bar is not None:
        body = boxed(body, f"fill:{shade(style.bar)}", f"inset:{m.between(3, 7)}pt")
    if style.line == "below":
        body = f"{body}{LINE}"
    if style.line == "above":
        body = f"{LINE}{body}"
    lengths = f"above:{style.above:.2f}em,below:{style.below:.2f}em,sticky:true"
    return f"#block(width:100%,{lengths})[#flat[#set align({style.align})\n{body}]]"


def opening(m: Manuscript, level: int, paragraph: Callable[[], str]) -> str:
    """A heading and the paragraph under it, or the heading as the first words of the paragraph."""
    style = m.style.headings[level]
    if style.place == "run_in" and style.align == "start":
        end = m.either(".", ":", " –") if not style.end else ""
        head = _inline(m, style, level, m.writer.heading(5) + end)
        return f"#par(first-line-indent:0pt)[{head} {paragraph()}]"
    return f"{heading(m, level)}\n\n{paragraph()}"


def stacked(m: Manuscript) -> str:
    """Headings directly below one another."""
    top = m.chance.randint(0, 1)
    return f"{heading(m, top)}\n\n{heading(m, top + 1)}"


def two_lines(m: Manuscript, level: int, scale: float = 1.0) -> str:
    """A heading that is broken over two lines on purpose."""
    style = m.style.headings[level]
    ink = m.ink("heading", style.colour, level + 1)
    lines = [m.writer.phrase(1, 3), m.writer.phrase(1, 3)]
    if m.writer.is_latin and m.likely(0.6):
        lines = [line.upper() for line in lines]
    looks = (size(style.size * scale), BOLD if style.bold or m.likely(0.6) else "", face(style.font))
    body = "#linebreak()".join(inked(ink, line, *looks) for line in lines)
    return f"#block(width:100%,below:{style.below:.2f}em,sticky:true)[#flat[#set align({style.align})\n{body}]]"


def plain(m: Manuscript, text: str, level: int, *looks: str, colour: int | None = None) -> str:
    """A heading with these looks, for panels and slides."""
    colour = m.style.accent if colour is None else colour
    return m.say("heading", text, *looks, face(m.style.headings[0].font), colour=colour, level=level)


def title(m: Manuscript, text: str | None = None, scale: float | None = None, colour: int | None = None) -> str:
    """The main title of the document."""
    text = text or m.writer.phrase(3, 12)
    if m.writer.is_latin:
        text = m.chance.choices((text, text.upper(), text.title()), (70, 12, 18))[0]
    scale = scale or m.between(1.3, 2.6)
    looks = (size(scale), m.either("", BOLD, BOLD), m.either("", "", "", "", ITALIC), face(m.style.headings[0].font))
    return m.say("title", text, *looks, colour=m.style.accent if colour is None else colour)


def _inline(m: Manuscript, style: HeadingStyle, level: int, text: str | None) -> str:
    text = text or m.writer.heading(m.chance.choice((3, 6, 6, 9, 15)))
    number = _number(m, style, level)
    if style.capitals:
        number = number.upper()
        text = text.upper()
    if style.end and text[-1] not in "?؟:.":
        text += style.end
    ink = m.ink("heading", WHITE if style.bar is not None and style.place == "block" else style.colour, level + 1)
    looks = (
        BOLD if style.bold else "",
        ITALIC if style.italic else "",
        face(style.font),
        f"tracking:{style.tracking}em" if style.tracking else "",
    )
    is_run_in = style.place == "run_in"
    em = min(style.size, 1.0) if is_run_in else style.size
    start = inked(ink, number, size(em), *looks) if number else ""
    if start and style.number_gap:
        start += f"#h({style.number_gap:.2f}em)"
    if style.small_capitals:
        return start + _small_capitals(ink, text, em, looks)
    return start + inked(ink, text, size(em), *looks)


def _small_capitals(ink: str, text: str, em: float, looks: tuple[str, ...]) -> str:
    """Capitals whose first letters are larger, as in faces that have no small capitals."""
    words = text.split(" ")
    pieces: list[str] = []
    for index, word in enumerate(words):
        pieces.append(inked(ink, word[:1].upper(), size(em), *looks))
        rest = word[1:].upper() + (" " if index + 1 < len(words) else "")
        pieces.append(inked(ink, rest, size(em * 0.8), *looks))
    return "".join(pieces)


def _number(m: Manuscript, style: HeadingStyle, level: int) -> str:
    """The number that the next heading of the level gets, with what parts it from the words."""
    keys = [f"heading{index}" for index in range(NUM_LEVELS)]
    m.counts[keys[level]] += 1
    for key in keys[level + 1 :]:
        m.counts[key] = 0
    count = m.counts[keys[level]]
    dotted = ".".join(str(max(1, m.counts[key])) for key in keys[: level + 1])
    gap = m.chance.choice((" ", " ", "  ", "\u2003"))
    match style.numbering:
        case "1":
            return dotted + gap
        case "1.":
            return dotted + "." + gap
        case "1)":
            return f"{count}){gap}"
        case "§":
            return f"§ {count}{gap}"
        case "I." if not level:
            return ROMAN[(count - 1) % len(ROMAN)] + "." + gap
        case "A." if not level:
            return "ABCDEFGHIJKL"[(count - 1) % 12] + "." + gap
        case "I." | "A.":
            return f"{count}.{gap}"
        case "chapter" if not level:
            return f"{m.writer.term('chapter')} {count}{m.either(':', '.', ' –', '')} "
        case "Section" if not level and m.writer.is_english:
            return f"{m.either('Section', 'Article', 'SECTION', 'PART', 'Step')} {count}{m.either(':', '.', ' –')} "
        case _:
            return ""
