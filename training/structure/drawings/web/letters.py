"""Letters, lives and minutes: papers of one person to another."""

from __future__ import annotations

from training.structure.drawings.web.articles import paper, titled_page
from training.structure.drawings.web.bills import foot, letterhead, pairs, stamp
from training.structure.drawings.web.figures import picture
from training.structure.drawings.web.html import box, grid
from training.structure.drawings.web.look import DARKS, TINTS
from training.structure.drawings.web.parts import bullets, heading, heading_line, note_line, paragraph, title
from training.structure.drawings.web.sheet import Sheet
from training.structure.drawings.web.tables import table


def letter(sheet: Sheet) -> None:
    """A letter: letterhead, address, date, subject in bold (its title), text, greeting, foot."""
    rng, words = sheet.rng, sheet.words
    paper(sheet, (55, 85), (36, 60))
    sheet.add(letterhead(sheet) if sheet.chance(0.8) else "")
    address = sheet.block("text", "<br>".join(words.address()), "p")
    side = (
        pairs(sheet, rng.randint(2, 4))
        if sheet.chance(0.3)
        else sheet.block("text", f"{words.name()}, {words.date()}", "p", "text-align:end")
    )
    sheet.add(grid("3fr 2fr", box("", address), box("", side), css="margin:1em 0 2em"))
    if sheet.chance(0.75):
        lead = rng.choice(["", "", "Re: ", "Subject: "])
        sheet.add(
            sheet.block("title", lead + words.phrase(3, 10), "h1", "font-weight:700;margin:0 0 1.2em;font-size:1em")
        )
    sheet.add(sheet.block("text", f"{rng.choice(['Dear ', '', 'Dear Mr '])}{words.person()},", 'p class="para"'))
    for _ in range(rng.randint(2, 6)):
        sheet.add(paragraph(sheet, 100, 600))
        if sheet.chance(0.12):
            sheet.add(bullets(sheet) if sheet.chance(0.7) else table(sheet, rows=3, columns=3, with_caption=False))
        if sheet.chance(0.08):
            sheet.add(heading(sheet, 1))
    sheet.add(
        sheet.block(
            "text", rng.choice(["Yours sincerely,", "Kind regards", words.phrase(1, 3)]), "p", "margin:1em 0 2.5em"
        )
    )
    sheet.add(stamp(sheet) if sheet.chance(0.2) else "")
    sheet.add(sheet.block("text", f"{words.person()}<br>{words.phrase(1, 4)}", "p"))
    if sheet.chance(0.3):
        sheet.add(
            sheet.block(
                "text",
                f"{rng.choice(['Enclosures: ', 'Encl. ', 'cc: '])}{words.phrase(1, 5)}",
                "p",
                "margin-top:1.5em;font-size:.9em",
            )
        )
    sheet.add(foot(sheet) if sheet.chance(0.6) else "")


def life(sheet: Sheet) -> None:
    """A life on one or two pages: a name, contact data, dated entries, skills; in one pane or two."""
    rng = sheet.rng
    if sheet.chance(0.5):
        _two_panes(sheet)
        return
    paper(sheet, (45, 70))
    align = rng.choice(["start", "center"])
    sheet.add(title(sheet, sheet.words.person(), f"text-align:{align};margin-bottom:.1em;"))
    sheet.add(_contact(sheet, align))
    sheet.add(paragraph(sheet, 100, 300) if sheet.chance(0.5) else "")
    look = rng.choice(["margin", "line", "end"])
    for _ in range(rng.randint(3, 5)):
        sheet.add(heading(sheet, 1))
        if sheet.chance(0.25):
            sheet.add(bullets(sheet, 3, 6, 50))
            continue
        for _ in range(rng.randint(1, 4)):
            sheet.add(_entry(sheet, look))


def _contact(sheet: Sheet, align: str) -> str:
    words = sheet.words
    line = sheet.rng.choice([" | ", " · ", "<br>"]).join([*words.address()[1:], words.phone(), words.mail()])
    return sheet.block("text", line, "p", f"text-align:{align};margin-bottom:1em")


