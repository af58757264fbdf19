"""Running text: web pages as a browser prints them, press releases, notices."""

from __future__ import annotations

from training.structure.drawings.web.figures import figure
from training.structure.drawings.web.html import box, fill
from training.structure.drawings.web.parts import (
    bullets,
    code,
    footnotes,
    heading,
    heading_line,
    note_line,
    panel,
    paragraph,
    quote,
    title,
)
from training.structure.drawings.web.sheet import FIRST_ORDER, LAST_ORDER, PAPERS, Sheet
from training.structure.drawings.web.tables import table


def paper(sheet: Sheet, sides: tuple[int, int] = (36, 80), tops: tuple[int, int] = (40, 72)) -> float:
    """A paper size with margins; gives the width of the text in points."""
    rng = sheet.rng
    width, height = PAPERS[rng.choices(list(PAPERS), [55, 35, 6, 4])[0]]
    side, top = rng.randint(*sides), rng.randint(*tops)
    sheet.paper(width, height, f"{top}pt {side}pt")
    return width - 2 * side


def running(sheet: Sheet, share: float = 0.6) -> None:
    """Running heads and feet in the looks of print."""
    rng, words = sheet.rng, sheet.words
    if sheet.chance(share):
        for place in rng.choice([("top-left",), ("top-right",), ("top-center",), ("top-left", "top-right")]):
            sheet.margin_text(
                place,
                "page_header",
                f'"{plain(words.phrase(2, 6))}"',
                rng.choice(["", "font-style:italic;", "border-bottom:.5pt solid #888;"]),
            )
    if sheet.chance(share):
        form = rng.choice(
            [
                "counter(page)",
                '"Page " counter(page)',
                'counter(page) " / " counter(pages)',
                '"– " counter(page) " –"',
                '"Page " counter(page) " of " counter(pages)',
            ]
        )
        sheet.margin_text(
            rng.choice(["bottom-center", "bottom-right", "bottom-right", "top-right-corner"]), "page_number", form
        )
        if sheet.chance(0.4):
            sheet.margin_text(
                "bottom-left",
                "page_footer",
                f'"{plain(words.phrase(1, 5))}"',
            )


def titled_page(sheet: Sheet) -> None:
    """What documents of one kind of page begin with: paper, running heads and feet, and a title."""
    paper(sheet)
    running(sheet)
    sheet.add(title(sheet))


def plain(html: str) -> str:
    """Text that may stand in a string of CSS."""
    return html.replace("&amp;", "&").replace("&lt;", "").replace("&gt;", "").replace('"', "").replace("\\", "")


def body(sheet: Sheet, parts: int, *, width: float = 450, captioned: bool = True) -> None:
    """Sections of text with lists, figures, tables, quotes and boxes."""
    rng = sheet.rng
    if sheet.chance(0.6):
        sheet.add(paragraph(sheet))
    level = 1
    for _ in range(parts):
        sheet.add(heading(sheet, level))
        level = rng.choice([1, 2, 2, 3 if level == 2 else 1])
        for _ in range(rng.randint(1, 3)):
            sheet.add(paragraph(sheet, 60, 700))
        extra = rng.choices(["", "list", "figure", "table", "quote", "panel", "code"], [33, 24, 12, 12, 5, 6, 6])[0]
        match extra:
            case "list":
                sheet.add(bullets(sheet))
            case "figure":
                sheet.add(figure(sheet, f"width:{rng.choice([60, 80, 100])}%", captioned))
            case "table":
                sheet.add(table(sheet, columns=rng.randint(2, 6 if width > 300 else 3)))
            case "quote":
                sheet.add(quote(sheet))
            case "panel":
                sheet.add(panel(sheet))
            case "code":
                sheet.add(code(sheet))
            case _:
                pass
        if extra and sheet.chance(0.4):
            sheet.add(paragraph(sheet, 60, 400))


def web_page(sheet: Sheet) -> None:
    """A web page that a browser printed: date, title, address and page in the margins, remnants of the navigation."""
    rng, words = sheet.rng, sheet.words
    paper(sheet, (28, 60), (36, 50))
    name = words.phrase(2, 6)
    if sheet.chance(0.8):
        day = f"{rng.randint(1, 12)}/{rng.randint(1, 28)}/{rng.randint(10, 26)}"
        stamp = f"{day}, {rng.randint(1, 12)}:{rng.randint(10, 59)} {rng.choice(['AM', 'PM'])}"
        sheet.margin_text("top-left", "page_header", f'"{stamp}"')
        sheet.margin_text("top-center", "page_header", f'"{plain(name)}"')
        sheet.margin_text(
            "bottom-left",
            "page_footer",
            f'"https://{words.host()}/{rng.choice(["news", "a", "blog"])}/{rng.randint(100, 99999)}"',
        )
        sheet.margin_text("bottom-right", "page_number", 'counter(page) "/" counter(pages)')
    sheet.add(_navigation(sheet))
    sheet.add(title(sheet, name))
    if sheet.chance(0.7):
        sheet.add(
            note_line(
                sheet,
                f"{rng.choice(['By ', '', 'Posted by '])}{words.person()}{rng.choice([' | ', ', '])}{words.date()}",
            )
        )
    if sheet.chance(0.3):
        lead = paragraph(sheet, 200, 700)
        aside = _aside(sheet)
        sheet.add(f'<div style="float:inline-end;width:38%;margin:0 0 .6em 1em">{aside}</div>{lead}')
    if sheet.chance(0.3):
        sheet.add(figure(sheet))
    body(sheet, rng.randint(2, 6))
    if sheet.chance(0.4):
        sheet.add(heading_line(sheet, 2, rng.choice(["Related articles", "See also", "Read more", words.phrase(1, 3)])))
        sheet.add(bullets(sheet, 3, 6, 50))
    if sheet.chance(0.5):
        order = LAST_ORDER - 100
        links = rng.choice([" | ", " · ", "   "]).join(words.phrase(1, 2) for _ in range(rng.randint(3, 6)))
        colour = sheet.take("page_footer", sheet.ground.muted, order=order)
        rights = f"{rng.choice(['©', 'Copyright ©'])} {rng.randint(2000, 2026)} {words.name()}. All rights reserved."
        align = rng.choice(["start", "center"])
        colour_of_right = sheet.take("page_footer", sheet.ground.muted, order=order + 1)
        sheet.add(
            box(
                f"border-top:.5pt solid #999;margin-top:2em;padding-top:.5em;font-size:.8em;text-align:{align}",
                f'<p style="color:{colour}">{links}</p><p style="color:{colour_of_right}">{rights}</p>',
            )
        )


