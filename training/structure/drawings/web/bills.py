"""Papers of trade: invoices, receipts, statements."""

from __future__ import annotations

from training.structure.drawings.web.articles import paper, running
from training.structure.drawings.web.html import beside, box, fill, grid, grid_table
from training.structure.drawings.web.look import DARKS, TINTS
from training.structure.drawings.web.parts import footnotes, heading, heading_line, paragraph, title
from training.structure.drawings.web.sheet import FIRST_ORDER, LAST_ORDER, Sheet
from training.structure.drawings.web.tables import cell, random_table_look

NAMES = (
    "Invoice",
    "INVOICE",
    "Rechnung",
    "Facture",
    "Quotation",
    "Delivery note",
    "Order",
    "Credit note",
    "Tax invoice",
)
KEYS = (
    "Invoice no.",
    "Date",
    "Customer no.",
    "Due date",
    "VAT ID",
    "Order no.",
    "Reference",
    "Your contact",
    "Payment terms",
    "Page",
)


def invoice(sheet: Sheet) -> None:
    """Sender and receiver, what is charged, sums, how to pay; sender's data at the foot."""
    rng, words = sheet.rng, sheet.words
    paper(sheet, (35, 65), (36, 60))
    sheet.add(letterhead(sheet))
    name = rng.choice(NAMES) if sheet.chance(0.7) else words.phrase(1, 2)
    first = sheet.chance(0.5)
    if first:
        sheet.add(title(sheet, name))
    blocks = [_party(sheet)]
    blocks += [_party(sheet)] if sheet.chance(0.4) else []
    pane = pairs(sheet, rng.randint(3, 6))
    sheet.add(grid(len(blocks) + 1, *(box("", part) for part in [*blocks, pane]), gap="2em", css="margin:1em 0"))
    if not first:
        sheet.add(title(sheet, f"{name} {rng.randint(100, 99999)}"))
    sheet.add(paragraph(sheet, 40, 200) if sheet.chance(0.5) else "")
    sheet.add(_positions(sheet))
    sheet.add(paragraph(sheet, 60, 250) if sheet.chance(0.7) else "")
    if sheet.chance(0.5):
        sheet.add(heading_line(sheet, 1, rng.choice(["Payment details", "Terms", words.phrase(1, 3)])))
        sheet.add(pairs(sheet, rng.randint(2, 4)) if sheet.chance(0.6) else paragraph(sheet, 60, 200))
    if sheet.chance(0.25):
        sheet.add(stamp(sheet))
    if sheet.chance(0.7):
        sheet.add(foot(sheet))


def letterhead(sheet: Sheet) -> str:
    """The sender's name and slogan at the top, on a ground or beside a mark: a running head."""
    rng, words = sheet.rng, sheet.words
    ground = rng.choice([0xFFFFFF, 0xFFFFFF, 0xFFFFFF, rng.choice(DARKS)])
    with sheet.on(ground):
        ink = rng.choice([sheet.ground.ink, sheet.ground.accent])
        name = sheet.take("page_header", ink, order=FIRST_ORDER + 500)
        under = sheet.take("page_header", sheet.ground.muted, order=FIRST_ORDER + 501)
    mark = (
        box(f"width:34pt;height:34pt;border-radius:{rng.choice([0, 17])}pt;{fill(sheet.look.accent)}")
        if sheet.chance(0.5)
        else ""
    )
    size = rng.choice([1.3, 1.7, 2.2])
    line = (
        f'<p style="color:{under};font-size:.85em">{rng.choice([words.phrase(2, 5), _address_line(sheet)])}</p>'
        if sheet.chance(0.6)
        else ""
    )
    firm, padding = f"{words.name()} {words.name()}", 0 if ground == 0xFFFFFF else 10
    side = rng.choice(["flex-start", "flex-end", "space-between", "center"])
    return beside(
        mark,
        box("", f'<p style="color:{name};font-size:{size}em;font-weight:700;line-height:1.2">{firm}</p>{line}'),
        css=f"align-items:center;justify-content:{side};{fill(ground)}padding:{padding}pt;margin-bottom:1.4em",
    )


def _address_line(sheet: Sheet) -> str:
    return " · ".join([*sheet.words.address()[1:], sheet.words.phone()])