def _entry(sheet: Sheet, look: str) -> str:
    """Something done from then to then; dates in a column of their own are labels."""
    words = sheet.words
    place = f"{words.name()}, {words.name()}"
    if look == "margin":
        date = sheet.block("label", words.years(), "p", "", sheet.ground.muted)
        inside = (
            sheet.block("heading", words.phrase(1, 5), "h4", "font-weight:700", level=2) if sheet.chance(0.7) else ""
        )
        inside += sheet.block("text", place, "p", "font-style:italic")
        inside += (
            bullets(sheet, 2, 4, 90)
            if sheet.chance(0.5)
            else sheet.block("text", words.text(40, 200), "p", "margin-bottom:.6em")
        )
        return grid("1fr 4fr", box("", date), box("", inside), css="margin-bottom:.3em")
    if look == "end":
        head = sheet.block("heading", words.phrase(1, 5), "h4", "font-weight:700", level=2)
        date = sheet.block("text", words.years(), "p", "white-space:nowrap")
        top = f'<div class="flex" style="justify-content:space-between;gap:1em">{head}{date}</div>'
    else:
        top = sheet.block(
            "heading", f"{words.phrase(1, 4)}, {place} ({words.years()})", "h4", "font-weight:700", level=2
        )
    body = bullets(sheet, 2, 4, 90) if sheet.chance(0.6) else sheet.block("text", words.text(40, 250), 'p class="para"')
    return f'<div style="margin-bottom:.5em">{top}{body}</div>'


def _two_panes(sheet: Sheet) -> None:
    rng, words = sheet.rng, sheet.words
    sheet.paper(595, 842)
    ground = rng.choice([*DARKS, *TINTS])
    narrow_first = sheet.chance(0.5)
    panes: dict[bool, str] = {}
    named = rng.choice([True, False])
    for narrow in (narrow_first, not narrow_first):
        with sheet.on(ground if narrow else 0xFFFFFF):
            inside = (
                title(sheet, words.person(), "font-size:1.9em;") + note_line(sheet, words.phrase(1, 4))
                if narrow is named
                else ""
            )
            if narrow:
                inside += picture(sheet, "100pt") if sheet.chance(0.6) else ""
                for _ in range(rng.randint(3, 5)):
                    inside += heading_line(sheet, 1)
                    kind = rng.choice(["pairs", "items", "text", "lines"])
                    if kind == "pairs":
                        inside += pairs(sheet, rng.randint(2, 4))
                    elif kind == "items":
                        inside += bullets(sheet, 3, 5, 30)
                    elif kind == "text":
                        inside += paragraph(sheet, 60, 200)
                    else:
                        inside += sheet.block(
                            "text",
                            "<br>".join([words.phone(), words.mail(), *words.address()[1:]]),
                            "p",
                            "margin-bottom:1em",
                        )
            else:
                for _ in range(rng.randint(2, 4)):
                    inside += heading(sheet, 1)
                    inside += "".join(_entry(sheet, rng.choice(["line", "end"])) for _ in range(rng.randint(1, 3)))
        panes[narrow] = inside
    left, right = (panes[True], panes[False]) if narrow_first else (panes[False], panes[True])
    colours = [f"#{ground:06x}", "#fff"] if narrow_first else ["#fff", f"#{ground:06x}"]
    widths = "1fr 2fr" if narrow_first else "2fr 1fr"
    sheet.add(
        f'<div class="leaf grid" style="width:595pt;height:842pt;grid-template-columns:{widths}">'
        + "".join(
            box(f"height:842pt;background:{colour};padding:30pt 22pt", pane, kind="fit")
            for colour, pane in zip(colours, (left, right), strict=True)
        )
        + "</div>"
    )


def minutes(sheet: Sheet) -> None:
    """Minutes of a meeting: who, when, numbered items, what was decided."""
    rng, words = sheet.rng, sheet.words
    titled_page(sheet)
    sheet.add(pairs(sheet, rng.randint(3, 6)))
    for _ in range(rng.randint(3, 6)):
        sheet.add(heading(sheet, 1))
        for _ in range(rng.randint(1, 3)):
            sheet.add(paragraph(sheet, 80, 400))
        sheet.add(bullets(sheet) if sheet.chance(0.3) else "")
        if sheet.chance(0.4):
            sheet.add(
                sheet.block(
                    "text",
                    f"<b>{rng.choice(['Decision', 'Action', 'Resolved'])}:</b> {words.text(30, 140)}",
                    'p class="para"',
                )
            )
    sheet.add(table(sheet, rows=rng.randint(2, 5), columns=3, with_caption=False) if sheet.chance(0.3) else "")
