"""Short, large, bold or centred lines that are no headings, so that the network learns what makes one."""

from __future__ import annotations

from training.structure.drawings.typst.manuscript import BOLD, ITALIC, Manuscript, aligned, boxed, inked, shade, size
from training.structure.drawings.typst.prose import paragraph
from training.structure.drawings.typst.style import BARS, WHITE


def lookalike(m: Manuscript) -> str:
    w = m.writer
    return m.some(
        (2, lambda: m.say("text", w.phrase(2, 6) + m.either(":", ".", ","))),
        (2, lambda: m.say("text", w.text(20, 90), BOLD)),
        (1, lambda: aligned("center", m.say("text", w.text(20, 90), ITALIC))),
        (1, lambda: boxed(paragraph(m, 60, 300, size(0.95)), "inset:(x:2em)")),
        (1, lambda: boxed(paragraph(m, 60, 300), m.either("fill:luma(235)", "stroke:0.5pt"), "inset:6pt")),
        (1, lambda: aligned("end", m.say("text", w.person(), m.either("", ITALIC)))),
        (1, lambda: aligned(m.either("start", "end", "center"), m.say("text", w.date()))),
        (1, lambda: facts(m)),
        (1, lambda: address(m)),
        (1, lambda: aligned("center", m.say("text", m.either("* * *", "⁂", "– – –", "•")))),
        (0.5, lambda: pull_quote(m)),
        (0.5, lambda: big_number(m)),
        (0.5, lambda: notice(m)),
    )


def facts(m: Manuscript) -> str:
    """Lines of a bold key and its value in running text."""
    look = m.either(BOLD, BOLD, ITALIC, "")
    lines: list[str] = []
    for _ in range(m.chance.randint(2, 4)):
        ink = m.ink("text")
        value = m.either(m.writer.date(), m.writer.number(), m.writer.person(), m.writer.phrase(1, 5))
        lines.append(inked(ink, f"{m.writer.phrase(1, 2)}: ", look) + inked(ink, value))
    return "#block[#flat[" + "#linebreak()".join(lines) + "]]"


def address(m: Manuscript, align: str = "start") -> str:
    ink = m.ink("text")
    lines = (inked(ink, line) for line in m.writer.address())
    return f"#block(width:100%)[#flat[#set align({align})\n{'#linebreak()'.join(lines)}]]"


def pull_quote(m: Manuscript) -> str:
    """A sentence of the text set large, between lines or in colour: text, not a heading."""
    quote = m.say(
        "text",
        f"“{m.writer.text(40, 140)}”",
        size(m.between(1.3, 1.9)),
        m.either("", ITALIC, BOLD),
        colour=m.style.accent,
    )
    name = f"#linebreak(){m.say('text', '— ' + m.writer.person(), size(0.9))}" if m.likely(0.4) else ""
    strokes = m.either("stroke:(top:1pt,bottom:1pt)", "stroke:(left:3pt+gray)", "")
    return boxed(
        f"#flat[#set align({m.either('start', 'center')})\n{quote}{name}]", strokes, "inset:8pt", "breakable:false"
    )


def big_number(m: Manuscript) -> str:
    """A figure set very large over what it counts."""
    number = m.either(
        f"{m.chance.randint(2, 99)}%",
        f"{m.chance.randint(2, 900):,}",
        f"${m.chance.randint(1, 90)}M",
        f"{m.chance.randint(2, 9)}x",
    )
    shown = m.say("text", number, size(m.between(2, 3.6)), m.either(BOLD, ""), colour=m.style.accent)
    under = m.say("text", m.writer.text(10, 60), size(0.9))
    return f"#flat[#set align({m.either('start', 'center')})\n{shown}\n\n{under}]"


def notice(m: Manuscript) -> str:
    """A bar of colour with a sentence on it."""
    body = m.say("text", m.writer.text(20, 110), m.either("", BOLD), colour=WHITE)
    return boxed(f"#flat[{body}]", f"fill:{shade(m.chance.choice(BARS))}", "inset:6pt")
