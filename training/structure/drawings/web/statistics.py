"""Tables as offices of statistics print them, with heads over heads, indented stubs and notes; and calendars."""

from __future__ import annotations

from dataclasses import dataclass

from training.structure.drawings.web.articles import paper, running
from training.structure.drawings.web.html import grid_table
from training.structure.drawings.web.parts import caption, heading, note_line, paragraph, title
from training.structure.drawings.web.sheet import PAPERS, Sheet
from training.structure.drawings.web.tables import cell

EDGES = ("border:.5pt solid #555;", "", "", "border-inline-start:.5pt solid #777;", "border-bottom:.5pt solid #ccc;")
NUMBER = "text-align:end;white-space:nowrap;"


@dataclass(frozen=True, slots=True)
class StubLook:
    """How the first column and the rows of one table look."""

    edge: str  # CSS of every cell
    dots: bool  # dots lead from a name to its numbers
    spanned: bool  # names of groups go over all columns
    bold_groups: bool
    gaps: float  # share of cells without a number
    forms: tuple[int, ...]  # of the numbers, by column


def statistics(sheet: Sheet) -> None:
    """One or two tables that fill most of a page, with some text around them."""
    rng = sheet.rng
    wide = sheet.chance(0.3)
    if wide:
        height, width = PAPERS[rng.choice(["A4", "letter"])]
        sheet.paper(width, height, "40pt 36pt")
    else:
        paper(sheet, (32, 60))
    running(sheet)
    sheet.add(title(sheet) if sheet.chance(0.3) else heading(sheet, 1) if sheet.chance(0.5) else "")
    for _ in range(rng.choice([1, 1, 2])):
        sheet.add(paragraph(sheet, 100, 500) if sheet.chance(0.5) else "")
        sheet.add(statistical_table(sheet, rng.randint(6, 12) if wide else rng.randint(3, 8)))
    sheet.add(paragraph(sheet, 100, 600) if sheet.chance(0.4) else "")


def statistical_table(sheet: Sheet, columns: int) -> str:
    """Caption, table and the notes below it."""
    rng = sheet.rng
    look = StubLook(
        edge=rng.choice(EDGES) + f"padding:{rng.choice([0.5, 1, 2, 3])}pt {rng.choice([2, 4, 6])}pt;",
        dots=sheet.chance(0.2) and not sheet.words.rtl,
        spanned=sheet.chance(0.4),
        bold_groups=sheet.chance(0.6),
        gaps=rng.choice([0, 0, 0.05, 0.2]),
        forms=tuple(rng.choice([rng.randrange(6), 3]) for _ in range(columns)),
    )
    above = caption(sheet, table=True) if sheet.chance(0.75) else ""
    unit = note_line(sheet, f"({sheet.words.phrase(1, 4)})", "font-size:.8em;margin:0;") if sheet.chance(0.2) else ""
    rows = [*_head(sheet, look, columns), *_rows(sheet, look, columns)]
    frame = rng.choice(["", "border-top:1.2pt solid;border-bottom:1.2pt solid;", "border:.75pt solid;"])
    size = rng.choice([0.7, 0.78, 0.85, 0.92]) if columns > 5 else rng.choice([0.8, 0.9, 1])
    body = grid_table("", rows, f"font-size:{size}em;line-height:1.25;margin:.3em 0;{frame}")
    notes = "".join(_note(sheet, index) for index in range(1, rng.choice([1, 1, 2, 3, 4])))
    return f'<div style="margin:.8em 0;text-indent:0">{above}{unit}{body}{notes}</div>'


def _note(sheet: Sheet, index: int) -> str:
    mark = sheet.rng.choice([f"<sup>{index}</sup> ", f"{index} ", "* ", "Source: ", "Note: "])
    return sheet.block("footnote", mark + sheet.words.text(20, 140), "p", "font-size:.75em;margin:0 0 .1em")


