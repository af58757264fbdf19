"""Pages that are laid out: magazines, newspapers, newsletters, brochures, flyers, posters."""

from __future__ import annotations

from training.structure.web_articles import body, paper, plain
from training.structure.web_figures import figure, picture
from training.structure.web_look import DARKS, TINTS
from training.structure.web_parts import (
    bullets,
    caption,
    heading,
    heading_line,
    note_line,
    panel,
    paragraph,
    quote,
)
from training.structure.web_sheet import FIRST_ORDER, LAST_ORDER, PAPERS, Sheet

ICONS = "☎✉⚑★✚♻☀☁✈⚙♥⌂"


def magazine(sheet: Sheet) -> None:
    """Articles in columns under spanning heads, with quotes, pictures and shaded boxes."""
    rng = sheet.rng
    width = paper(sheet, (30, 55), (36, 60))
    folio(sheet)
    for _ in range(rng.randint(1, 3)):
        article(sheet, rng.choice([1, 2, 2, 2, 3, 3, 4]), width)


def article(sheet: Sheet, columns: int, width: float) -> None:
    """One article: head over all columns, text in columns, a box or picture beside or below."""
    rng, words = sheet.rng, sheet.words
    columns = max(1, min(columns, int(width / (12 * sheet.look.size))))
    size = rng.choice([1.8, 2.4, 3])
    head = sheet.block(
        "heading",
        words.phrase(3, 10),
        "h1",
        f"font-size:{size}em;font-weight:{rng.choice([400, 700])};margin:.6em 0 .2em;line-height:1.1",
        rng.choice([sheet.ground.ink, sheet.ground.accent]),
        1,
    )
    kicker = note_line(sheet, words.phrase(1, 3)) if sheet.chance(0.25) else ""
    standfirst = (
        sheet.block(
            "text", words.text(60, 200), "p", f"font-size:1.2em;font-weight:{rng.choice([400, 700])};margin:.2em 0 .5em"
        )
        if sheet.chance(0.6)
        else ""
    )
    by = note_line(sheet, f"{rng.choice(['By ', 'Text: ', ''])}{words.person()}") if sheet.chance(0.6) else ""
    lead = figure(sheet, height=rng.uniform(90, 200)) if sheet.chance(0.4) else ""
    rule = rng.choice(["", "", "column-rule:.5pt solid #999;"])
    inside = _column_text(sheet, rng.randint(2, 5), columns)
    gap = rng.choice([12, 18, 24])
    text = f'<div style="columns:{columns};column-gap:{gap}pt;{rule}">{inside}</div>'
    if columns < 4 and width / (columns + 1) > 11 * sheet.look.size and sheet.chance(0.4):
        side = "".join(rng.choice([panel, panel, figure])(sheet) for _ in range(rng.randint(1, 2)))
        side += bullets(sheet, 2, 4, 60) if sheet.chance(0.3) else ""
        order = rng.choice(["", "order:-1;"])
        text = f'<div class="flex" style="gap:{gap}pt"><div style="flex:{columns}">{text}</div><div style="flex:1;min-width:28%;{order}font-size:.9em">{side}</div></div>'
    elif sheet.chance(0.2):
        text += figure(sheet)
    if kicker and sheet.chance(0.5):
        kicker, by = "", kicker + by
    sheet.add(f"<div>{head}{kicker}{standfirst}{by}{lead}{text}</div>")


def _column_text(sheet: Sheet, sections: int, columns: int) -> str:
    """Paragraphs with cross heads; some heads, quotes and figures span all columns."""
    rng = sheet.rng
    parts: list[str] = []
    for index in range(sections):
        if index or sheet.chance(0.4):
            spanning = "column-span:all;" if columns > 1 and sheet.chance(0.1) else ""
            parts.append(heading(sheet, rng.choice([2, 2, 3]), css=spanning))
        parts += [paragraph(sheet, 80, 500) for _ in range(rng.randint(1, 4))]
        match rng.choices(["", "quote", "figure", "list", "panel", "span"], [45, 14, 14, 10, 8, 7])[0]:
            case "quote":
                parts.append(quote(sheet))
            case "figure":
                parts.append(figure(sheet, height=rng.uniform(50, 140)))
            case "list":
                parts.append(bullets(sheet, 2, 5, 90))
            case "panel":
                parts.append(panel(sheet))
            case "span" if columns > 1:
                parts.append(figure(sheet, "column-span:all;", height=rng.uniform(70, 160)))
            case _:
                pass
    return "".join(parts)


def folio(sheet: Sheet) -> None:
    """The line with name, date and page number at the head or foot of every page."""
    rng, words = sheet.rng, sheet.words
    above = "top" if sheet.chance(0.5) else "bottom"
    role = "page_header" if above == "top" else "page_footer"
    if sheet.chance(0.8):
        sheet.margin_text(
            f"{above}-{rng.choice(['left', 'center'])}",
            role,
            f'"{plain(words.phrase(1, 4))}{rng.choice([" | ", " · ", " "])}{plain(words.date())}"',
        )
    if sheet.chance(0.8):
        sheet.margin_text(
            f"{above}-right",
            "page_number",
            rng.choice(["counter(page)", '"| " counter(page)', '"Page " counter(page)']),
        )


