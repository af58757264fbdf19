"""Pages made one document."""

from __future__ import annotations

import asyncio

import pytest
from block_making import blocks_of
from page_making import opened, page, region

from documents.document.assemble_document import assemble
from documents.exports.markdown import markdown
from documents.page.build_page import compose_page, draft_regions
from documents.sandbox import RendererPool
from documents.values import OutlineItem


def regions_of(document):
    return [one for page in document.pages for one in page.regions]


def test_larger_titles_stand_higher_and_numbers_say_how_deep():
    """Guards against chunks that carry the wrong path of headings."""
    first, second = region("The Book", "title", size=24), region("A Chapter", "title", size=16)
    third = region("1.2.1 A Part", "title", size=16)
    document = assemble("id", 1, opened(), [page(first, second, third)])
    assert [one.level for one in regions_of(document)] == [1, 2, 3]


def test_lines_that_come_back_at_the_same_place_are_furniture():
    """Guards against running heads in the middle of sentences."""
    pages = [
        page(region(f"Chapter One {n}", corners=(60, 50, 200, 60)), region(f"Text {n}"), number=n) for n in range(1, 5)
    ]
    document = assemble("id", 1, opened(4), pages)
    assert [one.kind for one in regions_of(document)] == ["abandon", "plain text"] * 4


FOOT, HEAD = (60, 720, 200, 730), (60, 50, 200, 60)


def kinds(*heads):
    """Of regions that stand alone on a page each, above or below its text."""
    body = "Text that is longer than all heads. " * 9
    pages = [page(head, region(f"{body}{n}"), number=n) for n, head in enumerate(heads, 1)]
    return [page.regions[0].kind for page in assemble("d", 1, opened(len(pages)), pages).pages]


def test_the_totals_and_titles_of_an_invoice_of_two_pages_stay():
    """Guards against "Total 12.00" and "Total 40.00" taken for one running foot, and its title for a head."""
    assert kinds(*(region(f"Total {n}.00", corners=FOOT) for n in (12, 40))) == ["plain text"] * 2
    for kind in ("title", "table", "table_caption"):
        assert kinds(*(region("Invoice", kind, corners=HEAD) for _ in "ab")) == [kind] * 2


def test_the_titles_of_a_deck_stay_in_any_type():
    """Guards against slides without their titles, which stand at one place and differ in a number, or come twice."""
    assert kinds(*(region(f"Step {n}", "title", corners=HEAD) for n in range(1, 7))) == ["title"] * 6
    names = ("Aims", "Results", "Results", "Costs", "People", "Thanks")
    assert kinds(*(region(name, "title", corners=HEAD) for name in names)) == ["title"] * 6


def test_a_running_head_goes_though_it_is_read_as_text_or_title():
    """Guards against the sender's name in the midst of a letter's sentence."""
    for head in ("Mill & Sons, letter of 3 May", "Letter, sheet {}", "{} of 4 sheets"):
        heads = [region(head.format(n), corners=HEAD) for n in (1, 2, 3, 4)]
        assert kinds(*heads) == ["abandon"] * 4
    assert kinds(*(region("Annals of the Mill", "title", corners=HEAD) for _ in "abcdefg")) == ["abandon"] * 7


def test_running_heads_of_turned_pages_are_found_at_the_upper_end_of_their_text():
    """Guards against heads of turned tables, which stand at the side of the sheet, amid the text."""
    head, body = (560, 300, 572, 500), (100, 60, 400, 700)  # read downward: its top is on the right
    pages = [
        page(
            region(f"Annex {n}", corners=head, angle=90),
            region(f"{'Text of an annex. ' * 12}{n}", corners=body, angle=90),
            number=n,
        )
        for n in range(1, 5)
    ]
    document = assemble("id", 1, opened(4), pages)
    assert [one.kind for one in regions_of(document)] == ["abandon", "plain text"] * 4


