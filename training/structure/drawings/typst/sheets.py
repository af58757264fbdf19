"""Single sheets: résumés, recipes, price lists, examinations, questions and answers, announcements."""

from __future__ import annotations

from training.structure.drawings.typst.figures import picture
from training.structure.drawings.typst.headings import heading, plain, title
from training.structure.drawings.typst.lookalikes import address
from training.structure.drawings.typst.manuscript import BOLD, ITALIC, Manuscript, aligned, inked, size
from training.structure.drawings.typst.pages import begin, book_page, furniture
from training.structure.drawings.typst.prose import items, paragraph

SECTIONS_OF_LIFE = (
    "Education",
    "Experience",
    "Employment",
    "Skills",
    "Publications",
    "Languages",
    "Awards",
    "Interests",
)


def resume(m: Manuscript) -> None:
    """A name, an address, and sections of places with their dates."""
    _begin(m, 1)
    side = m.either("center", "start")
    m.add(aligned(side, title(m, m.writer.person(), m.between(1.5, 2.5))))
    m.add(
        aligned(
            side,
            m.say("text", m.either(" | ", " • ", ", ").join((*m.writer.address()[1:], m.writer.phone())), size(0.9)),
        )
    )
    for _ in range(m.chance.randint(3, 6)):
        m.add(heading(m, 0, m.chance.choice(SECTIONS_OF_LIFE) if m.writer.is_english else None))
        for _ in range(m.chance.randint(1, 3)):
            m.add(m.some((5, lambda: _station(m)), (2, lambda: items(m, 4)), (1, lambda: paragraph(m, 40, 200))))


def recipe(m: Manuscript) -> None:
    """What it is, what it takes, and the steps."""
    _begin(m, m.chance.choice((1, 1, 2)))
    m.add(title(m, m.writer.phrase(2, 5)))
    if m.likely(0.6):
        m.add(paragraph(m, 40, 250))
    if m.likely(0.5):
        m.add(picture(m, m.between(80, 180), "100%"))
    for _ in range(m.chance.randint(2, 4)):
        m.add(heading(m, m.chance.choice((1, 2))))
        m.add(items(m, 9))


def price_list(m: Manuscript) -> None:
    """Dishes or goods with dots to their prices, in groups: lines of two cells each."""
    _begin(m, m.chance.choice((1, 1, 2)))
    m.add(aligned(m.either("start", "center"), title(m, m.writer.phrase(1, 4), m.between(1.6, 2.8))))
    has_dots = m.likely(0.5)
    for _ in range(m.chance.randint(2, 5)):
        m.add(heading(m, m.chance.choice((0, 1))))
        lines = [_price(m, has_dots=has_dots) for _ in range(m.chance.randint(3, 8))]
        m.cells([f"[{cell}]" for _, *cells in lines for cell in cells], 2)
        m.add("\n".join(line for line, _, _ in lines))


def examination(m: Manuscript) -> None:
    """Numbered questions with answers to choose from."""
    _begin(m, m.chance.choice((1, 1, 2)))
    m.add(aligned(m.either("start", "center"), title(m, None, m.between(1.1, 1.8))))
    if m.likely(0.6):
        name = m.say(
            "label", m.either("Name:", "Student:", "Class:") if m.writer.is_english else m.writer.phrase(1, 2) + ":"
        )
        m.add(f"#flat[{name} #box(width:1fr,stroke:(bottom:0.5pt))[#h(1fr)]]")
    if m.likely(0.5):
        m.add(paragraph(m, 60, 250, ITALIC))
    letters = m.either("A.B.C.D.", "a)b)c)d)", "(A(B(C(D")
    marks = [letters[index : index + 2] + (")" if letters[0] == "(" else "") for index in range(0, 8, 2)]
    number = m.either("{}.", "{})", "Question {}.", "Q{}.")
    is_bold = m.likely(0.3)
    for index in range(1, m.chance.randint(4, 10)):
        if m.likely(0.08):
            m.add(heading(m, 1))
        m.add(m.say("list_item", f"{number.format(index)} {m.writer.text(30, 200)}", BOLD if is_bold else ""))
        options = (m.say("list_item", f"{mark} {m.writer.phrase(1, 6)}") for mark in marks)
        m.add(
            "\n".join(
                f"#block(spacing:0.5em)[#pad(x:1.6em)[#par(first-line-indent:0pt)[{option}]]]" for option in options
            )
        )


