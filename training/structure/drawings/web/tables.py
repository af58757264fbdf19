"""Tables of web documents: every cell is a block of the role "table"; heads may span, rows may be grouped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from training.structure.drawings.web.parts import caption
from training.structure.drawings.web.sheet import Sheet

Content = Literal["word", "text", "number", "amount", "date", "mixed"]
FIRST_COLUMN: tuple[Content, ...] = ("word", "word", "text")
COLUMNS: tuple[Content, ...] = ("number", "number", "amount", "word", "text", "date", "mixed")


@dataclass(frozen=True, slots=True)
class TableLook:
    """CSS of the cells of one table."""

    cell: str
    head: str
    head_ground: int | None
    stripe: str
    size: float


def table(
    sheet: Sheet, *, rows: int | None = None, columns: int | None = None, with_caption: bool | None = None
) -> str:
    """A table of any look, with or without a caption."""
    rng = sheet.rng
    rows, columns = rows or rng.randint(2, 12), columns or rng.randint(2, 6)
    look = random_table_look(sheet)
    kinds: list[Content] = [rng.choice(FIRST_COLUMN)]
    kinds += rng.choices(COLUMNS, k=columns - 1)
    captioned = sheet.chance(0.5) if with_caption is None else with_caption
    above = caption(sheet, table=True) if captioned and sheet.chance(0.6) else ""
    body = _head(sheet, look, columns) + _body(sheet, look, kinds, rows)
    below = caption(sheet, table=True) if captioned and not above else ""
    width = rng.choice(["width:100%", "width:100%", "width:auto", "width:70%"])
    grid = f'<table style="{width};font-size:{look.size}em;line-height:1.25;margin:.4em 0">{body}</table>'
    return f'<div style="margin:.8em 0;text-indent:0">{above}{grid}{below}</div>'


def random_table_look(sheet: Sheet) -> TableLook:
    rng = sheet.rng
    colour = rng.choice(["#000", "#999", "#ccc", f"#{sheet.look.accent:06x}"])
    pad = f"padding:{rng.choice([1, 2, 3, 5])}pt {rng.choice([3, 5, 8])}pt;"
    cell = rng.choice(
        [
            f"border:.5pt solid {colour};",
            f"border:.5pt solid {colour};",
            f"border-bottom:.5pt solid {colour};",
            "",
            f"border-inline-end:.5pt solid {colour};",
        ]
    )
    ground = rng.choice([None, None, sheet.look.accent, sheet.look.tint, sheet.look.dark])
    head = rng.choice(["font-weight:700;", "font-weight:700;", "", "font-style:italic;"]) + rng.choice(
        ["", f"border-bottom:1pt solid {colour};border-top:1pt solid {colour};"]
    )
    head += f"background:#{ground:06x};" if ground is not None else ""
    stripe = f"background:#{sheet.look.tint:06x};" if sheet.chance(0.25) else ""
    return TableLook(cell + pad, head, ground, stripe, rng.choice([0.8, 0.9, 1]))


def cell(sheet: Sheet, html: str, css: str, *, span: int = 1, down: int = 1, tag: str = "td") -> str:
    """One cell; an empty one is no block."""
    spans = (f' colspan="{span}"' if span > 1 else "") + (f' rowspan="{down}"' if down > 1 else "")
    if not html:
        return f'<{tag}{spans} style="{css}">&nbsp;</{tag}>'
    colour = sheet.take("table")
    return f'<{tag}{spans} style="{css};color:{colour}">{html}</{tag}>'


def content(sheet: Sheet, kind: Content, form: int | None = None) -> str:
    """The words of a cell; the numbers of one form look alike."""
    words = sheet.words
    match kind:
        case "word":
            return words.phrase(1, 3)
        case "text":
            return words.phrase(2, 14)
        case "number":
            return words.number(form) if sheet.chance(0.93) else sheet.rng.choice(["–", "", "n/a"])
        case "amount":
            return words.amount()
        case "date":
            return words.date()
        case "mixed":
            return sheet.rng.choice([words.number(), words.name(), "✓", "", "n/a", words.phrase(1, 4)])


def _head(sheet: Sheet, look: TableLook, columns: int) -> str:
    rng = sheet.rng
    kind = rng.choices(["none", "one", "spanned"], [8, 72, 20])[0]
    if kind == "none":
        return ""
    ground = look.head_ground if look.head_ground is not None else 0xFFFFFF
    css = look.cell + look.head
    with sheet.on(ground):
        if kind == "one" or columns < 3:
            first = "" if sheet.chance(0.15) else sheet.words.phrase(1, 3)
            cells = [cell(sheet, first, css, tag="th")]
            cells += [
                cell(sheet, sheet.words.phrase(1, rng.choice([1, 2, 4])), css, tag="th") for _ in range(columns - 1)
            ]
            return f"<thead><tr>{''.join(cells)}</tr></thead>"
        upper = [cell(sheet, sheet.words.phrase(1, 2), css, down=2, tag="th")]
        left = columns - 1
        while left:
            span = min(left, rng.randint(1, 3))
            upper.append(cell(sheet, sheet.words.phrase(1, 3), css + "text-align:center;", span=span, tag="th"))
            left -= span
        lower = [
            cell(sheet, rng.choice([sheet.words.phrase(1, 1), str(rng.randint(1990, 2026))]), css, tag="th")
            for _ in range(columns - 1)
        ]
    return f"<thead><tr>{''.join(upper)}</tr><tr>{''.join(lower)}</tr></thead>"


def _body(sheet: Sheet, look: TableLook, kinds: list[Content], rows: int) -> str:
    rng = sheet.rng
    grouped, tall, total = sheet.chance(0.2), sheet.chance(0.15), sheet.chance(0.2)
    bold_first, align = sheet.chance(0.2), rng.choice(["end", "center", "start", "end"])
    lines: list[str] = []
    forms = [rng.randrange(7) for _ in kinds]
    held = 0  # rows that the first cell still reaches over
    for row in range(rows):
        if grouped and not held and row % 4 == 0:
            lines.append(
                f"<tr>{cell(sheet, sheet.words.phrase(1, 4), look.cell + 'font-weight:700;', span=len(kinds))}</tr>"
            )
        css = look.cell + (look.stripe if row % 2 else "")
        cells: list[str] = []
        for index, kind in enumerate(kinds):
            if index == 0 and held:
                held -= 1
                continue
            down = rng.randint(2, 3) if index == 0 and tall and row + 3 < rows and sheet.chance(0.4) else 1
            held = down - 1 if down > 1 else held
            extra = "font-weight:700;" if index == 0 and bold_first else ""
            extra += f"text-align:{align};" if kind in ("number", "amount") else ""
            cells.append(cell(sheet, content(sheet, kind, forms[index]), css + extra, down=down))
        lines.append(f"<tr>{''.join(cells)}</tr>")
    if total:
        css = look.cell + "font-weight:700;border-top:1pt solid;"
        last = [
            cell(sheet, content(sheet, kind) if kind in ("number", "amount") else "", css + f"text-align:{align};")
            for kind in kinds[1:]
        ]
        lines.append(f"<tr>{cell(sheet, rng.choice(['Total', sheet.words.name()]), css)}{''.join(last)}</tr>")
    return f"<tbody>{''.join(lines)}</tbody>"
