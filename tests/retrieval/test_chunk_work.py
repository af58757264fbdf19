"""The work of the chunker on documents that nobody would print: each call and their sum are bounded."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from documents.region_values import Region
from documents.values import Document, Page
from retrieval.chunking.chunk_size import MAX_TOKEN_CHARACTERS, ByteCounter
from retrieval.chunking.chunker import chunk
from tests.retrieval.chunking.test_table_chunks import table_of
from tests.retrieval.printed_documents import printed_region

BUDGET = 254


class WordCounter(ByteCounter):
    """A token per word and mark, as tokenizers of words count: letters that follow one another cost one, marks that no
    word has cost nothing.
    """

    def __init__(self) -> None:
        self.num_characters, self.longest = 0, 0

    def count(self, text: str) -> int:
        self.num_characters += len(text)
        self.longest = max(self.longest, len(text))
        num_marks = sum(not character.isalnum() and character.isprintable() for character in text.replace(" ", ""))
        words = "".join(character if character.isalnum() else " " for character in text)
        return num_marks + len(words.split())


def document_of(*regions: Region) -> Document:
    return Document(id="d", revision=1, pages=(Page(number=1, size=(600, 800), regions=regions),))


def paragraphs(texts: list[str], kind: str = "plain text") -> list[Region]:
    return [printed_region(kind, [text], order=order) for order, text in enumerate(texts)]


CASES: dict[str, Callable[[int], Document]] = {
    "a field of quotation marks": lambda n: document_of(printed_region("plain text", ['"' * n])),
    "a word of one token": lambda n: document_of(printed_region("plain text", ["a" * n])),
    "marks that cost nothing": lambda n: document_of(printed_region("plain text", ["\u200d" * (n // 20)] * 20)),
    "lines of one letter": lambda n: document_of(printed_region("plain text", ["x"] * (n // 2))),
    "paragraphs of one letter": lambda n: document_of(*paragraphs(["x"] * (n // 20))),
    "lines that cost nothing": lambda n: document_of(printed_region("plain text", ["\u200d"] * (n // 2))),
    "a cell": lambda n: document_of(table_of([["No."], ['"' * n]])),
    "a header": lambda n: document_of(table_of([['"' * n], ["1"]])),
    "rows of one letter": lambda n: document_of(table_of([["No."], *[["x"]] * (n // 4)])),
    "a title": lambda n: document_of(printed_region("title", ["word " * (n // 5)])),
    "sections below a title": lambda n: document_of(
        printed_region("title", ["word " * (n // 10)]),
        *(
            printed_region(kind, ["x"], order=1 + order, **({"level": 2} if kind == "title" else {}))
            for order, kind in enumerate(["title", "plain text"] * (n // 400))
        ),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_no_text_that_is_counted_is_long_and_their_sum_grows_in_line(name: str) -> None:
    """A CSV of 3 MB of quotation marks stopped ingestion for all: for each chunk all of the rest was tokenised (A4)."""
    sums: list[int] = []
    for size in (20_000, 80_000):
        counter = WordCounter()
        chunks = chunk(CASES[name](size), counter, BUDGET)
        assert chunks
        assert counter.longest < 2 * BUDGET * MAX_TOKEN_CHARACTERS
        assert all(len(part.text) <= BUDGET * MAX_TOKEN_CHARACTERS for part in chunks)
        sums.append(counter.num_characters)
    assert sums[1] < 6 * max(sums[0], 20_000)


@pytest.mark.parametrize("name", CASES)
def test_all_that_is_printed_is_in_the_chunks(name: str) -> None:
    """A bound on the work must lose nothing but what a heading says again."""
    document = CASES[name](3000)
    text = "".join(region.text for page in document.pages for region in page.regions if region.kind != "table")
    for page in document.pages:
        for region in page.regions:
            table = getattr(region, "table", None)
            text += "".join(cell.text for cell in table.cells) if table is not None else ""
    chunks = chunk(document, WordCounter(), BUDGET)
    chunk_text = "".join(part.text for part in chunks)
    for letter in set("".join(text.split())) - set("No."):
        assert chunk_text.count(letter) >= text.count(letter)
