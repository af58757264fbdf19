"""Parts that all kinds of web documents are made of: headings, paragraphs, lists, captions, side boxes, code."""

from __future__ import annotations

from documents.segments.roles import Role
from training.structure.drawings.web.html import box
from training.structure.drawings.web.look import TINTS
from training.structure.drawings.web.sheet import Sheet

ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
CAPTION_WORDS: dict[str, tuple[str, ...]] = {
    "en": ("Figure", "Fig.", "Photo", "Chart"),
    "de": ("Abbildung", "Abb.", "Bild", "Grafik"),
    "fr": ("Figure", "Fig.", "Illustration", "Graphique"),
    "es": ("Figura", "Fig.", "Foto", "Gráfico"),
    "ru": ("Рисунок", "Рис.", "Фото", "График"),
    "el": ("Εικόνα", "Σχήμα", "Εικ.", "Διάγραμμα"),
    "ar": ("الشكل", "شكل", "صورة", "رسم"),
    "fa": ("شکل", "تصویر"),
    "he": ("איור", "תרשים", "תמונה", "גרף"),
    "zh": ("图", "图", "照片", "图表"),
    "ja": ("図", "図", "写真", "グラフ"),
    "ko": ("그림", "그림", "사진", "도표"),
    "hi": ("चित्र", "आकृति"),
}
TABLE_WORDS: dict[str, tuple[str, ...]] = {
    "en": ("Table", "TABLE", "Table", "Tab."),
    "de": ("Tabelle", "Tab."),
    "fr": ("Tableau",),
    "es": ("Tabla", "Cuadro"),
    "ru": ("Таблица",),
    "el": ("Πίνακας",),
    "ar": ("جدول", "الجدول"),
    "fa": ("جدول",),
    "he": ("טבלה", "לוח"),
    "zh": ("表",),
    "ja": ("表",),
    "ko": ("표",),
    "hi": ("तालिका", "सारणी"),
}


def title(sheet: Sheet, html: str | None = None, css: str = "") -> str:
    """The title of the document."""
    rng = sheet.rng
    size = rng.choice([1.6, 2, 2.4, 2.8])
    ink = rng.choice([sheet.ground.ink, sheet.ground.accent])
    look = f"font-size:{size}em;line-height:1.15;margin:0 0 .5em;font-weight:{rng.choice([400, 700, 700])};"
    look += rng.choice(["", "", "text-transform:uppercase;"]) + css
    return sheet.block("title", html or sheet.words.phrase(2, 9), "h1", look, ink)


def heading(sheet: Sheet, level: int = 1, html: str | None = None, css: str = "", long: bool = False) -> str:
    """A heading in the look of its level, with its number if the document numbers them."""
    rng, look = sheet.rng, sheet.look.headings[min(level, 3) - 1]
    text = html or sheet.words.phrase(5 if long else 1, rng.choice([3, 6, 6, 9, 16]))
    sheet.counters[level - 1] += 1
    sheet.counters[level:] = [0] * (4 - level)
    number = _number(sheet, look.number, level)
    text = f"{look.icon + ' ' if look.icon else ''}{number}{text}{look.end}"
    ink = sheet.ground.accent if look.coloured else sheet.ground.ink
    if look.bar is not None:
        ink = 0xFFFFFF
    return sheet.block("heading", text, f"h{min(level + 1, 4)}", f"{look.css};{css}", ink, level)


def _number(sheet: Sheet, form: str, level: int) -> str:
    count = sheet.counters[level - 1]
    match form:
        case "1" | "1.":
            parts = ".".join(str(max(1, c)) for c in sheet.counters[:level])
            return f"{parts}{'.' if form == '1.' else ''} "
        case "I" if level == 1:
            return f"{ROMAN[(count - 1) % 12]}. "
        case "A" if level == 1:
            return f"{'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[(count - 1) % 26]}. "
        case "§" if level == 1:
            return f"§ {count} "
        case _:
            return ""


