"""Chunks against documents of any shape."""

import unicodedata

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from documents.exports.flow import blocks
from documents.text.running_text import PrintedLine, printed_rows, rows_as_lines, running_text
from documents.values import BoundingBox, Document, Page, Region, Span, TextRegion, region_of
from retrieval.chunker import chunk
from retrieval.embedder import Embedder
from retrieval.tokens import ByteCounter, TokenCounter, counter_for

KINDS = ("title", "plain text", "plain text", "figure_caption", "table", "figure", "abandon", "isolate_formula")
WORDS = st.one_of(
    st.sampled_from(
        [
            *(
                "the",
                "Invoice",
                "total",
                "2,310.50",
                "naïve",
                "x" * 300,
                "漢字かな交じり文",
                "👩\u200d👩\u200d👧",
                "§4.2",
                "a",
            ),
            *("conti-", "nent", "soft\u00ad", "e\u0301te\u0301", "• one", "2. two", "(שלום"),
        ]
    ),
    st.text(min_size=1, max_size=12),
)
LINES = st.lists(WORDS, max_size=12).map(" ".join)
BUDGETS = st.integers(16, 60)


def box_of(page: int, region: int, line: int) -> BoundingBox:
    """A box that no other line of the document has."""
    return BoundingBox(x0=page, y0=100 * region + line, x1=page + 1, y1=100 * region + line + 1)


def printed_region(kind, lines, page=1, order=0, **more) -> Region:
    """Its text is made of the lines as that of a page is."""
    boxes = [box_of(page, order, line) for line in range(len(lines))]
    found = printed_rows([PrintedLine(*pair) for pair in zip(lines, boxes, strict=True)])
    text, _, places = rows_as_lines(found) if kind == "table" else running_text(found, frozenset())
    spans = tuple(
        Span(text=lines[k], box=boxes[k], source="text_layer", text_start=start, text_end=end)
        for k, start, end in places
    )
    return region_of(kind=kind, box=box_of(page, order, 0), score=1.0, spans=spans, text=text, order=order, **more)


def document_of(*pages) -> Document:
    """Each page a list of (kind, lines)."""
    made = (
        Page(
            number=n,
            size=(600, 800),
            regions=tuple(printed_region(kind, lines, n, order) for order, (kind, lines) in enumerate(regions)),
        )
        for n, regions in enumerate(pages, 1)
    )
    return Document(id="doc", revision=1, pages=tuple(made))


REGIONS = st.tuples(st.sampled_from(KINDS), st.lists(LINES, max_size=6))
DOCUMENTS = st.lists(st.lists(REGIONS, max_size=5), max_size=3).map(lambda pages: document_of(*pages))


@st.composite
def going_on(draw) -> Document:
    """A document of which any paragraph may go on in the next region of text, over columns and pages."""
    document = draw(DOCUMENTS)
    pages = (
        page.model_copy(
            update={
                "regions": tuple(
                    region.model_copy(update={"continues": region.kind == "plain text" and draw(st.booleans())})
                    for region in page.regions
                )
            }
        )
        for page in document.pages
    )
    return document.model_copy(update={"pages": tuple(pages)})


def words(text: str) -> str:
    return "".join(text.split())


def letters(text: str) -> list[str]:
    """Letters and digits, marks and compatibility forms aside: what no joining of lines may change."""
    return [character for character in unicodedata.normalize("NFKD", text) if character.isalnum()]


@pytest.fixture(scope="module", params=["bytes", "tokenizer"])
def counter(request) -> TokenCounter:
    if request.param == "bytes":
        return ByteCounter()
    folder = Embedder.find("all-MiniLM-L6-v2")
    if folder is None:
        pytest.skip("the weights of all-MiniLM-L6-v2 are not installed")
    return counter_for(folder)


@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(document=DOCUMENTS, budget=BUDGETS)
def test_no_chunk_costs_more_than_the_embedder_sees(counter, document, budget):
    """What is over the budget would be cut by the embedder without a word, and never be found."""
    for each in chunk(document, counter, budget):
        assert each.num_tokens == counter.count(each.embedding_text)
        assert each.num_tokens <= budget


