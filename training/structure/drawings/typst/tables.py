"""Tables: ruled, half ruled and without rules, with heads over heads, groups of rows and cells over several rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from training.structure.drawings.typst.figures import caption
from training.structure.drawings.typst.manuscript import BOLD, ITALIC, Manuscript, aligned, indented, inked, shade, size
from training.structure.drawings.typst.style import BARS, BLACK, WHITE

Kind = Literal["label", "long", "essay", "number", "word", "phrase", "mark", "amount"]
Look = Literal["grid", "booktabs", "lines", "zebra", "none", "frame", "head", "columns"]
LOOKS: tuple[Look, ...] = (
    "grid",
    "grid",
    "booktabs",
    "booktabs",
    "lines",
    "zebra",
    "none",
    "none",
    "frame",
    "head",
    "columns",
)

MAX_UNBROKEN_ROWS = 8  # a longer table may go on on the next page


@dataclass(frozen=True, slots=True)
class _Plan:
    """What all cells of a table follow."""

    kinds: tuple[Kind, ...]
    sides: tuple[str, ...]
    number_format: str
    look: Look
    num_heads: int
    head_look: tuple[str, ...]
    bar: int | None  # the colour under white heads
    stub: Literal["plain", "indented", "dotted"]  # how the first cells of rows begin and end
    repeats_heads: bool  # on the next page


def table(m: Manuscript, *, captioned: bool = True, max_rows: int = 26, wide: bool = False) -> str:
    """A table with or without its caption and a note; the caption is read first if it stands above."""
    plan = _plan(m)
    has_texts = "essay" in plan.kinds or "long" in plan.kinds
    longest = min(max_rows, 5 if has_texts else m.chance.choice((4, 7, 12, 18, 26)))
    num_rows = m.chance.randint(2, longest)
    is_captioned = captioned and m.likely(0.75)
    is_above = m.likely(0.7)
    parts: list[str] = []
    if is_captioned and is_above:
        parts.append(caption(m, "table"))
    parts.append(aligned(m.either("start", "center"), _grid(m, plan, num_rows, is_wide=wide or m.likely(0.3))))
    if is_captioned and not is_above:
        parts.append(caption(m, "table"))
    if m.likely(0.12):
        parts.append(_note(m))
    joined = "\n#v(0.5em,weak:true)\n".join(parts)
    breaks = m.either("true", "false") if num_rows <= MAX_UNBROKEN_ROWS else "true"
    return f"#block(breakable:{breaks},above:1.3em,below:1.3em,width:100%)[{joined}]"


def _note(m: Manuscript) -> str:
    start = m.either("Note: ", "Source: ", "* ", "a ") if m.writer.is_english else "* "
    return f"#flat[{m.say('footnote', start + m.writer.text(10, 90), size(0.8))}]"


def _plan(m: Manuscript) -> _Plan:
    r = m.chance
    most = max(2, min(8, int(m.width / (m.style.size * 6))))
    count = r.randint(2, most)
    first = r.choice(("label", "label", "label", "long"))
    others: tuple[Kind, ...] = ("number", "number", "number", "word", "phrase", "amount", "mark")
    body: list[Kind] = [r.choice((*others, "long") if count < 4 else others) for _ in range(count - 1)]
    if (
        m.likely(0.12) and count < 5 and m.width > 90 * count
    ):  # a table of texts, whose cells look like paragraphs and headings
        body = ["essay"] * (count - 1)
    elif m.likely(0.35):
        body = ["number"] * (count - 1)
    kinds: tuple[Kind, ...] = (first if count < 5 else "label", *body)
    look = r.choice(LOOKS)
    has_bar = look in ("zebra", "head", "grid") and m.likely(0.35)
    return _Plan(
        kinds=kinds,
        sides=tuple(
            "start" if kind in ("label", "long", "essay", "phrase") else r.choice(("center", "end", "start"))
            for kind in kinds
        ),
        number_format=r.choice(("any", "any", "percent", "integer", "decimal")),
        look=look,
        num_heads=r.choices((0, 1, 2), (8, 70, 22))[0] if count > 2 else r.choices((0, 1), (15, 85))[0],
        head_look=(BOLD if m.likely(0.65) else "", ITALIC if m.likely(0.1) else ""),
        bar=r.choice(BARS) if has_bar else None,
        stub=r.choices(("plain", "indented", "dotted"), (78, 14, 8))[0],
        repeats_heads=m.likely(0.5),
    )


def _grid(m: Manuscript, plan: _Plan, num_rows: int, *, is_wide: bool) -> str:
    heads = _heads(m, plan)
    cells = list[str]()
    is_wide = is_wide or "essay" in plan.kinds
    row = plan.num_heads
    last = plan.num_heads + num_rows
    while row < last:
        kind = m.chance.choices(("row", "group", "pair", "total"), (86, 6, 5, 3))[0]
        if kind == "group" and len(plan.kinds) > 2:
            cells.append(_cell(m, m.writer.phrase(1, 5), "start", m.either(BOLD, ITALIC, ""), span=len(plan.kinds)))
        elif kind == "pair" and row + 1 < last:
            cells.append(_cell(m, m.writer.phrase(1, 2), "start", rows=2))
            cells += _row(m, plan, 1) + _row(m, plan, 1)
            row += 1
        else:
            looks = (BOLD,) if kind == "total" or (row == last - 1 and m.likely(0.15)) else ()
            cells += _row(m, plan, 0, *looks)
        row += 1
    m.cells([*heads, *cells], len(plan.kinds), plan.num_heads)
    heads = [f"table.header({','.join(heads)})"] if heads and plan.repeats_heads else heads
    em = m.chance.choice((0.75, 0.85, 0.9, 1.0) if len(plan.kinds) < 5 else (0.7, 0.75, 0.8))
    hyphenates = m.either("true", "false")
    inset = f"(x:{m.between(2.5, 7)}pt,y:{m.between(1.8, 8 if is_wide else 5)}pt)"
    arguments = (
        f"columns:({_widths(m, plan, is_wide)},)",
        f"inset:{inset}",
        *_rules(m, plan, row),
        *heads,
        *cells,
    )
    return f"#flat[#set text(size:{em}em,hyphenate:{hyphenates})\n#table({','.join(arguments)})]"


def _heads(m: Manuscript, plan: _Plan) -> list[str]:
    colour = WHITE if plan.bar is not None else BLACK
    count = len(plan.kinds)
    has_empty_corner = m.likely(0.2)
    if not plan.num_heads:
        return []
    if plan.num_heads == 1:
        longest = m.chance.choice((1, 2, 4))
        texts = ["" if has_empty_corner and not index else m.writer.phrase(1, longest) for index in range(count)]
        return [
            _cell(m, text, side, *plan.head_look, colour=colour) for text, side in zip(texts, plan.sides, strict=True)
        ]
    cells = [
        _cell(m, "" if has_empty_corner else m.writer.phrase(1, 2), "start", *plan.head_look, rows=2, colour=colour)
    ]
    column = 1
    while column < count:
        span = min(count - column, m.chance.randint(1, 4))
        cells.append(_cell(m, m.writer.phrase(1, 3), "center", *plan.head_look, span=span, colour=colour))
        if plan.look == "booktabs" and span > 1:
            cells.append(f"table.hline(y:1,start:{column},end:{column + span},stroke:0.4pt)")
        column += span
    sub = (
        _cell(m, m.writer.phrase(1, 2), plan.sides[index], *plan.head_look, colour=colour) for index in range(1, count)
    )
    return [*cells, *sub]


def _row(m: Manuscript, plan: _Plan, start: int, *looks: str) -> list[str]:
    cells: list[str] = []
    for index in range(start, len(plan.kinds)):
        text = "" if index and m.likely(0.03) else _value(m, plan, index)
        if not index and plan.stub != "plain":
            cells.append(_stub(m, text, plan.stub, *looks))
        else:
            cells.append(_cell(m, text, plan.sides[index], *looks))
    return cells


def _stub(m: Manuscript, text: str, form: str, *looks: str) -> str:
    """The name of a row, set in under its group, or with dots to the numbers."""
    ink = m.ink("table")
    words = inked(ink, text, *looks)
    if form == "dotted":
        return f"table.cell(align:start)[{words} #box(width:1fr,text(fill:rgb({ink}),repeat[.]));]"
    return f"table.cell(align:start)[{indented(m, m.chance.choice((0, 1, 1, 2)), words)}]"


def _value(m: Manuscript, plan: _Plan, index: int) -> str:
    r = m.chance
    longest = 4 if len(plan.kinds) < 5 else 2  # words
    match plan.kinds[index]:
        case "number":
            formats = {
                "percent": f"{r.randint(1, 99)}%",
                "integer": f"{r.randint(1, 99999):,}",
                "decimal": f"{r.uniform(0, 99):.2f}",
            }
            return formats.get(plan.number_format) or m.writer.number()
        case "amount":
            return m.writer.amount()
        case "mark":
            return r.choice(("✓", "×", "yes", "no", "–", "A", "B", "C", "n/a"))
        case "word":
            return m.writer.name()
        case "phrase":
            return m.writer.phrase(1, longest)
        case "long":
            return m.writer.text(15, r.choice((40, 90, 160)))
        case "essay":
            return m.writer.text(30, r.choice((80, 160, 300)))
        case "label":
            return m.writer.phrase(1, longest)


def _cell(m: Manuscript, text: str, side: str, *looks: str, span: int = 1, rows: int = 1, colour: int = BLACK) -> str:
    body = _cell_text(m, text, *looks, colour=colour) if text else ""
    vertical = "+horizon" if rows > 1 and m.likely(0.5) else ""
    arguments = [f"align:{side}{vertical}"]
    if span > 1:
        arguments.append(f"colspan:{span}")
    if rows > 1:
        arguments.append(f"rowspan:{rows}")
    return f"table.cell({','.join(arguments)})[{body}]"


def _cell_text(m: Manuscript, text: str, *looks: str, colour: int) -> str:
    """What a cell says; a long text may begin with bold words, or be a list within the cell."""
    ink = m.ink("table", colour)
    if len(text) < 70 or m.likely(0.6):
        return inked(ink, text, *looks)
    if m.likely(0.4):
        return inked(ink, m.writer.phrase(1, 3) + m.either(":", ".", "") + " ", BOLD) + inked(ink, text, *looks)
    lines = (inked(ink, f"{m.style.bullet} {m.writer.phrase(2, 6)}", *looks) for _ in range(m.chance.randint(2, 4)))
    return "#linebreak()".join(lines)


def _widths(m: Manuscript, plan: _Plan, is_wide: bool) -> str:
    if is_wide or (m.writer.is_spaceless and len(plan.kinds) > 3):
        return ",".join("2fr" if kind in ("long", "essay") else "1fr" for kind in plan.kinds)
    if plan.stub == "dotted":
        return ",".join("2fr" if not index else "auto" for index in range(len(plan.kinds)))
    if len(plan.kinds) > 6:
        return ",".join("auto" for _ in plan.kinds)
    return ",".join("1fr" if kind == "long" else m.either("auto", "auto", "1fr") for kind in plan.kinds)


def _rules(m: Manuscript, plan: _Plan, num_rows: int) -> list[str]:
    """Strokes, fills and single lines, as arguments of Typst's table."""
    heads = plan.num_heads
    stroke = "none"
    fill = "none"
    lines: list[str] = []
    if plan.look == "grid":
        stroke = m.either("0.5pt", "1pt", "0.3pt+gray", "0.5pt+luma(120)")
    elif plan.look == "booktabs":
        lines = [f"table.hline(y:{y},stroke:{weight}pt)" for y, weight in ((0, 0.8), (heads, 0.5), (num_rows, 0.8))]
    elif plan.look == "lines":
        stroke = "(x,y)=>(top:0.4pt,bottom:0.4pt)"
    elif plan.look == "columns":
        stroke = "(x,y)=>(left:0.4pt,right:0.4pt)"
        lines = [f"table.hline(y:{y},stroke:0.6pt)" for y in (0, heads, num_rows)]
    elif plan.look == "frame":
        lines = [f"table.hline(y:{y})" for y in (0, num_rows)]
        lines += [f"table.vline(x:{x})" for x in (0, len(plan.kinds))]
    elif plan.look == "zebra":
        fill = f"(x,y)=>if calc.odd(y){{luma({m.chance.randint(215, 245)})}}"
    if plan.bar is not None:
        fill = f"(x,y)=>if y < {heads} {{{shade(plan.bar)}}}"
    elif plan.look == "head":
        fill = f"(x,y)=>if y < {heads} {{luma({m.chance.randint(190, 240)})}}"
    return [f"stroke:{stroke}", f"fill:{fill}", *lines]


def key_value(m: Manuscript) -> str:
    """Two columns without rules, as in a summary of facts: cells of a table without a head."""
    look = m.either(BOLD, "", ITALIC)
    cells: list[str] = []
    for _ in range(m.chance.randint(3, 8)):
        cells.append(_cell(m, m.writer.phrase(1, 3), "start", look))
        cells.append(_cell(m, m.either(m.writer.number(), m.writer.phrase(1, 5), m.writer.date()), "start"))
    stroke = m.either("none", "(x,y)=>(bottom:0.3pt)")
    arguments = ("columns:(auto,1fr)", f"stroke:{stroke}", f"inset:(x:4pt,y:{m.between(2, 5)}pt)", *m.cells(cells, 2))
    return f"#flat[#table({','.join(arguments)})]"
