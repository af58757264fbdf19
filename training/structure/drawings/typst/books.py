"""Books, contracts and handbooks: chapters, numbered clauses, notes and headings in the margin, tables of contents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from training.structure.drawings.typst.figures import figure, floated
from training.structure.drawings.typst.headings import heading, opening, plain, title
from training.structure.drawings.typst.lookalikes import lookalike
from training.structure.drawings.typst.manuscript import BOLD, ITALIC, Manuscript, aligned, boxed, face, inked, size
from training.structure.drawings.typst.pages import begin, book_page, furniture, number_alone, running_heads
from training.structure.drawings.typst.prose import bibliography, contents, definitions, items, paragraph, program
from training.structure.drawings.typst.stamps import stamps
from training.structure.drawings.typst.tables import key_value, table


def book(m: Manuscript) -> None:
    """A chapter's first page, then running heads and much text."""
    m.has_notes = m.likely(0.4)
    page = book_page(m, 1)
    header, footer = running_heads(m) if m.likely(0.7) else number_alone(m)
    begin(m, page, header, footer, spacing=m.between(0.5, 0.7))
    m.add("#set par(first-line-indent:1.4em,justify:true)")
    for chapter in range(m.chance.randint(1, 2)):
        if chapter:
            m.add("#pagebreak()")
        _chapter_start(m)
        for _ in range(m.chance.randint(5, 10)):
            m.add(
                m.some(
                    (28, lambda: paragraph(m, 200, 1200)),
                    (2, lambda: _with_initial(m)),
                    (5, lambda: _dialogue(m)),
                    (3, lambda: opening(m, 1, lambda: paragraph(m, 200, 900))),
                    (2, lambda: lookalike(m)),
                    (1, lambda: floated(m, lambda: figure(m))),
                    (1, lambda: _verse(m)),
                )
            )


def contract(m: Manuscript) -> None:
    """Numbered clauses: a heading in the first line, or a number before the text."""
    page = book_page(m, m.chance.choice((1, 1, 1, 2)))
    begin(m, page, *(furniture(m) if m.likely(0.7) else ("", "")))
    m.add(stamps(m))
    m.add(aligned(m.either("center", "center", "start"), title(m, None, m.between(1.1, 1.8))))
    m.add(paragraph(m, 150, 500))
    form = m.either("run in", "above", "number alone")
    word = m.either("", "", "Article ", "Section ", "§ ", "Clause ") if m.writer.is_english else m.either("", "§ ")
    for clause in range(1, m.chance.randint(4, 10)):
        number = f"{word}{clause}{m.either('.', '') if word else '.'}"
        name = m.writer.heading(4)
        name = name.upper() if m.writer.is_latin and form == "above" and m.likely(0.4) else name
        if form == "run in":
            head = m.say("heading", f"{number} {name}.", m.either(BOLD, BOLD, ITALIC), level=1)
            m.add(f"#par(first-line-indent:0pt)[{head} {m.say('text', m.writer.text(100, 600))}]")
        elif form == "above":
            head = m.say("heading", f"{number} {name}", BOLD, level=1)
            m.add(f"#block(sticky:true,width:100%)[#flat[{aligned(m.either('start', 'start', 'center'), head)}]]")
            m.add(paragraph(m, 100, 500))
        else:
            m.add(_numbered(m, f"{clause}.", 0))
        for sub in range(1, m.chance.choice((1, 1, 3, 4, 5))):
            m.add(_numbered(m, m.either(f"{clause}.{sub}", f"({'abcdef'[sub]})"), m.chance.choice((0, 1.5))))
    if m.likely(0.5):
        m.add(key_value(m))


