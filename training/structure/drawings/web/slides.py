"""Slides: pages of a fixed size on grounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from training.structure.drawings.web.figures import drawing, picture
from training.structure.drawings.web.html import box, fill, grid
from training.structure.drawings.web.look import DARKS, TINTS
from training.structure.drawings.web.parts import bullets, code, heading_line, note_line, paragraph, quote
from training.structure.drawings.web.sheet import LAST_ORDER, Sheet
from training.structure.drawings.web.tables import table

WIDE, NARROW = (960, 540), (720, 540)


@dataclass(frozen=True, slots=True)
class HeadLook:
    """How the headings of one talk's slides look."""

    css: str
    bar: bool  # white on a bar at the top edge
    coloured: bool
    under: bool  # a line of text stands under each
    level: int


def slides(sheet: Sheet) -> None:
    """Some slides of one talk: a title slide, an agenda, sections, contents of many kinds."""
    rng = sheet.rng
    width, height = rng.choice([WIDE, WIDE, WIDE, NARROW])
    sheet.paper(width, height)
    ground = rng.choice([0xFFFFFF, 0xFFFFFF, rng.choice(TINTS), rng.choice(DARKS)])
    accent = rng.choice(DARKS)
    size = rng.choice([15, 17, 19, 22])
    foot = _foot(sheet) if sheet.chance(0.6) else None
    contents: list[Callable[[Sheet], str]] = [
        _items,
        _items,
        _halves,
        _cards,
        _chart,
        _quote,
        _table,
        _text,
        _numbers,
        _code,
        _steps,
    ]
    plan: list[Callable[[Sheet], str] | None] = [None] if sheet.chance(0.6) else []
    plan += [_agenda] if sheet.chance(0.3) else []
    plan += rng.choices(contents, k=rng.randint(2, 5))
    sectioned = sheet.chance(0.35)
    head_look = _some_head_look(sheet, accent, level=2 if sectioned else 1)
    grow = rng.choice([1, 1.3, 1.6])
    for number, content in enumerate(plan, 1):
        divider = content is None or (sectioned and number > 1 and sheet.chance(0.25))
        own = accent if divider and sheet.chance(0.6) else ground
        with sheet.on(own):
            inside = (
                _divider(sheet, first=content is None)
                if content is None or divider
                else _head(sheet, head_look) + content(sheet)
            )
            bottom = foot(sheet, number) if foot is not None and not divider else ""
        sheet.add(
            f'<div class="leaf" style="width:{width}pt;height:{height}pt;background:#{own:06x};font-size:{size}pt">'
            f'<div class="fit" data-grow="{grow}" style="height:{height - 40}pt;'
            f'padding:{0 if head_look.bar and not divider else 30}pt 44pt 0">{inside}</div>{bottom}</div>'
        )


def _foot(sheet: Sheet) -> Callable[[Sheet, int], str]:
    text, form = sheet.words.phrase(1, 5), sheet.rng.choice(["{}", "{}", "Page {}", "| {}"])

    def line(slide: Sheet, number: int) -> str:
        left = slide.take("page_footer", slide.ground.muted, order=LAST_ORDER + 2 * number)
        right = slide.take("page_number", slide.ground.muted, order=LAST_ORDER + 2 * number + 1)
        return (
            '<div class="abs flex" style="bottom:14pt;left:44pt;right:44pt;'
            'justify-content:space-between;font-size:.6em">'
            f'<span style="color:{left}">{text}</span><span style="color:{right}">{form.format(number)}</span></div>'
        )

    return line


def _divider(sheet: Sheet, first: bool) -> str:
    rng, words = sheet.rng, sheet.words
    role, level = ("title", None) if first else ("heading", 1)
    head = sheet.block(
        role,
        words.phrase(1, 8),
        "h1",
        f"font-size:{rng.choice([1.8, 2.2, 2.8])}em;font-weight:{rng.choice([400, 700])};"
        f"margin:{rng.uniform(2, 4):.1f}em 0 .4em",
        level=level,
    )
    under = note_line(sheet, words.phrase(2, 8), "font-size:1.2em;") if sheet.chance(0.6) else ""
    who = note_line(sheet, f"{words.person()}{rng.choice(['<br>', ' · ', ', '])}{words.date()}") if first else ""
    return f'<div style="text-align:{rng.choice(["start", "start", "center"])}">{head}{under}{who}</div>'


def _some_head_look(sheet: Sheet, accent: int, level: int) -> HeadLook:
    rng = sheet.rng
    css = f"font-size:{rng.choice([1.4, 1.5, 1.7])}em;font-weight:{rng.choice([400, 700, 700])};"
    kind = rng.choice(["plain", "plain", "bar", "line", "center"])
    match kind:
        case "bar":
            css += f"{fill(accent)}margin:0 -44pt .6em;padding:.45em 44pt;"
        case "line":
            css += "margin:0 0 .6em;border-bottom:2pt solid;padding-bottom:.2em;"
        case "center":
            css += "margin:0 0 .6em;text-align:center;"
        case _:
            css += "margin:0 0 .6em;"
    css += rng.choice(["", "", "", "text-transform:uppercase;"])
    return HeadLook(css, bar=kind == "bar", coloured=sheet.chance(0.5), under=sheet.chance(0.15), level=level)


