"""Tables of contents are told from tables."""

from __future__ import annotations

from page_making import box, detection_of, inspection, kept, printed

from documents.structure.contents_lists import ContentsLists, lists_contents

TABLE = box(60, 140, 500, 300)
LIMITS = ContentsLists()


def entries(pages, dots=""):
    return [
        one
        for k, page in enumerate(pages)
        for one in (printed(f"The court {dots}".strip(), 62, 150 + 20 * k), printed(str(page), 400, 150 + 20 * k))
    ]


def test_entries_with_dots_and_pages_are_no_table():
    """Guards against a table of contents that became a table."""
    lines = entries(["iii", 1, 4, 4, 9], dots="........")
    assert lists_contents(TABLE, lines, LIMITS)
    remaining = kept(inspection(*lines), [detection_of("table", 60, 140, 500, 300)])
    assert [d.kind for d in remaining] == ["plain text"]


def test_entries_without_dots_stay_a_table():
    """Guards against entries that run into one another: nothing but columns keeps these apart."""
    assert not lists_contents(TABLE, entries([1, 4, 4, 9]), LIMITS)


def test_values_and_rows_of_several_numbers_are_a_table():
    """Guards against tables with dots before their values that became text."""
    assert not lists_contents(TABLE, entries([40, 12, 31, 9], dots="........"), LIMITS), "pages do not fall"
    assert not lists_contents(TABLE, entries([7, 7, 7, 7], dots="........"), LIMITS), "these are all one"
    assert not lists_contents(TABLE, entries([1, 4, 9], dots="........"), LIMITS), "these are few"
    beside = [printed(str(10 + k), 300, 150 + 20 * k) for k in range(5)]
    assert not lists_contents(TABLE, [*entries([1, 3, 4, 4, 9], dots="........"), *beside], LIMITS), (
        "two numbers in each row"
    )
    assert not lists_contents(TABLE, [], LIMITS)
