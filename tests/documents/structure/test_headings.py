"""Headings by how the whole document sets its text; the trees that decide are those of the package."""

from __future__ import annotations

from itertools import count

import pytest

from documents.structure.heading_trees import HeadingTrees, heading_trees
from documents.structure.headings import with_headings
from documents.structure.page_draft import TAGGED
from documents.values import BoundingBox, OutlineItem, Page, Span, region_of

PROSE = (
    "The quays were widened in the year of the flood, and have not been touched since by anyone but the men of the "
    "harbour office, who paint the bollards in spring and count the ships that come in before the ice has left the bay."
)


def text(words, y, *, kind="plain text", size=10.0, bold=False, colour=0, **more):
    lines = [words[k : k + 90] for k in range(0, len(words), 90)]
    boxes = [
        BoundingBox(x0=72, y0=y + 12 * k, x1=72 + 5 * len(one), y1=y + 12 * k + size) for k, one in enumerate(lines)
    ]
    spans = tuple(
        Span(text=one, box=box, source="text_layer", font_size=size, bold=bold, colour=colour)
        for one, box in zip(lines, boxes, strict=True)
    )
    more = {"score": 0.6, **more}
    return region_of(kind=kind, box=BoundingBox.around(boxes), spans=spans, text=words, **more)


def pages_of(titles, **style):
    """A page for each two titles, each above two paragraphs."""
    pages = []
    numbers = count(1)
    for pair in zip(titles[::2], titles[1::2], strict=True):
        regions = []
        for k, title in enumerate(pair):
            top = 80 + 300 * k
            regions += [text(title, top, **style), text(PROSE, top + 22), text(PROSE, top + 80)]
        pages.append(Page(number=next(numbers), size=(612, 792), regions=tuple(regions)))
    return pages


def headings(pages, outline=()):
    titles = with_headings(pages, outline, heading_trees())
    return [region.text for page in titles for region in page.regions if region.kind == "title"]


TITLES = ["Our Purpose", "What We Do", "Who We Serve", "How We Help"]


@pytest.mark.parametrize("style", [{"bold": True}, {"size": 14.0}, {"bold": True, "colour": 0x1F3864}])
def test_lines_that_a_document_sets_apart_again_and_again_are_headings(style):
    """Guards against headings without a size of their own, which the network takes for text."""
    assert headings(pages_of(TITLES, **style)) == TITLES


def test_a_sentence_in_the_type_of_the_text_is_none_whatever_the_network_says():
    pages = pages_of(TITLES, size=16.0, kind="title")
    wrong = text("and so the men of the office painted them once more, as they had", 700, kind="title")
    pages[0] = pages[0].model_copy(update={"regions": (*pages[0].regions, wrong)})
    assert headings(pages) == TITLES


def test_what_an_author_tagged_stays():
    pages = pages_of(TITLES, origin=TAGGED)
    assert headings(pages) == []
    assert headings(pages_of(TITLES, kind="title", origin=TAGGED)) == TITLES


def test_what_ocr_read_stays():
    """The type of read lines is too rough to be judged."""
    assert headings(pages_of(TITLES, kind="title", text_source="ocr")) == TITLES


def test_a_text_that_is_no_title_any_more_says_which_rule_it_was():
    pages = pages_of(TITLES, bold=True)
    (first, *_) = with_headings(pages, (), heading_trees())
    assert first.regions[0].rules == ("headings",)


def test_an_outline_s_titles_are_likelier_headings():
    pages = pages_of(TITLES, bold=True)
    outline = [OutlineItem(title=title, level=1, page=1) for title in TITLES]
    assert headings(pages, outline) == TITLES


def test_a_document_without_text_has_no_headings():
    assert with_headings([Page(number=1, size=(612, 792))], (), heading_trees())[0].regions == ()


def test_trees_for_other_features_are_refused():
    with pytest.raises(ValueError, match="other features"):
        HeadingTrees.of({"names": ["size"], "trees": [], "base": 0.0, "depth": 1})


class Doubtful:
    """Trees that take nothing for a heading."""

    def probabilities(self, features):
        return [0.0] * len(features)


def doubted(*regions):
    (page, *_) = pages_of(TITLES)
    page = page.model_copy(update={"regions": (*page.regions, *regions)})
    titles = with_headings([page], (), Doubtful())
    return [region.text for region in titles[0].regions if region.kind == "title"]


