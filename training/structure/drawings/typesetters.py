"""The documents that the structure network is trained on, by the two typesetters in turn."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Literal

from training.structure.drawings.drawn_document import DrawnDocument
from training.structure.drawings.texts import installed_texts
from training.structure.drawings.typst.documents import draw
from training.structure.drawings.web.documents import draw_many

Typesetter = Literal["typst", "web"]


def drawn_documents(seed: int, typesetter: Typesetter, kind: str | None = None) -> Iterator[DrawnDocument]:
    """Documents of the seeds from `seed` on, without end; of one of the typesetter's kinds if one is named."""
    if typesetter == "web":
        yield from draw_many(count(seed), kind)
    texts = installed_texts()
    for document_seed in count(seed):
        yield draw(document_seed, texts, kind)
