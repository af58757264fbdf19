"""Headings and their levels, as the whole document shows them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_making import opened, page, region

from documents.document.document_styles import outline_levels, styled_texts
from documents.document.heading_judge import WEIGHTS, HeadingJudge
from documents.document.heading_levels import MAX_STYLES, decoded, looks_of
from documents.document.headings import with_document_headings
from documents.draft.page_draft import TAG_ORIGIN
from documents.values import OutlineItem

PROSE = "The harbour master signs the ledger every morning before the fog lifts and the boats leave for the day. " * 3


def chapter(number, heading, *more, size=14.0, **fields):
    """A page with a heading, the network's opinion of it in `heading`, and text."""
    name = region(f"Of boats {chr(65 + number)}", size=size, heading=heading, **fields)
    return page(name, region(PROSE + str(number), heading=0.01), *more, number=number + 1)


def kinds_and_levels(pages, outline=()):
    done = with_document_headings(pages, opened(len(pages), outline=outline))
    return [[(one.kind, getattr(one, "level", None)) for one in done_page.regions] for done_page in done]


def test_what_is_set_as_the_documents_headings_are_is_one_of_them():
    """Guards against the one chapter of twelve whose page looked unlike the others'."""
    pages = [chapter(k, 0.3 if k == 5 else 0.97, kind="plain text" if k == 5 else "title") for k in range(12)]
    assert [kinds[0] for kinds in kinds_and_levels(pages)] == [("title", 1)] * 12


def test_a_text_set_as_all_texts_are_is_no_heading_though_one_page_took_it_for_one():
    first = region("and the keeper stayed.", "title", heading=0.52)
    pages = [page(first, region(PROSE, heading=0.01)), *(chapter(k, 0.97, kind="title") for k in range(1, 9))]
    pages += [page(*(region(f"the boats left, {k}.", heading=0.01) for k in range(9)), number=10)]
    assert kinds_and_levels(pages)[0][0][0] == "plain text"


def test_what_an_author_tagged_and_what_the_network_does_not_know_stays():
    for fields in ({"heading": 0.01, "origin": TAG_ORIGIN}, {}, {"heading": 0.01, "text_source": "ocr"}):
        pages = [page(region("Of boats", "title", **fields), region(PROSE, heading=0.01))]
        assert kinds_and_levels(pages)[0][0] == ("title", 1)


def test_levels_of_authors_and_of_the_outline_win():
    pages = [chapter(k, 0.97, kind="title", level=4 if k == 1 else None) for k in range(3)]
    outline = (OutlineItem(level=2, title="Of boats C", page=3),)
    levels = [kinds[0][1] for kinds in kinds_and_levels(pages, outline)]
    assert levels[1:] == [4, 2]


def test_a_number_with_a_nought_stands_where_whole_numbers_do():
    """Guards against "1.0 Scope" below "2 Terms"."""
    texts = styled_texts([page(*(region(text, "title") for text in ("1.0 Scope", "2 Terms", "2.1 Boats")))])
    looks, own = looks_of(texts)
    assert own == [0, 0, 1]
    assert [look.form for look in looks] == [1, 2]


def test_the_nearest_of_many_entries_of_one_name_is_taken():
    outline = tuple(OutlineItem(level=1 + k % 3, title="Exercises", page=10 * k) for k in range(1, 400))
    texts = styled_texts([page(region("Exercises", "title"), number=1)])
    assert [outline_levels(texts, outline, [number])[0] for number in (11, 28, 3991)] == [2, 1, 1]


@pytest.mark.parametrize("truth", [[0, 1, 2], [2, 0, 1, 1], [0, 0, 0], [1, 0], [0], [3, 1, 0, 2, 1]])
def test_levels_that_all_pairs_agree_on_are_decoded(truth):
    steps = np.sign(np.subtract.outer(truth, truth))
    above, same = np.where(steps < 0, 0.8, 0.1), np.where(steps == 0, 0.8, 0.1)
    assert decoded(above, same, np.ones_like(above)) == truth


def opinions(truth):
    """(above, same) of pairs that nearly all agree with `truth`, those on one level with a slight lean to the first."""
    steps = np.sign(np.subtract.outer(truth, truth))
    above, same = np.where(steps < 0, 0.9, 0.05), np.where(steps == 0, 0.85, 0.05)
    above[np.triu(steps == 0, 1)] = 0.1
    return above, same