def newspaper(sheet: Sheet) -> None:
    """A front page: its name, the date line, articles of different widths on a grid."""
    rng, words = sheet.rng, sheet.words
    sheet.paper(*rng.choice([PAPERS["A4"], (720, 1000), (842, 1191)]), "28pt")
    name = sheet.take("page_header", order=FIRST_ORDER)
    line = sheet.take("page_header", order=FIRST_ORDER + 1)
    sheet.add(
        f"<p style=\"color:{name};font-size:3.2em;line-height:1.1;text-align:center;font-weight:{rng.choice([400, 700])};font-family:'{sheet.look.head}'\">{words.name()} {rng.choice(['Times', 'Post', words.name()])}</p>"
    )
    sheet.add(
        f'<p style="color:{line};text-align:center;border-top:.5pt solid;border-bottom:.5pt solid;margin:.3em 0 .8em">{words.date()} · No. {rng.randint(1, 400)} · {words.host()}</p>'
    )
    grid = rng.choice([3, 4, 4, 5])
    items: list[str] = []
    left = grid * rng.randint(2, 3)
    while left > 0:
        span = min(left, grid, rng.choice([1, 1, 2, 2, 3]))
        left -= span
        items.append(
            f'<div style="grid-column:span {span};{rng.choice(["", "border-top:.5pt solid #888;padding-top:.4em"])}">{_story(sheet, span)}</div>'
        )
    sheet.add(
        f'<div class="grid" style="grid-template-columns:repeat({grid},1fr);gap:14pt;font-size:.9em">{"".join(items)}</div>'
    )


def _story(sheet: Sheet, span: int) -> str:
    rng, words = sheet.rng, sheet.words
    size = rng.choice([1.2, 1.4]) + 0.35 * span
    out = sheet.block(
        "heading",
        words.phrase(3, 9),
        "h2",
        f"font-size:{size:.2f}em;font-weight:{rng.choice([700, 700, 400])};line-height:1.1;margin:0 0 .3em",
        level=1,
    )
    out += note_line(sheet, f"{rng.choice(['By ', ''])}{words.person()}") if sheet.chance(0.5) else ""
    image = figure(sheet, height=50 + 40 * span) if sheet.chance(0.35) else ""
    text = "".join(paragraph(sheet, 100, 420) for _ in range(rng.randint(1, 2 * span + 1)))
    more = (
        sheet.block("text", f"Continued on page {rng.randint(2, 30)}", "p", "font-style:italic;text-align:end")
        if sheet.chance(0.15) and words.english
        else ""
    )
    return f'{out}{image}<div style="columns:{span};column-gap:14pt">{text}{more}</div>'


def newsletter(sheet: Sheet) -> None:
    """A head on a ground, a main column and a narrow one with short things."""
    rng, words = sheet.rng, sheet.words
    paper(sheet, (28, 50), (30, 50))
    folio(sheet)
    ground = rng.choice(DARKS)
    with sheet.on(ground):
        name = sheet.block("title", words.phrase(1, 4), "h1", "font-size:2.6em;font-weight:700;line-height:1.1")
        issue = sheet.block(
            "text", f"{words.date()} · {rng.choice(['Issue', 'No.', 'Vol.'])} {rng.randint(1, 99)}", "p"
        )
    sheet.add(f'<div style="background:#{ground:06x};padding:1em 1.2em;margin-bottom:1em">{name}{issue}</div>')
    main = "".join(_short_article(sheet) for _ in range(rng.randint(2, 4)))
    side: list[str] = []
    for _ in range(rng.randint(2, 4)):
        side.append(heading_line(sheet, 2))
        side.append(paragraph(sheet, 40, 140) if sheet.chance(0.5) else bullets(sheet, 2, 5, 50))
    order = rng.choice(["", "order:-1;"])
    tint = rng.choice([0xFFFFFF, *TINTS])
    sheet.add(
        f'<div class="flex" style="gap:1.6em"><div style="flex:2">{main}</div><div style="flex:1;background:#{tint:06x};padding:.8em;font-size:.9em;{order}">{"".join(side)}</div></div>'
    )


def _short_article(sheet: Sheet) -> str:
    rng = sheet.rng
    out = heading(sheet, 1)
    if sheet.chance(0.4):
        image = picture(sheet, "90pt", "margin-bottom:.3em;")
        text = paragraph(sheet, 120, 400)
        below = caption(sheet) if sheet.chance(0.5) else ""
        return (
            f'{out}<div class="grid" style="grid-template-columns:1fr 2fr;gap:1em"><div>{image}{below}</div><div>{text}</div></div>'
            if not below
            else f"{out}{text}{image}{below}"
        )
    out += "".join(paragraph(sheet, 80, 500) for _ in range(rng.randint(1, 3)))
    return out + (bullets(sheet, 2, 5, 100) if sheet.chance(0.3) else "")


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
                f'<div class="fit" data-grow="1.3" style="width:33.33%;height:{height}pt;padding:26pt 22pt;background:#{ground:06x}">{inside}</div>'
            )
        sheet.add(
            f'<div class="leaf flex" style="width:{width}pt;height:{height}pt;font-size:{rng.choice([8, 9, 10])}pt">{"".join(panels)}</div>'
        )