@pytest.mark.parametrize(
    ("words", "style", "heading"),
    [
        ("1 INTRODUCTION", {"bold": True}, True),
        ("5. Annual Audit Requirements", {"size": 14.0}, True),
        ("Appendix A: Duties of the Harbour", {"colour": 0x1F3864}, True),
        ("2.2.2 Depth of the Channel", {}, True),  # slanted, maybe: depth says enough
        ("5. Annual Audit Requirements", {"bold": True}, False),
        ("5 Annual Audit Requirements", {}, False),  # an item as likely as a heading
        ("Annual Audit Requirements", {"bold": True}, False),
        ("U. S. Consumer Product Commission", {"bold": True}, False),
        ("2.2.2 The channel is dredged every spring.", {"bold": True}, False),
        ("3.1 Duties", {"bold": True, "score": 0.1}, False),
    ],
)
def test_a_section_s_number_decides_where_the_network_saw_a_title(words, style, heading):
    """Guards against `1.2 Scope` in bold type taken for text, since no such heading was learnt from."""
    assert (doubted(text(words, 600, kind="title", **style)) == [words]) is heading


@pytest.mark.parametrize(
    ("words", "style", "is_one"),
    [
        ("What's New", {"size": 13.0}, True),
        ("Future Developments", {"size": 13.0, "kind": "plain text"}, True),
        ("What's New", {"size": 11.0}, False),
        ("May 3, 2013", {"size": 13.0}, False),
        ("3 May 2013", {"size": 13.0}, False),
        ("Date:", {"size": 13.0}, False),
        ("• What's New", {"size": 13.0}, False),
    ],
)
def test_type_that_is_larger_and_used_for_titles_alone_makes_headings_whatever_the_trees_say(words, style, is_one):
    """Guards against the large titles of a form's guide taken for text, since such a document was learnt from."""
    others = [text(f"Title {name}", 500 + 20 * k, kind="title", size=style["size"]) for k, name in enumerate("abc")]
    assert (words in doubted(*others, text(words, 600, **{"kind": "title", **style}))) is is_one
    assert doubted(text(words, 600, **{"kind": "title", **style})) == []


def test_a_much_larger_title_needs_no_others():
    """Guards against the name of a report, which is set in its type once, taken for text."""
    assert doubted(text("Yearly Report", 600, kind="title", size=18.0)) == ["Yearly Report"]
    assert doubted(text("Yearly Report", 600, kind="title", size=18.0, score=0.4)) == []
    assert doubted(text("Yearly Report", 600, size=18.0)) == []


def test_an_item_between_items_is_no_heading():
    """Guards against `1. Path` above `2. Validation`, which the network found as a title and a text."""
    items = [text(f"{k}. Validation of paths", 500 + 20 * k) for k in (2, 3)]
    title = text("1. Verification", 500, kind="title", score=0.9)
    assert doubted(title, *items) == []
    assert doubted(title, *items[1:]) == [title.text]
    assert doubted(title.model_copy(update={"text": "4. Verification"}), *items) == ["4. Verification"]
    assert doubted(*items, title.model_copy(update={"text": "4. Verification"})) == []
    assert doubted(text("1. Verification", 500, kind="title", score=0.9, size=12.0), *items) == ["1. Verification"]


def test_a_section_s_title_above_a_table_is_no_caption():
    """Guards against `1.3.5 Checks` lost where the network takes it for the caption of the table below."""
    caption = text("1.3.5 Checks of speed", 600, kind="table_caption", bold=True, describes=0)
    page = pages_of(TITLES)[0]
    page = page.model_copy(update={"regions": (*page.regions, caption)})
    assert with_headings([page], (), heading_trees())[0].regions[-1].kind == "title"


def test_what_other_rules_made_a_title_is_no_certain_one():
    """Guards against the network's certainty that something is text counted as certainty that it is a title."""
    certain = text("Annual Audit Requirements", 600, kind="title", bold=True, score=0.9)
    assert doubted(certain) == [certain.text]
    assert doubted(certain.model_copy(update={"rules": ("kinds",)})) == []


