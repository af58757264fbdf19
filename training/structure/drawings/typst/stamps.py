"""What is put on finished pages: notes up the edge, archive marks, line numbers."""

from __future__ import annotations

from training.structure.drawings.typst.manuscript import BOLD, Manuscript, face, quoted, size
from training.structure.drawings.typst.style import INKS
from training.structure.drawings.typst.vocabulary import MONTHS

NUM_LINE_INKS = 60


def stamps(m: Manuscript) -> str:
    """Set the background of all pages, or nothing."""
    makers = (
        (90, lambda: ""),
        (4, lambda: _edge_note(m)),
        (3, lambda: _archive_mark(m)),
        (1.5, lambda: _watermark(m)),
        (1.5, lambda: _rubber_stamp(m)),
    )
    mark = m.some(*makers)
    return f"#set page(background:[#set par(first-line-indent:0pt)\n{mark}])" if mark else ""


def _edge_note(m: Manuscript) -> str:
    """Who fetched the page from where and when, up or down the edge."""
    text = f"Downloaded from {m.writer.web_site()} by {m.writer.person()} on {m.writer.date()}"
    body = m.say("stamp", text, size(0.7), colour=m.chance.choice((0, 0x808080)))
    side, shift = m.chance.choice((("right", "-6pt"), ("left", "6pt")))
    return f"#place({side}+horizon,dx:{shift},rotate({m.either('90deg', '-90deg')},reflow:true)[{body}])"


def _archive_mark(m: Manuscript) -> str:
    r = m.chance
    number = f"{r.randint(1001, 2612)}.{r.randint(10000, 99999)}v{r.randint(1, 4)}"
    field = r.choice(("cs.CL", "hep-th", "math.NT", "astro-ph", "stat.ML"))
    text = f"arXiv:{number} [{field}] {r.randint(1, 28)} {r.choice(MONTHS)[:3]} {r.randint(2010, 2026)}"
    body = m.say("stamp", text, "size:15pt", colour=0x808080)
    return f"#context if here().page() == 1 [#place(left+horizon,dx:8pt,rotate(-90deg,reflow:true)[{body}])]"


def _watermark(m: Manuscript) -> str:
    word = m.either("DRAFT", "CONFIDENTIAL", "COPY", "SAMPLE")
    body = m.say("stamp", word, "size:70pt", BOLD, colour=0xD8D8D8)
    return f"#place(center+horizon,rotate(-45deg)[{body}])"


def _rubber_stamp(m: Manuscript) -> str:
    text = m.either("RECEIVED", "APPROVED", "FILED", "PAID", "COPY") + " " + m.writer.date()
    body = m.say("stamp", text, BOLD, colour=m.chance.choice(INKS))
    box = f"#box(stroke:1pt+red,inset:4pt)[{body}]"
    return f"#place(top+right,dx:-20pt,dy:14pt,rotate({m.chance.randint(-12, 12)}deg)[{box}])"


def line_numbers(m: Manuscript) -> str:
    """Lines are numbered at the margin: no part of the text, like a stamp."""
    inks = ",".join(m.ink("stamp") for _ in range(NUM_LINE_INKS))
    every = m.chance.choice((1, 1, 5))
    looks = ",".join((size(0.7), face(m.style.font)))
    number = f"t(({inks}).at(calc.rem(n,{NUM_LINE_INKS})),str(n),{looks})"
    condition = f"if calc.rem(n,{every}) == 0 {{{number}}}"
    scope = quoted(m.either("page", "document"))
    return f"#set par.line(numbering:n=>{condition},numbering-scope:{scope})"