def questions(m: Manuscript) -> None:
    """Questions as headings and their answers; or bold questions marked Q and A."""
    _begin(m, m.chance.choice((1, 1, 2)))
    m.add(title(m))
    is_marked = m.likely(0.35) and m.writer.is_latin
    for index in range(1, m.chance.randint(4, 9)):
        question = m.writer.phrase(3, 10).rstrip(".") + {"arabic": "؟", "greek": ";"}.get(m.writer.language.script, "?")
        start = m.either("Q: ", f"Q{index}. ", "Q. ") if is_marked else m.either("", "", f"{index}. ")
        head = plain(m, start + question, 1, m.either(BOLD, BOLD, ITALIC), size(m.chance.choice((1.0, 1.0, 1.15))))
        m.add(f"#block(sticky:true,below:0.6em)[#flat[{head}]]")
        ink = m.ink("text")
        m.add((inked(ink, "A: ", BOLD) if is_marked else "") + inked(ink, m.writer.text(60, 450)))
        if m.likely(0.15):
            m.add(items(m, 4))


def announcement(m: Manuscript) -> None:
    """For the press: a contact person, a headline, and a text that begins with its place."""
    _begin(m, 1)
    if m.likely(0.6) and m.writer.is_english:
        m.add(m.say("text", m.either("FOR IMMEDIATE RELEASE", "PRESS RELEASE", "NEWS RELEASE", "Media Advisory"), BOLD))
    if m.likely(0.5):
        m.add(address(m, m.either("start", "end")))
    m.add(aligned(m.either("start", "center"), title(m, m.writer.phrase(5, 13), m.between(1.2, 1.9))))
    if m.likely(0.5):
        m.add(aligned("center", m.say("text", m.writer.text(40, 120), ITALIC)))
    ink = m.ink("text")
    m.add(
        inked(ink, f"{m.writer.name().upper()}, {m.writer.date()} – ", m.either("", BOLD))
        + inked(ink, m.writer.text(120, 500))
    )
    for _ in range(m.chance.randint(2, 5)):
        m.add(paragraph(m, 120, 600))
    m.add(aligned("center", m.say("text", m.either("###", "# # #", "– 30 –", "* * *"))))
    if m.likely(0.7):
        m.add(plain(m, m.writer.heading(4), 1, BOLD))
        m.add(paragraph(m, 80, 300))


def _begin(m: Manuscript, columns: int) -> None:
    begin(m, book_page(m, columns), *(furniture(m) if m.likely(0.45) else ("", "")))


def _station(m: Manuscript) -> str:
    """A place and its years on one line, and what was done there."""
    ink = m.ink("text")
    years = f"{m.chance.randint(1985, 2015)}–{m.either('present', str(m.chance.randint(2016, 2026)))}"
    where = m.writer.institute() if m.likely(0.5) else m.writer.company()
    first = f"{inked(ink, where, m.either(BOLD, BOLD, ITALIC))}#h(1fr){m.say('text', years)}"
    second = m.say("text", m.writer.phrase(2, 6), m.either("", ITALIC))
    source = f"#block(width:100%)[#flat[{first}#linebreak(){second}]]"
    return source + ("\n\n" + items(m, 4) if m.likely(0.5) else "")


def _price(m: Manuscript, *, has_dots: bool) -> tuple[str, str, str]:
    """A line, and its two cells: the name with what is said under it, and the price."""
    name = m.ink("table")
    dots = f"#box(width:1fr,text(fill:rgb({name}),repeat[.]));" if has_dots else "#h(1fr)"
    price = m.say("table", m.either(f"{m.chance.uniform(1, 60):.2f}", f"${m.chance.randint(2, 90)}", m.writer.amount()))
    words = inked(name, m.writer.phrase(1, 5), m.either("", "", BOLD))
    source = f"#block(width:100%,spacing:0.8em)[#flat[{words} {dots} {price}]]"
    under = ""
    if m.likely(0.25):
        under = m.say("table", m.writer.text(15, 80), size(0.85), m.either("", ITALIC))
        source += f"#block(spacing:0.5em)[#flat[{under}]]"
    return source, words + under, price
