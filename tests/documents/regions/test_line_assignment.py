"""Every line finds its place."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from page_making import detection_of, line

from documents.page.build_page import compose_page, draft_regions
from documents.regions.line_assignment import assign_lines, belong_together, group_ink, group_lines

PLACES = st.tuples(st.integers(0, 300), st.integers(0, 300), st.sampled_from([2.0, 10.0, 40.0]))


def test_a_line_goes_where_most_of_it_lies_and_then_to_the_smaller_region():
    """Guards against a heading that goes up in the column around it."""
    whole, title = detection_of("plain text", 50, 90, 400, 300), detection_of("title", 50, 90, 400, 120)
    head, body, outside = line("Head", y=100), line("Body", y=200), line("Outside", y=500)
    held, orphans = assign_lines([head, body, outside], [whole, title])
    assert held == [[body], [head]]
    assert orphans == [outside]


def test_lines_left_over_become_paragraphs():
    """Guards against text outside all regions that comes out line by line."""
    first = [line("one", y=100, width=200), line("two", y=112, width=180)]
    second = [line("far away", y=300)]
    groups = group_lines([first[0], second[0], first[1]])
    assert sorted(sorted(one.text for one in group) for group in groups) == [["far away"], ["one", "two"]]


def test_a_line_that_comes_late_joins_its_paragraph():
    """Guards against a page that fails because the first line of a long paragraph was drawn last."""
    rows = [line(f"line {n}", y=100 + 12 * n, width=200) for n in range(6)]
    (group,) = group_lines([*rows[1:], rows[0]])
    assert sorted(one.text for one in group) == sorted(one.text for one in rows)


def test_patches_of_ink_are_boxes_and_specks_are_not():
    """Guards against dust of a scan that is sent to OCR."""
    ink = np.zeros((100, 100), bool)
    ink[10:13, 10:40] = ink[15:18, 10:30] = True
    ink[80, 80] = True
    (patch,) = group_ink(ink, 4.0)
    assert (patch.x0, patch.y0, patch.x1, patch.y1) == (40, 40, 160, 72)


def test_bullets_go_to_their_lines():
    """Guards against lists whose bullets come out as paragraphs of their own, before all items."""
    item = line("Accessibility: writers need no press.", x=108, y=100)
    bullet = line("•", x=90, y=100, width=5)
    assert group_lines([bullet, item]) == [[item, bullet]]


@given(st.lists(st.tuples(PLACES, st.sampled_from(["•", "12", "a word", "a longer line of text"])), max_size=12))
def test_lines_are_grouped_as_if_each_was_compared_with_each(placed):
    """Guards against paragraphs that fall apart because their lines were never compared."""
    lines = [line(text, x=x, y=y, size=size) for (x, y, size), text in placed]
    expected: list[set[int]] = []
    for k, one in enumerate(lines):
        joined = [group for group in expected if any(belong_together(lines[j], one) for j in group)]
        expected = [group for group in expected if group not in joined] + [{k}.union(*joined)]
    numbers = {id(one): k for k, one in enumerate(lines)}
    groups = [sorted(numbers[id(one)] for one in group) for group in group_lines(lines)]
    assert sorted(groups) == sorted(map(sorted, expected))


def test_ten_thousand_lines_are_compared_with_few(monkeypatch):
    """Guards against minutes for a page of many small pieces: comparing all with all took over three."""
    compared = 0

    def counted(a, b, limits):
        nonlocal compared
        compared += 1
        return belong_together(a, b, limits)

    monkeypatch.setattr("documents.regions.line_assignment.belong_together", counted)
    lines = [line(f"w{k % 10}", x=20 + 5.7 * (k % 100), y=20 + 7.5 * (k // 100), size=2.5) for k in range(10_000)]
    assert sum(map(len, group_lines(lines))) == 10_000
    assert compared < 50 * len(lines)


def test_a_page_of_ten_thousand_spans_is_read(with_pool, pdf_of):
    """Guards against a page that no limit of time lets through."""

    def draw(page):
        for row in range(100):
            page.insert_text((20, 20 + 7.5 * row), "  ".join(f"w{k % 10}" for k in range(100)), fontsize=2.5)

    source = pdf_of(draw)

    async def use(pool):
        return (await pool.inspect(source, 1)).inspection()

    page_inspection = with_pool(use)
    assert sum(len(one.words) for one in page_inspection.lines) == 10_000
    page = compose_page(page_inspection, draft_regions(page_inspection, []), {}, {})
    assert sum(len(region.text.split()) for region in page.regions) == 10_000
