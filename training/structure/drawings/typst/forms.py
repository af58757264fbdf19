"""Forms and invoices: labels and their values, boxes to fill in and to tick, sums."""

from __future__ import annotations

from collections.abc import Callable

from training.structure.drawings.typst.headings import heading, title
from training.structure.drawings.typst.lookalikes import address, notice
from training.structure.drawings.typst.manuscript import BOLD, ITALIC, Manuscript, aligned, boxed, inked, shade, size
from training.structure.drawings.typst.pages import LINE, Page, begin, furniture
from training.structure.drawings.typst.panels import m_grid
from training.structure.drawings.typst.prose import items, paragraph
from training.structure.drawings.typst.style import BARS, WHITE
from training.structure.drawings.typst.tables import table
from training.structure.drawings.typst.vocabulary import LABELS

SHAPES = ((595, 842), (612, 792), (612, 1008), (420, 595))
EMPTY_BOX = "#box(width:0.75em,height:0.75em,stroke:0.5pt)"
TICKED_BOX = "#box(width:0.75em,height:0.75em,stroke:0.5pt,fill:luma(90))"


def form(m: Manuscript) -> None:
    width, height = m.chance.choice(SHAPES)
    sides = m.between(24, 70)
    begin(
        m,
        Page(width, height, sides, sides, m.between(28, 70), m.between(36, 70)),
        *(furniture(m) if m.likely(0.5) else ("", "")),
    )
    m.add(aligned(m.either("start", "center", "center"), title(m, m.writer.phrase(2, 7), m.between(1.1, 2))))
    if m.likely(0.5):
        m.add(paragraph(m, 40, 300, size(0.9)))
    for _ in range(m.chance.randint(3, 9)):
        if m.likely(0.6):
            m.add(_part_heading(m))
        m.add(
            m.some(
                (30, lambda: _lines(m)),
                (25, lambda: _boxes(m)),
                (15, lambda: _pairs(m)),
                (15, lambda: _choices(m)),
                (8, lambda: paragraph(m, 60, 400, size(0.9))),
                (5, lambda: items(m, 4)),
                (6, lambda: table(m, captioned=False)),
                (4, lambda: notice(m)),
            )
        )
    if m.likely(0.5):
        m.add(_signatures(m))


def invoice(m: Manuscript) -> None:
    """Sender, receiver, numbers, a table of goods and its sums."""
    width, height = m.chance.choice(SHAPES)
    sides = m.between(36, 70)
    begin(
        m,
        Page(width, height, sides, sides, m.between(36, 70), m.between(40, 70)),
        *(furniture(m) if m.likely(0.4) else ("", "")),
    )
    word = (
        m.either("INVOICE", "Invoice", "RECEIPT", "Statement", "Purchase Order", "Quotation")
        if m.writer.is_english
        else None
    )
    name = m.say("text", m.writer.company(), size(m.between(1, 1.6)), m.either(BOLD, ""))
    head = f"{name}\n\n{address(m)}"
    m.add(m_grid(["1fr", "1fr"], [head, aligned(m.either("end", "start"), title(m, word, m.between(1.6, 2.8)))], 12))
    m.add(m_grid(["1fr", "1fr"], [_receiver(m), _pairs(m, 1)], 20))
    m.add(_goods(m))
    m.add(aligned("end", f"#block(width:{m.chance.choice((45, 55))}%)[{_sums(m)}]"))
    if m.likely(0.6):
        m.add(paragraph(m, 40, 260, size(0.85)))
    if m.likely(0.4):
        m.add(aligned("center", m.say("text", m.writer.phrase(2, 5), m.either("", BOLD, ITALIC))))


def _label(m: Manuscript) -> str:
    word = m.chance.choice(LABELS) if m.writer.is_english and m.likely(0.8) else m.writer.phrase(1, 3)
    return word.upper() if m.writer.is_latin and m.likely(0.15) else word


def _value(m: Manuscript) -> str:
    w = m.writer
    return m.either(w.person(), w.date(), w.number(), w.phone(), w.web_site(), w.name(), w.phrase(1, 4), w.amount())


def _short(make: Callable[[], str], longest: int) -> str:
    """The first of some texts that has room, or the start of the last."""
    text = ""
    for _ in range(6):
        text = make()
        if len(text) <= longest:
            return text
    return text[: max(3, longest)]


def _part_heading(m: Manuscript) -> str:
    if m.likely(0.4):
        fill = m.either("bar", "gray")
        colour = WHITE if fill == "bar" else 0
        head = m.say("heading", m.writer.heading(6), BOLD, colour=colour, level=1)
        return boxed(
            f"#flat[{head}]",
            f"fill:{shade(m.chance.choice(BARS)) if fill == 'bar' else 'luma(215)'}",
            "inset:4pt",
            "sticky:true",
        )
    return heading(m, m.chance.choice((1, 2)))


