"""Letters, memoranda, minutes and transcripts of hearings."""

from __future__ import annotations

from training.structure.drawings.typst.headings import heading, plain, title
from training.structure.drawings.typst.lookalikes import address
from training.structure.drawings.typst.manuscript import BOLD, ITALIC, Manuscript, aligned, face, inked, size
from training.structure.drawings.typst.pages import Page, begin, book_page, furniture
from training.structure.drawings.typst.prose import items, paragraph
from training.structure.drawings.typst.stamps import stamps
from training.structure.drawings.typst.tables import table
from training.structure.drawings.typst.vocabulary import CLOSINGS, GREETINGS, MEMO_LABELS, SURNAMES


def letter(m: Manuscript) -> None:
    _begin(m)
    if m.likely(0.6):
        _letter_head(m)
    parts = [lambda: aligned(m.either("start", "end"), m.say("text", m.writer.date())), lambda: address(m)]
    if m.likely(0.4):
        parts.reverse()
    for part in parts:
        m.add(part())
    if m.likely(0.5):
        start = m.either("", "Re: ", "Subject: ") if m.writer.is_english else ""
        m.add(plain(m, start + m.writer.phrase(3, 9), 1, BOLD, m.either("", "", ITALIC), colour=0))
    greeting = (
        m.chance.choice(GREETINGS).format(m.chance.choice(SURNAMES)) if m.writer.is_latin else m.writer.name() + "،"
    )
    m.add(m.say("text", greeting))
    for _ in range(m.chance.randint(2, 6)):
        m.add(
            m.some(
                (8, lambda: paragraph(m, 80, 700)), (1.5, lambda: items(m)), (0.5, lambda: table(m, captioned=False))
            )
        )
    side = m.either("start", "start", "center")
    m.add(aligned(side, m.say("text", m.chance.choice(CLOSINGS) if m.writer.is_latin else m.writer.phrase(1, 2))))
    m.add(f"#v({m.chance.randint(6, 40)}pt)")
    ink = m.ink("text")
    lines = [m.writer.person(), m.writer.phrase(1, 3), m.writer.institute()][: m.chance.randint(1, 3)]
    m.add(aligned(side, "#linebreak()".join(inked(ink, line) for line in lines)))
    if m.likely(0.25) and m.writer.is_english:
        m.add(m.say("text", m.either("Enclosures", "cc: ", "Encl.: ") + m.writer.phrase(1, 4), size(0.9)))


def memorandum(m: Manuscript) -> None:
    """Labels with a colon and their values, a line, and the text."""
    _begin(m)
    if m.likely(0.8):
        name = m.either("MEMORANDUM", "Memo", "INTEROFFICE MEMORANDUM", "M E M O")
        m.add(aligned(m.either("start", "center"), title(m, name if m.writer.is_english else None, m.between(1, 2))))
    cells = ""
    for word in m.chance.sample(MEMO_LABELS, m.chance.randint(3, 6)):
        label = word if m.writer.is_english else m.writer.phrase(1, 2)
        value = m.either(m.writer.person(), m.writer.date(), m.writer.phrase(2, 7))
        cells += f"[{m.say('label', label + ':', m.either(BOLD, BOLD, ''))}],[{m.say('value', value)}],"
    m.add(f"#flat[#grid(columns:(auto,1fr),column-gutter:12pt,row-gutter:{m.between(5, 11)}pt,{cells})]")
    if m.likely(0.6):
        m.add("#line(length:100%)")
    for _ in range(m.chance.randint(2, 6)):
        if m.likely(0.3):
            m.add(heading(m, m.chance.randint(1, 2)))
        m.add(m.some((7, lambda: paragraph(m, 80, 600)), (2, lambda: items(m)), (1, lambda: table(m))))


