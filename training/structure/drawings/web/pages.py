"""Pages of text in forms of their own: encyclopedia articles, bilingual pages, Japanese in vertical lines."""

from __future__ import annotations

from training.structure.drawings.web.articles import body, paper, running
from training.structure.drawings.web.figures import figure
from training.structure.drawings.web.html import box
from training.structure.drawings.web.parts import (
    bullets,
    caption,
    code,
    footnotes,
    heading,
    heading_line,
    panel,
    paragraph,
    title,
)
from training.structure.drawings.web.sheet import PAPERS, Sheet
from training.structure.drawings.web.tables import table
from training.structure.drawings.web.words import random_words


def encyclopedia(sheet: Sheet) -> None:
    """An article with contents, a box of facts beside its start, and references."""
    rng, words = sheet.rng, sheet.words
    paper(sheet)
    running(sheet, 0.5)
    sheet.add(title(sheet, words.phrase(1, 4)))
    lead = paragraph(sheet, 250, 700)
    rows = "".join(
        f'<tr><td style="padding:2pt 4pt;font-weight:700;color:{sheet.take("label")}">{words.phrase(1, 2)}</td>'
        f'<td style="padding:2pt 4pt;color:{sheet.take("value")}">{words.phrase(1, 5)}</td></tr>'
        for _ in range(rng.randint(4, 9))
    )
    box_title = sheet.block(
        "heading", words.phrase(1, 3), "p", "text-align:center;font-weight:700;padding:.3em", level=2
    )
    image = figure(sheet, captioned=sheet.chance(0.6), height=90, narrow=True) if sheet.chance(0.7) else ""
    sheet.add(
        box(
            "float:inline-end;width:36%;border:.5pt solid #aaa;background:#f8f8f8;margin:0 0 1em 1em;font-size:.85em",
            f'{box_title}{image}<table class="tight" style="width:100%">{rows}</table>',
        )
        + lead
    )
    if sheet.chance(0.6):
        items = "".join(sheet.block("contents", f"{i + 1} {words.phrase(1, 4)}", "p") for i in range(rng.randint(3, 7)))
        name = heading_line(sheet, 1, rng.choice(["Contents", words.name()]))
        sheet.add(box("display:inline-block;border:.5pt solid #aaa;padding:.5em 1em;margin:.5em 0", name + items))
    body(sheet, rng.randint(3, 6))
    sheet.add(heading(sheet, 1, rng.choice(["References", words.phrase(1, 2)])))
    for index in range(rng.randint(3, 8)):
        sheet.add(
            sheet.block(
                "list_item",
                f"{index + 1}. {words.person()} ({rng.randint(1960, 2025)}). <i>{words.phrase(3, 8)}</i>.",
                "p",
                "font-size:.85em;padding-inline-start:1.6em;text-indent:-1.6em",
            )
        )


def bilingual(sheet: Sheet) -> None:
    """Two languages side by side: each column is read to its end, or each pair in turn."""
    rng = sheet.rng
    paper(sheet, (30, 50))
    running(sheet, 0.5)
    first = sheet.words
    second = random_words(rng)
    pairs, aligned = rng.randint(4, 8), sheet.chance(0.5)
    pieces: dict[tuple[int, int], str] = {}
    places = [(row, side) for row in range(pairs) for side in (0, 1)]
    for row, side in places if aligned else sorted(places, key=lambda place: place[1]):
        sheet.words = (first, second)[side]
        direction = "rtl" if sheet.words.rtl else "ltr"
        part = heading(sheet, 1) if row % 3 == 0 else paragraph(sheet, 80, 350)
        pieces[row, side] = f'<div dir="{direction}">{part}</div>'
    sheet.words = first
    if aligned:
        cells = "".join(
            f'<div class="grid" style="grid-template-columns:1fr 1fr;gap:1.5em">{pieces[row, 0]}{pieces[row, 1]}</div>'
            for row in range(pairs)
        )
        sheet.add(cells)
        return
    columns = "".join(
        f'<div style="flex:1">{"".join(pieces[row, side] for row in range(pairs))}</div>' for side in (0, 1)
    )
    line = rng.choice(["", "border-inline-start:.5pt solid #999;padding-inline-start:1em"])
    sheet.add(f'<div class="flex" style="gap:1.5em;{line}">{columns}</div>')


def upright(sheet: Sheet) -> None:
    """Japanese in vertical lines, read from right to left."""
    rng = sheet.rng
    sheet.paper(*PAPERS[rng.choice(["A4", "A5"])], "50pt 45pt")
    sheet.css.append("html{writing-mode:vertical-rl} .para{text-indent:1em;margin:0}")
    sheet.add(title(sheet))
    for _ in range(rng.randint(2, 4)):
        sheet.add(heading(sheet, 1))
        for _ in range(rng.randint(2, 4)):
            sheet.add(paragraph(sheet, 120, 500))
    if sheet.chance(0.3):
        sheet.add(caption(sheet))


def extract(sheet: Sheet) -> None:
    """Pages from the middle of something: no title, columns above and below what goes over all of them."""
    rng = sheet.rng
    width = paper(sheet, (32, 70))
    running(sheet)
    columns = max(1, min(rng.choice([1, 2, 2, 3]), int(width / (13 * sheet.look.size))))
    spanning = rng.choice([figure, figure, table, panel])
    if sheet.chance(0.4):
        sheet.add(spanning(sheet))
    for _ in range(rng.randint(2, 4)):
        if sheet.chance(0.2):
            sheet.add(heading(sheet, 1))
        inside = "".join(_run(sheet) for _ in range(rng.randint(1, 4)))
        sheet.add(box(f"columns:{columns};column-gap:{rng.choice([12, 18, 26])}pt", inside))
        if sheet.chance(0.6):
            sheet.add(spanning(sheet))
    if sheet.chance(0.25):
        sheet.add(footnotes(sheet, rng.randint(1, 4)))


def _run(sheet: Sheet) -> str:
    """Some paragraphs, with what stands between paragraphs in a column."""
    rng = sheet.rng
    head = heading(sheet, rng.choice([1, 2, 3])) if sheet.chance(0.45) else ""
    text = "".join(paragraph(sheet, 80, 600) for _ in range(rng.randint(1, 3)))
    match rng.choices(["", "list", "figure", "table", "caption", "code"], [55, 15, 10, 10, 5, 5])[0]:
        case "list":
            return head + text + bullets(sheet)
        case "figure":
            return head + figure(sheet, height=rng.uniform(60, 150), narrow=True) + text
        case "table":
            return head + text + table(sheet, columns=rng.randint(2, 3))
        case "caption":
            return caption(sheet) + head + text
        case "code":
            return head + text + code(sheet)
        case _:
            return head + text