@settings(deadline=None, max_examples=100)
@given(document=going_on(), budget=BUDGETS)
def test_every_printed_line_is_in_the_chunks_once_and_at_its_box(document, budget):
    """A line in no chunk is lost to every query; a line in two is cited twice. The oracle is what was printed."""
    printed = {
        (page.number, span.box): letters(span.text)
        for page in document.pages
        for region in page.regions
        for span in region.spans
        if region.kind != "abandon"
    }
    found = {place: list[str]() for place in printed}
    for each in chunk(document, ByteCounter(), budget):
        for span in each.spans:
            found[span.page, span.box] += letters(each.text[span.text_start : span.text_end])
    assert found == printed


@settings(deadline=None, max_examples=100)
@given(document=going_on(), budget=BUDGETS, merge=st.booleans())
def test_chunks_hold_the_text_of_each_block_once_and_in_order(document, budget, merge):
    """Guards against another text in search than in Markdown."""
    text = " ".join(block.text for block in blocks(document, with_figures=True))
    chunks = chunk(document, ByteCounter(), budget, merge=merge)
    assert words("".join(each.text for each in chunks)) == words(text)


@settings(deadline=None, max_examples=100)
@given(document=going_on(), budget=BUDGETS)
def test_outside_its_spans_a_chunk_holds_spaces_alone(document, budget):
    """Text that no span covers would be quoted without a place on the page."""
    for each in chunk(document, ByteCounter(), budget):
        outside, at = "", 0
        for span in each.spans:
            assert at <= span.text_start < span.text_end
            outside, at = outside + each.text[at : span.text_start], span.text_end
        assert not (outside + each.text[at:]).strip()


def test_a_broken_word_is_whole_in_a_chunk_and_cited_where_its_parts_are_printed():
    """Guards against "har-" and "bour", which no query and no embedder knows."""
    (only,) = chunk(document_of([("plain text", ["in the old har-", "bour wall"])]), ByteCounter(), 254)
    assert only.text == "in the old harbour wall"
    assert [only.text[span.text_start : span.text_end] for span in only.spans] == ["in the old har", "bour wall"]
    assert [span.box for span in only.spans] == [box_of(1, 0, 0), box_of(1, 0, 1)]


def test_no_chunk_ends_within_a_word_that_is_broken_over_two_lines():
    """Guards against halves of words at the ends of chunks, where the budget cuts between the lines."""
    lines = ["Ships that wait for the tide lie in the har-", "bour, where the pilot comes aboard at dawn."]
    texts = [each.text for each in chunk(document_of([("plain text", lines)]), ByteCounter(), 16)]
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


def test_the_words_of_a_figure_are_a_chunk_of_their_own():
    """Guards against labels of an axis in the middle of a paragraph, and against figures that no query finds."""
    document = document_of([("plain text", ["Before."]), ("figure", ["Gateway", "Queue"]), ("plain text", ["After."])])
    found = chunk(document, ByteCounter(), 254)
    assert [(each.kind, words(each.text)) for each in found] == [
        ("plain text", "Before."),
        ("figure", "GatewayQueue"),
        ("plain text", "After."),
    ]


def test_ids_count_from_zero_in_reading_order():
    """The index replaces a document by position: a gap or a hash would leave rows of the old revision."""
    document = document_of([("title", ["One"]), ("plain text", ["a b"]), ("title", ["Two"]), ("plain text", ["c d"])])
    assert [each.id for each in chunk(document, ByteCounter(), 254)] == ["doc:000000", "doc:000001"]


def test_regions_are_taken_in_their_order_not_as_they_lie():
    """Detection gives regions by score; a chunk must read as the page does."""
    regions = (printed_region("plain text", ["second"], order=1), printed_region("plain text", ["first"], order=0))
    document = Document(id="d", revision=1, pages=(Page(number=1, size=(600, 800), regions=regions),))
    assert [each.text for each in chunk(document, ByteCounter(), 254)] == ["first\n\nsecond"]


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
    assert [each.pages for each in chunk(document, ByteCounter(), 254)] == [(1,), (2,), (3,)]


def test_a_sentence_that_goes_on_and_a_heading_are_not_cut_off_by_the_end_of_a_page():
    """Half a sentence says nothing, and a heading alone finds nothing."""
    first, second = document_of(
        [("plain text", ["It went"])], [("plain text", ["on."]), ("plain text", ["Then."]), ("title", ["Next"])]
    ).pages
    on = second.regions[0].model_copy(update={"continues": True})
    second = second.model_copy(update={"regions": (on, *second.regions[1:])})
    third = document_of([], [], [("plain text", ["Said there."])]).pages[2]
    document = Document(id="doc", revision=1, pages=(first, second, third))
    assert [(each.text, each.pages) for each in chunk(document, ByteCounter(), 254)] == [
        ("It went on.", (1, 2)),
        ("Then.", (2,)),
        ("Next\n\nSaid there.", (2, 3)),
    ]