def _lines(m: Manuscript) -> str:
    """A label and a line to write on, filled in or not; one or several to a line."""
    rows: list[str] = []
    end = m.either(":", ":", "", " ")
    is_filled = m.likely(0.6)
    for _ in range(m.chance.randint(3, 8)):
        cells = ""
        count = m.chance.choice((1, 1, 2, 3))
        room = int(m.width / count / m.style.size * (0.4 if m.writer.is_spaceless else 0.75))
        for _ in range(count):
            label = m.say("label", _short(lambda: _label(m), room) + end, m.either("", BOLD) if m.likely(0.3) else "")
            value = m.say("value", _short(lambda: _value(m), room)) if is_filled and m.likely(0.8) else ""
            line = f"#box(width:1fr,stroke:(bottom:0.5pt),outset:(bottom:2pt))[{value}#h(1fr)]"
            cells += f"[{label} {line}],"
        rows.append(f"#grid(columns:({'1fr,' * count}),gutter:10pt,{cells})")
    gap = m.between(5, 14)
    return "#flat[" + f"#v({gap}pt,weak:true)".join(rows) + "]"


def _boxes(m: Manuscript) -> str:
    """Cells with a small label at the top and the value under it."""
    columns = m.chance.choice((2, 3, 3, 4))
    cells = list[str]()
    is_filled = m.likely(0.6)
    em = m.chance.choice((0.65, 0.75, 0.85))
    for _ in range(columns * m.chance.randint(1, 4)):
        label = m.say("label", _label(m), size(em), m.either("", BOLD) if m.likely(0.2) else "")
        value = m.say("value", _value(m)) if is_filled and m.likely(0.75) else "#v(0.8em)"
        cells.append(f"[{label}#linebreak(){value}]")
    shown = ",".join(m.cells(cells, columns))
    return f"#flat[#table(columns:({'1fr,' * columns}),stroke:0.5pt,inset:4pt,{shown})]"


def _pairs(m: Manuscript, columns: int | None = None) -> str:
    """Labels and values beside each other, without lines."""
    columns = columns or m.chance.choice((1, 1, 2))
    cells = ""
    look = m.either(BOLD, "", BOLD)
    room = 40 if columns == 1 else int(m.width / m.style.size * (0.25 if m.writer.is_spaceless else 0.4))
    for _ in range(columns * m.chance.randint(2, 6)):
        label = _short(lambda: _label(m), room) + m.either(":", ":", "")
        cells += f"[{m.say('label', label, look)}],[{m.say('value', _short(lambda: _value(m), room))}],"
    widths = "auto,1fr," * columns
    return f"#flat[#grid(columns:({widths}),column-gutter:10pt,row-gutter:{m.between(5, 10)}pt,{cells})]"


def _choices(m: Manuscript) -> str:
    """A question and boxes to tick, in a line or below one another."""
    question = m.say("label", m.writer.phrase(2, 8) + m.either(":", "?", ""), m.either("", BOLD))
    boxes: list[str] = []
    for _ in range(m.chance.randint(2, 6)):
        box = TICKED_BOX if m.likely(0.25) else EMPTY_BOX
        boxes.append(f"{box} {m.say('list_item', m.writer.phrase(1, 4))}")
    if m.likely(0.5):
        return f"#flat[{question} #h(1em) {' #h(1.2em) '.join(boxes)}]"
    return f"#flat[{question}#linebreak(){'#linebreak()'.join(boxes)}]"


def _signatures(m: Manuscript) -> str:
    """Lines to sign on, with what belongs there underneath."""
    cells = ""
    for _ in range(2):
        cells += f"[#v(26pt){LINE}{m.say('label', _label(m), size(0.8))}],"
    return f"#flat[#grid(columns:(1fr,1fr),gutter:30pt,{cells})]"


def _receiver(m: Manuscript) -> str:
    label = m.say(
        "label",
        m.either("Bill to:", "Ship to:", "Customer", "To:") if m.writer.is_english else m.writer.phrase(1, 2),
        BOLD,
    )
    ink = m.ink("value")
    return f"#flat[{label}#linebreak(){'#linebreak()'.join(inked(ink, line) for line in m.writer.address())}]"


def _terms(m: Manuscript, *english: str) -> tuple[str, ...]:
    """Words of a bill, or as many of the document's own language."""
    return english if m.writer.is_english else tuple(m.writer.phrase(1, 2) for _ in english)


def _goods(m: Manuscript) -> str:
    heads = _terms(m, "Description", "Qty", "Unit price", "Amount")
    bar = m.chance.choice(BARS) if m.likely(0.5) else None
    cells = [f"[{m.say('table', head, BOLD, colour=0 if bar is None else WHITE)}]" for head in heads]
    for _ in range(m.chance.randint(2, 9)):
        row = (m.writer.phrase(1, 6), str(m.chance.randint(1, 40)), m.writer.amount(), m.writer.amount())
        cells += [f"[{m.say('table', text)}]" for text in row]
    fill = f"(x,y)=>if y == 0 {{{shade(bar)}}}" if bar is not None else "none"
    stroke = m.either("0.5pt", "(x,y)=>(bottom:0.4pt)", "none")
    columns = "columns:(1fr,auto,auto,auto),align:(start,end,end,end)"
    shown = ",".join(m.cells(cells, len(heads), 1))
    return f"#flat[#table({columns},fill:{fill},stroke:{stroke},inset:5pt,{shown})]"


def _sums(m: Manuscript) -> str:
    words = _terms(m, "Subtotal", "Tax", "Discount", "Total")
    cells = ""
    for word in words[-m.chance.randint(2, 4) :]:
        look = BOLD if word == words[-1] else ""
        cells += f"[{m.say('label', word + m.either('', ':'), look)}],[{m.say('value', m.writer.amount(), look)}],"
    return f"#flat[#grid(columns:(1fr,auto),align:(start,end),row-gutter:6pt,{cells})]"
