"""What is put on finished pages: notes up the edge, archive marks, line numbers."""

from __future__ import annotations

from training.structure.typst_manuscript import BOLD, Manuscript, face, inked, size
from training.structure.typst_style import INKS

NUM_LINE_INKS = 60


def stamps(m: Manuscript) -> str:
    """Set the background of all pages, or nothing."""
    form = m.chance.choices(("", "edge", "archive", "across", "corner"), (90, 4, 3, 1.5, 1.5))[0]
    if not form:
        return ""
    r = m.chance
    if form == "edge":
        text = f"Downloaded from {m.writer.web_site()} by {m.writer.person()} on {m.writer.date()}"
        body = m.say("stamp", text, size(0.7), colour=r.choice((0, 0x808080)))
        mark = f"#place({m.either('right', 'left')}+horizon,dx:{m.either('-6pt', '6pt')},rotate({m.either('90deg', '-90deg')},reflow:true)[{body}])"
    elif form == "archive":
        text = f"arXiv:{r.randint(1001, 2612)}.{r.randint(10000, 99999)}v{r.randint(1, 4)} [{r.choice(('cs.CL', 'hep-th', 'math.NT'))}] {r.randint(1, 28)} Jun {r.randint(2010, 2026)}"
        body = m.say("stamp", text, "size:15pt", colour=0x808080)
        mark = f"#context if here().page() == 1 [#place(left+horizon,dx:8pt,rotate(-90deg,reflow:true)[{body}])]"
    elif form == "across":
        body = m.say("stamp", m.either("DRAFT", "CONFIDENTIAL", "COPY", "SAMPLE"), "size:70pt", BOLD, colour=0xD8D8D8)
        mark = f"#place(center+horizon,rotate(-45deg)[{body}])"
    else:
        text = m.either("RECEIVED", "APPROVED", "FILED", "PAID", "COPY") + " " + m.writer.date()
        body = m.say("stamp", text, BOLD, colour=r.choice(INKS))
        mark = f"#place(top+right,dx:-20pt,dy:14pt,rotate({r.randint(-12, 12)}deg)[#box(stroke:1pt+red,inset:4pt)[{body}]])"
    return f"#set page(background:[#set par(first-line-indent:0pt)\n{mark}])"


def line_numbers(m: Manuscript) -> str:
    """Lines are numbered at the margin: no part of the text, like a stamp."""
    inks = ",".join(m.ink("stamp") for _ in range(NUM_LINE_INKS))
    every = m.chance.choice((1, 1, 5))
    looks = ",".join((size(0.7), face(m.style.font)))
    number = f"t(({inks}).at(calc.rem(n,{NUM_LINE_INKS})),str(n),{looks})"
    condition = f"if calc.rem(n,{every}) == 0 {{{number}}}"
    return f"#set par.line(numbering:n=>{condition},numbering-scope:{m.either(chr(34) + 'page' + chr(34), chr(34) + 'document' + chr(34))})"


def transcript_line(m: Manuscript, number: int, text: str, ink: str) -> str:
    """A line of a typewritten record with its number before it."""
    return f"#grid(columns:(2.5em,1fr),[{m.say('stamp', str(number))}],[{inked(ink, text)}])"