def _head(sheet: Sheet, look: HeadLook) -> str:
    """The heading of a slide, now and then with a line of text under it."""
    rng, words = sheet.rng, sheet.words
    ink = sheet.ground.accent if look.coloured else sheet.ground.ink
    text = words.phrase(1, rng.choice([4, 7, 12]))
    out = sheet.block("heading", text, "h2", look.css, 0xFFFFFF if look.bar else ink, look.level)
    if look.under:
        css = "margin:-.4em 0 .8em;font-size:.95em"
        out += sheet.block("text", words.phrase(3, 9), "p", css, sheet.ground.muted)
    return out


def _items(sheet: Sheet) -> str:
    return bullets(sheet, 3, 6, 110)


def _text(sheet: Sheet) -> str:
    return "".join(paragraph(sheet, 60, 260) for _ in range(sheet.rng.randint(1, 3)))


def _agenda(sheet: Sheet) -> str:
    words = sheet.words
    role = "contents" if sheet.chance(0.5) else "list_item"
    lines = [
        sheet.block(role, f"<b>{index:02d}</b> &nbsp; {words.phrase(1, 5)}", "p", "margin:0 0 .5em")
        for index in range(1, sheet.rng.randint(4, 7))
    ]
    return "".join(lines)


def _halves(sheet: Sheet) -> str:
    rng = sheet.rng
    sides: list[str] = []
    for _ in range(2):
        kind = rng.choice(["items", "text", "picture", "chart", "items"])
        head = heading_line(sheet, 3) if sheet.chance(0.5) and kind != "picture" else ""
        match kind:
            case "items":
                side = bullets(sheet, 2, 5, 70)
            case "text":
                side = paragraph(sheet, 60, 240)
            case "picture":
                side = picture(sheet, f"{rng.randint(180, 330)}pt")
            case _:
                side = _plot(sheet, 200)
        sides.append(f"<div>{head}{side}</div>")
    return grid(rng.choice(["1fr 1fr", "2fr 3fr", "3fr 2fr"]), *sides, gap="2em")


def _plot(sheet: Sheet, height: float) -> str:
    """A chart on white ground, in labels large enough for a wall."""
    with sheet.on(0xFFFFFF):
        inside = drawing(sheet, sheet.rng.choice(["bars", "bars", "lines", "pie", "diagram"]), height, height * 1.6)
    return f'<div style="background:#fff">{inside}</div>'


def _cards(sheet: Sheet) -> str:
    rng, words = sheet.rng, sheet.words
    count = rng.choice([2, 3, 3, 4, 6])
    cards: list[str] = []
    for index in range(count):
        ground = rng.choice([*TINTS, rng.choice(DARKS)])
        with sheet.on(ground):
            mark = f"{index + 1}. " if sheet.chance(0.2) else ""
            inside = heading_line(sheet, 3, mark + words.phrase(1, 3)) + sheet.block(
                "text", words.text(30, 130), "p", "font-size:.85em"
            )
        cards.append(f'<div style="background:#{ground:06x};padding:.8em">{inside}</div>')
    return grid(3 if count > 4 else count, *cards)


def _chart(sheet: Sheet) -> str:
    out = _plot(sheet, 300)
    if sheet.chance(0.4):
        out += note_line(
            sheet, f"{sheet.rng.choice(['Source: ', ''])}{sheet.words.phrase(2, 7)}", "font-size:.6em;", "footnote"
        )
    return out


def _quote(sheet: Sheet) -> str:
    return quote(sheet, "margin-top:2em;")


def _table(sheet: Sheet) -> str:
    with sheet.on(0xFFFFFF):
        inside = table(sheet, rows=sheet.rng.randint(2, 6), columns=sheet.rng.randint(2, 5), with_caption=False)
    return f'<div style="background:#fff;padding:.2em .5em">{inside}</div>'


def _numbers(sheet: Sheet) -> str:
    rng, words = sheet.rng, sheet.words
    cells: list[str] = []
    for _ in range(rng.choice([2, 3, 4])):
        number = sheet.block(
            "text",
            words.number().strip("()"),
            "p",
            "font-size:2.6em;font-weight:700;line-height:1.1",
            sheet.ground.accent,
        )
        cells.append(f"<div>{number}{sheet.block('text', words.text(15, 80), 'p', 'font-size:.85em')}</div>")
    align = rng.choice(["center", "start"])
    return grid(len(cells), *cells, gap="1.5em", css=f"margin-top:1.5em;text-align:{align}")


def _code(sheet: Sheet) -> str:
    return f'<div style="font-size:.75em">{code(sheet)}</div>' + (bullets(sheet, 1, 3, 60) if sheet.chance(0.4) else "")


def _steps(sheet: Sheet) -> str:
    """Boxes in a row with arrows between them: words in a figure."""
    rng = sheet.rng
    boxes: list[str] = []
    for index in range(rng.randint(3, 5)):
        ground = rng.choice(DARKS)
        with sheet.on(ground):
            word = sheet.block("figure_text", sheet.words.phrase(1, 3), "p", "text-align:center;font-size:.85em")
        arrow = (
            box(f"width:0;border:8pt solid transparent;align-self:center;border-inline-start-color:#{ground:06x}")
            if index
            else ""
        )
        boxes.append(f'{arrow}<div style="flex:1;background:#{ground:06x};padding:1em .5em">{word}</div>')
    return f'<div class="flex" style="gap:.5em;margin:1.5em 0">{"".join(boxes)}</div>' + (
        bullets(sheet, 2, 3, 80) if sheet.chance(0.6) else ""
    )
