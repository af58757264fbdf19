"""Lines of chunks are cited where they are printed, whatever breaks them."""

from documents.region_values import TextRegion
from documents.values import Document, Page
from retrieval.chunking.chunk_size import ByteCounter
from retrieval.chunking.chunker import chunk
from tests.retrieval.printed_documents import box_of, document_of


def test_a_broken_word_is_whole_in_a_chunk_and_cited_where_its_parts_are_printed():
    """Guards against "har-" and "bour", which no query and no embedder knows."""
    (only,) = chunk(document_of([("plain text", ["in the old har-", "bour wall"])]), ByteCounter(), 254)
    assert only.text == "in the old harbour wall"
    assert [only.text[span.text_start : span.text_end] for span in only.spans] == ["in the old har", "bour wall"]
    assert [span.box for span in only.spans] == [box_of(1, 0, 0), box_of(1, 0, 1)]


def test_no_chunk_ends_within_a_word_that_is_broken_over_two_lines():
    """Guards against halves of words at the ends of chunks, where the budget cuts between the lines."""
    lines = ["Ships that wait for the tide lie in the har-", "bour, where the pilot comes aboard at dawn."]
    texts = [part.text for part in chunk(document_of([("plain text", lines)]), ByteCounter(), 16)]
    assert texts == ["Ships that wait for the tide lie in the", "harbour, where the pilot comes aboard at dawn."]


def test_a_paragraph_over_two_pages_is_one_block_whose_word_has_both_pages():
    """Guards against half a sentence, and a word of which only one part can be looked up."""
    first, second = document_of([("plain text", ["The conti-"])], [("plain text", ["nent lay there."])]).pages
    on = second.regions[0].model_copy(update={"continues": True})
    document = Document(id="d", revision=1, pages=(first, second.model_copy(update={"regions": (on,)})))
    (only,) = chunk(document, ByteCounter(), 254)
    assert only.text == "The continent lay there."
    assert [(span.page, only.text[span.text_start : span.text_end]) for span in only.spans] == [
        (1, "The conti"),
        (2, "nent lay there."),
    ]


def test_pages_that_were_stored_without_places_are_cited_by_their_lines_all_the_same():
    """Guards against documents of an earlier version that can no longer be cut into chunks."""
    (page,) = document_of([("plain text", ["in the old har-", "bour wall, and"])]).pages
    (region,) = page.regions
    old = region.model_copy(update={"spans": tuple(span.placed(None, None) for span in region.spans)})
    document = Document(id="d", revision=1, pages=(page.model_copy(update={"regions": (old,)}),))
    assert chunk(document, ByteCounter(), 254) == chunk(
        document.model_copy(update={"pages": (page,)}), ByteCounter(), 254
    )


def test_a_region_read_as_a_whole_is_cited_with_its_own_box():
    """OCR of a whole region gives no lines: the text must be found all the same."""
    region = TextRegion(kind="plain text", box=box_of(1, 0, 0), score=1.0, text="Read at once\nby the model")
    document = Document(id="d", revision=1, pages=(Page(number=1, size=(600, 800), regions=(region,)),))
    (only,) = chunk(document, ByteCounter(), 254)
    assert [span.box for span in only.spans] == [region.box, region.box]