def foot(sheet: Sheet) -> str:
    """The sender's data in columns at the foot of the page."""
    rng, words = sheet.rng, sheet.words
    columns = rng.choice([1, 2, 3, 4])
    parts: list[str] = []
    for index in range(columns):
        lines = rng.choice(
            [
                words.address(),
                [words.phone(), words.mail(), words.host()],
                [f"IBAN DE{rng.randint(10**9, 10**10)}", f"BIC {words.name().upper()}"],
            ]
        )
        colour = sheet.take("page_footer", sheet.ground.muted, order=LAST_ORDER + index)
        parts.append(f'<p style="color:{colour}">{(" · " if columns == 1 else "<br>").join(lines)}</p>')
    css = "border-top:.5pt solid #888;margin-top:2.5em;padding-top:.5em;font-size:.75em;"
    return grid(columns, *parts, css=f"{css}text-align:{'center' if columns == 1 else 'start'}")


def stamp(sheet: Sheet) -> str:
    """A word stamped over the page."""
    rng = sheet.rng
    colour = sheet.take("stamp", 0xB00020, floats=True)
    word = rng.choice(["PAID", "COPY", "DRAFT", "RECEIVED", "CONFIDENTIAL", "APPROVED"])
    look = "position:absolute;border:2pt solid;padding:.1em .5em;font-size:2em;font-weight:700;"
    place = f"inset-inline-end:{rng.randint(20, 160)}pt;top:{rng.randint(-30, 10)}pt;"
    turn = f"transform:rotate({rng.choice([-14, -8, 10, 0])}deg)"
    return box("position:relative;height:0", f'<p style="color:{colour};{look}{place}{turn}">{word}</p>')


def _party(sheet: Sheet) -> str:
    rng, words = sheet.rng, sheet.words
    label = (
        sheet.block(
            "label",
            rng.choice(["Bill to", "Ship to:", "To", words.phrase(1, 2)]),
            "p",
            "font-size:.85em;" + rng.choice(["", "font-weight:700;"]),
            sheet.ground.muted,
        )
        if sheet.chance(0.6)
        else ""
    )
    role = "value" if label else "text"
    return label + sheet.block(role, "<br>".join(words.address()), "p")


def pairs(sheet: Sheet, count: int) -> str:
    """Labels and values in two columns, or with a colon on one line."""
    rng, words = sheet.rng, sheet.words
    bold, end = rng.choice(["", "", "font-weight:700;"]), rng.choice(["", ":", ":"])
    align = rng.choice(["start", "end"])
    rows: list[str] = []
    for _ in range(count):
        key = (rng.choice(KEYS) if words.english else words.phrase(1, 2)) + end
        label = sheet.block("label", key, "div", bold)
        value = rng.choice(
            [words.date(), str(rng.randint(100, 10**7)), words.person(), words.amount(), words.phrase(1, 3)]
        )
        rows.append(label + sheet.block("value", value, "div", f"text-align:{align}"))
    frame = rng.choice(["", "border:.5pt solid #888;padding:.5em;"])
    return grid(rng.choice(["auto 1fr", "1fr 1fr"]), *rows, gap=".15em .8em", css=frame)


def _positions(sheet: Sheet) -> str:
    """The charged lines with sums; descriptions may go over several lines."""
    rng, words = sheet.rng, sheet.words
    look = random_table_look(sheet)
    heads = (
        ["Pos.", "Description", "Qty", "Unit price", "VAT", "Amount"]
        if words.english
        else [words.phrase(1, 2) for _ in range(6)]
    )
    used = [0, 1, 2, 3, 4, 5] if sheet.chance(0.3) else sorted([*rng.sample([0, 2, 3, 4], rng.randint(1, 3)), 1, 5])
    number = "text-align:end;white-space:nowrap;"
    with sheet.on(look.head_ground if look.head_ground is not None else 0xFFFFFF):
        top = "".join(
            cell(sheet, heads[index], look.cell + look.head + (number if index > 1 else ""), tag="th") for index in used
        )
    lines: list[str] = []
    for row in range(rng.randint(1, 10)):
        css = look.cell + (look.stripe if row % 2 else "")
        text = words.phrase(2, 6) if sheet.chance(0.6) else f"<b>{words.phrase(1, 4)}</b><br>{words.text(20, 110)}"
        values = [
            str(row + 1),
            text,
            str(rng.randint(1, 40)),
            words.amount(),
            f"{rng.choice([7, 19, 20])}%",
            words.amount(),
        ]
        lines.append("".join(cell(sheet, values[index], css + (number if index > 1 else "")) for index in used))
    sums = ["Subtotal", "VAT 19%", "Total"] if words.english else [words.phrase(1, 1) for _ in range(3)]
    for name in sums[-rng.randint(1, 3) :]:
        weight = "font-weight:700;" if name == sums[-1] else ""
        css = (look.cell if sheet.chance(0.5) else "padding:2pt 5pt;") + weight
        lines.append(
            cell(sheet, name, css + "text-align:end;", span=len(used) - 1) + cell(sheet, words.amount(), css + number)
        )
    return grid_table(top, lines, f"margin:1em 0;font-size:{look.size}em")


