"""Forms and exam sheets: labels with their values, boxes to tick, fields in frames, questions with blanks."""

from __future__ import annotations

from training.structure.drawings.tables.cells import LAYOUT_ROLE
from training.structure.drawings.web.articles import paper, running
from training.structure.drawings.web.figures import figure
from training.structure.drawings.web.html import beside, box, grid
from training.structure.drawings.web.look import TINTS
from training.structure.drawings.web.parts import bullets, heading, note_line, paragraph, title
from training.structure.drawings.web.sheet import Sheet
from training.structure.drawings.web.tables import table

BOXES = ("☐", "☐", "□", "○", "[ ]")
TICKED = ("☒", "☑", "■", "●", "[x]")


def form(sheet: Sheet) -> None:
    """A form, empty or filled in by hand or machine."""
    rng, words = sheet.rng, sheet.words
    paper(sheet, (32, 60), (36, 60))
    running(sheet, 0.5)
    if sheet.chance(0.4):
        sheet.add(
            note_line(
                sheet,
                rng.choice([f"Form {rng.randint(10, 9999)}", words.phrase(2, 4)]),
                "text-align:end;",
                "page_header",
            )
        )
    sheet.add(title(sheet, css=rng.choice(["", "text-align:center;"])))
    sheet.add(paragraph(sheet, 60, 300) if sheet.chance(0.6) else "")
    filled = rng.choice([0.0, 0.4, 0.95])
    look = rng.choice(["line", "box", "bare", "table", "beside", "above"])
    frame = rng.choice(
        [
            "",
            "",
            f"border:.75pt solid #{sheet.look.accent:06x};padding:.6em .9em;",
            f"background:#{sheet.look.tint:06x};padding:.6em .9em;",
        ]
    )
    for _ in range(rng.randint(2, 5)):
        inside = heading(sheet, 1) if sheet.chance(0.9) else ""
        inside += paragraph(sheet, 30, 160) if sheet.chance(0.2) else ""
        for _ in range(rng.randint(1, 2)):
            inside += (
                _choices(sheet)
                if sheet.chance(0.25)
                else _fields(sheet, look if sheet.chance(0.7) else rng.choice(["line", "box", "above"]), filled)
            )
        sheet.add(f'<div style="{frame}margin:0 0 .9em">{inside}</div>')
    if sheet.chance(0.3):
        sheet.add(table(sheet, rows=rng.randint(2, 5), with_caption=False))
    if sheet.chance(0.6):
        sheet.add(_signatures(sheet))
    if sheet.chance(0.4):
        sheet.add(paragraph(sheet, 60, 300, "text", "font-size:.75em"))


def _fields(sheet: Sheet, look: str, filled: float) -> str:
    """Labels and values of one group in one look."""
    rng = sheet.rng
    columns = rng.choice([1, 1, 2, 2, 3]) if look in ("line", "box", "above", "bare") else 1
    hand = rng.choice(["", "", "font-family:'Liberation Mono';", "font-style:italic;", "font-weight:700;"])
    bold = rng.choice(["", "", "font-weight:700;"])
    end = rng.choice(["", ":", ":", " *"])
    cells: list[str] = []
    for _ in range(rng.randint(2, 4) * columns):
        label = _label(sheet, end, look, bold)
        value = _value(sheet, hand) if sheet.chance(filled) else "&nbsp;"
        cells.append(_pair(look, label, value))
    if look in ("table", "beside"):
        edge = "border:.5pt solid #666;" if look == "table" else ""
        rows = "".join(
            f"<tr>{row.replace('<td', '<td style=' + chr(34) + edge + 'padding:3pt 5pt;' + chr(34))}</tr>"
            for row in cells
        )
        kind = f' role="{LAYOUT_ROLE}"' if look == "beside" else ""  # without lines it is a list, not a table
        return f'<table{kind} style="width:100%;margin:.4em 0">{rows}</table>'
    gap = rng.choice(["6pt 12pt", "8pt 18pt", "3pt 10pt"])
    edge = "border:.5pt solid #444;" if look == "box" and sheet.chance(0.3) else ""
    return grid(columns, *cells, gap=gap, css=f"margin:.4em 0;{edge}")


def _label(sheet: Sheet, end: str, look: str, bold: str) -> str:
    words, rng = sheet.words, sheet.rng
    text = words.phrase(1, rng.choice([2, 3, 6])) + end
    if sheet.chance(0.15):
        text = f"{rng.randint(1, 40)}{rng.choice(['.', ')', ''])} {text}"
    small = "font-size:.78em;" if look == "box" else rng.choice(["", "font-size:.85em;"])
    ink = rng.choice([sheet.ground.ink, sheet.ground.muted])
    return sheet.block("label", text, "span", small + bold, ink)


def _value(sheet: Sheet, hand: str) -> str:
    words, rng = sheet.words, sheet.rng
    text = rng.choice(
        [
            words.person(),
            words.date(),
            words.phone(),
            words.mail(),
            words.phrase(1, 4),
            words.amount(),
            str(rng.randint(1, 10**7)),
        ]
    )
    return sheet.block("value", text, "span", hand, rng.choice([0x000000, 0x000000, 0x1F3864]))


def _pair(look: str, label: str, value: str) -> str:
    match look:
        case "line":
            blank = box("flex:1;border-bottom:.5pt solid #000;min-height:1.3em", value)
            return beside(f'<span style="max-width:60%">{label}</span>', blank, gap=".5em", css="align-items:end")
        case "box":
            frame = "border:.5pt solid #666;padding:2pt 4pt;min-height:2.6em"
            return box(frame, box("line-height:1.1", label), box("", value))
        case "above":
            return box("", box("", label), box("border:.5pt solid #888;padding:2pt 5pt;min-height:1.6em", value))
        case "table" | "beside":
            return f"<td>{label}</td><td>{value}</td>"
        case _:
            return beside(box("width:45%", label), box("flex:1", value), gap=".5em")


