"""Documents of printed lines, each at a box that no other line has, and strategies that draw them."""

from hypothesis import strategies as st

from documents.boxes import BoundingBox
from documents.region_values import Region, Span, region_of
from documents.text.placed_text import struck_ranges
from documents.text.printed_rows import PrintedLine, printed_rows
from documents.text.running_text import rows_as_lines, running_text
from documents.values import Document, Page

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
    rows = printed_rows([PrintedLine(*pair) for pair in zip(lines, boxes, strict=True)])
    text, _, places = rows_as_lines(rows) if kind == "table" else running_text(rows, frozenset())
    spans = tuple(
        Span(text=lines[k], box=boxes[k], source="text_layer", text_start=start, text_end=end)
        for k, start, end, _ in places
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
def struck_through(draw) -> Document:
    """A document with words struck out of any of its regions."""
    document = draw(DOCUMENTS)
    pages = []
    for page in document.pages:
        regions = []
        for region in page.regions:
            ends = sorted(draw(st.lists(st.integers(0, len(region.text)), max_size=6, unique=True)))
            ranges = struck_ranges(region.text, zip(ends[::2], ends[1::2], strict=False))
            regions.append(region.model_copy(update={"struck": ranges}))
        pages.append(page.model_copy(update={"regions": tuple(regions)}))
    return document.model_copy(update={"pages": tuple(pages)})


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