def test_headings_in_larger_type_stay_wherever_they_stand():
    """Guards against "Part 1", "Part 2" at the tops of their pages being taken for running heads, and lost."""
    heads = [region(f"Part {n}", "title", size=20, corners=(60, 50, 200, 72)) for n in range(1, 5)]
    pages = [page(head, region("Text of the part. " * 9), number=n) for n, head in enumerate(heads, 1)]
    document = assemble("id", 1, opened(4), pages)
    assert [one.kind for one in regions_of(document)] == ["title", "plain text"] * 4


def test_a_sentence_that_goes_on_says_so_over_columns_and_pages():
    """Guards against sentences that are cut in two where a column ends."""
    one, two = region("the fog had"), region("lifted from the bay.")
    three = region("The next sentence")
    document = assemble("id", 1, opened(2), [page(two, three, number=2), page(one, number=1)])
    assert [page.number for page in document.pages] == [1, 2]
    assert [region.continues for region in regions_of(document)] == [False, True, False]


def test_a_title_or_other_type_ends_a_paragraph():
    """Guards against paragraphs that run on into the next chapter or a footnote."""
    kept = [region("the fog had"), region("Title", "title"), region("lifted", size=10), region("small", size=7)]
    document = assemble("id", 1, opened(), [page(*kept)])
    assert not any(region.continues for region in regions_of(document) if region.kind == "plain text")


def test_the_same_pages_give_the_same_bytes():
    """Guards against documents that change with the order in which pages were done."""
    pages = [page(region("text one"), region("text two"), number=n) for n in (1, 2)]
    once, again = (assemble("id", 1, opened(2), page_list).model_dump_json() for page_list in (pages, pages[::-1]))
    assert once == again


def test_a_document_of_columns_is_read_as_a_person_reads_it(data, source):
    """From the file to Markdown, without the layout network: all regions are blocks of the text layer."""

    async def pages():
        pool = RendererPool(1)
        try:
            columns = source(data / "columns.pdf")
            inspections = [(await pool.inspect(columns, number)).inspection() for number in (1, 2)]
            return await pool.open(columns), inspections
        finally:
            await pool.close()

    document, page_inspections = asyncio.run(pages())
    lines = [line for one in page_inspections for line in one.lines]
    roles = {line.text: "heading" for line in lines if line.bold}
    roles |= {line.text: "page_header" for line in lines if line.text.startswith("Notes from the Mill")}
    composed = []
    for one in page_inspections:
        by_column = sorted(one.lines, key=lambda line: (line.box.x0 > one.width / 2, line.box.y0))
        blocks = blocks_of(one, roles, order=[line.text for line in by_column])
        composed.append(compose_page(one, draft_regions(one, [], blocks=blocks), {}, {}))
    text = markdown(assemble("id", 1, document, composed))
    assert text.startswith("# How Pages Become Text in a Small Mill\n\nA mill that turns pages into text")
    starts = [text.index(start) for start in ("A mill", "When a page", "The layout", "Words come", "Reading order")]
    assert starts == sorted(starts)
    assert "never mixes the lines of one column with the lines of its neighbour." in text
    assert "Notes from the Mill" not in text


def test_a_document_of_nothing_but_furniture_says_it():
    """Guards against a short note at the top of a page that vanishes as its running head."""
    only = page(region("A single word", "abandon", (60, 60, 120, 72)), region("7", "abandon", (300, 750, 306, 762)))
    kinds = [one.kind for one in assemble("d", 1, opened(), [only]).pages[0].regions]
    assert kinds == ["plain text", "abandon"]


def test_an_item_marked_by_a_small_letter_is_no_rest_of_a_sentence():
    """Guards against a) of a list in the list that goes on in the line of 2."""
    document = assemble("d", 1, opened(), [page(region("1. one\n2. two"), region("a) under two"))])
    assert [region.continues for region in document.pages[0].regions] == [False, False]


