"""Furniture goes where the network is sure or the pages agree; a doubt keeps the words."""

from __future__ import annotations

import pytest
from page_making import opened, page, region
from work import steps_of

from documents.document.assemble_document import assemble
from documents.document.furniture import with_furniture
from documents.document.furniture_evidence import evidence
from documents.draft.page_draft import BLOCK_ORIGIN, TAG_ORIGIN, WATERMARK_ORIGIN
from documents.exports.markdown import markdown
from documents.region_values import TextRegion

BODY = "Text that is longer than all heads. " * 9
HEAD, FOOT = (60, 40, 200, 50), (60, 740, 200, 750)


def read(text, kind="plain text", corners=HEAD, score=0.9, **more):
    """A region that the structure network reads so, as sure as its score."""
    furniture = score if kind == "abandon" else 1 - score
    made = region(text, kind, corners=corners, origin=BLOCK_ORIGIN, furniture=furniture, **more)
    return made.model_copy(update={"score": score})


def kinds(*pages_of_regions):
    """The kinds of the regions of each page, of which the last is its text."""
    pages = [page(*own, region(f"{BODY}{n}"), number=n) for n, own in enumerate(pages_of_regions, 1)]
    return [[one.kind for one in done.regions[:-1]] for done in with_furniture(pages)]


@pytest.mark.parametrize("num_pages", [1, 2])
def test_a_letters_last_lines_are_text_where_the_network_is_in_doubt(num_pages):
    """Guards against a letter without the name below it, in files too short for running feet."""
    before = [()] * (num_pages - 1)
    for score, kind in ((0.5, "plain text"), (0.95, "abandon")):
        name = read("Anna Miller", "abandon", (60, 705, 160, 715), score=score)
        assert kinds(*before, [name])[-1] == [kind]


def test_a_doubt_of_the_network_is_furniture_where_the_pages_agree():
    names = [read("Anna Miller", "abandon", (60, 705, 160, 715), score=0.5)]
    assert kinds(names, names, names) == [["abandon"]] * 3


def test_body_text_in_the_footer_zone_of_a_single_page_stays():
    last = read("They were measured again in May, and all of them hold.", corners=FOOT, score=0.8)
    assert kinds([last]) == [["plain text"]]


@pytest.mark.parametrize(("furniture", "kind"), [(0.9, "abandon"), (0.03, "title")])
def test_a_single_pages_head_is_what_the_network_gives_furniture_whatever_it_calls_it(furniture, kind):
    """Guards against counting whatever is called a title as equally unlikely to be a running head."""
    assert kinds([region("16 Miller and Brown", "title", HEAD, furniture=furniture)]) == [[kind]]


@pytest.mark.parametrize(("step", "shares"), [(8.0, True), (12.0, False)])
def test_a_head_is_the_same_less_than_its_type_higher_or_lower(step, shares):
    """Guards against heads on both sides of a step of a grid."""
    pages = [page(region("Annals", corners=(60, 40 + step * (n % 2), 200, 50)), number=n) for n in (1, 2)]
    assert [own.same > 0 for _, _, own in evidence(pages)] == [shares] * 2


def test_an_item_of_a_list_in_the_footer_zone_is_an_item_again():
    last = read("3. Close the gate", "abandon", (60, 705, 160, 715), score=0.5)
    document = assemble(
        "d", 1, opened(), [page(region(BODY), region("2. Lower it", corners=(60, 690, 160, 700)), last)]
    )
    assert "3. Close the gate" in markdown(document)
    last_region = document.pages[0].regions[-1]
    assert isinstance(last_region, TextRegion)
    assert [item.marker for item in last_region.items] == ["3."]


def test_what_is_no_furniture_and_larger_than_the_text_is_a_title():
    assert kinds([read("1.3 Notes on boats", "abandon", HEAD, score=0.5, size=14.0)]) == [["title"]]


def test_what_an_author_marks_as_furniture_is_it():
    assert kinds([region("Anna Miller", "abandon", FOOT, origin=TAG_ORIGIN)]) == [["abandon"]]


