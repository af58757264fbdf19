"""Papers, reports, manuals: sections of paragraphs, lists, figures, tables and formulas."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from training.structure.drawings.typst.figures import figure, floated
from training.structure.drawings.typst.formulas import algorithm, formula
from training.structure.drawings.typst.headings import heading, opening, stacked, title, two_lines
from training.structure.drawings.typst.lookalikes import address, lookalike
from training.structure.drawings.typst.manuscript import BOLD, ITALIC, Manuscript, inked, size
from training.structure.drawings.typst.pages import begin, book_page, furniture, number_alone, running_heads
from training.structure.drawings.typst.prose import (
    bibliography,
    contents,
    definitions,
    items,
    paragraph,
    program,
    theorem,
)
from training.structure.drawings.typst.stamps import line_numbers, stamps
from training.structure.drawings.typst.tables import table

Genre = Literal["plain", "paper", "report", "manual", "book"]
Maker = Callable[[], str]


def paper(m: Manuscript) -> None:
    """A document of sections, one to four columns."""
    genre: Genre = m.chance.choice(("plain", "plain", "paper", "paper", "report", "manual", "book"))
    page = book_page(m, 1 if genre == "book" else None)
    m.has_notes = m.likely(0.5)
    edges = {"book": running_heads, "paper": furniture}.get(genre, furniture)
    header, footer = edges(m) if m.likely(0.85) else m.chance.choice((("", ""), number_alone(m)))
    if not header and not footer and m.likely(0.6):  # text where other pages have their furniture
        page = replace(page, top=m.between(14, 34), bottom=m.between(12, 34))
    begin(m, page, header, footer)
    m.add(stamps(m))
    if m.likely(0.04):
        m.add(line_numbers(m))
    if genre in ("report", "manual", "book") and m.likely(0.3):
        _cover(m, page.height)
    elif m.likely(0.9 if genre == "paper" else 0.35):
        _front(m, page.columns, has_abstract=genre == "paper")
    if genre in ("report", "manual", "book") and m.likely(0.3):
        m.add(heading(m, 0, m.writer.term("contents")) + "\n\n" + contents(m, m.chance.randint(6, 24)))
    for _ in range(m.chance.randint(2, 7)):
        section(m, genre)
    if genre == "paper" or m.likely(0.1):
        m.add(heading(m, 0, m.writer.term("references")) + "\n\n" + bibliography(m))


def section(m: Manuscript, genre: Genre) -> None:
    """A heading of some level and what stands under it."""
    level = m.chance.choice((0, 0, 1, 1, 1, 2, 2))
    form = m.chance.choices(("one", "two", "none", "broken"), (74, 12, 10, 4))[0]
    if form == "one":
        m.add(opening(m, level, lambda: paragraph(m, 60, 700)))
    elif form == "two":
        m.add(stacked(m) + "\n\n" + paragraph(m, 60, 500))
    elif form == "broken":
        m.add(two_lines(m, level))
    for _ in range(m.chance.randint(1, 4)):
        m.add(_part(m, genre))


def _part(m: Manuscript, genre: Genre) -> str:
    is_technical = genre in ("paper", "manual")
    makers: list[tuple[float, Maker]] = [
        (50, lambda: paragraph(m, 60, 900 if m.width > 300 else 600)),
        (14, lambda: items(m)),
        (6, lambda: lookalike(m)),
        (4, lambda: definitions(m)),
        (4, lambda: figure(m)),
        (3, lambda: floated(m, lambda: figure(m))),
        (4, lambda: table(m)),
        (2, lambda: floated(m, lambda: table(m, max_rows=9))),
        (14 if is_technical else 1, lambda: formula(m)),
        (4 if genre == "paper" else 0, lambda: theorem(m)),
        (2 if genre == "paper" else 0, lambda: algorithm(m)),
        (12 if genre == "manual" else 2, lambda: program(m)),
        (2, lambda: contents(m, m.chance.randint(3, 8))),
        (0.5, lambda: f"#page(flipped:true)[{table(m, wide=True)}]"),
    ]
    return m.some(*makers)


def _cover(m: Manuscript, height: float) -> None:
    """A page with the title alone, and who wrote it for whom."""
    side = m.either("start", "center", "center", "end")
    lines = [f"#v({height * m.between(0.05, 0.3):.0f}pt)", title(m, scale=m.between(1.8, 3.2))]
    texts = (m.writer.phrase(3, 9), m.writer.person(), m.writer.institute(), m.writer.date())
    for text in texts:
        if m.likely(0.65):
            lines.append(f"#v({m.chance.choice((4, 12, 30, 80))}pt)")
            lines.append(m.say("text", text, size(m.chance.choice((0.9, 1.0, 1.2, 1.4))), m.either("", "", BOLD)))
    m.add(f"#flat[#set align({side})\n" + "\n\n".join(lines) + "]\n#pagebreak()")


def _front(m: Manuscript, columns: int, *, has_abstract: bool) -> None:
    """Title, authors and abstract, across all columns or in the first."""
    side = m.either("start", "center", "center")
    parts = [title(m)]
    if m.likely(0.06):  # the number of the page beside the title
        number = m.say("page_number", str(m.chance.randint(1, 300)), m.either("", BOLD))
        parts = [f"#grid(columns:(1fr,auto),gutter:8pt,[{parts[0]}],[{number}])"]
    if m.likely(0.15):
        parts.append(m.say("text", m.writer.text(20, 80), size(1.2), ITALIC))  # a subtitle
    parts += _authors(m)
    if m.likely(0.3):
        parts.append(m.say("text", m.either("", "Received ", "Published ") + m.writer.date(), size(0.9)))
    source = f"#flat[#set align({side})\n" + "\n\n".join(parts) + "]"
    if has_abstract:
        source += "\n\n" + _abstract(m)
    block = f"#block(width:100%,below:1.6em)[{source}]"
    is_spanning = columns > 1 and m.likely(0.8)
    m.add(f'#place(top+center,scope:"parent",float:true)[#set align(start)\n{block}]' if is_spanning else block)


def _authors(m: Manuscript) -> list[str]:
    if m.likely(0.2):
        return []
    em = m.chance.choice((0.9, 1.0, 1.1, 1.2))
    count = m.chance.randint(1, 5)
    if m.likely(0.25) and count > 1:  # each with the institute underneath, side by side
        cells = ""
        for _ in range(min(count, 3)):
            ink = m.ink("text")
            lines = (m.writer.person(), m.writer.institute(), m.writer.web_site())
            cells += "[" + "#linebreak()".join(inked(ink, line, size(0.9)) for line in lines) + "],"
        return [f"#grid(columns:({'1fr,' * min(count, 3)}),gutter:10pt,{cells})"]
    names = ", ".join(m.writer.person() for _ in range(count))
    lines = [m.say("text", m.either("", "", "By ", "by ") + names, size(em), m.either("", "", BOLD))]
    if m.likely(0.6):
        lines.append(m.say("text", m.writer.institute(), size(0.9), m.either("", ITALIC)))
    if m.likely(0.1):
        lines.append(address(m, "center"))
    return lines


def _abstract(m: Manuscript) -> str:
    word = m.writer.term("abstract")
    body = paragraph(m, 200, 800, size(0.9))
    form = m.either("above", "run in", "none")
    if form == "above":
        head = m.say("heading", word, m.either(BOLD, ITALIC), level=1)
        body = f"#align({m.either('center', 'start')})[{head}]\n\n{body}"
    elif form == "run in":
        head = m.say("heading", word + m.either(".", ":", "—"), m.either(BOLD, ITALIC), size(0.9), level=1)
        body = f"#par(first-line-indent:0pt)[{head} {body}]"
    if m.likely(0.3):
        ink = m.ink("text")
        words = ", ".join(m.writer.phrase(1, 2) for _ in range(4))
        label = m.either("Keywords: ", "Key words – ", "Index Terms—")
        body += f"\n\n#flat[{inked(ink, label, size(0.9), BOLD)}{inked(ink, words, size(0.9))}]"
    return f"#pad(x:{m.chance.choice((0, 20, 30))}pt)[{body}]"
