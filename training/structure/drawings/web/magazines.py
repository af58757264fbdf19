"""Pages that are laid out: magazines, newspapers, newsletters, reports."""

from __future__ import annotations

from training.structure.drawings.web.articles import body, paper, plain
from training.structure.drawings.web.figures import figure, picture
from training.structure.drawings.web.html import beside, box, fill, grid
from training.structure.drawings.web.look import DARKS, TINTS
from training.structure.drawings.web.parts import (
    bullets,
    caption,
    heading,
    heading_line,
    note_line,
    panel,
    paragraph,
    quote,
)
from training.structure.drawings.web.sheet import FIRST_ORDER, PAPERS, Sheet

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
        aside = box(f"flex:1;min-width:28%;{order}font-size:.9em", side)
        text = beside(box(f"flex:{columns}", text), aside, gap=f"{gap}pt")
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
                parts.append(figure(sheet, height=rng.uniform(50, 140), narrow=True))
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
    weight = rng.choice([400, 700])
    name = sheet.take("page_header", order=FIRST_ORDER)
    line = sheet.take("page_header", order=FIRST_ORDER + 1)
    sheet.add(
        f'<p style="color:{name};font-size:3.2em;line-height:1.1;text-align:center;font-weight:{weight};'
        f"font-family:'{sheet.look.head}'\">{words.name()} {rng.choice(['Times', 'Post', words.name()])}</p>"
    )
    sheet.add(
        f'<p style="color:{line};text-align:center;border-top:.5pt solid;border-bottom:.5pt solid;margin:.3em 0 .8em">'
        f"{words.date()} · No. {rng.randint(1, 400)} · {words.host()}</p>"
    )
    columns = rng.choice([3, 4, 4, 5])
    items: list[str] = []
    left = columns * rng.randint(2, 3)
    while left > 0:
        span = min(left, columns, rng.choice([1, 1, 2, 2, 3]))
        left -= span
        items.append(
            box(
                f"grid-column:span {span};{rng.choice(['', 'border-top:.5pt solid #888;padding-top:.4em'])}",
                _story(sheet, span),
            )
        )
    sheet.add(grid(columns, *items, gap="14pt", css="font-size:.9em"))


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
        beside(
            box("flex:2", main),
            box(f"flex:1;{fill(tint)}padding:.8em;font-size:.9em;{order}", *side),
            gap="1.6em",
        )
    )


def _short_article(sheet: Sheet) -> str:
    rng = sheet.rng
    out = heading(sheet, 1)
    if sheet.chance(0.4):
        image = picture(sheet, "90pt", "margin-bottom:.3em;")
        text = paragraph(sheet, 120, 400)
        below = caption(sheet) if sheet.chance(0.5) else ""
        return (
            out + grid("1fr 2fr", box("", image, below), box("", text)) if not below else f"{out}{text}{image}{below}"
        )
    out += "".join(paragraph(sheet, 80, 500) for _ in range(rng.randint(1, 3)))
    return out + (bullets(sheet, 2, 5, 100) if sheet.chance(0.3) else "")


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
        sheet.add(box(shift, before) + grid(side, cells, gap="14pt"))


def issue_contents(sheet: Sheet) -> None:
    """What stands in an issue or report: a page number and a title per entry, under headings or not, in columns."""
    rng, words = sheet.rng, sheet.words
    paper(sheet, (36, 70))
    folio(sheet)
    name = rng.choice(["Contents", "CONTENTS", "In this issue"]) if words.english else words.phrase(1, 2)
    sheet.add(sheet.block("heading", name, "h1", f"font-size:{rng.choice([1.6, 2.2, 3])}em;margin:0 0 .6em", level=1))
    look = rng.choice(["before", "after", "dots", "dots", "above"])
    columns, teasers, page = rng.choice([1, 1, 2]), sheet.chance(0.3), rng.randint(2, 6)
    grouped, bold = sheet.chance(0.6), rng.choice([400, 700])
    parts: list[str] = []
    for index in range(rng.randint(6, 22)):
        if grouped and index % 6 == 0:
            parts.append(heading_line(sheet, 2, css="margin-top:.8em;"))
        page += rng.randint(1, 9)
        text = f'<span style="font-weight:{bold}">{words.phrase(1, 9)}</span>'
        text += f"<br>{words.text(30, 110)}" if teasers else ""
        parts.append(_entry(sheet, look, text, page))
    image = picture(sheet, f"{rng.randint(100, 200)}pt") if sheet.chance(0.3) else ""
    sheet.add(image + box(f"columns:{columns};column-gap:24pt", *parts))


def _entry(sheet: Sheet, look: str, text: str, page: int) -> str:
    """One entry of contents: its number before, above or behind the title, with or without dots between."""
    number = f'<span style="font-weight:700;min-width:2em">{page}</span>'
    css = "break-inside:avoid;margin:0 0 .5em;"
    if look == "above":
        return sheet.block("contents", f"{number}<br>{text}", "div", css)
    if look == "before":
        return sheet.block("contents", f"{number}<span>{text}</span>", "div", f"{css}display:flex;gap:.6em")
    dots = f'<span style="flex:1;overflow:hidden;height:1.2em">{" ." * 60 if look == "dots" else ""}</span>'
    inside = f'<span style="max-width:80%">{text}</span>{dots}<span>{page}</span>'
    return sheet.block("contents", inside, "div", f"{css}display:flex;gap:.5em;align-items:end")