def test_what_an_author_marks_as_a_heading_is_it_though_it_comes_back():
    """Guards against "Exercises" at the top of each chapter that leave the text."""
    head = region("Exercises", "title", corners=HEAD, origin=TAG_ORIGIN, level=2)
    assert kinds(*[[head]] * 5) == [["title"]] * 5


@pytest.mark.parametrize("first", [1, 7])
def test_a_number_that_counts_the_pages_is_furniture_though_the_network_reads_text(first):
    """Guards against page numbers among the paragraphs of a report whose pages the network cannot read."""
    numbers = [[read(str(first + n), corners=(300, 740, 312, 750), score=0.97)] for n in range(6)]
    assert kinds(*numbers) == [["abandon"]] * 6
    others = [[read(str(number), corners=(300, 400, 312, 410), score=0.97)] for number in (12, 40, 7, 9, 31, 2)]
    assert kinds(*others) == [["plain text"]] * 6


def test_heads_of_left_and_right_pages_that_change_by_chapter_are_furniture():
    """Guards against heads that half of the pages of one chapter have, and no other."""
    book = [[read("The Book of Boats" if n % 2 else f"Of the {'abcd'[n // 8]} sail", score=0.85)] for n in range(32)]
    assert kinds(*book) == [["abandon"]] * 32


def test_the_head_of_a_table_that_goes_on_over_pages_stays():
    """Guards against the names of columns, which stand at one depth of each page, below the page's own head."""
    rows = [
        [region("Boat and harbour", corners=(60, 90, 200, 100)), read("Boat", corners=(60, 150, 90, 160), score=0.97)]
        for _ in range(4)
    ]
    assert [own[1] for own in kinds(*rows)] == ["plain text"] * 4


@pytest.mark.parametrize("num_pages", [6, 60])
def test_a_title_that_returns_twice_stays(num_pages):
    """Guards against "Exercises" at the top of two pages, taken for a head."""
    pages = [[read("Exercises", "title", HEAD)] if n in (2, 3) else [] for n in range(num_pages)]
    assert [own for own in kinds(*pages) if own] == [["title"]] * 2


def test_evidence_counts_the_other_pages_of_a_row_and_none_that_are_far_away():
    texts = ["Annals" if n in (0, 1, 28) else f"{'abcdefghijklmnopqrstuvwxyzäöü'[n]}" for n in range(29)]
    pages = [page(region(text, corners=HEAD), number=n) for n, text in enumerate(texts, 1)]
    shares = [own.same for _, _, own in evidence(pages)]
    assert shares[:2] == [1 / 7] * 2
    assert set(shares[2:]) == {0.0}


def long_document(num):
    return [
        page(*(region(f"word {k}", corners=(60, 8 * k, 90, 8 * k + 6)) for k in range(9)), number=n) for n in range(num)
    ]


def test_twice_as_many_pages_are_twice_the_work():
    assert steps_of(lambda: with_furniture(long_document(80))) < 2.3 * steps_of(
        lambda: with_furniture(long_document(40))
    )


def test_twice_as_many_regions_are_about_twice_the_work():
    def work(num):
        crowded = page(*(region(f"word {k}", corners=(60, k / 10, 90, k / 10 + 6)) for k in range(num)))
        return steps_of(lambda: with_furniture([crowded]))

    assert work(800) < 2.5 * work(400)


def test_a_watermark_is_furniture_however_much_text_stands_around_it():
    """Guards against a watermark that becomes the heading of its page: no network has read it."""
    mark = region("DRAFT", "abandon", (60, 300, 500, 420), origin=WATERMARK_ORIGIN)
    above = region(BODY, corners=(60, 100, 500, 280))
    assert kinds([above, mark], [above]) == [["plain text", "abandon"], ["plain text"]]


def test_a_text_whose_type_nobody_knows_comes_back_where_its_box_does():
    head = region("Miller and Brown", "abandon", HEAD).model_copy(update={"spans": ()})
    assert [own.same for _, _, own in evidence([page(head, number=n) for n in (1, 2, 3)])] == [2 / 3] * 3