def marginal(m: Manuscript) -> None:
    """A wide margin that holds notes, or headings beside their paragraphs."""
    page = book_page(m, 1)
    wide = m.between(105, 160)
    is_outside = m.likely(0.4) and not m.writer.is_right_to_left
    page = replace(
        page,
        width=max(page.width, 540),
        left=m.between(36, 60) if is_outside else wide,
        right=wide if is_outside else m.between(36, 60),
    )
    begin(m, page, *(furniture(m) if m.likely(0.6) else ("", "")))
    if m.likely(0.4):
        m.add(title(m))
    holds_headings = m.likely(0.35)
    shift = f"dx:{page.width - page.left - page.right + 12:.0f}pt" if is_outside else f"dx:-{wide - 16:.0f}pt"
    for _ in range(m.chance.randint(4, 8)):
        if holds_headings:
            m.add(_beside(m, shift, wide - 28, is_heading=True))
        text = paragraph(m, 250, 800)
        if not holds_headings and m.likely(0.75):  # read after the paragraph that it stands beside
            m.add(_beside(m, shift, wide - 28, is_heading=False))
        m.add(text)
        if m.likely(0.3):
            m.add(
                m.some(
                    (3, lambda: heading(m, 1)), (2, lambda: items(m)), (1, lambda: figure(m)), (1, lambda: lookalike(m))
                )
            )


def with_asides(m: Manuscript) -> None:
    """Paragraphs, and behind them a box or bare lines under a heading of their own, read after all of them."""
    page = book_page(m, 1)
    wide, narrow = m.between(130, 200), m.between(40, 70)
    left, right = (wide, narrow) if m.writer.is_right_to_left else (narrow, wide)
    page = replace(page, width=max(page.width, 560), left=left, right=right)
    begin(m, page, *(furniture(m) if m.likely(0.5) else ("", "")))
    texts = [title(m)] if m.likely(0.6) else []
    for _ in range(m.chance.randint(4, 9)):
        texts += [heading(m, 1)] if m.likely(0.15) else []
        texts.append(paragraph(m, 150, 700))
    shift = 24 - wide if m.writer.is_right_to_left else page.width - page.left - page.right + 14
    frame = m.either("", "", "fill:luma(228)", "stroke:0.5pt", "stroke:(left:1pt)")
    depth = m.between(0, 40)
    for _ in range(m.chance.choice((1, 1, 2))):
        em = m.chance.choice((0.8, 0.85, 0.9, 1.0))
        head = [m.say("heading", m.writer.heading(4), size(em * m.chance.choice((1.0, 1.2, 1.3))), BOLD, level=2)]
        body = [m.say("text", m.writer.text(60, 260), size(em)) for _ in range(m.chance.choice((1, 1, 2)))]
        box = boxed("#flat[" + "\n\n".join(head + body) + "]", frame, "inset:6pt")
        m.add(f"#place(top+left,dx:{shift:.0f}pt,dy:{depth:.0f}pt,block(width:{wide - 38:.0f}pt)[{box}])")
        depth += m.between(210, 300)
    for text in texts:
        m.add(text)


def front_matter(m: Manuscript) -> None:
    """Tables of contents, lists, indexes and bibliographies over whole pages."""
    page = book_page(m, m.chance.choice((1, 1, 2, 3)))
    begin(m, page, *(furniture(m) if m.likely(0.6) else number_alone(m)))
    kind = m.either("contents", "contents", "index", "works", "definitions", "listings")
    if kind == "contents":
        m.add(plain(m, m.writer.term("contents"), 1, size(m.between(1.1, 2)), m.either(BOLD, "")))
        m.add(contents(m, m.chance.randint(15, 45)))
        return
    makers: dict[str, Callable[[], str]] = {
        "index": lambda: _index(m),
        "works": lambda: bibliography(m),
        "definitions": lambda: definitions(m),
        "listings": lambda: paragraph(m, 40, 200) + "\n\n" + program(m),
    }
    for _ in range(m.chance.randint(2, 5)):
        m.add(heading(m, m.chance.choice((0, 1))))
        m.add(makers[kind]())


def table_pages(m: Manuscript) -> None:
    """Mostly tables, upright or on pages that lie on their side."""
    page = book_page(m, 1)
    if m.likely(0.35):
        page = replace(page, width=page.height, height=page.width)
    sides = m.between(28, 80)
    page = replace(page, left=sides, right=sides)
    begin(m, page, *(furniture(m) if m.likely(0.7) else ("", "")))
    for _ in range(m.chance.randint(1, 4)):
        if m.likely(0.5):
            m.add(heading(m, m.chance.choice((0, 1, 2))))
        if m.likely(0.4):
            m.add(paragraph(m, 40, 400))
        m.add(m.some((8, lambda: table(m, wide=m.likely(0.2))), (1, lambda: key_value(m))))


