"""The loaders and the tool over the client: what another framework gets of a document; skipped without it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from deployments.jobs.values import Plan
from documents.values import BoundingBox, Page, Span, TextRegion
from pagemill import AsyncClient, Client
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
        found = PagemillLoader(LETTER, client=client).load()
    assert "harbour 1" in found[0].page_content
    assert {page for each in found for page in each.metadata["pages"]} == {1, 2}
    assert found[0].metadata["source"] == str(LETTER)


def test_llamaindex_gets_a_node_a_chunk_of_one_source(here: Here) -> None:
    """Guards against nodes whose document nobody knows."""
    pytest.importorskip("llama_index.core")
    from examples.llamaindex_loader import nodes

    with Client(here.url) as client:
        found = list(nodes(client, [LETTER]))
        (job,) = client.jobs()
    assert "harbour 1" in found[0].text
    assert {node.ref_doc_id for node in found} == {job.document_id}


def test_an_assistant_reads_a_file_and_searches(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against a tool that is registered and does not run."""
    pytest.importorskip("mcp.server.mcpserver")
    from examples import mcp_tool

    async def scenario() -> str:
        async with AsyncClient(here.url) as client:
            monkeypatch.setattr(mcp_tool, "client", client)
            assert {tool.name for tool in await mcp_tool.tools.list_tools()} == {"search_documents", "read_document"}
            read = await mcp_tool.tools.call_tool("read_document", {"path": str(LETTER)})
            found = await mcp_tool.tools.call_tool("search_documents", {"query": "lamps"})
            return f"{read} {found}"

    told = asyncio.run(scenario())
    assert "harbour 2 burn" in told
    assert "harbour/rules" in told
