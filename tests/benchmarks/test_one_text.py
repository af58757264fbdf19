"""Real files say the same in search and in Markdown, as another program reads that."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from benchmarks.harness.library import read, source_of
from benchmarks.harness.page_networks import PageNetworks
from benchmarks.one_text import counted, different_words, words_of
from configs.settings import Settings
from documents.sandbox.renderer_pool import RendererPool

FILES = Path(__file__).parents[1] / "data"


@pytest.mark.parametrize("name", ["columns.pdf", "letter.pdf"])
def test_chunks_of_a_real_file_have_the_words_of_its_markdown_and_lines_that_are_found_again(name):
    """Guards against "exam-" and "ple" in the one, "example" in the other. Oracles: markdown-it, the PDF's lines."""

    async def document_of():
        pool = RendererPool(1)
        try:
            return await read(source_of(FILES / name), name, pool, PageNetworks.of(Settings()))
        finally:
            await pool.close()

    document, status = asyncio.run(document_of())
    counts = counted(document)
    assert status == "succeeded"
    assert counts["lines"] > 3
    assert different_words(document) == []
    assert counts["lines_misplaced"] == 0


def test_words_of_markdown_are_those_that_are_shown():
    """Guards against a comparison that sees the markup, or misses a table."""
    printed = (
        "# Head\n\n| one | two |\n| --- | --- |\n| *three* | fo\\*ur |\n\n![Image: five](data:image/png;base64,AA==)"
    )
    assert words_of(printed) == {"Head", "one", "two", "three", "fo", "ur", "five"}
