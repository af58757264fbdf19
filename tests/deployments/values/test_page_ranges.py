"""`deployments.values.page_ranges`: what is named is chosen, once and in order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from deployments.values.jobs import Options
from deployments.values.page_ranges import absent_pages, select_pages

PARTS = st.tuples(st.integers(1, 40), st.none() | st.integers(0, 40), st.booleans())


@given(st.lists(PARTS, min_size=1, max_size=30), st.integers(0, 30))
def test_ranges_choose_what_they_name_however_they_overlap(parts, num_pages: int) -> None:
    """Guards against pages that are chosen twice, out of order, or not at all."""
    texts, expected = [], set()
    for first, length, open_ended in parts:
        last = num_pages if open_ended else first + length if length is not None else first
        texts.append(f"{first}-" if open_ended else f"{first}-{last}" if length is not None else str(first))
        expected |= set(range(first, min(last, num_pages) + 1))
    ranges = ",".join(texts)
    assert select_pages(ranges, num_pages) == sorted(expected)
    assert absent_pages(ranges, num_pages) == [text for text in texts if not select_pages(text, num_pages)]


@pytest.mark.parametrize("ranges", ["", "0", "3-1", "a", "1,,2", "-3", "1--2", "1-2-3", "9999999999"])
def test_what_is_no_range_is_refused(ranges: str) -> None:
    """Guards against a typing error that reads another page."""
    with pytest.raises(ValueError, match=r"pages must be|ranges must ascend"):
        select_pages(ranges, 10)


def test_ranges_and_metadata_without_end_are_refused() -> None:
    """Guards against one upload that keeps the owner of all jobs busy, or fills every row of the index."""
    for options in (
        {"pages": "1-," * 500 + "1"},
        {"metadata": {str(n): "" for n in range(51)}},
        {"metadata": {"a": "x" * 9000}},
    ):
        with pytest.raises(ValidationError):
            Options.model_validate(options)