def _head(sheet: Sheet, look: StubLook, columns: int) -> list[str]:
    """One to three rows of column heads; those of a group stand under a head that goes over all of them."""
    rng, words = sheet.rng, sheet.words
    depth = rng.choice([1, 2, 2, 3])
    line = "border-bottom:.5pt solid;"
    css = (
        f"{look.edge}{rng.choice(['font-weight:700;', 'font-weight:700;', ''])}text-align:center;vertical-align:bottom;"
    )
    upper = [cell(sheet, "" if sheet.chance(0.2) else words.phrase(1, 3), css + line, down=depth, tag="th")]
    if depth == 3:
        upper.append(cell(sheet, words.phrase(2, 6), css + line, span=columns, tag="th"))
    groups: list[int] = []
    left = columns
    while left and depth > 1:
        span = min(left, rng.randint(1, 4))
        left -= span
        groups.append(span)
    middle = [
        cell(sheet, words.phrase(1, 3), css + line, span=span, down=2 if span == 1 else 1, tag="th") for span in groups
    ]
    lower = [
        cell(sheet, rng.choice([words.phrase(1, 2), str(rng.randint(1990, 2026))]), css + line, tag="th")
        for span in groups or [columns]
        for _ in range(span)
        if span > 1 or not groups
    ]
    if depth == 1:
        return ["".join(upper + lower)]
    if depth == 2:
        return ["".join(upper + middle), "".join(lower)]
    return ["".join(upper), "".join(middle), "".join(lower)]


def _rows(sheet: Sheet, look: StubLook, columns: int) -> list[str]:
    rng, words = sheet.rng, sheet.words
    rows: list[str] = []
    for _ in range(rng.randint(1, 4)):
        group = sheet.chance(0.7)
        bold = "font-weight:700;" if look.bold_groups else ""
        if group and look.spanned:
            align = rng.choice(["", "", "text-align:center;"])
            rows.append(cell(sheet, words.phrase(1, 5), look.edge + bold + align, span=columns + 1))
        elif group:
            numbers = _numbers(sheet, look, bold) if sheet.chance(0.4) else cell(sheet, "", look.edge) * columns
            rows.append(cell(sheet, words.phrase(1, 4), look.edge + bold) + numbers)
        for _ in range(rng.randint(2, 8)):
            indent = f"padding-inline-start:{rng.choice([1, 1, 1, 2]) * 10}pt;" if group else ""
            name = words.phrase(1, rng.choice([2, 4, 7]))
            if look.dots and len(name) < 30:
                name += " " + "." * (32 - len(name))
            rows.append(cell(sheet, name, look.edge + indent) + _numbers(sheet, look, ""))
    if sheet.chance(0.5):
        css = "font-weight:700;border-top:.5pt solid;"
        rows.append(cell(sheet, rng.choice(["Total", words.name()]), look.edge + css) + _numbers(sheet, look, css))
    return rows


def _numbers(sheet: Sheet, look: StubLook, css: str) -> str:
    rng = sheet.rng
    return "".join(
        cell(
            sheet,
            rng.choice(["–", "", "..", "n/a"]) if sheet.chance(look.gaps) else sheet.words.number(form),
            look.edge + NUMBER + css,
        )
        for form in look.forms
    )


def calendar(sheet: Sheet) -> None:
    """A month: weekdays over a grid, a number in every field and here and there an event."""
    rng, words = sheet.rng, sheet.words
    sheet.paper(*rng.choice([(842, 595), (595, 842), (792, 612)]), "30pt")
    sheet.add(title(sheet, words.date(), f"text-align:{rng.choice(['start', 'center'])};"))
    edge = "border:.5pt solid #777;padding:3pt 4pt;width:14.2%;"
    days = "".join(
        cell(sheet, words.name()[:9], f"{edge}font-weight:700;text-align:center;", tag="th") for _ in range(7)
    )
    first, last, rows = rng.randrange(7), rng.choice([28, 30, 31]), [days]
    tall = rng.choice([44, 58, 66])
    for week in range(0, first + last, 7):
        fields: list[str] = []
        for place in range(week, week + 7):
            day = place - first + 1
            text = str(day) if 1 <= day <= last else ""
            text += f"<br>{words.phrase(1, 4)}" if text and sheet.chance(0.25) else ""
            fields.append(cell(sheet, text, f"{edge}height:{tall}pt;font-size:.9em;"))
        rows.append("".join(fields))
    sheet.add(grid_table("", rows, "table-layout:fixed;"))
    sheet.add(paragraph(sheet, 40, 200, css="margin-top:1em") if sheet.chance(0.5) else "")
