"""A page in other type has other sizes and faces where it should, block by block."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from documents.segments.roles import ROLES
from training.structure.network.plain_pages import plain_page
from training.structure.network.retyped import BOLD, SERIF, Retype, retyped

SOURCE = plain_page(30, 4)
HEADINGS = [ROLES.index("title"), ROLES.index("heading")]


def test_headings_of_a_retyped_page_shrink_and_stay_bold():
    flat = Retype(size_error=0, flat=1, bold=1, other_face=0, shake=0, keeps_graphics=1, smallest_heading=0.7)
    roles = np.array([ROLES.index("heading"), *[ROLES.index("text")] * 29], np.int8)
    source = replace(SOURCE, role=roles)
    page = retyped(source, 4, flat)
    count = source.tokens.num_segments
    assert 7 <= page.tokens.size[0] < 10
    assert (page.tokens.size[1:count] == 10).all()
    assert page.tokens.style[0, BOLD] == 1
    assert (page.tokens.style[1:, BOLD] == source.tokens.style[1:, BOLD]).all()
    height = page.tokens.box[0, 3] - page.tokens.box[0, 1]
    assert height == pytest.approx(float(page.tokens.size[0]), abs=1e-3), "a box is as high as its type"
    assert len(page.tokens.kind) == len(source.tokens.kind)


def test_the_type_of_one_block_changes_as_a_whole():
    """Guards against lines of one paragraph in sizes of their own."""
    page = retyped(SOURCE, 6, Retype(size_error=0.3, flat=0, shake=0))
    sizes = {int(block): set() for block in SOURCE.block}
    for block, size in zip(SOURCE.block, page.tokens.size, strict=False):
        sizes[int(block)].add(float(size))
    assert all(len(of_block) == 1 for of_block in sizes.values())
    assert len(set.union(*sizes.values())) == len(sizes)


def test_headings_and_text_are_set_in_other_faces():
    page = retyped(SOURCE, 8, Retype(other_face=1))
    is_heading = np.isin(SOURCE.role, HEADINGS)
    serif = page.tokens.style[: len(is_heading), SERIF]
    assert is_heading.any()
    assert len(set(serif[is_heading])) == len(set(serif[~is_heading])) == 1
    assert serif[is_heading][0] != serif[~is_heading][0]
