"""How many rows part a stretch: as comparing each with each would find it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from documents.tables.parting_rows import num_parting

EDGES = st.one_of(st.integers(0, 12).map(float), st.floats(0, 12))
SPANS = st.tuples(EDGES, EDGES).map(lambda edges: (min(edges), max(edges)))


@given(
    st.lists(SPANS, max_size=6),
    st.lists(st.lists(SPANS, max_size=5).map(sorted), max_size=6),
    st.sampled_from([0.0, 1.0]),
)
def test_rows_are_counted_as_comparing_all_counts_them(stretches, rows, least):
    """Guards against a sweep that loses a row, of spans that lie over one another above all."""
    expected = [
        sum(sum(min(high, b) - max(low, a) > least for a, b in row) >= 2 for row in rows) for low, high in stretches
    ]
    assert num_parting(stretches, rows, least) == expected
