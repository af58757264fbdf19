"""Books of several chapters: running heads that name each one, and texts in the body that come back as they do."""

from __future__ import annotations

from training.structure.drawings.typst.headings import heading
from training.structure.drawings.typst.manuscript import Manuscript, aligned
from training.structure.drawings.typst.pages import LINE, begin, book_page, page_number, small_looks
from training.structure.drawings.typst.prose import items, paragraph
from training.structure.drawings.typst.tables import table

MIN_CHAPTERS, MAX_CHAPTERS = 2, 5


def long_book(m: Manuscript) -> None:
    """Each chapter sets its own heads; its sections may have the names that those of other chapters have."""
    page = book_page(m, m.chance.choice((1, 1, 1, 2)))
    begin(m, page, "x", "x")  # room for heads and feet, which each chapter sets
    looks = small_looks(m)
    title = m.writer.phrase(2, 7)
    names_all = [m.writer.heading(6) for _ in range(m.chance.randint(2, 4))]  # sections that every chapter has
    form = m.either("alternate", "alternate", "above", "below", "both", "none above")
    bare = m.likely(0.7)
    starts_bare = m.likely(0.5)
    table_page = m.likely(0.3)
    for chapter in range(1, m.chance.randint(MIN_CHAPTERS, MAX_CHAPTERS) + 1):
        name = m.writer.heading(7)
        header, footer = _heads(m, form, title, f"{chapter} {name}" if not bare else name, looks)
        if starts_bare:
            header = f"#context if here().page() != locate(<c{chapter}>).page() [{header}]"
        m.add(f"#set page(header:[#flat[{header}]],footer:[#flat[{footer}]])")
        m.add(f"#metadata(none)<c{chapter}>")
        m.add(f"#v({m.chance.choice((0, 0, 40, 90))}pt)")
        m.add(heading(m, 0, f"{chapter} {name}" if m.likely(0.5) else name))
        for _ in range(m.chance.randint(4, 14)):
            m.add(
                m.some(
                    (12, lambda: paragraph(m, 200, 1200)),
                    (3, lambda: f"{heading(m, 1, m.chance.choice(names_all))}\n\n{paragraph(m, 200, 900)}"),
                    (2, lambda: f"{heading(m, m.chance.choice((1, 2)))}\n\n{paragraph(m, 200, 900)}"),
                    (1, lambda: items(m)),
                    (1 if table_page else 0.2, lambda: table(m)),
                )
            )


def _heads(m: Manuscript, form: str, title: str, chapter: str, looks: tuple[str, ...]) -> tuple[str, str]:
    """Header and footer of a chapter."""
    number = page_number(m, bare=m.likely(0.7))
    book = m.say("page_header", title, *looks)
    if form == "alternate":
        own = m.say("page_header", chapter, *looks)
        line = LINE if m.likely(0.3) else ""
        return f"#context if calc.even(here().page()) [{number}#h(1fr){book}] else [{own}#h(1fr){number}]{line}", ""
    if form == "above":
        return aligned(m.either("center", "start", "end"), m.say("page_header", chapter, *looks)), aligned(
            "center", number
        )
    if form == "below":
        return "", f"{m.say('page_footer', chapter, *looks)}#h(1fr){number}"
    if form == "both":
        return f"{book}#h(1fr){m.say('page_header', chapter, *looks)}", aligned(m.either("center", "end"), number)
    return "", aligned(m.either("center", "end"), number)