def paragraph(sheet: Sheet, low: int = 60, high: int = 600, role: Role = "text", css: str = "") -> str:
    """One paragraph; now and then with bold or italic words, a bold start, a link or a line that is bold."""
    rng, words = sheet.rng, sheet.words
    text = words.text(low, rng.choice([max(low, high // 3), high, high]))
    kind = rng.choices(["", "start", "inside", "reference", "broken", "bold"], [70, 8, 12, 6, 2, 2])[0]
    if kind == "start":
        text = f"<b>{words.phrase(1, 5)}{rng.choice(['.', ':', ' –', ''])}</b> {text}"
    elif kind == "inside" and " " in text:
        parts = text.split(" ")
        first = rng.randrange(len(parts))
        last = first + rng.randint(1, 6)
        tag = rng.choice(["b", "i", "u", 'span class="mono"', "b"])
        inside = f"<{tag}>{' '.join(parts[first:last])}</{tag.split(' ')[0]}>"
        text = " ".join([*parts[:first], inside, *parts[last:]])
    elif kind == "reference":
        text += rng.choice(
            [
                f" [{rng.randint(1, 60)}]",
                f"<sup>{rng.randint(1, 20)}</sup>",
                f" ({words.name()} {rng.randint(1990, 2025)})",
            ]
        )
    elif kind == "bold":
        text = f"<b>{text}</b>"
    elif kind == "broken":
        text += f"<br><b>{words.phrase(3, 8)}</b><br>{words.text(30, 150)}"
    return sheet.block(role, text, 'p class="para"', css)


def note_line(sheet: Sheet, html: str, css: str = "", role: Role = "text") -> str:
    """A short line that looks unlike the running text: a byline, a date, a slogan."""
    rng = sheet.rng
    look = rng.choice(
        ["", "font-weight:700;", "font-style:italic;", "font-size:.85em;", "font-size:.85em;font-weight:700;"]
    )
    ink = rng.choice([sheet.ground.muted, sheet.ground.ink, sheet.ground.accent])
    return sheet.block(role, html, "p", f"{look}margin:0 0 .6em;{css}", ink)


def bullets(sheet: Sheet, low: int = 2, high: int = 6, width: int = 120, css: str = "") -> str:
    """A list; each item is a block with its marker, which is real text."""
    rng, words = sheet.rng, sheet.words
    kind = rng.choice(["bullet", "bullet", "bullet", "1.", "1)", "(a)", "a)", "(i)", "check", "none"])
    bold, gap, nested = sheet.chance(0.15), rng.choice([0, 0.15, 0.3, 0.6]), sheet.chance(0.12)
    indent, hanging = rng.choice([0, 0, 1, 2]), rng.choice([1.2, 1.5, 1.8, 2.2])
    items: list[str] = []
    for index in range(rng.randint(low, high)):
        mark = _mark(sheet, kind, index)
        inner = nested and index > 0 and sheet.chance(0.4)
        text = words.text(15, rng.choice([40, width, width])) if sheet.chance(0.7) else words.phrase(1, 7)
        if bold:
            text = f"<b>{words.phrase(1, 3)}{rng.choice([':', '.', ' –'])}</b> {text}"
        text = text.rstrip(".") if sheet.chance(0.4) else text
        start = indent + (hanging if mark else 0) + (2 if inner else 0)
        marker = (
            f'<span class="mk" style="min-width:{hanging}em">{"–" if inner and mark else mark}&nbsp;</span>'
            if mark
            else ""
        )
        look = f"padding-inline-start:{start}em;text-indent:{-hanging if mark else 0}em;margin:0 0 {gap}em;"
        items.append(sheet.block("list_item", marker + text, 'p class="li"', look + css))
    return f'<div style="margin:.3em 0 .8em">{"".join(items)}</div>'


def _mark(sheet: Sheet, kind: str, index: int) -> str:
    letter = "abcdefghijklmnopqrstuvwxyz"[index % 26]
    match kind:
        case "bullet":
            return sheet.look.bullet
        case "1." | "1)":
            return f"{index + 1}{kind[1]}"
        case "(a)":
            return f"({letter})"
        case "a)":
            return f"{letter})"
        case "(i)":
            return f"({ROMAN[index % 12].lower()})"
        case "check":
            return "☐"
        case _:
            return ""


def caption(sheet: Sheet, css: str = "", table: bool = False) -> str:
    """A caption, with or without its number."""
    rng, words = sheet.rng, sheet.words
    if table:
        sheet.tables += 1
    else:
        sheet.figures += 1
    text = words.text(20, rng.choice([50, 120, 240])) if sheet.chance(0.7) else words.phrase(2, 9)
    if sheet.chance(0.65):
        names = TABLE_WORDS if table else CAPTION_WORDS
        label = rng.choice(names.get(words.language.code, names["en"]))
        number = f"{label} {sheet.tables if table else sheet.figures}{rng.choice([':', '.', ' –', ''])}"
        text = f"{rng.choice([f'<b>{number}</b>', number])} {text}"
    look = rng.choice(["", "", "font-style:italic;", "text-align:center;", "font-weight:700;"])
    ink = rng.choice([sheet.ground.ink, sheet.ground.muted])
    return sheet.block(
        "caption", text, "p", f"font-size:{rng.choice([0.8, 0.85, 0.9, 1])}em;margin:.3em 0;{look}{css}", ink
    )


def quote(sheet: Sheet, css: str = "") -> str:
    """A pull quote: large, but text."""
    rng, words = sheet.rng, sheet.words
    body = f"“{words.text(40, 120)}”" if sheet.chance(0.7) else words.text(40, 120)
    border = rng.choice(
        [
            "",
            f"border-inline-start:3pt solid #{sheet.look.accent:06x};padding-inline-start:.8em;",
            "border-top:1pt solid;border-bottom:1pt solid;padding:.4em 0;",
        ]
    )
    look = rng.choice(["", "font-style:italic;", "font-weight:700;", "text-align:center;"])
    ink = rng.choice([sheet.ground.ink, sheet.ground.accent])
    text = sheet.block("text", body, "p", f"font-size:{rng.choice([1.2, 1.4, 1.7])}em;line-height:1.25;{look}", ink)
    by = note_line(sheet, f"{rng.choice(['— ', '– ', ''])}{words.person()}") if sheet.chance(0.5) else ""
    return f'<div class="keep" style="margin:1em 0;{border}{css}">{text}{by}</div>'


def panel(sheet: Sheet, css: str = "") -> str:
    """A box beside or under the text: a short heading, then text or items, on a ground or in a frame."""
    rng = sheet.rng
    ground = rng.choice([*TINTS, sheet.look.dark, sheet.look.tint, 0xFFFFFF])
    frame = (
        f"border:{rng.choice([0.5, 1, 2])}pt solid #{sheet.look.accent:06x};"
        if ground == 0xFFFFFF or sheet.chance(0.2)
        else ""
    )
    with sheet.on(ground):
        inside = heading_line(sheet) if sheet.chance(0.8) else ""
        inside += paragraph(sheet, 40, 220) if sheet.chance(0.7) else ""
        inside += bullets(sheet, 2, 4, 70) if sheet.chance(0.5) or not inside else ""
    return f'<div class="keep" style="background:#{ground:06x};{frame}padding:.8em;margin:.8em 0;{css}">{inside}</div>'


def heading_line(sheet: Sheet, level: int = 3, html: str | None = None, css: str = "") -> str:
    """A short heading as boxes and cards have it, without number; those of one level look alike."""
    if level not in sheet.short_heads:
        size = sheet.rng.choice([1, 1, 1.1, 1.25])
        look = f"font-size:{size}em;font-weight:700;margin:0 0 .4em;"
        look += sheet.rng.choice(["", "", "text-transform:uppercase;"])
        sheet.short_heads[level] = (look, sheet.chance(0.5))
    look, coloured = sheet.short_heads[level]
    ink = sheet.ground.accent if coloured else sheet.ground.ink
    return sheet.block("heading", html or sheet.words.phrase(1, 5), "h4", look + css, ink, level)


def code(sheet: Sheet) -> str:
    """A listing: one block."""
    rng = sheet.rng
    ground = rng.choice([0xFFFFFF, 0xF2F2F2, 0x222222])
    with sheet.on(ground):
        return sheet.block(
            "code",
            sheet.words.code(),
            "pre",
            f"background:#{ground:06x};font-size:.88em;padding:.6em;margin:.6em 0;line-height:1.3",
        )


def footnotes(sheet: Sheet, count: int) -> str:
    """Notes at the end of a column or page, under a short line."""
    notes: list[str] = []
    for index in range(1, count + 1):
        mark = sheet.rng.choice([f"<sup>{index}</sup>", f"{index}", f"[{index}]"])
        notes.append(sheet.block("footnote", f"{mark} {sheet.words.text(20, 160)}", "p", "margin:0 0 .2em"))
    line = box("width:30%;border-top:.5pt solid;margin-bottom:.4em")
    return box("font-size:.78em;margin-top:1.5em", line, *notes)
