"""Pages that are mostly tables: one or several, above or beside each other or a text, in columns, turned."""

from __future__ import annotations

from training.structure.drawings.tables.form_grid import form_grid
from training.structure.drawings.tables.grid_html import printed
from training.structure.drawings.tables.lookalikes import lookalike
from training.structure.drawings.tables.looks import random_grid_look
from training.structure.drawings.tables.random_grid import random_grid
from training.structure.drawings.tables.recipes import RECIPES
from training.structure.drawings.web.articles import running
from training.structure.drawings.web.html import beside, box
from training.structure.drawings.web.parts import bullets, caption, heading, note_line, paragraph, title
from training.structure.drawings.web.sheet import PAPERS, Sheet

LAYOUTS = {
    "down the page": 36,
    "stack": 14,
    "side by side": 10,
    "beside text": 8,
    "text in columns": 13,
    "sideways": 4,
    "prose": 9,
    "lookalikes": 8,
}
NARROW_RECIPES = (
    "plain",
    "small",
    "scientific",
    "financial",
    "list",
    "regression",
    "texts",
    "marks",
    "sides",
    "government",
)
SHORT_RECIPES = ("plain", "small", "small", "scientific", "sides", "schedule", "list", "financial")
SIDEWAYS_RECIPES = ("plain", "scientific", "government", "financial", "timetable", "marks")
ALL_RECIPES = tuple(RECIPES)


def tables(sheet: Sheet) -> None:
    """A document of one to a few pages in one layout."""
    rng = sheet.rng
    layout = rng.choices(list(LAYOUTS), list(LAYOUTS.values()))[0]
    width, height = PAPERS[rng.choices(list(PAPERS), [55, 35, 4, 6])[0]]
    if layout == "sideways" or (layout != "text in columns" and sheet.chance(0.15)):
        width, height = height, width
    side, top = rng.randint(24, 72), rng.randint(28, 64)
    inner = width - 2 * side
    if layout == "sideways":
        _sideways(sheet, width, height)
        return
    sheet.paper(width, height, f"{top}pt {side}pt")
    running(sheet, 0.5)
    parts = {
        "down the page": _down_the_page,
        "stack": _stack,
        "side by side": _side_by_side,
        "beside text": _beside_text,
        "text in columns": lambda sheet, width: _text_in_columns(sheet, width, height - 2 * top),
        "prose": _prose,
        "lookalikes": _lookalikes,
    }[layout](sheet, inner)
    sheet.add(box(f"width:{inner}pt", parts))


def random_table(
    sheet: Sheet,
    width: float,
    names: tuple[str, ...] = ALL_RECIPES,
    max_rows: int = 60,
    *,
    without_caption: bool = False,
    height: float = 0,
) -> str:
    """A table of one of the recipes, with its caption above or below it and its notes, close to it or apart."""
    rng = sheet.rng
    name = rng.choices(names, [RECIPES[name].weight for name in names])[0]
    look = random_grid_look(sheet, is_large=name == "large")
    above = below = ""
    gap = rng.choice([0, 1, 3, 6])
    if not without_caption and sheet.chance(0.6):
        if sheet.chance(0.75):
            above = caption(sheet, f"margin:0 0 {gap}pt;max-width:{width}pt;", table=True)
        else:
            below = "caption"
    above += note_line(sheet, f"({sheet.words.phrase(1, 4)})", "margin:0;font-size:.8em;") if sheet.chance(0.05) else ""
    grid = random_grid(sheet, RECIPES[name], width / look.size, max_rows)
    body = printed(sheet, grid, look, width, height)
    if below:
        below = caption(sheet, f"margin:{gap}pt 0 0;max-width:{width}pt;", table=True)
    notes = "".join(_note(sheet, look.size) for _ in range(rng.choice([1, 1, 2, 4]))) if sheet.chance(0.35) else ""
    return box(f"width:{width}pt;text-indent:0", above, body, below, box(f"margin-top:{gap}pt", notes))


def _note(sheet: Sheet, size: float) -> str:
    mark = sheet.rng.choice(["<sup>1</sup> ", "<sup>a</sup>", "* ", "Source: ", "Note: ", "(1) ", "Notes. "])
    css = f"font-size:{size * sheet.rng.choice([0.8, 0.9, 1])}pt;line-height:1.2;margin:0;"
    return sheet.block("footnote", mark + sheet.words.text(20, 200), "p", css)


def _down_the_page(sheet: Sheet, width: float) -> str:
    """Tables down the page, with or without headings and texts between them."""
    parts = [title(sheet)] if sheet.chance(0.4) else []
    for _ in range(sheet.rng.choice([1, 2, 2, 3])):
        parts.append(heading(sheet, 1) if sheet.chance(0.3) else "")
        parts.append(paragraph(sheet, 60, 500) if sheet.chance(0.35) else "")
        form = sheet.chance(0.1)
        parts.append(
            form_grid(sheet, width) if form else random_table(sheet, width * sheet.rng.choice([1, 1, 1, 0.8, 0.6]))
        )
        parts.append(box(f"height:{sheet.rng.choice([4, 10, 20])}pt"))
    parts.append(paragraph(sheet, 60, 400) if sheet.chance(0.3) else "")
    return "".join(parts)


