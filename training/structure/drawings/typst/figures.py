"""Figures: pictures, charts and diagrams with the words in them, and captions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from training.structure.drawings.typst.manuscript import BOLD, ITALIC, Manuscript, aligned, face, inked, shade, size
from training.structure.drawings.typst.style import INKS, WHITE

PICTURE_SIDE = 12  # pixels
TINTS = ("luma(225)", 'rgb("#cfe2f3")', 'rgb("#fde9d9")', 'rgb("#e2efda")', "white")


def caption(m: Manuscript, what: Literal["figure", "table"]) -> str:
    """Its number and what it says, in one block."""
    m.counts[what] += 1
    number = m.either(f"{m.counts[what]}", f"{m.counts[what]}", f"{m.chance.randint(1, 9)}.{m.counts[what]}")
    ink = m.ink("caption")
    em = m.chance.choice((0.8, 0.85, 0.9, 0.9, 1.0))
    look = m.either("", "", ITALIC, "", BOLD)
    text = m.writer.text(10, m.chance.choice((40, 110, 300)))
    body = inked(ink, f" {text}", size(em), look)
    if m.likely(0.9):
        end = m.either(":", ".", "", " –", " |")
        body = inked(ink, f"{m.writer.term(what)} {number}{end}", size(em), look or m.either("", BOLD)) + body
    return f"#block(width:100%)[#flat[#set align({m.either('start', 'center')})\n{body}]]"


def figure(m: Manuscript, height: float | None = None, *, captioned: bool = True) -> str:
    """A figure; its caption stands below, above, or nowhere."""
    height = height or m.between(50, 190)
    parts: list[str] = []
    is_captioned = captioned and m.likely(0.85)
    if is_captioned and m.width > 300 and m.likely(0.08):
        shown = artwork(m, height)
        return f"#block(breakable:false)[#grid(columns:(1.6fr,1fr),gutter:12pt,[{shown}],[{caption(m, 'figure')}])]"
    is_above = m.likely(0.15)
    if is_captioned and is_above:
        parts.append(caption(m, "figure"))
    parts.append(aligned("center", artwork(m, height)))
    if is_captioned and not is_above:
        parts.append(caption(m, "figure"))
    joined = "\n#v(0.5em,weak:true)\n".join(parts)
    return f"#block(breakable:false,above:1.3em,below:1.3em,width:100%)[{joined}]"


def floated(m: Manuscript, make: Callable[[], str]) -> str:
    """What the typesetter moves to the top or foot of a column or page."""
    with m.floating():
        body = make()
    place = m.either("top", "top", "bottom", "auto")
    scope = m.either("parent", "column", "column")
    return f'#place({place},float:true,scope:"{scope}",clearance:1.3em)[{body}]'


def artwork(m: Manuscript, height: float) -> str:
    return m.some(
        (40, lambda: picture(m, height)),
        (22, lambda: bar_chart(m, max(height, 70))),
        (14, lambda: line_chart(m, max(height, 80))),
        (16, lambda: diagram(m, max(height, 90))),
        (8, lambda: panels(m, height)),
        (4, lambda: f"#v({height:.0f}pt)"),  # a figure of which no line or image is found
    )


def picture(m: Manuscript, height: float, width: str = "") -> str:
    """An image of soft spots."""
    r = m.chance
    base = [r.randint(40, 230) for _ in range(3)]
    pixels = (max(0, min(255, channel + r.randint(-40, 40))) for _ in range(PICTURE_SIDE**2) for channel in base)
    raw = f"bytes(({','.join(map(str, pixels))}))"
    form = f'(encoding:"rgb8",width:{PICTURE_SIDE},height:{PICTURE_SIDE})'
    width = width or f"{r.randint(40, 100)}%"
    return f'#image({raw},format:{form},width:{width},height:{height:.0f}pt,fit:"stretch",scaling:"smooth")'


def bar_chart(m: Manuscript, height: float) -> str:
    r = m.chance
    count = r.randint(3, 8)
    looks = _tick_looks(m)
    colour = shade(r.choice(INKS))
    shapes: list[str] = []
    words: list[str] = []
    for index in range(count):
        left = 10 + 86 * index / count
        bar = f"rect(width:{50 / count:.0f}%,height:{m.between(0.1, 0.75) * height:.0f}pt,fill:{colour})"
        shapes.append(f"#place(bottom+left,dx:{left:.0f}%,dy:-14pt,{bar})")
        label = str(1990 + index * 5) if m.likely(0.5) else m.writer.name()[:9]
        words.append(f"#place(bottom+left,dx:{left:.0f}%,[{m.say('figure_text', label, *looks)}])")
    words += _axis(m, height, looks)
    axis = "#place(bottom+left,dx:8%,dy:-13pt,line(length:88%,stroke:0.6pt))"
    return _canvas(m, height, "".join(shapes) + axis + "".join(words))


def line_chart(m: Manuscript, height: float) -> str:
    r = m.chance
    looks = _tick_looks(m)
    source = ""
    for _ in range(r.randint(1, 3)):
        points = ",".join(
            f"curve.{'move' if not index else 'line'}(({10 + 8.5 * index:.0f}%,{m.between(0.1, 0.8) * height:.0f}pt))"
            for index in range(10)
        )
        source += f"#place(top+left,curve(stroke:1pt+{shade(r.choice(INKS))},{points}))"
    source += f"#place(top+left,dx:8%,line(angle:90deg,length:{height - 14:.0f}pt,stroke:0.6pt))"
    source += "#place(bottom+left,dx:8%,dy:-13pt,line(length:88%,stroke:0.6pt))"
    for index in range(r.randint(3, 6)):
        label = m.say("figure_text", str(index * r.choice((1, 5, 10, 100))), *looks)
        source += f"#place(bottom+left,dx:{10 + index * 15}%,[{label}])"
    return _canvas(m, height, source + "".join(_axis(m, height, looks)))


def diagram(m: Manuscript, height: float) -> str:
    """Boxes with words in them, and arrows between."""
    r = m.chance
    source = ""
    columns = 3 if m.width > 260 else 2
    for index in range(r.randint(2, 2 * columns)):
        x = (index % columns) * 100 // columns
        y = (index // columns) * height / 2
        is_dark = m.likely(0.2)
        fill = shade(r.choice(INKS)) if is_dark else r.choice(TINTS)
        word = m.say(
            "figure_text", m.writer.phrase(1, 3), size(0.75), m.either("", BOLD), colour=WHITE if is_dark else 0
        )
        shape = m.either("rect", "rect", "ellipse")
        text = f"#flat[#set align(center+horizon)\n{word}]"
        box = f"{shape}(width:{84 // columns}%,height:{height * 0.36:.0f}pt,inset:2pt,fill:{fill},stroke:0.5pt)[{text}]"
        source += f"#place(top+left,dx:{x}%,dy:{y:.0f}pt,{box})"
        if (index + 1) % columns:
            arrow = f"line(length:{12 // columns}%,stroke:0.7pt)"
            source += f"#place(top+left,dx:{x + 86 // columns}%,dy:{y + height * 0.18:.0f}pt,{arrow})"
    return f"#block(width:100%,height:{height:.0f}pt)[{source}]"


def panels(m: Manuscript, height: float) -> str:
    """Pictures side by side, each with its letter."""
    count = m.chance.randint(2, 4)
    letters = m.either("(a)|(b)|(c)|(d)", "A|B|C|D", "a)|b)|c)|d)").split("|")
    cells = ""
    for index in range(count):
        letter = m.say("figure_text", letters[index], size(0.85), m.either("", BOLD))
        cells += f"[{picture(m, height * 0.7, '100%')}#linebreak(){letter}],"
    return f"#grid(columns:({'1fr,' * count}),gutter:6pt,{cells})"


def _axis(m: Manuscript, height: float, looks: tuple[str, ...]) -> list[str]:
    """Numbers up the side, and names of axes and lines."""
    step = m.chance.choice((1, 5, 10, 25, 200))
    words: list[str] = []
    for index in range(5):
        number = m.say("figure_text", str(step * (4 - index)), *looks)
        words.append(f"#place(top+left,dx:2%,dy:{(height - 22) * index / 4:.0f}pt,[{number}])")
    if m.likely(0.35):
        words.append(f"#place(top+center,[{m.say('figure_text', m.writer.phrase(2, 5), *looks, BOLD)}])")
    if m.likely(0.4):
        for index in range(2):
            name = m.say("figure_text", m.writer.name()[:14], *looks)
            words.append(f"#place(top+right,dy:{12 + 11 * index}pt,[{name}])")
    if m.likely(0.3):
        turned = m.say("figure_text", m.writer.phrase(1, 3)[:22], *looks)
        words.append(f"#place(left+horizon,dx:-7%,rotate(-90deg,reflow:true)[{turned}])")
    return words


def _canvas(m: Manuscript, height: float, source: str) -> str:
    frame = m.either("", "", ",stroke:0.5pt,inset:4pt")
    return (
        f"#block(width:{m.chance.randint(70, 100)}%,height:{height:.0f}pt{frame})[#flat[#set text(dir:ltr)\n{source}]]"
    )


def _tick_looks(m: Manuscript) -> tuple[str, ...]:
    return (size(m.chance.choice((0.55, 0.65, 0.75))), face(m.style.other_font))
