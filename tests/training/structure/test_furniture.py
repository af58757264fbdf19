"""The weights of furniture are fitted to what authors mark and to what is drawn."""

from __future__ import annotations

import random

import numpy as np
import pytest

from documents.boxes import BoundingBox
from documents.document.furniture_evidence import Evidence
from documents.region_values import Span, region_of
from documents.values import Page
from tests.documents.tagged_making import Mark, tag, tagged_pdf
from training.structure import furniture
from training.structure.furniture import Labelled, Rows, fitted, rows_of

PROSE = "The harbour master signs the ledger every morning before the fog lifts and the boats leave."


class ParagraphReader:
    """A structure network that reads each page as nothing."""

    def blocks_of(self, packed):
        return ()


def text(words: str, y: float):
    box = BoundingBox(x0=60, y0=y, x1=200, y1=y + 10)
    span = Span(text=words, box=box, source="text_layer", font_size=10.0)
    return region_of("plain text", box=box, score=0.9, text=words, spans=(span,))


def book(num_pages: int, *, is_drawn: bool, truth: bool) -> Labelled:
    """A document whose pages have one head, which is said to be furniture or not."""
    pages = tuple(
        Page(number=n, size=(612, 792), regions=(text("Annals", 40), text(f"{PROSE * 2}{'abcdefgh'[n]}", 300)))
        for n in range(1, num_pages + 1)
    )
    known = {(n, k): truth if k == 0 else False for n in range(1, num_pages + 1) for k in (0, 1)}
    return Labelled("book", pages, known, is_drawn)


def test_what_the_tags_leave_out_at_an_edge_is_furniture_and_what_they_name_is_text(tmp_path, monkeypatch):
    folder = tmp_path / "set"
    folder.mkdir()
    marks = [Mark(PROSE, y=300 + 14 * k) for k in range(4)]
    artifact = Mark("Page 4", y=770)
    (folder / "a.pdf").write_bytes(
        tagged_pdf(tag("Document", tag("P", 0, 1), tag("P", 2, 3)), marks, artifacts=[artifact])
    )
    monkeypatch.setattr(furniture, "is_tuned_on", lambda folder, path: True)
    (document,) = furniture.tagged(ParagraphReader(), folder)  # pyright: ignore[reportArgumentType]
    truth = {document.pages[0].regions[k].text: known for (_, k), known in document.truth.items()}
    assert truth.pop("Page 4") is True
    assert truth
    assert not any(truth.values())


@pytest.mark.parametrize(("is_drawn", "count"), [(True, 1), (False, 0)])
def test_heads_that_authors_tag_as_text_teach_nothing(is_drawn, count):
    """Guards against running heads tagged as paragraphs; what is drawn is as it was meant."""
    rows = rows_of([book(3, is_drawn=is_drawn, truth=False)], random.Random(1))
    same = rows.evidence[:, Evidence._fields.index("same")]
    assert bool((same > 0).any()) == bool(count)


def test_a_document_teaches_as_a_whole_and_in_pieces():
    rows = rows_of([book(4, is_drawn=False, truth=True)], random.Random(1))
    same = rows.evidence[rows.truth, Evidence._fields.index("same")]
    assert sorted(same) == [0.0] * 5 + [pytest.approx(2 / 3)] * 3 + [0.75] * 4


def test_the_fitted_weights_tell_furniture_from_text():
    chance = np.random.default_rng(1)
    evidence = np.concatenate([np.ones((400, 1)), chance.normal(size=(400, 2))], 1)
    truth = evidence[:, 1] - 0.5 * evidence[:, 2] + 0.3 * chance.normal(size=400) > 0.2
    weights = fitted(Rows(evidence, truth, np.full(400, "a"), np.ones(400)))
    assert ((evidence @ weights > 0) == truth).mean() > 0.85
    assert weights[0] < 0 < weights[1]
    assert weights[2] < 0


def test_the_command_fits_drawn_documents(tmp_path, monkeypatch, capsys):
    pytest.importorskip("typst")
    monkeypatch.setattr(furniture, "StructureReader", lambda _: ParagraphReader())
    assert furniture.main([str(tmp_path), "--documents", "2"]) == 0
    assert "network=" in capsys.readouterr().out
