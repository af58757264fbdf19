"""Screens of cards: dashboards and catalogues."""

from __future__ import annotations

from dataclasses import dataclass

from training.structure.drawings.web.figures import drawing, figure, picture
from training.structure.drawings.web.html import fill, grid, grid_table, leaf
from training.structure.drawings.web.parts import bullets, heading_line, paragraph
from training.structure.drawings.web.sheet import FIRST_ORDER, Sheet
from training.structure.drawings.web.tables import cell, random_table_look

WIDE, NARROW = (960, 540), (720, 540)


def dashboard(sheet: Sheet) -> None:
    """Figures of a firm on one screen: cards of a label and a value, charts, a table."""
    rng, words = sheet.rng, sheet.words
    width, height = rng.choice([(960, 600), (842, 595), (595, 842)])
    sheet.paper(width, height)
    ground = rng.choice([0xFFFFFF, 0xF2F2F2, 0x222222, 0x1F2A44])
    card = {0xFFFFFF: 0xF4F6F8, 0xF2F2F2: 0xFFFFFF, 0x222222: 0x333333, 0x1F2A44: 0x2B3A5C}[ground]
    with sheet.on(ground):
        site = sheet.take("page_header", sheet.ground.muted, order=FIRST_ORDER)
        head = (
            f'<p style="color:{site};font-size:.85em">{words.name()} · {words.date()}</p>' if sheet.chance(0.5) else ""
        )
        head += sheet.block("title", words.phrase(1, 5), "h1", "font-size:1.7em;font-weight:700;margin:.2em 0 .6em")
        cards: list[str] = []
        for _ in range(rng.choice([3, 4, 4, 5])):
            label = sheet.block("label", words.phrase(1, 3), "p", "font-size:.85em", sheet.ground.muted)
            value = sheet.block(
                "value",
                rng.choice([words.amount(), words.number().strip("()")]),
                "p",
                "font-size:1.8em;font-weight:700;line-height:1.2",
            )
            cards.append(f'<div style="background:#{card:06x};padding:.7em 1em">{label}{value}</div>')
        panels: list[str] = []
        for _ in range(rng.choice([2, 3, 4])):
            inside = heading_line(sheet, 1)
            inside += (
                drawing(sheet, rng.choice(["bars", "lines", "pie"]), 150)
                if card > 0x888888 and sheet.chance(0.75)
                else _plain_rows(sheet)
            )
            panels.append(f'<div style="background:#{card:06x};padding:.8em">{inside}</div>')
    sheet.add(
        leaf(
            width,
            height,
            f"{fill(ground)}padding:24pt",
            head,
            grid(len(cards), *cards, gap="10pt", css="margin-bottom:10pt"),
            grid(2, *panels, gap="10pt"),
            grow=1.5,
        )
    )


def _plain_rows(sheet: Sheet) -> str:
    look, words, form = random_table_look(sheet), sheet.words, sheet.rng.randrange(7)
    rows = [
        cell(sheet, words.phrase(1, 3), look.cell)
        + cell(sheet, words.number(form), look.cell + "text-align:end;")
        + cell(sheet, words.amount(), look.cell + "text-align:end;")
        for _ in range(sheet.rng.randint(3, 7))
    ]
    return grid_table("", rows, "font-size:.9em")


@dataclass(frozen=True, slots=True)
class _CardLook:
    """What every card of a gallery has, and whether its picture stands beside its text."""

    beside: bool
    priced: bool
    coded: bool
    listed: bool

    @classmethod
    def of(cls, sheet: Sheet) -> _CardLook:
        return cls(
            beside=sheet.chance(0.25),
            priced=sheet.chance(0.7),
            coded=sheet.chance(0.5),
            listed=sheet.chance(0.2),
        )


def gallery(sheet: Sheet) -> None:
    """Cards in a grid, as of a catalogue: a picture, a name, a short text, a price."""
    rng, words = sheet.rng, sheet.words
    sheet.paper(*rng.choice([(595, 842), (612, 792)]), "40pt")
    name, align = words.phrase(1, 5), rng.choice(["start", "center"])
    sheet.add(sheet.block("title", name, "h1", f"font-size:2em;font-weight:700;margin:0 0 .5em;text-align:{align}"))
    sheet.add(paragraph(sheet, 60, 200) if sheet.chance(0.5) else "")
    columns, look = rng.choice([2, 3, 3, 4]), _CardLook.of(sheet)
    columns = 2 if look.beside else columns
    for _ in range(rng.randint(1, 2)):
        if sheet.chance(0.7):
            css = "font-size:1.4em;font-weight:700;margin:.8em 0 .5em"
            name, ink = words.phrase(1, 4), rng.choice([sheet.ground.ink, sheet.ground.accent])
            sheet.add(sheet.block("heading", name, "h2", css, ink, 1))
        cards = "".join(_card(sheet, look) for _ in range(columns * rng.randint(1, 3)))
        sheet.add(f'<div class="grid" style="grid-template-columns:repeat({columns},1fr);gap:14pt">{cards}</div>')
    if sheet.chance(0.3):
        sheet.add(figure(sheet))


def _card(sheet: Sheet, look: _CardLook) -> str:
    rng, words, ground = sheet.rng, sheet.words, sheet.ground
    image = picture(sheet, f"{rng.randint(60, 120)}pt")
    text = heading_line(sheet, 2, words.phrase(1, 4))
    if look.coded:
        code = f"{rng.choice(['Art. ', 'No. ', 'Ref. '])}{rng.randint(1000, 99999)}"
        text += sheet.block("text", code, "p", "font-size:.8em", ground.muted)
    if look.listed:
        text += bullets(sheet, 2, 3, 40)
    else:
        text += sheet.block("text", words.text(20, 120), "p", "font-size:.9em;margin:.2em 0")
    if look.priced:
        text += sheet.block("text", words.amount(), "p", "font-weight:700;font-size:1.1em", ground.accent)
    split = 'class="grid keep" style="grid-template-columns:1fr 2fr;gap:.6em"' if look.beside else 'class="keep"'
    return f"<div {split}><div>{image}</div><div>{text}</div></div>"
