"""Where a chunk begins and ends, and the headings that it stands under."""

from hypothesis import given, settings
from hypothesis import strategies as st

from documents.values import Document, Page
from retrieval.chunking.chunk_size import ByteCounter
from retrieval.chunking.chunker import chunk
from tests.retrieval.printed_documents import BUDGETS, document_of, printed_region


def test_small_neighbours_under_one_heading_share_a_chunk():
    """A chunk a line finds nothing: there is no context in it."""
    document = document_of([("title", ["Scope"]), ("plain text", ["One.", "Two."]), ("plain text", ["Three."])])
    (only,) = chunk(document, ByteCounter(), 254)
    assert only.text == "Scope\n\nOne. Two.\n\nThree."
    assert only.heading_path == ("Scope",)
    assert only.kind == "plain text"


def test_a_chunk_ends_with_its_page():
    """Guards against a citation of page 1 for a line on page 9, where pages hold little."""
    document = document_of(*([("plain text", [f"Page {number}."])] for number in range(1, 4)))
    assert [part.pages for part in chunk(document, ByteCounter(), 254)] == [(1,), (2,), (3,)]


def test_a_sentence_that_goes_on_and_a_heading_are_not_cut_off_by_the_end_of_a_page():
    """Half a sentence says nothing, and a heading alone finds nothing."""
    first, second = document_of(
        [("plain text", ["It went"])], [("plain text", ["on."]), ("plain text", ["Then."]), ("title", ["Next"])]
    ).pages
    on = second.regions[0].model_copy(update={"continues": True})
    second = second.model_copy(update={"regions": (on, *second.regions[1:])})
    third = document_of([], [], [("plain text", ["Said there."])]).pages[2]
    document = Document(id="doc", revision=1, pages=(first, second, third))
    assert [(part.text, part.pages) for part in chunk(document, ByteCounter(), 254)] == [
        ("It went on.", (1, 2)),
        ("Then.", (2,)),
        ("Next\n\nSaid there.", (2, 3)),
    ]


def test_without_merging_each_part_is_a_chunk_and_headings_go_with_what_follows():
    """Guards against chunks of a heading alone, and against parts that are merged though nobody wants it."""
    parts = [("title", ["Part"]), ("plain text", ["one"]), ("plain text", ["two"]), ("title", ["Next"])]
    chunks = chunk(document_of([*parts, ("table", ["three"])]), ByteCounter(), 60, merge=False)
    assert [part.text for part in chunks] == ["Part\n\none", "two", "Next", "three"]


def test_a_heading_stands_under_those_of_a_higher_level():
    """Without those above it "Results" is the results of anything."""
    titles = (("Report", 1), ("Trial A", 2), ("Results", 3), ("Trial B", 2))
    regions = []
    for order, (title, level) in enumerate(titles):
        heading = printed_region("title", [title], order=2 * order).model_copy(update={"level": level})
        regions += [heading, printed_region("plain text", ["Said there."], order=2 * order + 1)]
    document = Document(id="d", revision=1, pages=(Page(number=1, size=(600, 800), regions=tuple(regions)),))
    assert [part.heading_path for part in chunk(document, ByteCounter(), 254)] == [
        ("Report",),
        ("Report", "Trial A"),
        ("Report", "Trial A", "Results"),
        ("Report", "Trial B"),
    ]


def test_a_table_shares_no_chunk():
    """Cells beside prose read as prose, and a filter on tables would miss them."""
    document = document_of([("plain text", ["Before."]), ("table", ["a 1", "b 2"]), ("plain text", ["After."])])
    chunks = chunk(document, ByteCounter(), 254)
    assert [(part.kind, part.text) for part in chunks] == [
        ("plain text", "Before."),
        ("table", "a 1\nb 2"),
        ("plain text", "After."),
    ]


@settings(deadline=None)
@given(
    st.lists(st.text("ab ", max_size=30).map(lambda text: " ".join(text.split())).filter(bool), min_size=1, max_size=4),
    BUDGETS,
)
def test_headings_lose_as_few_words_as_their_budget_asks(titles, budget):
    """The oracle drops one word after the other, from the left."""
    words = [title.split() for title in titles]
    regions = [
        printed_region("title", [title], order=k).model_copy(update={"level": k + 1}) for k, title in enumerate(titles)
    ]
    regions.append(printed_region("plain text", ["Sales rose."], order=len(titles)))
    page = Page(number=1, size=(600, 800), regions=tuple(regions))
    last = chunk(Document(id="d", revision=1, pages=(page,)), ByteCounter(), budget)[-1]

    def prefix() -> str:
        return " > ".join(" ".join(part) for part in words) + "\n"

    while words and ByteCounter().count(prefix()) > budget // 4:
        words[0].pop(0)
        words = words if words[0] else words[1:]
    assert [heading.split() for heading in last.heading_path] == words
