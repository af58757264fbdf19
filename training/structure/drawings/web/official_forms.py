"""Forms of offices: sections on bars, fields of uneven widths in one closed grid, small numbered labels, notes."""

from __future__ import annotations

from training.structure.drawings.web.articles import paper, running
from training.structure.drawings.web.forms import BOXES, TICKED
from training.structure.drawings.web.html import box, grid
from training.structure.drawings.web.look import DARKS
from training.structure.drawings.web.parts import note_line, paragraph
from training.structure.drawings.web.sheet import Sheet

COLUMNS = 12
SPLITS = ((12,), (6, 6), (4, 4, 4), (8, 4), (3, 3, 3, 3), (3, 6, 3), (5, 7), (9, 3), (2, 4, 6), (6, 3, 3))


def official_form(sheet: Sheet) -> None:
    """A form without gaps between its fields; labels stand in the corner of each field, values below them."""
    rng, words = sheet.rng, sheet.words
    paper(sheet, (26, 44), (28, 44))
    running(sheet, 0.5)
    sheet.add(_top(sheet))
    filled = rng.choice([0.0, 0.5, 0.9])
    hand = rng.choice(["", "font-family:'Liberation Mono';", "font-weight:700;", "font-style:italic;"])
    number, bar = 0, rng.choice([None, 0xDDDDDD, 0x000000, rng.choice(DARKS)])
    numbered = sheet.chance(0.6)
    for part in range(1, rng.randint(3, 6)):
        cells = [_section(sheet, part, bar)]
        for _ in range(rng.randint(2, 5)):
            for span in rng.choice(SPLITS):
                number += 1
                cells.append(_field(sheet, span, f"{number} " if numbered else "", filled, hand))
        if sheet.chance(0.3):
            text = paragraph(sheet, 60, 260, css="font-size:.8em;margin:0")
            cells.append(box(f"grid-column:span {COLUMNS};border:.5pt solid #333;padding:3pt", text))
        sheet.add(grid(COLUMNS, *cells, gap="0", css="margin-bottom:6pt;border:.5pt solid #333"))
    if sheet.chance(0.5):
        sheet.add(note_line(sheet, words.text(60, 250), "font-size:.75em;", "footnote"))


def _top(sheet: Sheet) -> str:
    """The form's number, its title, the office, and a field that is not the applicant's."""
    rng, words = sheet.rng, sheet.words
    code = sheet.block(
        "page_header", f"{rng.choice(['Form', 'No.', 'Vordruck'])} {rng.randint(10, 9999)}", "p", "font-weight:700"
    )
    head = sheet.block("title", words.phrase(2, 8), "h1", "font-size:1.5em;font-weight:700;line-height:1.15")
    head += sheet.block("text", words.phrase(3, 9), "p", "font-size:.9em") if sheet.chance(0.5) else ""
    label = sheet.block(
        "label", "For official use only" if words.english else words.phrase(2, 4), "p", "font-size:.75em"
    )
    return grid(
        "1fr 4fr 1.4fr",
        code,
        box("", head),
        box("border:.5pt solid #333;padding:2pt;height:40pt", label),
        css="margin-bottom:8pt",
    )


def _section(sheet: Sheet, part: int, bar: int | None) -> str:
    rng, words = sheet.rng, sheet.words
    lead = rng.choice([f"Part {part} – ", f"{part}. ", f"Section {'ABCDEF'[part - 1]}: ", ""])
    with sheet.on(0xFFFFFF if bar is None else bar):
        name = sheet.block("heading", lead + words.phrase(1, 6), "h2", "font-weight:700;margin:0", sheet.ground.ink, 1)
    fill = "" if bar is None else f"background:#{bar:06x};"
    return box(f"grid-column:span {COLUMNS};padding:2pt 4pt;{fill}", name)


def _field(sheet: Sheet, span: int, number: str, filled: float, hand: str) -> str:
    rng, words = sheet.rng, sheet.words
    frame = f"grid-column:span {span};border:.5pt solid #333;padding:1.5pt 3pt;min-height:26pt;"
    label = sheet.block("label", number + words.phrase(1, 2 + span // 3), "p", "font-size:.72em;line-height:1.15")
    if span > 4 and sheet.chance(0.2):
        index = rng.randrange(len(BOXES))
        choices = "".join(
            sheet.block("value", f"{TICKED[index] if sheet.chance(0.3) else BOXES[index]} {words.phrase(1, 2)}", "span")
            for _ in range(rng.randint(2, 3))
        )
        return box(frame, label, box("gap:1.2em;flex-wrap:wrap", choices, kind="flex"))
    if not sheet.chance(filled):
        return box(frame, label)
    texts = [words.date(), words.amount(), str(rng.randint(1, 10**6)), words.name()]
    texts += [words.person(), words.mail(), words.phrase(1, 4)] if span > 3 else []
    return box(frame, label, sheet.block("value", rng.choice(texts), "p", hand, rng.choice([0x000000, 0x1F3864])))