def minutes(m: Manuscript) -> None:
    """Who was there, numbered points, and what was decided."""
    _begin(m)
    m.add(aligned(m.either("start", "center"), title(m, None, m.between(1, 1.8))))
    for text in (m.writer.date(), m.writer.institute()):
        if m.likely(0.7):
            m.add(aligned(m.either("start", "center"), m.say("text", text)))
    for _ in range(m.chance.randint(1, 3)):
        ink = m.ink("text")
        names = ", ".join(m.writer.person() for _ in range(m.chance.randint(2, 8)))
        label = (
            m.either("Present: ", "Absent: ", "Also attending: ")
            if m.writer.is_english
            else m.writer.phrase(1, 2) + ": "
        )
        m.add(inked(ink, label, m.either(BOLD, "")) + inked(ink, names))
    for _ in range(m.chance.randint(3, 8)):
        m.add(heading(m, m.chance.choice((0, 1, 1))))
        for _ in range(m.chance.randint(1, 2)):
            m.add(m.some((6, lambda: paragraph(m, 40, 400)), (3, lambda: items(m)), (2, lambda: _motion(m))))


def transcript(m: Manuscript) -> None:
    """A typewritten hearing: a number before each line, questions and answers."""
    page = Page(612, 792, m.between(60, 90), m.between(40, 70), m.between(60, 80), 50)
    begin(m, page, *furniture(m), spacing=1.0)
    em = m.chance.choice((0.95, 1.0, 1.1))
    m.add(
        f"#set text({face(m.style.monospace)},size:{em}em,hyphenate:false)\n"
        "#set par(justify:false,first-line-indent:0pt)"
    )
    per_page = m.chance.choice((25, 25, 28))
    columns = int(page.width - page.left - page.right - 3.2 * m.style.size) // int(m.style.size * em * 0.62 + 1)
    columns = columns if m.writer.is_latin else columns * 3 // 5
    rows: list[str] = []
    while len(rows) < per_page * m.chance.choice((1, 2, 2)):
        role = "heading" if m.likely(0.06) else "text"
        text = m.writer.phrase(1, 4).upper() if role == "heading" else _utterance(m)
        ink = m.ink(role, level=1 if role == "heading" else None)
        for line in _broken(text, columns):
            rows.append(f"[{m.say('stamp', str(len(rows) % per_page + 1))}],[{inked(ink, line)}]")
    gap = m.between(7, 12)
    for start in range(0, len(rows), per_page):
        cells = ",".join(rows[start : start + per_page])
        m.add(f"#grid(columns:(2.4em,1fr),row-gutter:{gap}pt,{cells})\n#pagebreak(weak:true)")


def _begin(m: Manuscript) -> None:
    page = book_page(m, 1)
    begin(m, page, *(furniture(m) if m.likely(0.45) else ("", "")))
    m.add(stamps(m))


def _letter_head(m: Manuscript) -> None:
    """The sender at the top, large or small: text and no title."""
    side = m.either("center", "start", "end")
    ink = m.ink("text", m.style.accent)
    lines = [inked(ink, m.writer.company(), size(m.between(1, 1.9)), m.either(BOLD, ""))]
    pieces = [*m.writer.address()[1:], m.writer.phone(), m.writer.web_site()]
    lines.append(inked(ink, m.either(" • ", " | ", ", ").join(pieces), size(0.8)))
    m.add(
        aligned(side, "#flat[" + "#linebreak()".join(lines) + "]")
        + ("#line(length:100%,stroke:0.5pt)" if m.likely(0.4) else "")
    )


def _motion(m: Manuscript) -> str:
    ink = m.ink("text")
    start = (
        m.either("Motion: ", "Action: ", "Decision: ", "RESOLVED ")
        if m.writer.is_english
        else m.writer.phrase(1, 1) + ": "
    )
    return inked(ink, start, BOLD) + inked(ink, m.writer.text(40, 200), m.either("", ITALIC))


def _utterance(m: Manuscript) -> str:
    who = m.either(
        "Q. ",
        "A. ",
        f"{m.chance.choice(SURNAMES).upper()}: ",
        "THE COURT: ",
        f"MR. {m.chance.choice(SURNAMES).upper()}: ",
    )
    return "    " + who + m.writer.text(20, 300)


def _broken(text: str, columns: int) -> list[str]:
    lines: list[str] = []
    while text:
        cut = len(text) if len(text) <= columns else text.rfind(" ", 1, columns)
        cut = cut if cut > 0 else columns
        lines.append(text[:cut].replace("    ", "\u00a0\u00a0\u00a0\u00a0"))
        text = text[cut:].lstrip(" ")
    return lines
