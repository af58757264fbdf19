"""Which page a passage is cited with."""

import pytest

from documents.boxes import BoundingBox
from documents.region_values import RegionKind
from retrieval.chunking.chunk import Chunk, ChunkSpan
from retrieval.search.query import Query
from retrieval.search.search import Searcher
from retrieval.search.search_filter import Filter, Pages

LINES = ["Ships that wait for the tide lie in the", "outer harbour, where the pilot comes aboard", "at dawn."]
BOX = BoundingBox(x0=0, y0=0, x1=9, y1=9)


def chunk_over(lines, pages, kind: RegionKind = "plain text"):
    """A chunk whose lines stand on these pages."""
    text, spans = "\n".join(lines), []
    for line, page in zip(lines, pages, strict=True):
        start = text.index(line)
        spans.append(ChunkSpan(page=page, box=BOX, text_start=start, text_end=start + len(line)))
    return Chunk(id="doc:000000", text=text, heading_path=(), spans=tuple(spans), num_tokens=9, kind=kind)


@pytest.fixture
def pages_of(with_index):
    """The pages that the queries are answered with, of a document of one chunk."""

    def pages(chunk, *queries, **options):
        async def use(index):
            await index.replace("doc", "default", 1, [chunk], None)
            searcher = Searcher(index)
            hits = [(await searcher.search(Query(text=text, **options), None)).passages for text in queries]
            (stored,) = await searcher.chunks("doc", None, 0, 9)
            return [[hit.page for hit in passages] for passages in hits], stored.page

        return with_index(use)

    return pages


def test_a_sentence_over_two_pages_is_cited_where_the_words_of_the_query_stand(pages_of):
    """Guards against a citation that opens the page before the answer."""
    over = chunk_over(LINES, (3, 4, 4))
    assert pages_of(over, "What do ships wait for?", "Where does the pilot come aboard?") == ([[3], [4]], 4)


def test_rows_under_a_header_that_is_said_again_are_cited_with_their_own_page(pages_of):
    """Guards against every row of a long table being cited with the first page of it."""
    table = chunk_over(["Boat | Skipper | Crew | Harbour", "Cormorant | Nell"], (3, 8), "table")
    assert pages_of(table, "Boat harbour", "Cormorant") == ([[8], [8]], 8)


def test_a_filter_of_pages_does_not_find_rows_by_a_header_that_is_said_again(pages_of):
    """Guards against rows of page 8 in a search of pages 3 to 5."""
    table = chunk_over(["Boat | Skipper", "Cormorant | Nell"], (3, 8), "table")
    assert pages_of(table, "Cormorant", filter=Filter(pages=Pages(first=3, last=5)))[0] == [[]]
    assert pages_of(table, "Cormorant", filter=Filter(pages=Pages(first=8, last=8)))[0] == [[8]]