def test_a_numbered_text_that_is_no_title_is_an_item():
    """Guards against items in bold type without their numbers."""
    pages = pages_of(TITLES)
    words = "3. Name of the contractor:"
    title = text(words, 600, kind="title", bold=True)
    caption = text(words, 600, kind="table_caption")
    for region in (title, caption, title.model_copy(update={"angle": 90})):
        page = pages[0].model_copy(update={"regions": (*pages[0].regions, region)})
        settled = with_headings([page], (), Doubtful())[0].regions[-1]
        assert (settled.kind, [item.marker for item in settled.items]) == ("plain text", ["3."])
    described = caption.model_copy(update={"describes": 0})
    named = text("(a) The left view", 600, kind="figure_caption")
    page = pages[0].model_copy(update={"regions": (*pages[0].regions, described, named)})
    kinds = [region.kind for region in with_headings([page], (), Doubtful())[0].regions[-2:]]
    assert kinds == ["table_caption", "figure_caption"]


def test_a_mark_that_is_printed_apart_is_that_of_an_item():
    """Guards against `» Contract Award` without its bullet: room behind a guillemet shows what it is."""
    words = text("Contract Award", 600, kind="title", bold=True)
    (span,) = words.spans
    mark = Span(text="»", box=span.box.model_copy(update={"x0": 54.0, "x1": 59.0}), source="text_layer", font_size=10)
    spans = (mark.placed(0, 1), span.placed(2, 16))
    title = words.model_copy(update={"text": "» Contract Award", "spans": spans})
    page = pages_of(TITLES)[0]
    page = page.model_copy(update={"regions": (*page.regions, title)})
    (item,) = with_headings([page], (), Doubtful())[0].regions[-1].items
    assert (item.marker, item.box) == ("»", mark.box)


def test_entries_of_a_table_of_contents_are_no_headings():
    """Guards against a page of contents whose first level is bold: each entry became a heading."""
    entries = ["6.6 CONTROLS … 69", "6.7 SECURITY ........ 70", "7 PROFILES . . . . . 72"]
    regions = [text(words, 500 + 20 * k, kind="title", bold=True, score=0.9) for k, words in enumerate(entries)]
    assert doubted(*regions) == []
    assert doubted(*regions[:2]) == entries[:2]


def is_heading(words, beside=(), **style):
    """Whether one more text of a document is a heading, which the network takes for a title."""
    pages = pages_of(TITLES, kind="title", size=16.0)
    more = [text(one, 560 + 40 * k) for k, one in enumerate(beside)]
    last = text(words, 700, kind="title", **style)
    pages[1] = pages[1].model_copy(update={"regions": (*pages[1].regions, *more, last)})
    return words in headings(pages)


@pytest.mark.parametrize(
    ("words", "style", "heading"),
    [
        ("2.1 Verify that all keys of the harbour are kept.", {"score": 0.9}, False),
        ("2.1 Verify that all keys of the harbour are kept (C6).", {"score": 0.9}, False),
        ("2.1 " + "All keys of the harbour " * 4, {"score": 0.9}, False),
        ("2.1 Keys of the harbour", {"score": 0.9}, True),
        ("2.1 All keys are kept.", {"score": 0.9}, True),
        ("2.1 Verify that all keys of the harbour are kept.", {"score": 0.9, "bold": True}, True),
        ("Legal Authorities:", {"score": 0.9}, False),
        ("Legal Authorities:", {"score": 0.9, "bold": True}, True),
        ("2.1 Legal Authorities:", {"score": 0.9, "bold": True}, True),
        ("[FIPS 201]", {"score": 0.9, "size": 14.0}, False),
        ("[1999]", {"score": 0.9, "size": 14.0}, True),
    ],
)
def test_numbered_sentences_lead_ins_and_keys_are_no_headings(words, style, heading):
    """Guards against requirements, labels above paragraphs and a bibliography's keys among the sections."""
    assert is_heading(words, **style) is heading


def test_what_is_numbered_as_the_sentences_of_a_document_is_no_heading():
    """Guards against `1.4.2 [DELETED]` between the requirements that were kept."""
    sentences = [f"2.{k} Verify that all keys of the harbour are kept." for k in range(1, 4)]
    assert is_heading("2.4 Deleted in May", sentences[:2], score=0.9)
    assert not is_heading("2.4 Deleted in May", sentences, score=0.9)
    assert is_heading("2.4.1 Deleted in May", sentences, score=0.9)
    assert is_heading("2.4 Deleted in May", sentences, score=0.9, bold=True)
