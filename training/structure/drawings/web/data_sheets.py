"""Pages that are mostly tables: timetables and data sheets of products."""

from __future__ import annotations

from training.structure.drawings.web.articles import paper, running
from training.structure.drawings.web.figures import drawing, picture
from training.structure.drawings.web.html import box, fill, grid, grid_table
from training.structure.drawings.web.look import DARKS
from training.structure.drawings.web.parts import bullets, footnotes, heading, note_line, paragraph, title
from training.structure.drawings.web.sheet import Sheet
from training.structure.drawings.web.tables import cell, random_table_look, table


def timetable(sheet: Sheet) -> None:
    """Times of day in a wide table, one or two directions, notes below."""
    rng, words = sheet.rng, sheet.words
    sheet.paper(*rng.choice([(842, 595), (595, 842)]), "32pt")
    sheet.add(title(sheet, words.phrase(2, 5)))
    sheet.add(note_line(sheet, f"{words.date()} – {words.date()}"))
    for _ in range(rng.randint(1, 2)):
        sheet.add(heading(sheet, 1, f"{words.name()} – {words.name()}"))
        look = random_table_look(sheet)
        columns, ground = rng.randint(5, 9), look.head_ground if look.head_ground is not None else 0xFFFFFF
        with sheet.on(ground):
            css = look.cell + look.head
            top = cell(sheet, rng.choice(["", words.name()]), css, tag="th") + "".join(
                cell(
                    sheet, rng.choice([f"{rng.randint(1, 99)}", f"S{index + 1}"]), css + "text-align:center;", tag="th"
                )
                for index in range(columns)
            )
        rows: list[str] = []
        start = rng.randint(300, 500)
        for row in range(rng.randint(5, 12)):
            times = [start + row * 7 + index * 60 for index in range(columns)]
            line = cell(
                sheet,
                words.name() if words.spaceless else f"{words.name()} {rng.choice(['', words.name()])}".strip(),
                look.cell,
            )
            line += "".join(
                cell(
                    sheet,
                    f"{time // 60 % 24}{rng.choice([':', ':'])}{time % 60:02d}"
                    if sheet.chance(0.85)
                    else rng.choice(["|", "–", ""]),
                    look.cell + "text-align:center;",
                )
                for time in times
            )
            rows.append(line)
        sheet.add(grid_table(top, rows, f"margin:.5em 0 1em;font-size:{look.size}em"))
    sheet.add(bullets(sheet, 2, 4, 80) if sheet.chance(0.5) else paragraph(sheet, 40, 200))


def data_sheet(sheet: Sheet) -> None:
    """A product: its name on a bar, picture beside features, tables of properties, an outline drawing."""
    rng, words = sheet.rng, sheet.words
    paper(sheet, (36, 56), (36, 56))
    running(sheet, 0.7)
    ground = rng.choice([0xFFFFFF, rng.choice(DARKS)])
    with sheet.on(ground):
        head = title(sheet, f"{words.name()} {rng.choice('ABXZ')}{rng.randint(10, 900)}", "margin:0;")
        head += note_line(sheet, words.phrase(3, 7), "margin:0;")
    sheet.add(box(f"{fill(ground)}padding:.6em {0 if ground == 0xFFFFFF else 1}em;margin-bottom:1em", head))
    features = heading(sheet, 1) + bullets(sheet, 4, 8, 90)
    image = picture(sheet, f"{rng.randint(110, 180)}pt")
    order = rng.choice(["", "order:-1;"])
    sheet.add(grid(2, box("", features), box(order, image), gap="1.5em"))
    sheet.add(heading(sheet, 1) + paragraph(sheet, 150, 500))
    for _ in range(rng.randint(1, 2)):
        sheet.add(heading(sheet, 1))
        sheet.add(table(sheet, rows=rng.randint(4, 12), columns=rng.choice([2, 2, 3, 4, 5])))
    if sheet.chance(0.4):
        sheet.add(f'<div style="width:60%">{drawing(sheet, "diagram")}</div>')
    sheet.add(footnotes(sheet, rng.randint(1, 3)) if sheet.chance(0.4) else "")
