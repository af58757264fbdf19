"""Documents of one kind are drawn where a kind is named; else of all kinds."""

from __future__ import annotations

from itertools import islice

import pytest

pytest.importorskip("typst")

from training.structure.drawings.texts import installed_texts
from training.structure.drawings.typesetters import Typesetter, drawn_documents
from training.structure.drawings.typst.documents import write
from training.structure.drawings.web.documents import sheet
from training.structure.drawings.web.press import NoChromium


@pytest.mark.parametrize(("typesetter", "kind"), [("typst", "invoice"), ("web", "tables")])
def test_a_kind_that_is_named_is_the_only_one_drawn(typesetter: Typesetter, kind: str) -> None:
    try:
        documents = list(islice(drawn_documents(7, typesetter, kind), 2))
    except NoChromium:
        pytest.skip("Chromium is not installed here")
    for seed, document in enumerate(documents, 7):
        expected = write(seed, installed_texts(), kind) if typesetter == "typst" else sheet(seed, kind)
        assert list(document.blocks) == list(expected.blocks)
        assert any(block.cell is not None for block in document.blocks.values())
