"""What stands in columns and is no table: its blocks have no cells."""

from __future__ import annotations

from training.structure.drawings.web.html import box, grid
from training.structure.drawings.web.parts import bullets, code, paragraph
from training.structure.drawings.web.sheet import Sheet

LEADER = "flex:1;border-bottom:1pt dotted #555;margin:0 .3em .25em"


def lookalike(sheet: Sheet) -> str:
    """A list, contents, a glossary, addresses, keys with values, a listing, or columns of text."""
    makers = (contents, glossary, addresses, pairs, numbered, code, columns_of_items, signatures)
    return box("margin:.8em 0", sheet.rng.choice(makers)(sheet))


def contents(sheet: Sheet) -> str:
    """Lines of contents, their page numbers at the end of the line, with or without dots."""
    rng, words = sheet.rng, sheet.words
    has_dots, page = sheet.chance(0.6), 1
    lines: list[str] = []
    for index in range(rng.randint(5, 20)):
        page += rng.randint(0, 9)
        number = rng.choice([f"{index + 1}", f"{index // 3 + 1}.{index % 3 + 1}"])
        colour = sheet.take("contents")
        middle = LEADER if has_dots else "flex:1"
        start = f'<div class="flex" style="color:{colour};align-items:end">'
        mark = f'<span style="min-width:{rng.choice([1.5, 2.5])}em">{number}&nbsp;</span>'
        end = f'<span style="{middle}"></span><span>{page}</span></div>'
        lines.append(f"{start}{mark}<span>{words.phrase(1, 7)}</span>{end}")
    return "".join(lines)


def glossary(sheet: Sheet) -> str:
    """Terms beside what they mean."""
    rng, words = sheet.rng, sheet.words
    width, bold = rng.choice([18, 25, 32]), rng.choice(["font-weight:700;", "", "font-style:italic;"])
    rows = [
        sheet.block("label", words.phrase(1, 2), "div", bold) + sheet.block("text", words.text(30, 200), "div")
        for _ in range(rng.randint(3, 8))
    ]
    return grid(f"{width}% 1fr", *rows, gap=f"{rng.choice([2, 5, 9])}pt {rng.choice([6, 14])}pt")


def addresses(sheet: Sheet) -> str:
    """Addresses beside one another."""
    rng, words = sheet.rng, sheet.words
    count = rng.randint(2, 4)
    blocks = [sheet.block("text", "<br>".join(words.address()), "div") for _ in range(count * rng.randint(1, 3))]
    return grid(count, *blocks, gap=f"{rng.choice([6, 12, 20])}pt")


def pairs(sheet: Sheet) -> str:
    """Keys and their values in one or two columns, without lines."""
    rng, words = sheet.rng, sheet.words
    end, bold = rng.choice([":", ":", ""]), rng.choice(["font-weight:700;", "", ""])
    fields: list[str] = []
    count = rng.choice([1, 1, 2])
    for _ in range(count * rng.randint(3, 7)):
        fields.append(sheet.block("label", words.phrase(1, 3) + end, "div", bold))
        fields.append(sheet.block("value", rng.choice([words.date(), words.phrase(1, 4), words.amount()]), "div"))
    return grid("auto 1fr " * count, *fields, gap=f"{rng.choice([1, 3, 6])}pt {rng.choice([6, 12, 24])}pt")


def numbered(sheet: Sheet) -> str:
    """Numbered clauses, the numbers in a column of their own but of the clause."""
    rng = sheet.rng
    wide = rng.choice([2, 3, 5])
    items: list[str] = []
    for index in range(rng.randint(3, 8)):
        colour = sheet.take("list_item")
        mark = f'<span style="min-width:{wide}em">{rng.randint(1, 9)}.{index + 1}</span>'
        text = f"<span>{sheet.words.text(40, 220)}</span>"
        items.append(f'<div class="flex" style="color:{colour};margin-bottom:.3em">{mark}{text}</div>')
    return "".join(items)


def columns_of_items(sheet: Sheet) -> str:
    """Short items in two or three columns; or short columns of text."""
    rng = sheet.rng
    count = rng.choice([2, 3])
    inner = bullets(sheet, 6, 15, 40) if sheet.chance(0.6) else "".join(paragraph(sheet, 60, 200) for _ in range(4))
    return box(f"columns:{count};column-gap:{rng.choice([8, 14, 24])}pt", inner)


def signatures(sheet: Sheet) -> str:
    """Lines to sign on, with names under them."""
    rng, words = sheet.rng, sheet.words
    line = "border-top:.5pt solid;padding-top:2pt;margin-top:26pt;"
    names = [
        sheet.block("label", f"{words.person()}<br>{words.phrase(1, 3)}", "div", line)
        for _ in range(rng.choice([2, 2, 3]))
    ]
    return grid(len(names), *names, gap="24pt")
