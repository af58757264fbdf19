from __future__ import annotations

import pytest

from documents.tables.judged.lattice import lattice_of
from documents.tables.judged.pairs import pair_buckets
from documents.tables.judged.pieces import pieces_of
from tests.documents.tables.judged.table_making import region

RULES_LEVEL, RULES_UPRIGHT = 10, 11  # features of a pair


def test_no_line_covers_the_gap_of_two_columns_and_a_heading_covers_it_in_its_line() -> None:
    rows = [[(0, "aa"), (60, "1")], [(0, "bb"), (60, "2")], [(0, "heading-over-both-of-them")], [(0, "cc"), (60, "3")]]
    white, covered = lattice_of(pieces_of(region([*rows[:2], rows[3]]))), lattice_of(pieces_of(region(rows)))
    assert white.whitest[0, 1] == 0
    assert covered.whitest[0, 1] == pytest.approx(0.25)


def test_the_widest_step_between_two_lines_is_told_for_all_pairs_across_it() -> None:
    words = region([[(0, "a")], [(0, "b")], [(0, "c")], [(0, "d")]])
    words.box[2:, [1, 3]] += 12
    widest = lattice_of(pieces_of(words)).widest
    assert widest[0, 1] == pytest.approx(1.0)
    assert widest[0, 3] == widest[1, 2] == pytest.approx(2.0)
    assert widest[2, 2] == 0


def test_a_rule_between_two_rows_parts_what_it_passes() -> None:
    words = region([[(0, "aa"), (60, "1")], [(0, "bb"), (60, "2")]], [[-2, 11, 20, 11.4]])
    pieces = pieces_of(words)
    buckets = pair_buckets(pieces, lattice_of(pieces), lattice_of(pieces).box[:, 0] < 0)
    assert buckets[RULES_LEVEL, 0, 2] == 2  # both of the first column
    assert buckets[RULES_LEVEL, 0, 3] == 1  # one of them
    assert buckets[RULES_LEVEL, 1, 3] == 0
    assert (buckets[RULES_UPRIGHT] == 0).all()