def receipt(sheet: Sheet) -> None:
    """A narrow strip in the letters of a till: shop, lines with prices, sum, thanks."""
    rng, words = sheet.rng, sheet.words
    width = rng.choice([164, 204, 227])
    sheet.paper(width, rng.choice([420, 560, 700]), "10pt 9pt")
    mono = "font-family:'Liberation Mono','DejaVu Sans Mono',monospace;" if sheet.chance(0.7) else ""
    parts = [title(sheet, words.name(), "text-align:center;font-size:1.5em;")]
    parts.append(
        sheet.block(
            "text",
            "<br>".join(words.address()[1:]) + f"<br>Tel. {words.phone()}",
            "p",
            "text-align:center;margin-bottom:.8em",
        )
    )
    rows = [
        cell(sheet, words.phrase(1, 3), "padding:1pt 0")
        + cell(sheet, f"{rng.uniform(0.5, 60):.2f}", "text-align:end;padding:1pt 0")
        for _ in range(rng.randint(2, 9))
    ]
    css = "font-weight:700;border-top:.75pt dashed;padding:3pt 0;"
    total = cell(sheet, rng.choice(["TOTAL", "SUM", words.name()]), css)
    total += cell(sheet, words.amount(), f"{css}text-align:end;")
    parts.append(grid_table("", [*rows, total], ""))
    parts.append(pairs(sheet, rng.randint(2, 4)))
    parts.append(sheet.block("text", words.phrase(2, 5), "p", "text-align:center;margin-top:1em"))
    sheet.add(f'<div style="{mono}font-size:7.5pt;line-height:1.3">{"".join(parts)}</div>')


def statement(sheet: Sheet) -> None:
    """An account over a period: panes of sums, then a long table that may go over pages."""
    rng, words = sheet.rng, sheet.words
    paper(sheet, (32, 55), (40, 60))
    running(sheet, 0.7)
    sheet.add(letterhead(sheet))
    sheet.add(title(sheet))
    tint = rng.choice(TINTS)
    left = sheet.block("text", "<br>".join(words.address()), "p")
    right = pairs(sheet, rng.randint(3, 5))
    sheet.add(grid(2, box("", left), box(f"{fill(tint)}padding:.6em", right), gap="2em", css="margin:0 0 1em"))
    for _ in range(rng.randint(1, 2)):
        sheet.add(heading(sheet, 1))
        sheet.add(paragraph(sheet, 40, 160) if sheet.chance(0.4) else "")
        look = random_table_look(sheet)
        kinds = ["date", "text", "number", "number", "number"][: rng.randint(4, 5)]
        with sheet.on(look.head_ground if look.head_ground is not None else 0xFFFFFF):
            top = "".join(cell(sheet, words.phrase(1, 2), look.cell + look.head, tag="th") for _ in kinds)
        rows: list[str] = []
        for row in range(rng.randint(6, 30)):
            css = look.cell + (look.stripe if row % 2 else "")
            values = [words.date() if row % 3 == 0 or sheet.chance(0.7) else "", words.phrase(2, 9)]
            values += [f"{rng.uniform(-900, 9000):,.2f}" if sheet.chance(0.7) else "" for _ in kinds[2:]]
            rows.append(
                "".join(
                    cell(sheet, value, css + ("text-align:end;" if index > 1 else ""))
                    for index, value in enumerate(values)
                )
            )
        sheet.add(grid_table(top, rows, f"margin:.5em 0 1em;font-size:{look.size}em"))
    sheet.add(footnotes(sheet, rng.randint(1, 3)) if sheet.chance(0.3) else "")