def _choices(sheet: Sheet) -> str:
    """A question with boxes to tick: the question is a label, each choice a value."""
    rng, words = sheet.rng, sheet.words
    index = rng.randrange(len(BOXES))
    question = sheet.block(
        "label",
        words.phrase(2, 8) + rng.choice(["", "?", ":"]),
        "div",
        "margin:.3em 0;" + rng.choice(["", "font-weight:700;"]),
    )
    choices = [
        sheet.block("value", f"{TICKED[index] if sheet.chance(0.3) else BOXES[index]} {words.phrase(1, 4)}", "div")
        for _ in range(rng.randint(2, 6))
    ]
    row = rng.choice(
        [
            'class="flex" style="gap:1.6em;flex-wrap:wrap"',
            'class="grid" style="grid-template-columns:1fr 1fr 1fr;gap:.2em 1em"',
            "",
        ]
    )
    return f'<div style="margin:.4em 0">{question}<div {row}>{"".join(choices)}</div></div>'


def _signatures(sheet: Sheet) -> str:
    rng = sheet.rng
    names = ("Date", "Signature", "Place, date", "Signature of applicant", "Name in print")
    cells = "".join(
        box("border-top:.5pt solid #000;padding-top:2pt", _signature(sheet, rng.choice(names)))
        for _ in range(rng.choice([2, 2, 3]))
    )
    return f'<div class="grid keep" style="grid-template-columns:repeat(3,1fr);gap:2em;margin-top:3.5em">{cells}</div>'


def _signature(sheet: Sheet, name: str) -> str:
    text = name if sheet.words.english else sheet.words.phrase(1, 3)
    return sheet.block("label", text, "span", "font-size:.8em")


def exam(sheet: Sheet) -> None:
    """An exam sheet: name and class above, numbered questions with choices, points, lines to write on."""
    rng, words = sheet.rng, sheet.words
    paper(sheet, (45, 75))
    running(sheet, 0.5)
    sheet.add(title(sheet, css=rng.choice(["", "text-align:center;"])))
    sheet.add(_fields(sheet, "line", rng.choice([0.0, 0.0, 1.0])))
    sheet.add(paragraph(sheet, 50, 250, css="font-style:italic"))
    parts, points = sheet.chance(0.5), sheet.chance(0.5)
    for number in range(1, rng.randint(5, 10)):
        if parts and number % 4 == 1:
            sheet.add(heading(sheet, 1))
        score = f" ({rng.randint(1, 10)} {rng.choice(['points', 'P.', 'marks'])})" if points else ""
        question = sheet.block(
            "list_item",
            f'<span class="mk" style="min-width:1.6em">{number}.&nbsp;</span>{words.text(40, 220)}{score}',
            "p",
            "padding-inline-start:1.6em;text-indent:-1.6em;margin:.8em 0 .3em",
        )
        kind = rng.choice(["choices", "lines", "parts", "choices", "figure"])
        match kind:
            case "choices":
                marks = rng.choice(["ABCD", "abcd", "☐☐☐☐"])
                end = "" if marks[0] == "☐" else rng.choice([")", ".", ""])
                options = "".join(sheet.block("list_item", f"{mark}{end} {words.phrase(1, 6)}", "p") for mark in marks)
                css = "grid-template-columns:1fr 1fr;padding-inline-start:1.6em"
                below = box(css, options, kind=rng.choice(["", "grid"]))
            case "lines":
                below = '<div style="border-bottom:.5pt solid #999;height:1.8em"></div>' * rng.randint(2, 4)
            case "parts":
                below = f'<div style="padding-inline-start:1.6em">{bullets(sheet, 2, 4, 90)}</div>'
            case _:
                below = figure(sheet, "width:60%", captioned=sheet.chance(0.3), height=90)
        sheet.add(f'<div class="keep">{question}{below}</div>')


def survey(sheet: Sheet) -> None:
    """A grid of statements with a scale to tick, between other questions."""
    rng, words = sheet.rng, sheet.words
    paper(sheet)
    running(sheet, 0.4)
    sheet.add(title(sheet))
    sheet.add(paragraph(sheet, 80, 300))
    ground = rng.choice(TINTS)
    for _ in range(rng.randint(2, 3)):
        sheet.add(heading(sheet, 1))
        scale, box = rng.choice([3, 4, 5]), rng.choice(BOXES)
        edge = rng.choice(["border:.5pt solid #888;", "border-bottom:.5pt solid #ccc;"]) + "padding:3pt 5pt;"
        cells = [f'<th style="{edge}"></th>']
        cells += [
            f'<th style="{edge}text-align:center;font-size:.85em;color:{sheet.take("table")}">{words.phrase(1, 2)}</th>'
            for _ in range(scale)
        ]
        rows = [f'<tr style="background:#{ground:06x}">{"".join(cells)}</tr>']
        for index in range(rng.randint(3, 6)):
            line = [f'<td style="{edge}width:40%;color:{sheet.take("table")}">{index + 1}. {words.phrase(3, 10)}</td>']
            line += [
                f'<td style="{edge}text-align:center;color:{sheet.take("table")}">{box}</td>' for _ in range(scale)
            ]
            rows.append(f"<tr>{''.join(line)}</tr>")
        sheet.add(f'<table style="width:100%;margin:.5em 0 1em">{"".join(rows)}</table>')
        sheet.add(_choices(sheet))
