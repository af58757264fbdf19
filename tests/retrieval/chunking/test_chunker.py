"""Chunks against documents of any shape: what is printed is in them once, at its place, within the budget."""

import unicodedata

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from documents.exports.text_blocks import blocks
from documents.region_values import Table, TableCell, TextRange
from documents.values import Document, Page
from retrieval.chunking.chunk_size import ByteCounter, TokenCounter, counter_for
from retrieval.chunking.chunker import chunk
from retrieval.embedding.embedder import Embedder
from tests.retrieval.printed_documents import (
    BUDGETS,
    DOCUMENTS,
    box_of,
    document_of,
    going_on,
    printed_region,
    struck_through,
)


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
    for part in chunk(document, counter, budget):
        assert part.num_tokens == counter.count(part.embedding_text)
        assert part.num_tokens <= budget


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
    pieces_by_place = {place: list[str]() for place in printed}
    for part in chunk(document, ByteCounter(), budget):
        for span in part.spans:
            pieces_by_place[span.page, span.box] += letters(part.text[span.text_start : span.text_end])
    assert pieces_by_place == printed


@settings(deadline=None, max_examples=100)
@given(document=going_on(), budget=BUDGETS, merge=st.booleans())
def test_chunks_hold_the_text_of_each_block_once_and_in_order(document, budget, merge):
    """Guards against another text in search than in Markdown."""
    text = " ".join(block.text for block in blocks(document, with_figures=True))
    chunks = chunk(document, ByteCounter(), budget, merge=merge)
    assert words("".join(part.text for part in chunks)) == words(text)


@settings(deadline=None, max_examples=100)
@given(document=going_on(), budget=BUDGETS)
def test_outside_its_spans_a_chunk_holds_spaces_alone(document, budget):
    """Text that no span covers would be quoted without a place on the page."""
    for part in chunk(document, ByteCounter(), budget):
        outside, at = "", 0
        for span in part.spans:
            assert at <= span.text_start < span.text_end
            outside, at = outside + part.text[at : span.text_start], span.text_end
        assert not (outside + part.text[at:]).strip()


@settings(deadline=None, max_examples=100)
@given(document=struck_through(), budget=BUDGETS)
def test_what_is_struck_out_stays_so_in_every_chunk(document, budget):
    """Guards against an old price that a search finds as valid, and against one of two tildes cut off by a chunk."""
    assume(not any("~" in region.text for page in document.pages for region in page.regions))
    struck, all_letters = [], []
    for part in chunk(document, ByteCounter(), budget):
        assert part.num_tokens <= budget
        parts = part.text.split("~~")
        assert len(parts) % 2, "each strike that begins ends"
        struck += letters("".join(parts[1::2]))
        all_letters += letters("".join(parts))
        outside, at = "", 0
        for span in part.spans:
            outside, at = outside + part.text[at : span.text_start], span.text_end
        assert not (outside + part.text[at:]).strip()
    regions = [region for page in document.pages for region in page.regions if region.kind != "abandon"]
    expected = "".join(region.text[one.start : one.end] for region in regions for one in region.struck)
    assert struck == letters(expected)
    assert all_letters == letters("".join(region.text for region in regions))


def test_struck_cells_and_titles_are_marked_in_chunks():
    """Guards against a void clause above its own text, and a void price in a row, that read as valid."""
    cells = [
        TableCell(row=row, column=column, text=text, box=box_of(1, 1, 2 * row + column), struck=struck)
        for row, column, text, struck in (
            (0, 0, "Item", ()),
            (0, 1, "Price", ()),
            (1, 0, "Setup", ()),
            (1, 1, "180  150", (TextRange(start=0, end=3),)),
        )
    ]
    table = Table(num_rows=2, num_columns=2, num_header_rows=1, cells=tuple(cells))
    title = printed_region("title", ["Clause 7"], 1, 0, struck=(TextRange(start=0, end=8),))
    body = printed_region("table", ["Item Price", "Setup 180 150"], 1, 1, table=table)
    document = document_of([]).model_copy(update={"pages": (Page(number=1, size=(600, 800), regions=(title, body)),)})
    chunks = chunk(document, ByteCounter(), 254)
    assert [part.text for part in chunks] == ["~~Clause 7~~", "Item | Price\nSetup | ~~180~~ 150"]
    assert chunks[1].heading_path == ("~~Clause 7~~",)


def test_the_words_of_a_figure_are_a_chunk_of_their_own():
    """Guards against labels of an axis in the middle of a paragraph, and against figures that no query finds."""
    document = document_of([("plain text", ["Before."]), ("figure", ["Gateway", "Queue"]), ("plain text", ["After."])])
    chunks = chunk(document, ByteCounter(), 254)
    assert [(part.kind, words(part.text)) for part in chunks] == [
        ("plain text", "Before."),
        ("figure", "GatewayQueue"),
        ("plain text", "After."),
    ]


def test_ids_stay_with_the_text_wherever_it_moves():
    """Guards against an id by place: one page more at the front, and every citation of the rest was another's."""
    sections = [("title", ["One"]), ("plain text", ["a b"]), ("title", ["Two"]), ("plain text", ["c d"])]
    before = {part.text: part.id for part in chunk(document_of(sections), ByteCounter(), 254)}
    inserted = [
        ("title", ["Zero"]),
        ("plain text", ["y z"]),
        *sections[:2],
        ("title", ["Two"]),
        ("plain text", ["c e"]),
    ]
    after = {part.text: part.id for part in chunk(document_of(inserted), ByteCounter(), 254)}
    assert before["One\n\na b"] == after["One\n\na b"]
    assert before["Two\n\nc d"] not in after.values()


def test_ids_of_equal_chunks_are_counted():
    """Guards against two rows with one id: the index refuses them."""
    sections = [("title", ["One"]), ("plain text", ["a b"])] * 3
    ids = [part.id for part in chunk(document_of(sections), ByteCounter(), 254)]
    assert ids == [ids[0], f"{ids[0]}-2", f"{ids[0]}-3"]


def test_regions_are_taken_in_their_order_not_as_they_lie():
    """Detection gives regions by score; a chunk must read as the page does."""
    regions = (printed_region("plain text", ["second"], order=1), printed_region("plain text", ["first"], order=0))
    document = Document(id="d", revision=1, pages=(Page(number=1, size=(600, 800), regions=regions),))
    assert [part.text for part in chunk(document, ByteCounter(), 254)] == ["first\n\nsecond"]


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
