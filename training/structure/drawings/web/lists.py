"""Pages of entries: questions and answers, glossaries, recipes, menus, terms in clauses, directories, programmes."""

from __future__ import annotations

from training.structure.drawings.web.articles import paper, running, titled_page
from training.structure.drawings.web.figures import figure, picture
from training.structure.drawings.web.html import box, fill, grid, leaf
from training.structure.drawings.web.look import TINTS
from training.structure.drawings.web.parts import ROMAN, bullets, heading, heading_line, note_line, paragraph, title
from training.structure.drawings.web.sheet import Sheet


def questions(sheet: Sheet) -> None:
    """Questions are headings in bold; answers are text."""
    rng, words = sheet.rng, sheet.words
    titled_page(sheet)
    sheet.add(paragraph(sheet, 60, 250) if sheet.chance(0.5) else "")
    lead = rng.choice([("", ""), ("", ""), ("Q: ", "A: "), ("Q. ", "A. "), ("{}. ", "")])
    grouped, columns = sheet.chance(0.4), rng.choice([1, 1, 1, 2])
    ink = rng.choice([sheet.ground.ink, sheet.ground.accent])
    look = rng.choice(
        [
            "",
            "font-style:italic;",
            f"background:#{sheet.look.tint:06x};padding:.3em .5em;",
            "border-top:.5pt solid #bbb;padding-top:.4em;",
        ]
    )
    sheet.add(f'<div style="columns:{columns};column-gap:20pt">')
    for index in range(1, rng.randint(5, 12)):
        if grouped and index % 4 == 1:
            sheet.add(heading(sheet, 1))
        question = words.phrase(4, 14).rstrip("?") + "?"
        sheet.add(
            sheet.block(
                "heading",
                lead[0].format(index) + question,
                "h3",
                f"font-weight:700;margin:.9em 0 .2em;{look}",
                ink,
                2 if grouped else 1,
            )
        )
        answer = lead[1] + words.text(60, 400)
        sheet.add(sheet.block("text", answer, 'p class="para"'))
        sheet.add(rng.choice([paragraph, bullets])(sheet) if sheet.chance(0.2) and columns == 1 else "")
    sheet.add("</div>")


