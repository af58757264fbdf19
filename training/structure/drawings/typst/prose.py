"""Running text: paragraphs with what stands in them, lists, definitions, programs, contents, bibliographies."""

from __future__ import annotations

from documents.segments.roles import Role
from training.structure.drawings.typst.manuscript import (
    BOLD,
    ITALIC,
    Manuscript,
    boxed,
    face,
    indented,
    inked,
    quoted,
    size,
)
from training.structure.drawings.typst.vocabulary import SURNAMES

LETTERS = "abcdefghijklmnop"
SMALL_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")
MARKERS = ("bullet", "bullet", "bullet", "1.", "1)", "(1)", "a)", "(a)", "(i)", "[1]", "A.", "I.", "", "step")


def paragraph(m: Manuscript, min_length: int = 60, max_length: int = 700, *looks: str, role: Role = "text") -> str:
    """A paragraph; some of its words may look otherwise, or carry a note."""
    ink = m.ink(role)
    text = m.writer.text(min_length, m.chance.choice((max(min_length, max_length // 3), max_length, max_length)))
    if m.likely(0.05) and m.writer.is_latin:  # bold first words are no heading where the sentence goes on
        return _emphasised(ink, text, 0, m.chance.randint(1, 4), BOLD, looks)
    if m.likely(0.2):
        words = text.count(" ")
        look = m.either(BOLD, ITALIC, ITALIC, face(m.style.monospace))
        return _emphasised(ink, text, m.chance.randint(0, max(0, words - 1)), m.chance.randint(1, 6), look, looks)
    if m.likely(0.04):  # a line that stands out within the paragraph is no heading either
        line = inked(ink, m.writer.phrase(2, 7), m.either(BOLD, BOLD, ITALIC))
        rest = inked(ink, m.writer.text(40, 240), *looks)
        return f"{inked(ink, text, *looks)}#linebreak(){line}#linebreak(){rest}"
    note = _footnote(m, ink) if m.has_notes and m.likely(0.3) else ""
    return inked(ink, text, *looks) + note


def theorem(m: Manuscript) -> str:
    """A statement whose name is a heading in its first line."""
    name = m.writer.run_in()
    number = m.either("", f" {m.chance.randint(1, 9)}", f" {m.chance.randint(1, 9)}.{m.chance.randint(1, 9)}")
    head = m.say("heading", f"{name}{number}{m.either('.', ':', '.')}", m.either(BOLD, BOLD, ITALIC), level=3)
    body = m.say("text", m.writer.text(60, 400), m.either("", ITALIC))
    return f"#par(first-line-indent:0pt)[{head} {body}]"


def items(m: Manuscript, longest: int = 7) -> str:
    """A list, sometimes with a list in it; the marker belongs to its item."""
    kind = m.chance.choice(MARKERS)
    gap = m.between(0.8, 1.1) if m.writer.is_tall else m.between(0.3, 0.95)
    indent = m.chance.choice((0.0, 0.0, 1.0, 1.5, 2.5))
    looks = m.chance.choices(("plain", "lead", "bold"), (80, 16, 4))[0]
    is_hanging = m.likely(0.6)
    is_nested = m.likely(0.2)
    lines: list[str] = []
    for index in range(m.chance.randint(2, longest)):
        lines.append(_item(m, _marker(m, kind, index), indent, gap, looks, is_hanging))
        if is_nested and m.likely(0.5):
            inner = m.either("–", "◦", "-", "a)", "(i)")
            for inner_index in range(m.chance.randint(1, 3)):
                marker = _marker(m, inner, inner_index) if inner in MARKERS else inner
                lines.append(_item(m, marker, indent + 2, gap, "plain", is_hanging))
    return "\n".join(lines)


def definitions(m: Manuscript) -> str:
    """Words with what they mean: bold first words that are no headings."""
    look = m.either(BOLD, BOLD, ITALIC, "")
    end = m.either(":", "", " –", ".")
    blocks: list[str] = []
    for _ in range(m.chance.randint(2, 5)):
        ink = m.ink("text")
        body = inked(ink, f"{m.writer.phrase(1, 3)}{end} ", look) + inked(ink, m.writer.item())
        blocks.append(f"#block(spacing:0.8em)[#par(first-line-indent:0pt,hanging-indent:1.5em)[{body}]]")
    return "\n".join(blocks)


def program(m: Manuscript) -> str:
    """A listing, one block; with numbered lines now and then."""
    ink = m.ink("code")
    is_numbered = m.likely(0.15)
    lines = m.writer.code()
    shown: list[str] = []
    columns = int(m.width / (m.style.size * 0.48))
    for number, line in enumerate(lines, 1):
        indent = len(line) - len(line.lstrip(" "))
        text = "\u00a0" * indent + line.lstrip(" ")
        shown.append(inked(ink, (f"{number:>2} " if is_numbered else "") + text[:columns]))
    frame = m.either("", "", "fill:luma(240)", "stroke:0.5pt", "stroke:(left:2pt+gray)")
    body = "#linebreak()".join(shown)
    em = m.chance.choice((0.75, 0.85, 0.9))
    look = f"#set text({face(m.style.monospace)},size:{em}em,hyphenate:false,dir:ltr)"
    return boxed(f"#flat[{look}\n#set align(left)\n{body}]", frame, f"inset:{m.chance.choice((0, 4, 8))}pt")


def contents(m: Manuscript, count: int) -> str:
    """Entries of a table of contents."""
    dots = m.either("repeat[.]", "repeat[. ]", "repeat[.]", "[]", "line(length:100%,stroke:0.3pt)")
    is_numbered = m.likely(0.5)
    entries: list[str] = []
    page = m.chance.randint(1, 9)
    chapter = 0
    section = 0
    for index in range(count):
        depth = 0 if not index else m.chance.choice((0, 1, 1, 2))
        chapter, section = (chapter + 1, 0) if not depth else (chapter, section + 1)
        number = f"{chapter} " if not depth else f"{chapter}.{section} "
        page += m.chance.randint(0, 9)
        look = BOLD if not depth and m.chance.random() < 0.5 else ""
        ink = m.ink("contents")
        leader = f"#box(width:1fr,text(fill:rgb({ink}),{dots}));" if "line" not in dots else "#h(1fr)"
        words = inked(ink, (number if is_numbered else "") + m.writer.phrase(1, 7), look)
        body = f"{words} {leader} {inked(ink, str(page), look)}"
        entries.append(f"#block(spacing:0.65em,width:100%)[#flat[{indented(m, depth, body)}]]")
    return "\n".join(entries)


def bibliography(m: Manuscript) -> str:
    """Works that the text refers to, each a list item."""
    r = m.chance
    first = r.randint(1, 40)
    kind = m.either("[{}] ", "{}. ", "", "({}) ")
    em = m.chance.choice((0.8, 0.9, 1.0))
    blocks: list[str] = []
    for index in range(r.randint(4, 14)):
        ink = m.ink("list_item")
        authors = ", ".join(f"{r.choice(SURNAMES)}, {r.choice('ABCDEFGHJKLMNPRSTW')}." for _ in range(r.randint(1, 3)))
        year = r.randint(1950, 2026)
        body = inked(ink, f"{kind.format(first + index)}{authors} ({year}). {m.writer.phrase(4, 12)}. ", size(em))
        body += inked(ink, m.writer.phrase(1, 4), size(em), ITALIC)
        body += inked(ink, f" {r.randint(1, 90)}, {r.randint(1, 400)}–{r.randint(401, 900)}.", size(em))
        blocks.append(f"#block(spacing:0.7em)[#par(first-line-indent:0pt,hanging-indent:1.6em)[{body}]]")
    return "\n".join(blocks)


def _item(m: Manuscript, marker: str, indent: float, gap: float, looks: str, is_hanging: bool) -> str:
    ink = m.ink("list_item")
    lead = ""
    if looks == "lead":
        lead = inked(ink, m.writer.phrase(1, 4) + m.either(":", ".", " –") + " ", BOLD)
    body = lead + inked(ink, m.writer.item(), BOLD if looks == "bold" else "")
    if not marker:
        content = f"#par(first-line-indent:0pt,hanging-indent:1em)[{body}]"
    elif is_hanging:
        wide = 1.1 + 0.45 * len(marker) + m.chance.choice((0, 0, 0.5, 1.5))
        content = f"#grid(columns:({wide:.2f}em,1fr),[{inked(ink, marker)}],[{body}])"
    else:
        content = f"#par(first-line-indent:0pt)[{inked(ink, marker + ' ')}{body}]"
    return f"#block(spacing:{gap}em)[{indented(m, indent, content)}]"


def _marker(m: Manuscript, kind: str, index: int) -> str:
    letter = LETTERS[index % len(LETTERS)]
    roman = SMALL_ROMAN[index % len(SMALL_ROMAN)]
    markers = {
        "bullet": m.style.bullet,
        "1.": f"{index + 1}.",
        "1)": f"{index + 1})",
        "(1)": f"({index + 1})",
        "a)": f"{letter})",
        "(a)": f"({letter})",
        "(i)": f"({roman})",
        "[1]": f"[{index + 1}]",
        "A.": f"{letter.upper()}.",
        "I.": f"{roman.upper()}.",
        "step": f"Step {index + 1}:",
    }
    return markers.get(kind, "")


def _emphasised(ink: str, text: str, start: int, count: int, look: str, looks: tuple[str, ...]) -> str:
    words = text.split(" ")
    pieces = (words[:start], words[start : start + count], words[start + count :])
    before, within, after = (" ".join(piece) for piece in pieces)
    source = inked(ink, before + " ", *looks) if before else ""
    source += inked(ink, within, *looks, look)
    return source + (inked(ink, " " + after, *looks) if after else "")


def _footnote(m: Manuscript, ink: str) -> str:
    """A raised mark in the paragraph's colour, and the note at the foot of the page in its own."""
    m.counts["note"] += 1
    count = m.counts["note"]
    mark = m.chance.choice((str(count), str(count), "*†‡§"[(count - 1) % 4]))
    note = m.ink("footnote", floats=True)
    body = f"#super[{inked(note, mark)}]" if m.likely(0.7) else inked(note, mark + " ")
    entry = f"#flat[{body} {inked(note, m.writer.text(20, 220))}]"
    return f"#footnote(numbering:_=>t({ink},{quoted(mark)}))[{entry}]"
