"""Sheets that are laid out as one picture: brochures, flyers, infographics."""

from __future__ import annotations

from training.structure.drawings.web.figures import figure, picture
from training.structure.drawings.web.html import box, fill, grid, leaf
from training.structure.drawings.web.look import DARKS, TINTS
from training.structure.drawings.web.parts import (
    bullets,
    caption,
    heading,
    heading_line,
    note_line,
    paragraph,
)
from training.structure.drawings.web.sheet import LAST_ORDER, PAPERS, Sheet

ICONS = "☎✉⚑★✚♻☀☁✈⚙♥⌂"


def brochure(sheet: Sheet) -> None:
    """A sheet folded to three panels, two sides; the panels have grounds of their own."""
    rng = sheet.rng
    width, height = 842, 595
    sheet.paper(width, height)
    for side in range(2):
        panels: list[str] = []
        cover = rng.choice([None, 0, 2]) if side == 0 else None
        for index in range(3):
            ground = rng.choice([0xFFFFFF, 0xFFFFFF, rng.choice(TINTS), rng.choice(DARKS)])
            with sheet.on(ground):
                inside = _cover(sheet) if cover == index else _panel_text(sheet)
            panels.append(
                f'<div class="fit" data-grow="1.3" style="width:33.33%;height:{height}pt;padding:26pt 22pt;'
                f'{fill(ground)}">{inside}</div>'
            )
        sheet.add(
            box(f"width:{width}pt;height:{height}pt;font-size:{rng.choice([8, 9, 10])}pt", *panels, kind="leaf flex")
        )


def _cover(sheet: Sheet) -> str:
    rng, words = sheet.rng, sheet.words
    name = sheet.block(
        "title",
        "<br>".join(words.phrase(1, 2) for _ in range(rng.randint(1, 3))),
        "h1",
        f"font-size:{rng.choice([2, 2.6])}em;font-weight:700;margin:2em 0 .5em;"
        + rng.choice(["", "text-transform:uppercase;"]),
    )
    slogan = note_line(sheet, words.phrase(3, 8), "font-size:1.2em;")
    return f"{name}{slogan}{picture(sheet, '160pt')}{note_line(sheet, words.host(), 'margin-top:2em;')}"


def _panel_text(sheet: Sheet) -> str:
    rng = sheet.rng
    parts: list[str] = []
    for _ in range(rng.randint(2, 3)):
        parts.append(heading(sheet, rng.choice([1, 2])))
        parts.append(rng.choice([_text_short, _text_short, _items_short])(sheet))
        if sheet.chance(0.25):
            parts.append(picture(sheet, f"{rng.randint(60, 110)}pt", "margin:.5em 0;"))
            parts += [caption(sheet)] if sheet.chance(0.4) else []
    if sheet.chance(0.3):
        words = sheet.words
        parts.append(
            sheet.block("text", "<br>".join([*words.address(), words.phone(), words.host()]), "p", "margin-top:1em")
        )
    return "".join(parts)


def _text_short(sheet: Sheet) -> str:
    return "".join(paragraph(sheet, 60, 260) for _ in range(sheet.rng.randint(1, 2)))


def _items_short(sheet: Sheet) -> str:
    return bullets(sheet, 3, 6, 60)