def glossary(sheet: Sheet) -> None:
    """Words and what they mean: run in (text), stacked or side by side (label and value)."""
    rng, words = sheet.rng, sheet.words
    titled_page(sheet)
    look, columns = rng.choice(["run", "stack", "side", "run"]), rng.choice([1, 1, 2])
    bold = rng.choice(["b", "b", "i"])
    sheet.add(f'<div style="columns:{columns};column-gap:20pt">')
    for index in range(rng.randint(8, 20)):
        if index % 5 == 0 and sheet.chance(0.5):
            sheet.add(
                sheet.block(
                    "heading",
                    chr(65 + index // 5),
                    "h2",
                    "font-size:1.5em;font-weight:700;margin:.6em 0 .3em",
                    sheet.ground.accent,
                    1,
                )
            )
        term = words.phrase(1, 3)
        if look == "run":
            sheet.add(
                sheet.block(
                    "text",
                    f"<{bold}>{term}</{bold}>{rng.choice([' ', ': ', ' – '])}{words.text(40, 200)}",
                    "p",
                    "padding-inline-start:1.2em;text-indent:-1.2em;margin:0 0 .5em",
                )
            )
            continue
        label = sheet.block("label", f"<{bold}>{term}</{bold}>", "div")
        value = sheet.block("value", words.text(40, 200), "div", "margin-inline-start:1.5em" if look == "stack" else "")
        layout = (
            'class="grid" style="grid-template-columns:1fr 3fr;gap:1em;margin-bottom:.5em"'
            if look == "side"
            else 'style="margin-bottom:.5em"'
        )
        sheet.add(f"<div {layout}>{label}{value}</div>")
    sheet.add("</div>")


def recipe(sheet: Sheet) -> None:
    """A dish: picture, times, what it takes beside what to do."""
    rng, words = sheet.rng, sheet.words
    paper(sheet, (40, 70))
    sheet.add(title(sheet, words.phrase(1, 5)))
    sheet.add(paragraph(sheet, 60, 250) if sheet.chance(0.6) else "")
    sheet.add(picture(sheet, f"{rng.randint(120, 240)}pt") if sheet.chance(0.7) else "")
    facts = "".join(
        box(
            "",
            sheet.block("label", words.phrase(1, 2), "p", "font-size:.85em", sheet.ground.muted),
            sheet.block("value", f"{rng.randint(5, 90)} min", "p", "font-weight:700"),
        )
        for _ in range(rng.randint(2, 4))
    )
    sheet.add(f'<div class="flex" style="gap:2.5em;margin:.8em 0">{facts}</div>' if sheet.chance(0.7) else "")
    ingredients = heading(sheet, 1)
    mark = rng.choice(["", f"{sheet.look.bullet} "])
    for _ in range(rng.randint(5, 10)):
        amount = f"{rng.choice([1, 2, 50, 100, 250])} {rng.choice(['g', 'ml', 'tbsp', ''])}"
        ingredients += sheet.block("list_item", f"{mark}{amount} {words.phrase(1, 3)}", "p")
    steps = heading(sheet, 1)
    numbered = sheet.chance(0.7)
    for index in range(1, rng.randint(4, 8)):
        text = words.text(50, 240)
        steps += (
            sheet.block(
                "list_item",
                f"<b>{index}{rng.choice(['.', ''])}</b> {text}",
                "p",
                "padding-inline-start:1.3em;text-indent:-1.3em;margin:0 0 .5em",
            )
            if numbered
            else sheet.block("text", text, 'p class="para"')
        )
    tint = rng.choice([0xFFFFFF, *TINTS])
    sheet.add(
        grid("1fr 2fr", box(f"{fill(tint)}padding:.5em", ingredients), box("", steps), gap="1.6em")
        if sheet.chance(0.6)
        else ingredients + steps
    )
    sheet.add(
        note_line(sheet, f"<b>{rng.choice(['Tip:', 'Note:'])}</b> {words.text(30, 150)}", "margin-top:1em;")
        if sheet.chance(0.5)
        else ""
    )


def menu(sheet: Sheet) -> None:
    """Dishes with prices under headings; the dish is a label, its price a value, what is in it text."""
    rng, words = sheet.rng, sheet.words
    width, height = rng.choice([(595, 842), (420, 595), (420, 842)])
    sheet.paper(width, height)
    ground = rng.choice([0xFFFFFF, 0xFFFFFF, rng.choice(TINTS), 0x222222, 0x0B3D2E])
    dots, centred, columns = sheet.chance(0.3), sheet.chance(0.3), rng.choice([1, 1, 2]) if width > 500 else 1
    with sheet.on(ground):
        parts = [title(sheet, words.phrase(1, 3), "text-align:center;")]
        parts.append(note_line(sheet, words.phrase(2, 6), "text-align:center;") if sheet.chance(0.5) else "")
        groups: list[str] = []
        for _ in range(rng.randint(2, 4)):
            group = heading(sheet, 1, css="text-align:center;" if centred else "")
            for _ in range(rng.randint(2, 6)):
                group += _dish(sheet, dots, centred)
            groups.append(f'<div class="keep">{group}</div>')
        foot = note_line(sheet, words.text(30, 120), "font-size:.8em;margin-top:1em;") if sheet.chance(0.5) else ""
    inside = f'<div style="columns:{columns};column-gap:26pt">{"".join(groups)}</div>'
    sheet.add(leaf(width, height, f"{fill(ground)}padding:34pt", *parts, inside, foot, grow=1.3))


def _dish(sheet: Sheet, dots: bool, centred: bool) -> str:
    rng, words = sheet.rng, sheet.words
    price = f"{rng.uniform(2, 40):.2f}{rng.choice(['', ' €'])}"
    name = words.phrase(1, 4)
    if centred:
        return sheet.block("text", f"<b>{name}</b> {price}", "p", "text-align:center") + sheet.block(
            "text", words.phrase(2, 8), "p", "text-align:center;margin-bottom:.7em", sheet.ground.muted
        )
    label = sheet.block("label", name, "span", "font-weight:700")
    value = sheet.block("value", price, "span", "white-space:nowrap")
    leader = f'<span style="flex:1;border-bottom:1pt {"dotted" if dots else "none"};margin:0 .3em .25em"></span>'
    about = (
        sheet.block("text", words.phrase(2, 9), "p", "font-size:.88em;margin-bottom:.6em", sheet.ground.muted)
        if sheet.chance(0.6)
        else ""
    )
    return f'<div class="flex" style="align-items:end">{label}{leader}{value}</div>{about}'


def terms(sheet: Sheet) -> None:
    """Clauses numbered over several levels, in one or two columns of small type."""
    rng, words = sheet.rng, sheet.words
    paper(sheet)
    running(sheet)
    sheet.add(title(sheet, css=rng.choice(["", "text-align:center;"])))
    sheet.add(
        note_line(sheet, f"{rng.choice(['Effective ', 'Last updated: ', ''])}{words.date()}")
        if sheet.chance(0.5)
        else ""
    )
    columns = rng.choice([1, 1, 2, 2, 3])
    hang, word = rng.choice([0, 2.2, 2.8]), rng.choice(["", "", "", "Article ", "Section "])
    caps, bold = (
        rng.choice(["", "text-transform:uppercase;"]),
        rng.choice(["700", "700", "400;text-decoration:underline"]),
    )
    sheet.add(f'<div style="columns:{columns};column-gap:18pt;font-size:{0.85 if columns > 1 else 1}em">')
    for part in range(1, rng.randint(4, 9)):
        name = f"{word}{part}{rng.choice(['.', '']) if not word else ':'} {words.phrase(1, 5)}"
        sheet.add(sheet.block("heading", name, "h2", f"font-weight:{bold};{caps}margin:1em 0 .3em", level=1))
        for clause in range(1, rng.randint(2, 6)):
            number = f"{part}.{clause}"
            css = f"padding-inline-start:{hang}em;text-indent:-{hang}em;margin:0 0 .45em"
            mark = f'<span class="mk" style="min-width:{hang}em">{number}&nbsp;</span>'
            sheet.add(sheet.block("list_item", f"{mark}{words.text(80, 420)}", "p", css))
            if sheet.chance(0.3):
                sheet.add(_subclauses(sheet, hang))
        sheet.add(paragraph(sheet, 80, 300) if sheet.chance(0.2) else "")
    sheet.add("</div>")


def _subclauses(sheet: Sheet, hang: float) -> str:
    rng, out = sheet.rng, ""
    roman = sheet.chance(0.4)
    for index in range(rng.randint(2, 5)):
        mark = ROMAN[index].lower() if roman else "abcdefgh"[index]
        label = f'<span class="mk" style="min-width:1.8em">({mark})&nbsp;</span>'
        text = sheet.words.text(20, 140).rstrip(".") + ";"
        out += sheet.block(
            "list_item", label + text, "p", f"padding-inline-start:{hang + 1.8}em;text-indent:-1.8em;margin:0 0 .3em"
        )
    return out


def directory(sheet: Sheet) -> None:
    """Addresses in columns, one block each, under headings by place."""
    rng, words = sheet.rng, sheet.words
    titled_page(sheet)
    columns = rng.choice([2, 3, 3])
    sheet.add(f'<div style="columns:{columns};column-gap:16pt;font-size:.9em">')
    for _ in range(rng.randint(3, 6)):
        sheet.add(heading(sheet, 1))
        for _ in range(rng.randint(2, 6)):
            lines = words.address() + rng.choice([[], [words.phone()], [words.phone(), words.mail()]])
            lines[0] = f"<b>{lines[0]}</b>" if sheet.chance(0.7) else lines[0]
            sheet.add(sheet.block("text", "<br>".join(lines), "p", "margin:0 0 .7em;break-inside:avoid"))
    sheet.add("</div>")


def programme(sheet: Sheet) -> None:
    """Events of a day: the time beside or above, a heading, who speaks, what about."""
    rng, words = sheet.rng, sheet.words
    titled_page(sheet)
    bold = rng.choice(["", "font-weight:700;"])
    beside, ruled = sheet.chance(0.7), rng.choice(["", "border-top:.5pt solid #aaa;padding-top:.4em;"])
    for _ in range(rng.randint(1, 3)):
        sheet.add(heading_line(sheet, 1, words.date()))
        hour, point = rng.randint(8, 11), rng.choice(":.")
        for index in range(rng.randint(3, 7)):
            start = f"{hour + index}{point}{rng.choice(['00', '15', '30'])}"
            time = f"{start}{rng.choice(['', f' – {hour + index + 1}{point}00'])}"
            label = sheet.block("label", time, "p", bold)
            inside = heading_line(sheet, 2, words.phrase(2, 8), "margin:0;")
            inside += (
                sheet.block("text", f"{words.person()}, {words.name()}", "p", "font-style:italic")
                if sheet.chance(0.6)
                else ""
            )
            inside += sheet.block("text", words.text(40, 200), "p") if sheet.chance(0.5) else ""
            layout = (
                'class="grid keep" style="grid-template-columns:1fr 4fr;gap:1em;' if beside else 'class="keep" style="'
            )
            sheet.add(f'<div {layout}margin-bottom:.7em;{ruled}">{label}<div>{inside}</div></div>')
    sheet.add(figure(sheet) if sheet.chance(0.2) else "")
