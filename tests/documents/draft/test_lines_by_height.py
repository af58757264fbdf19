"""Lines that may touch are found without comparing all with all."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from page_making import line

from documents.draft.lines_by_height import Neighbours
from documents.page.build_page import compose_page, draft_regions
from documents.regions.line_assignment import belong_together, group_lines

PLACES = st.tuples(st.integers(0, 300), st.integers(0, 300), st.sampled_from([2.0, 10.0, 40.0]))


@given(st.lists(st.tuples(PLACES, st.sampled_from(["•", "12", "a word", "a longer line of text"])), max_size=12))
def test_lines_that_are_one_are_neighbours(placed):
    """Guards against paragraphs that fall apart because their lines were never compared."""
    lines = [line(text, x=x, y=y, size=size) for (x, y, size), text in placed]
    near = Neighbours(lines)
    for one in lines:
        ids = {id(other) for other in near.of(one)}
        assert id(one) not in ids
        assert all(id(other) in ids for other in lines if other is not one and belong_together(one, other))


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
