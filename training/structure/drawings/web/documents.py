"""Documents that Chromium typesets: one seed is one document, and the same seed has the same blocks."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from training.structure.drawings.drawn_document import DrawnDocument
from training.structure.drawings.tables.cells import html_cells
from training.structure.drawings.tables.table_pages import tables
from training.structure.drawings.web.articles import notice, press_release, web_page
from training.structure.drawings.web.bills import invoice, receipt, statement
from training.structure.drawings.web.data_sheets import data_sheet, timetable
from training.structure.drawings.web.forms import exam, form, survey
from training.structure.drawings.web.letters import letter, life, minutes
from training.structure.drawings.web.lists import directory, glossary, menu, programme, questions, recipe, terms
from training.structure.drawings.web.look import random_look
from training.structure.drawings.web.magazines import issue_contents, magazine, newsletter, newspaper, report
from training.structure.drawings.web.official_forms import official_form
from training.structure.drawings.web.pages import bilingual, encyclopedia, extract, upright
from training.structure.drawings.web.posters import brochure, flyer, poster
from training.structure.drawings.web.press import Press
from training.structure.drawings.web.screens import dashboard, gallery
from training.structure.drawings.web.sheet import Sheet, ground_of
from training.structure.drawings.web.slides import slides
from training.structure.drawings.web.statistics import calendar, statistics
from training.structure.drawings.web.words import random_words

Kind = Callable[[Sheet], None]
KINDS: dict[str, tuple[Kind, int]] = {  # what draws a kind, and its weight
    "web_page": (web_page, 10),
    "press_release": (press_release, 4),
    "notice": (notice, 6),
    "encyclopedia": (encyclopedia, 4),
    "bilingual": (bilingual, 3),
    "upright": (upright, 1),
    "extract": (extract, 10),
    "magazine": (magazine, 10),
    "newspaper": (newspaper, 6),
    "newsletter": (newsletter, 6),
    "brochure": (brochure, 6),
    "flyer": (flyer, 5),
    "poster": (poster, 5),
    "report": (report, 8),
    "issue_contents": (issue_contents, 4),
    "slides": (slides, 14),
    "dashboard": (dashboard, 4),
    "gallery": (gallery, 4),
    "form": (form, 12),
    "exam": (exam, 4),
    "survey": (survey, 2),
    "invoice": (invoice, 10),
    "receipt": (receipt, 3),
    "statement": (statement, 5),
    "timetable": (timetable, 2),
    "data_sheet": (data_sheet, 5),
    "letter": (letter, 7),
    "life": (life, 6),
    "minutes": (minutes, 4),
    "questions": (questions, 4),
    "glossary": (glossary, 3),
    "recipe": (recipe, 3),
    "menu": (menu, 3),
    "terms": (terms, 6),
    "directory": (directory, 2),
    "programme": (programme, 3),
    "official_form": (official_form, 6),
    "statistics": (statistics, 10),
    "calendar": (calendar, 1),
    "tables": (tables, 0),  # drawn where they are asked for
}


def sheet(seed: int, kind: str | None = None) -> Sheet:
    """The written document of a seed, not yet printed."""
    rng = random.Random(seed)
    name = kind or rng.choices(list(KINDS), [weight for _, weight in KINDS.values()])[0]
    words = random_words(rng, "japanese" if name == "upright" else None)
    look = random_look(rng, words.language.script)
    out = Sheet(rng, words, look, ground_of(0xFFFFFF, look.accent))
    KINDS[name][0](out)
    return out


def draw_web(seed: int, press: Press, kind: str | None = None) -> DrawnDocument:
    """The document of a seed, of a kind (a key of `KINDS`) if one is named."""
    return printed_sheet(sheet(seed, kind), press)


def printed_sheet(written: Sheet, press: Press) -> DrawnDocument:
    """A written document in print; its cells are those that its scripts left on the page."""
    printed = press.printed(written.html())
    cells = html_cells(printed.html)
    blocks = {colour: replace(block, cell=cells.get(colour)) for colour, block in written.blocks.items()}
    return DrawnDocument(printed.pdf, blocks)


def draw_many(seeds: Iterable[int], kind: str | None = None) -> Iterator[DrawnDocument]:
    """The documents of many seeds, printed by one Chromium."""
    with Press() as press:
        for seed in seeds:
            yield draw_web(seed, press, kind)