def test_one_pair_the_wrong_way_round_is_outvoted():
    """Guards against an order that one pair decides: the lowest of four levels was said to stand above the highest."""
    truth = [3, 0, 2, 1]
    above, same = opinions(truth)
    above[0, 1], above[1, 0] = 0.6, 0.35
    assert decoded(above, same, np.ones_like(above)) == truth


def test_one_pair_that_parts_a_level_is_outvoted():
    """Guards against a level that is cut where two neighbours differ, though a third look is like the first."""
    truth = [0, 0, 0, 1]
    above, same = opinions(truth)
    above[0, 1], same[0, 1] = 0.55, 0.4
    above[1, 2], same[1, 2] = 0.45, 0.5
    assert decoded(above, same, np.ones_like(above)) == truth


def test_a_pair_that_nobody_contradicts_decides():
    truth = [0, 1, 1]
    above, same = opinions(truth)
    above[1, 2], same[1, 2], same[2, 1] = 0.55, 0.4, 0.4
    assert decoded(above, same, np.ones_like(above)) == [0, 1, 2]


def test_a_document_of_thousands_of_looks_compares_few():
    """Guards against a file that sets each of its headings in another size, and is compared pair by pair."""
    texts = styled_texts([page(*(region(f"Boat {k}", "title", size=4 + 0.2 * k) for k in range(3000)))])
    looks, own = looks_of(texts)
    assert len(looks) == MAX_STYLES
    assert len(own) == 3000
    assert set(own) <= set(range(MAX_STYLES))


@pytest.mark.parametrize("name", ["features", "pair_features", "tie", "hidden"])
def test_weights_for_other_features_are_refused(name):
    fields = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    with pytest.raises(ValueError, match="other features"):
        HeadingJudge.of({**fields, name: fields[name][1:]})


def test_an_entry_without_a_page_gives_way_to_one_that_has_a_page():
    (text,) = styled_texts([page(region("Exercises", "title"))])
    outline = [OutlineItem(title="Exercises", level=1, page=None), OutlineItem(title="Exercises", level=2, page=50)]
    assert outline_levels([text], outline, [3]) == [2]
    assert outline_levels([text], outline[:1], [3]) == [1]


def _region(text, kind, size, heading, level, printed):
    fields = {"level": level} if kind == "title" else {}
    one = region(text, kind, size=size, heading=heading, **fields)
    return one if printed else one.model_copy(update={"spans": ()})


WORDS = ("1. Boats", "2.1 Of fog", "HARBOUR", "• one\n• two", "it left.", "II. Dues", "—", " ", PROSE, "第一章")
REGIONS = st.builds(
    _region,
    st.sampled_from(WORDS),
    st.sampled_from(["title", "plain text", "abandon", "figure", "table"]),
    st.sampled_from([0.0, 6.0, 10.0, 10.1, 14.0, 400.0]),
    st.sampled_from([None, 0.0, 0.4, 0.6, 1.0]),
    st.sampled_from([None, 1, 6, 9]),
    st.booleans(),
)
OUTLINES = st.lists(
    st.builds(
        OutlineItem,
        level=st.integers(1, 9),
        title=st.sampled_from(["Boats", "1. Boats", "HARBOUR", "", "Of fog"]),
        page=st.sampled_from([None, 1, 2]),
    ),
    max_size=4,
)


@settings(deadline=None)
@given(st.lists(st.lists(REGIONS, max_size=6), max_size=4), OUTLINES)
def test_order_and_words_stay_levels_are_from_one_to_six_and_the_same_each_time(regions, outline):
    pages = [page(*own, number=number) for number, own in enumerate(regions, 1)]
    facts = opened(max(1, len(pages)), outline=tuple(outline))
    done = with_document_headings(pages, facts)
    assert done == with_document_headings(pages, facts)
    assert [done_page.number for done_page in done] == [one.number for one in pages]
    for before, after in zip(pages, done, strict=True):
        assert [one.text for one in after.regions] == [one.text for one in before.regions]
        for old, new in zip(before.regions, after.regions, strict=True):
            if new.kind != old.kind:
                assert {old.kind, new.kind} == {"title", "plain text"}
            if new.kind == "title":
                assert new.level in range(1, 7)
