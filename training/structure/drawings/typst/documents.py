"""Documents of many kinds, set by Typst, in which every block has a colour of its own."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import typst

from training.structure.drawings.drawn_document import DrawnDocument
from training.structure.drawings.texts import Texts
from training.structure.drawings.typst.books import book, contract, front_matter, marginal, table_pages, with_asides
from training.structure.drawings.typst.flyers import flyer, poster
from training.structure.drawings.typst.forms import form, invoice
from training.structure.drawings.typst.letters import letter, memorandum, minutes, transcript
from training.structure.drawings.typst.long_books import long_book
from training.structure.drawings.typst.manuscript import Manuscript, new_manuscript
from training.structure.drawings.typst.newsletters import bands, newsletter, plain_columns, with_sidebar
from training.structure.drawings.typst.papers import paper
from training.structure.drawings.typst.sheets import announcement, examination, price_list, questions, recipe, resume
from training.structure.drawings.typst.slides import slides

if TYPE_CHECKING:
    from collections.abc import Mapping

KINDS: Mapping[str, tuple[float, Callable[[Manuscript], None]]] = {
    "paper": (28, paper),
    "slides": (11, slides),
    "flyer": (10, flyer),
    "poster": (2, poster),
    "newsletter": (7, newsletter),
    "bands": (7, bands),
    "plain columns": (8, plain_columns),
    "sidebar": (4, with_sidebar),
    "form": (6, form),
    "table pages": (8, table_pages),
    "letter": (5, letter),
    "contract": (4, contract),
    "book": (4, book),
    "marginal": (6, marginal),
    "asides": (4, with_asides),
    "invoice": (3, invoice),
    "front matter": (3, front_matter),
    "memorandum": (2, memorandum),
    "minutes": (2, minutes),
    "transcript": (2, transcript),
    "résumé": (1.5, resume),
    "recipe": (1.5, recipe),
    "price list": (1.5, price_list),
    "examination": (2, examination),
    "questions": (2, questions),
    "announcement": (1.5, announcement),
    "long book": (0, long_book),  # whose pages teach of all pages together
}
MAX_TRIES = 20
SEED_STEP = 1_000_003  # to the seed that is tried where one cannot be set


class NotDrawn(Exception):
    """Typst could set none of the documents that were tried."""


def draw(seed: int, texts: Texts, kind: str | None = None) -> DrawnDocument:
    """The document of the seed, of any kind or the one given; of another seed where Typst cannot set it.

    Raises:
        NotDrawn: no document could be set.
    """
    error: Exception | None = None
    for attempt in range(MAX_TRIES):
        manuscript = write(seed + attempt * SEED_STEP, texts, kind)
        try:
            return DrawnDocument(typeset(manuscript.source()), manuscript.blocks)
        except typst.TypstError as failure:
            error = failure
    raise NotDrawn(seed) from error


def write(seed: int, texts: Texts, kind: str | None = None) -> Manuscript:
    """The source of a document, of any kind or the one given."""
    manuscript = new_manuscript(seed, texts)
    names = list(KINDS)
    drawn_kind = manuscript.chance.choices(names, [KINDS[name][0] for name in names])[0]
    KINDS[kind or drawn_kind][1](manuscript)
    return manuscript


def typeset(source: str) -> bytes:
    """A PDF.

    Raises:
        typst.TypstError: the source is not right.
    """
    content = _compiler().compile(input=source.encode(), format="pdf")
    assert isinstance(content, bytes)  # pages one by one are given of other formats alone
    return content


@cache
def _compiler() -> typst.Compiler:
    return typst.Compiler()