def test_without_merging_each_part_is_a_chunk_and_headings_go_with_what_follows():
    """Guards against chunks of a heading alone, and against parts that are merged though nobody wants it."""
    parts = [("title", ["Part"]), ("plain text", ["one"]), ("plain text", ["two"]), ("title", ["Next"])]
    found = chunk(document_of([*parts, ("table", ["three"])]), ByteCounter(), 60, merge=False)
    assert [each.text for each in found] == ["Part\n\none", "two", "Next", "three"]


def test_a_heading_stands_under_those_of_a_higher_level():
    """Without those above it "Results" is the results of anything."""
    titles = (("Report", 1), ("Trial A", 2), ("Results", 3), ("Trial B", 2))
    regions = []
    for order, (title, level) in enumerate(titles):
        heading = printed_region("title", [title], order=2 * order).model_copy(update={"level": level})
        regions += [heading, printed_region("plain text", ["Said there."], order=2 * order + 1)]
    document = Document(id="d", revision=1, pages=(Page(number=1, size=(600, 800), regions=tuple(regions)),))
    assert [each.heading_path for each in chunk(document, ByteCounter(), 254)] == [
        ("Report",),
        ("Report", "Trial A"),
        ("Report", "Trial A", "Results"),
        ("Report", "Trial B"),
    ]


def test_a_table_shares_no_chunk():
    """Cells beside prose read as prose, and a filter on tables would miss them."""
    document = document_of([("plain text", ["Before."]), ("table", ["a 1", "b 2"]), ("plain text", ["After."])])
    found = chunk(document, ByteCounter(), 254)
    assert [(each.kind, each.text) for each in found] == [
        ("plain text", "Before."),
        ("table", "a 1\nb 2"),
        ("plain text", "After."),
    ]


def test_running_heads_are_left_out_and_notes_kept():
    """A running head on each page would be in every chunk; a footnote is said nowhere else."""
    regions = (
        printed_region("abandon", ["Annual report 2024"], order=0),
        printed_region("plain text", ["Sales rose.1"], order=1),
        printed_region("plain text", ["1 Excluding the Dutch branch."], order=2, note="foot"),
        printed_region("abandon", ["17"], order=3),
    )
    page = Page(number=1, size=(600, 800), regions=regions)
    (only,) = chunk(Document(id="d", revision=1, pages=(page,)), ByteCounter(), 254)
    assert only.text == "Sales rose.1\n\n1 Excluding the Dutch branch."


def test_a_region_read_as_a_whole_is_cited_with_its_own_box():
    """OCR of a whole region gives no lines: the text must be found all the same."""
    region = TextRegion(kind="plain text", box=box_of(1, 0, 0), score=1.0, text="Read at once\nby the model")
    document = Document(id="d", revision=1, pages=(Page(number=1, size=(600, 800), regions=(region,)),))
    (only,) = chunk(document, ByteCounter(), 254)
    assert [span.box for span in only.spans] == [region.box, region.box]


def test_a_budget_too_small_for_a_character_is_refused():
    """It would loop for ever, or break the budget."""
    with pytest.raises(ValueError, match="at least"):
        chunk(document_of([("plain text", ["a"])]), ByteCounter(), 2)


class TallyingCounter(ByteCounter):
    """Adds up the characters that it is shown."""

    def __init__(self) -> None:
        self.num_characters = 0

    def count(self, text: str) -> int:
        self.num_characters += len(text)
        return super().count(text)


@pytest.mark.parametrize(
    "regions",
    [
        lambda size: [("title", ["word " * size]), ("plain text", ["Sales rose."])],
        lambda size: [("plain text", ["x" * size])],
        lambda size: [("plain text", ["word " * size])],
    ],
    ids=["title", "unbroken line", "line"],
)
def test_what_is_counted_grows_in_line_with_the_text(regions):
    """A page taken for one title, or a line of 50,000 signs without a gap, took minutes of a processor."""
    counted = []
    for size in (4000, 16000):
        counter = TallyingCounter()
        assert chunk(document_of(regions(size)), counter, 254)
        counted.append(counter.num_characters)
    assert counted[1] < 6 * counted[0]


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
    assert [each.split() for each in last.heading_path] == words
