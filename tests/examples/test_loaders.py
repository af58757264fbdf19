"""The loaders over the client: what another framework gets of a document; skipped without it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from deployments.values.jobs import Plan
from documents.boxes import BoundingBox
from documents.region_values import Span, TextRegion
from documents.values import Page
from pagemill import Client
from tests.deployments.gated_work import GatedWork
from tests.pagemill.local_ingress import Here, serving

LETTER = Path(__file__).parents[1] / "data" / "letter.pdf"


class WrittenWork(GatedWork):
    """Each page has one line, which says its number."""

    async def page(self, plan: Plan, number: int) -> tuple[Page, dict[str, float]]:
        box = BoundingBox(x0=72, y0=90, x1=300, y1=110)
        text = f"Lamps of harbour {number} burn until the morning."
        line = Span(text=text, box=box, source="text_layer", font_size=11)
        region = TextRegion(kind="plain text", box=box, score=0.9, spans=(line,), text=text)
        return Page(number=number, size=(595, 842), regions=(region,)), {}


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Here]:
    with serving(tmp_path, work=WrittenWork(num_pages=2)) as running:
        yield running


def test_langchain_gets_a_document_a_chunk_with_its_pages(here: Here) -> None:
    """Guards against chunks that cannot be cited."""
    pytest.importorskip("langchain_core")
    from examples.langchain_loader import PagemillLoader

    with Client(here.url) as client:
        documents = PagemillLoader(LETTER, client=client).load()
    assert "harbour 1" in documents[0].page_content
    assert {page for document in documents for page in document.metadata["pages"]} == {1, 2}
    assert documents[0].metadata["source"] == str(LETTER)


def test_llamaindex_gets_a_node_a_chunk_of_one_source(here: Here) -> None:
    """Guards against nodes whose document nobody knows."""
    pytest.importorskip("llama_index.core")
    from examples.llamaindex_loader import nodes

    with Client(here.url) as client:
        chunk_nodes = list(nodes(client, [LETTER]))
        (job,) = client.jobs()
    assert "harbour 1" in chunk_nodes[0].text
    assert {node.ref_doc_id for node in chunk_nodes} == {job.document_id}