def test_the_next_line_of_an_item_goes_on_with_it_though_a_network_found_two_regions():
    """Guards against `• Office of Applied` and `Technology` in two paragraphs."""
    item = region("• Office of Applied", corners=(60, 100, 300, 110))
    below = region("Technology which helps.", corners=(72, 112, 300, 122))
    further_down = region("Technology which helps.", corners=(72, 120, 300, 130))
    at_the_margin = region("Technology which helps.", corners=(60, 112, 300, 122))
    for rest, goes_on in ((below, True), (further_down, False), (at_the_margin, False)):
        document = assemble("d", 1, opened(), [page(item, rest)])
        assert document.pages[0].regions[1].continues is goes_on


@pytest.mark.parametrize("notes", [("{}.", "{}."), ("{} ({}).", "{} ({})."), ("{}, sheet one.", "{}, sheet two.")])
def test_sentences_that_come_back_are_furniture_whatever_number_they_hold(notes):
    """Guards against a note at the foot of each page, with a roman number in it, in the midst of the text."""
    words = "This is for information only and no offer to buy or sell the ships of the mill"
    body = "Text that is longer than all feet. " * 9
    feet = [
        page(region(f"{body}{n}"), region(note.format(words, "i" * n), "abandon", corners=FOOT), number=n)
        for n, note in enumerate(notes, 1)
    ]
    assert {one.regions[-1].kind for one in assemble("d", 1, opened(2), feet).pages} == {"abandon"}


def book(num_pages, *, per_chapter=10, alternate=False, first=1):
    """The kinds of the heads of a book, which name its chapters, on each page or on each second one."""
    heads = [
        region(f"Of {'abcdefghijklmnopqrstuvwxyz'[n // per_chapter]} mills", corners=HEAD) for n in range(num_pages)
    ]
    body = "Text that is longer than all heads. " * 9
    pages = [
        page(*([head] if not alternate or n % 2 else []), region(f"{body}{n}"), number=n)
        for n, head in enumerate(heads, first)
    ]
    kinds = [[one.kind for one in page.regions[:-1]] for page in assemble("d", 1, opened(num_pages), pages).pages]
    return [kind for own in kinds for kind in own]


@pytest.mark.parametrize("num_pages", [20, 40, 80, 240])
@pytest.mark.parametrize("alternate", [False, True])
def test_a_book_twice_as_long_has_as_many_running_heads(num_pages, alternate):
    """Guards against heads that name their chapters, of which no chapter is a third of a long book."""
    assert set(book(num_pages, alternate=alternate)) == {"abandon"}


def test_a_line_that_three_of_three_hundred_pages_have_is_no_running_head():
    body = "Text that is longer than all heads. " * 9
    pages = [
        page(
            region("In the harbour", corners=HEAD) if n in (10, 11, 200) else region(f"x{n}y"),
            region(f"{body}{n}"),
            number=n,
        )
        for n in range(1, 301)
    ]
    assert [p.regions[0].kind for p in assemble("d", 1, opened(300), pages).pages if p.number in (10, 11, 200)] == [
        "plain text"
    ] * 3


def levels(*titles, outline=()):
    document = assemble("d", 1, opened(outline=outline), [page(*titles), page(number=2)])
    return [one.level for one in regions_of(document)]


def test_the_outline_names_a_heading_by_its_words_its_number_and_its_page():
    """Guards against "Step 1" at the level of "Step 9", and one chapter's "Exercises" at that of another's."""
    outline = (
        OutlineItem(level=1, title="Chapter 1", page=1),
        OutlineItem(level=2, title="Exercises", page=1),
        OutlineItem(level=2, title="Step 1", page=1),
        OutlineItem(level=3, title="Exercises", page=2),
        OutlineItem(level=4, title="Step 9", page=2),
        OutlineItem(level=3, title="2.1 Of boats", page=2),
    )
    titles = [region(text, "title", size=16) for text in ("Chapter 1", "Step 1", "Exercises", "Of boats", "Step 2")]
    assert levels(*titles, outline=outline) == [1, 2, 2, 3, 1]