def _navigation(sheet: Sheet) -> str:
    """A site's name and its links, in one bar or two lines."""
    rng, words = sheet.rng, sheet.words
    if sheet.chance(0.25):
        return ""
    ground = rng.choice([0xFFFFFF, 0xFFFFFF, sheet.look.dark, sheet.look.tint])
    with sheet.on(ground):
        site = sheet.take("page_header", order=FIRST_ORDER + 100)
        size = rng.choice([1, 1.4, 1.8])
        name = f"{words.name()} {words.name()}"
        out = f'<span style="color:{site};font-size:{size}em;font-weight:700">{name}</span>'
        links = "".join(
            f'<span style="color:{sheet.take("page_header", order=FIRST_ORDER + 101 + i)}">{words.phrase(1, 2)}</span>'
            for i in range(rng.randint(3, 6))
        )
    if sheet.chance(0.5):
        out += f'<span style="display:flex;gap:1.5em;font-size:.9em">{links}</span>'
    crumbs = ""
    if sheet.chance(0.5):
        colour = sheet.take("page_header", sheet.ground.muted, order=FIRST_ORDER + 120)
        path = " › ".join(words.phrase(1, 2) for _ in range(3))
        crumbs = f'<p style="color:{colour};font-size:.8em;margin:0 0 1em">{path}</p>'
    layout = (
        "display:flex;justify-content:space-between;align-items:baseline;"
        if sheet.chance(0.6)
        else "display:grid;gap:.3em;"
    )
    edge = "padding:.5em;margin-bottom:.8em;border-bottom:.5pt solid #999"
    return box(f"{layout}{fill(ground)}{edge}", out) + crumbs


def _aside(sheet: Sheet) -> str:
    return figure(sheet, narrow=True) if sheet.chance(0.5) else panel(sheet, "margin:0;")


def press_release(sheet: Sheet) -> None:
    """A press release: a mark above, a headline, place and date, text, boilerplate, contact."""
    rng, words = sheet.rng, sheet.words
    paper(sheet, (55, 90))
    running(sheet, 0.4)
    sheet.add(
        note_line(
            sheet,
            rng.choice(["PRESS RELEASE", "FOR IMMEDIATE RELEASE", words.phrase(1, 3)]),
            rng.choice(["", "text-align:end;", "letter-spacing:.1em;"]),
        )
    )
    sheet.add(title(sheet, words.phrase(5, 14), rng.choice(["", "text-align:center;"])))
    if sheet.chance(0.5):
        sheet.add(note_line(sheet, words.text(40, 140), "font-style:italic;"))
    place = f"<b>{words.name().upper()}, {words.date()}</b> – {words.text(150, 500)}"
    sheet.add(sheet.block("text", place, 'p class="para"'))
    for _ in range(rng.randint(2, 6)):
        sheet.add(paragraph(sheet, 120, 600))
    if sheet.chance(0.4):
        sheet.add(bullets(sheet))
    if sheet.chance(0.3):
        sheet.add(figure(sheet, "width:60%"))
    if sheet.chance(0.5):
        sheet.add(sheet.block("text", rng.choice(["# # #", "– End –", "***"]), "p", "text-align:center;margin:1em 0"))
    for name in rng.sample([f"About {words.name()}", "Contact:", "Notes to editors", "Media contact"], 2):
        sheet.add(heading_line(sheet, 1, name if words.english else None))
        if "ontact" in name:
            lines = [words.person(), words.phone(), words.mail()]
            sheet.add(sheet.block("text", "<br>".join(lines), 'p class="para"'))
        else:
            sheet.add(paragraph(sheet, 100, 400))


def notice(sheet: Sheet) -> None:
    """A notice of an office: emblem and office above, numbered sections, tables, a place for the date."""
    rng, words = sheet.rng, sheet.words
    width = paper(sheet)
    running(sheet)
    head = [
        sheet.block("page_header", line, "p", "font-weight:700") for line in (words.phrase(2, 4), words.phrase(2, 5))
    ]
    sheet.add(f'<div style="text-align:{rng.choice(["center", "start"])};margin-bottom:1.5em">{"".join(head)}</div>')
    sheet.add(title(sheet, css=f"text-align:{rng.choice(['center', 'start'])}"))
    sheet.add(
        note_line(
            sheet,
            rng.choice(
                [
                    words.date(),
                    f"No. {rng.randint(1, 999)}/{rng.randint(2000, 2026)}",
                    f"{words.name()}, {words.date()}",
                ]
            ),
        )
    )
    body(sheet, rng.randint(3, 6), width=width)
    if sheet.chance(0.5):
        sheet.add(footnotes(sheet, rng.randint(1, 4)))
    sheet.add(sheet.block("text", f"{words.name()}, {words.date()}<br>{words.person()}", "p", "margin-top:1.5em"))