def _stack(sheet: Sheet, width: float) -> str:
    """Tables close above one another, without a word between them or with a caption each."""
    gap = sheet.rng.choice([0, 2, 4, 8, 12])
    without_caption = sheet.chance(0.6)
    parts = [title(sheet)] if sheet.chance(0.4) else []
    for _ in range(sheet.rng.randint(2, 5)):
        room = width * sheet.rng.choice([1, 1, 0.75, 0.5])
        parts.append(
            random_table(sheet, room, SHORT_RECIPES, 10, without_caption=without_caption) + box(f"height:{gap}pt")
        )
    return "".join(parts)


def _side_by_side(sheet: Sheet, width: float) -> str:
    """Two or three tables side by side, in one or several bands."""
    parts = [title(sheet)] if sheet.chance(0.4) else []
    for _ in range(sheet.rng.choice([1, 2, 2, 3])):
        count = sheet.rng.choice([2, 2, 2, 3])
        gap = sheet.rng.choice([6, 10, 16, 24])
        room = (width - gap * (count - 1)) / count
        rows = sheet.rng.choice([5, 10, 25])
        without_caption = sheet.chance(0.4)
        bands = [random_table(sheet, room, SHORT_RECIPES, rows, without_caption=without_caption) for _ in range(count)]
        parts.append(beside(*bands, gap=f"{gap}pt", css="align-items:flex-start;margin:8pt 0;"))
        parts.append(paragraph(sheet, 60, 300) if sheet.chance(0.4) else "")
    return "".join(parts)


def _beside_text(sheet: Sheet, width: float) -> str:
    """A column of text beside a table."""
    rng = sheet.rng
    gap = rng.choice([8, 14, 22])
    share = rng.choice([0.35, 0.5, 0.62])
    parts: list[str] = []
    for _ in range(rng.choice([1, 2, 2])):
        texts = [heading(sheet, 1) if sheet.chance(0.5) else ""]
        texts += [paragraph(sheet, 100, 500) for _ in range(rng.randint(1, 4))]
        text = box(f"width:{width * (1 - share) - gap}pt;", *texts)
        columns = [text, random_table(sheet, width * share, NARROW_RECIPES, 25)]
        if sheet.chance(0.5):
            columns.reverse()
        parts.append(beside(*columns, gap=f"{gap}pt", css="align-items:flex-start;margin-bottom:12pt;"))
    return "".join(parts)


def _text_in_columns(sheet: Sheet, width: float, height: float) -> str:
    """A text in two columns (or three) with narrow tables in them, and a wide one above."""
    rng = sheet.rng
    gap = rng.choice([12, 16, 22])
    count = rng.choice([2, 2, 2, 3])
    room = (width - gap * (count - 1)) / count
    top = random_table(sheet, width) if sheet.chance(0.35) else ""
    parts = [paragraph(sheet, 60, 400)]
    for _ in range(rng.randint(2, 4)):
        parts.append(heading(sheet, rng.choice([1, 2])) if sheet.chance(0.5) else "")
        parts += [paragraph(sheet, 150, 600) for _ in range(rng.randint(0, 3))]
        parts.append(
            box("margin:6pt 0;", random_table(sheet, room, NARROW_RECIPES, 14, height=0.6 * height), kind="keep")
        )
    return box("margin-bottom:10pt", top) + box(f"columns:{count};column-gap:{gap}pt;", *parts)


def _prose(sheet: Sheet, width: float) -> str:
    """Paragraphs and lists, and small tables among them."""
    parts: list[str] = [heading(sheet, 1)]
    for _ in range(sheet.rng.randint(2, 4)):
        parts.append(paragraph(sheet, 100, 600))
        parts.append(bullets(sheet) if sheet.chance(0.4) else "")
        parts.append(
            random_table(sheet, width, SHORT_RECIPES, 8, without_caption=sheet.chance(0.5)) + box("height:8pt")
        )
    return "".join(parts)


def _lookalikes(sheet: Sheet, width: float) -> str:
    """What looks like tables, and now and then a table."""
    parts: list[str] = []
    for _ in range(sheet.rng.randint(2, 4)):
        parts.append(heading(sheet, 1) if sheet.chance(0.5) else "")
        parts.append(lookalike(sheet))
        parts.append(paragraph(sheet, 60, 300) if sheet.chance(0.3) else "")
        parts.append(random_table(sheet, width, SHORT_RECIPES, 8) if sheet.chance(0.3) else "")
    return "".join(parts)


def _sideways(sheet: Sheet, width: float, height: float) -> None:
    """A wide table on a page that stands upright: it is read with the head turned to the left or to the right."""
    rng = sheet.rng
    sheet.paper(height, width, "0")
    margin = rng.randint(30, 60)
    head = title(sheet) if sheet.chance(0.3) else ""
    inner = head + random_table(sheet, width - 2 * margin, SIDEWAYS_RECIPES, height=height - 2 * margin - 80)
    turn = rng.choice([f"rotate(-90deg) translateX(-{width}pt)", f"rotate(90deg) translateY(-{height}pt)"])
    turned = f"transform-origin:0 0;transform:{turn};position:absolute;left:0;top:0;"
    page = box(f"width:{width}pt;height:{height}pt;padding:{margin}pt;overflow:hidden;{turned}", inner)
    sheet.add(box(f"width:{height}pt;height:{width}pt;", page, kind="leaf"))