def _chapter_start(m: Manuscript) -> None:
    """White space, a number, a name and often a motto."""
    m.add(f"#v({m.chance.choice((0, 40, 90, 140))}pt)")
    side = m.either("center", "center", "start", "end")
    style = m.style.headings[0]
    word = f"{m.writer.term('chapter')} {m.chance.randint(1, 30)}" if m.likely(0.6) else str(m.chance.randint(1, 30))
    looks = (size(m.between(1.4, 2.4)), face(style.font), m.either("", BOLD))
    lines = [m.say("heading", m.writer.heading(7), *looks, level=1)] if m.likely(0.75) else []
    if not lines or m.likely(0.7):
        number = m.say(
            "heading", word.upper() if m.likely(0.4) else word, size(m.between(1, 1.8)), face(style.font), level=1
        )
        lines.insert(0, number)
    m.add(f"#flat[#set align({side})\n" + "\n\n".join(lines) + "]")
    if m.likely(0.25):
        m.add(boxed(aligned("end", m.say("text", m.writer.text(40, 140), ITALIC, size(0.9))), "inset:(left:30%)"))
    m.add(f"#v({m.chance.choice((10, 20, 40))}pt)")


def _with_initial(m: Manuscript) -> str:
    """A paragraph whose first letter is large, and often its first words capitals: no heading."""
    ink = m.ink("text")
    text = m.writer.text(200, 900)
    words = text[1:].split(" ")
    count = m.chance.choice((0, 0, 2, 4)) if m.writer.is_latin else 0
    rest = " ".join([*(word.upper() for word in words[:count]), *words[count:]])
    first = inked(ink, text[:1], size(m.between(1.8, 3)), face(m.style.headings[0].font), m.either("", BOLD))
    return f"#par(first-line-indent:0pt)[{first}{inked(ink, rest)}]"


def _dialogue(m: Manuscript) -> str:
    lines = (
        m.say("text", f"{m.either('“', '– ', '«')}{m.writer.text(10, 90)}{m.either('”', '')}")
        for _ in range(m.chance.randint(2, 5))
    )
    return "\n\n".join(lines)


def _verse(m: Manuscript) -> str:
    ink = m.ink("text")
    lines = (inked(ink, m.writer.phrase(3, 7), ITALIC) for _ in range(m.chance.randint(2, 6)))
    return "#block[#pad(x:3em)[#flat[" + "#linebreak()".join(lines) + "]]]"


def _numbered(m: Manuscript, number: str, indent: float) -> str:
    """A clause with its number before it: an item of a list."""
    ink = m.ink("list_item")
    body = inked(ink, m.writer.text(60, 400))
    if m.likely(0.6):
        return f"#block[#pad(x:{indent / 2}em)[#flat[#grid(columns:(2.6em,1fr),[{inked(ink, number)}],[{body}])]]]"
    return f"#block[#pad(x:{indent / 2}em)[#par(first-line-indent:0pt)[{inked(ink, number + ' ')}{body}]]]"


def _beside(m: Manuscript, shift: str, width: float, *, is_heading: bool) -> str:
    """What stands in the margin at the height of the next paragraph."""
    if is_heading:
        body = m.say(
            "heading",
            m.writer.heading(4),
            m.either(BOLD, BOLD, ITALIC),
            size(m.chance.choice((0.9, 1.0, 1.0))),
            level=2,
        )
    else:
        body = m.say(
            "side_note", m.writer.text(8, 110), size(m.chance.choice((0.7, 0.8, 0.85))), m.either("", ITALIC, BOLD)
        )
    align = m.either("start", "start", "end")
    return f"#place(left,{shift},block(width:{width:.0f}pt)[#flat[#set align({align})\n{body}]])"


def _index(m: Manuscript) -> str:
    """Words and the pages they are on: a list."""
    entries: list[str] = []
    for _ in range(m.chance.randint(8, 30)):
        pages = ", ".join(str(m.chance.randint(1, 400)) for _ in range(m.chance.randint(1, 4)))
        entry = m.say("list_item", f"{m.writer.phrase(1, 3).lower()}, {pages}", size(0.9))
        entries.append(f"#block(spacing:0.5em)[#par(first-line-indent:0pt,hanging-indent:1em)[{entry}]]")
    return "\n".join(entries)