def flyer(sheet: Sheet) -> None:
    """One page that shouts: large words broken over lines, when and where, short texts with icons."""
    rng, words = sheet.rng, sheet.words
    width, height = PAPERS[rng.choice(["A4", "A5", "letter"])]
    sheet.paper(width, height)
    ground = rng.choice([*DARKS, *TINTS, 0xFFFFFF])
    align = rng.choice(["center", "start"])
    with sheet.on(ground):
        parts = [note_line(sheet, words.phrase(2, 5), "letter-spacing:.08em;")] if sheet.chance(0.5) else []
        lines = "<br>".join(words.phrase(1, 2) for _ in range(rng.randint(2, 4)))
        parts.append(
            sheet.block(
                "title",
                lines,
                "h1",
                f"font-size:{rng.choice([3, 3.6, 4.4])}em;line-height:1;font-weight:700;text-transform:uppercase;"
                "margin:.2em 0 .4em",
                rng.choice([sheet.ground.ink, sheet.ground.accent]),
            )
        )
        parts.append(
            sheet.block(
                "text",
                f"{words.date()}<br>{rng.randint(8, 20)}:{rng.choice(['00', '30'])}, {words.phrase(1, 4)}",
                "p",
                "font-size:1.6em;font-weight:700;line-height:1.3;margin-bottom:.6em",
            )
        )
        parts += [picture(sheet, f"{rng.randint(100, 220)}pt", "margin:.8em 0;")] if sheet.chance(0.6) else []
        parts.append(paragraph(sheet, 80, 300))
        if sheet.chance(0.6):
            parts.append(f'<div style="text-align:start">{heading_line(sheet, 1)}{bullets(sheet, 3, 5, 60)}</div>')
        if sheet.chance(0.6):
            parts.append(_icons(sheet))
        foot = sheet.block(
            "text",
            rng.choice([" · ", " | ", "<br>"]).join([words.host(), words.phone(), words.mail()]),
            "p",
            "margin-top:1em;font-weight:700",
        )
    sheet.add(
        leaf(
            width,
            height,
            f"{fill(ground)}padding:{rng.randint(28, 48)}pt;text-align:{align}",
            *parts,
            foot,
            grow=1.7,
        )
    )


def _icons(sheet: Sheet) -> str:
    """Cards of a sign, a bold line and a short text; the sign stands before the line or over it."""
    rng, words = sheet.rng, sheet.words
    cards: list[str] = []
    for _ in range(rng.choice([2, 3, 4])):
        icon = rng.choice(ICONS)
        head = heading_line(sheet, 2, f"{icon}{rng.choice([' ', '<br>'])}{words.phrase(1, 3)}")
        cards.append(f"<div>{head}{sheet.block('text', words.text(20, 110), 'p')}</div>")
    return grid(len(cards) if len(cards) < 4 else 2, *cards, gap="1.2em", css="margin:1em 0")


def poster(sheet: Sheet) -> None:
    """An infographic: a title on a bar, fields with large figures and charts, sources at the foot."""
    rng, words = sheet.rng, sheet.words
    width, height = rng.choice([PAPERS["A4"], (842, 1191), (600, 1500)])
    sheet.paper(width, height)
    dark = rng.choice(DARKS)
    with sheet.on(dark):
        head = sheet.block("title", words.phrase(2, 7), "h1", "font-size:2.4em;font-weight:700;line-height:1.1")
        head += note_line(sheet, words.text(30, 120), "margin:.4em 0 0;")
    columns = rng.choice([1, 2, 2, 3])
    fields = [_field(sheet) for _ in range(columns * rng.randint(2, 4))]
    colour = sheet.take("page_footer", sheet.ground.muted, order=LAST_ORDER)
    source = f"{rng.choice(['Source: ', 'Sources: ', ''])}{words.phrase(2, 6)}, {words.host()}"
    foot = f'<p style="color:{colour};font-size:.75em;padding:1em 2em">{source}</p>'
    sheet.add(
        leaf(
            width,
            height,
            "",
            box(f"{fill(dark)}padding:1.4em 2em", head),
            grid(columns, *fields, gap="1.2em", css="padding:1.4em 2em"),
            foot,
            grow=1.7,
        )
    )


def _field(sheet: Sheet) -> str:
    rng, words = sheet.rng, sheet.words
    ground = rng.choice([0xFFFFFF, 0xFFFFFF, *TINTS, rng.choice(DARKS)])
    with sheet.on(ground):
        out = heading_line(sheet, 1) if sheet.chance(0.7) else ""
        kind = rng.choice(["figure", "number", "text", "items", "number"])
        if kind == "number":
            for _ in range(rng.randint(1, 2)):
                out += sheet.block(
                    "text",
                    words.number().strip("()"),
                    "p",
                    "font-size:3em;font-weight:700;line-height:1.1",
                    sheet.ground.accent,
                )
                out += sheet.block("text", words.text(20, 90), "p", "margin-bottom:.6em")
        elif kind == "figure":
            ground = 0xFFFFFF
        elif kind == "text":
            out += paragraph(sheet, 60, 240)
        else:
            out += bullets(sheet, 2, 5, 60)
    if kind == "figure":
        with sheet.on(ground):
            out = heading_line(sheet, 1) + figure(sheet, captioned=sheet.chance(0.3), height=110)
    return f'<div style="background:#{ground:06x};padding:.8em">{out}</div>'