def _cover(sheet: Sheet) -> str:
    rng, words = sheet.rng, sheet.words
    name = sheet.block(
        "title",
        "<br>".join(words.phrase(1, 2) for _ in range(rng.randint(1, 3))),
        "h1",
        f"font-size:{rng.choice([2, 2.6])}em;font-weight:700;margin:2em 0 .5em;{rng.choice(['', 'text-transform:uppercase;'])}",
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
                f"font-size:{rng.choice([3, 3.6, 4.4])}em;line-height:1;font-weight:700;text-transform:uppercase;margin:.2em 0 .4em",
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
        f'<div class="leaf fit" data-grow="1.7" style="width:{width}pt;height:{height}pt;background:#{ground:06x};padding:{rng.randint(28, 48)}pt;text-align:{align}">{"".join(parts)}{foot}</div>'
    )


def _icons(sheet: Sheet) -> str:
    """Cards of a sign, a bold line and a short text; the sign stands before the line or over it."""
    rng, words = sheet.rng, sheet.words
    cards: list[str] = []
    for _ in range(rng.choice([2, 3, 4])):
        icon = rng.choice(ICONS)
        head = heading_line(sheet, 2, f"{icon}{rng.choice([' ', '<br>'])}{words.phrase(1, 3)}")
        cards.append(f"<div>{head}{sheet.block('text', words.text(20, 110), 'p')}</div>")
    return f'<div class="grid" style="grid-template-columns:repeat({len(cards) if len(cards) < 4 else 2},1fr);gap:1.2em;margin:1em 0">{"".join(cards)}</div>'


def poster(sheet: Sheet) -> None:
    """An infographic: a title on a bar, numbered or coloured fields with large figures and charts, sources at the foot."""
    rng, words = sheet.rng, sheet.words
    width, height = rng.choice([PAPERS["A4"], (842, 1191), (600, 1500)])
    sheet.paper(width, height)
    dark = rng.choice(DARKS)
    with sheet.on(dark):
        head = sheet.block("title", words.phrase(2, 7), "h1", "font-size:2.4em;font-weight:700;line-height:1.1")
        head += note_line(sheet, words.text(30, 120), "margin:.4em 0 0;")
    columns = rng.choice([1, 2, 2, 3])
    fields = "".join(_field(sheet) for _ in range(columns * rng.randint(2, 4)))
    colour = sheet.take("page_footer", sheet.ground.muted, order=LAST_ORDER)
    foot = f'<p style="color:{colour};font-size:.75em;padding:1em 2em">{rng.choice(["Source: ", "Sources: ", ""])}{words.phrase(2, 6)}, {words.host()}</p>'
    sheet.add(
        f'<div class="leaf fit" data-grow="1.7" style="width:{width}pt;height:{height}pt"><div style="background:#{dark:06x};padding:1.4em 2em">{head}</div>'
        f'<div class="grid" style="grid-template-columns:repeat({columns},1fr);gap:1.2em;padding:1.4em 2em">{fields}</div>{foot}</div>'
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


def report(sheet: Sheet) -> None:
    """A report in one or two columns with margin notes beside the text."""
    rng, words = sheet.rng, sheet.words
    width = paper(sheet, (40, 60))
    folio(sheet)
    if sheet.chance(0.4):
        sheet.add('<div style="columns:2;column-gap:20pt">')
        body(sheet, rng.randint(3, 6), width=width / 2)
        sheet.add("</div>")
        return
    side = rng.choice(["1fr 4fr", "4fr 1fr"])
    for _ in range(rng.randint(5, 9)):
        before = heading(sheet, rng.choice([1, 2])) if sheet.chance(0.5) else ""
        left = side == "1fr 4fr"
        note = (
            sheet.block("side_note", words.phrase(1, 6), "p", "font-size:.82em;line-height:1.2", sheet.ground.muted)
            if sheet.chance(0.7) and left
            else "<i></i>"
        )
        text = paragraph(sheet, 150, 700) + (bullets(sheet, 2, 4) if sheet.chance(0.2) else "")
        if not left and sheet.chance(0.6):
            note = sheet.block(
                "side_note", words.text(15, 90), "p", "font-size:.82em;line-height:1.2", sheet.ground.muted
            )
        cells = f"<div>{note}</div><div>{text}</div>" if left else f"<div>{text}</div><div>{note}</div>"
        shift = "margin-inline-start:20%" if left else "margin-inline-end:20%"
        sheet.add(
            f'<div style="{shift}">{before}</div><div class="grid" style="grid-template-columns:{side};gap:14pt">{cells}</div>'
        )
