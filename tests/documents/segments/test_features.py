"""Features are finite numbers that say how a page is laid out, whatever its size and place on the sheet."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from segment_pages import pages, random_tokens, tokens_of

from documents.segments.features import (
    HASH_BUCKETS,
    NUM_FEATURES,
    NUM_HASHES,
    PageFeatures,
    features,
    features_by_band,
)
from documents.segments.page_bands import MAX_BAND_TOKENS, bands
from documents.segments.page_tokens import BOX, RULE

ABSOLUTE = 16  # the column that says how large the type is in points
LETTERS = 55  # the first column about the text itself
COLUMN = [(60, 100 + 14 * k, 300, 110 + 14 * k) for k in range(6)]
PROSE = ["The harbour was closed until", "the ships had left, and the", "keeper wrote it down. Nobody"] * 2


@given(pages())
def test_any_page_has_finite_features_of_the_shapes_that_are_stated(tokens):
    """Guards against a division by a width, a size or a number of letters that is nothing."""
    page, count = features(tokens), len(tokens.kind)
    shapes = {"numbers": (count, NUM_FEATURES), "hashes": (count, NUM_HASHES), "box": (count, 4)}
    shapes |= dict.fromkeys(("kind", "size", "bold", "inside", "lengths", "rows"), (count,))
    assert {name: getattr(page, name).shape for name in shapes} == shapes
    assert all(np.isfinite(getattr(page, name)).all() for name in ("numbers", "box", "size", "bold"))
    assert page.hashes.min(initial=0) >= 0
    assert page.hashes.max(initial=0) < HASH_BUCKETS
    assert page.lengths.tolist()[: tokens.num_segments] == [len(text) for text in tokens.texts]


def test_a_page_twice_as_large_has_the_same_features():
    """Guards against thresholds in points, which make a poster another page than its print."""
    graphics = [(50, 90, 310, 200), (60, 96, 300, 97)]
    small = tokens_of(PROSE, COLUMN, bold=[0], graphics=graphics, kinds=[BOX, RULE])
    large = replace(small, width=2 * small.width, height=2 * small.height, box=2 * small.box, size=2 * small.size)
    before, after = features(small), features(large)
    relative = np.arange(NUM_FEATURES) != ABSOLUTE
    np.testing.assert_allclose(after.numbers[:, relative], before.numbers[:, relative], atol=1e-5)
    np.testing.assert_allclose(after.box, before.box, atol=1e-5)
    np.testing.assert_allclose((after.size - before.size)[: len(PROSE)], math.log(2), atol=1e-5)
    assert (after.hashes == before.hashes).all()
    assert (after.inside == before.inside).all()


def test_type_and_neighbours_do_not_change_where_the_page_is_moved():
    """Only the columns of a token's own place may say where on the sheet it stands."""
    tokens = random_tokens(30)
    moved = replace(tokens, box=tokens.box + np.array([16, 32, 16, 32], np.float32))
    np.testing.assert_allclose(features(moved).numbers[:, 15:], features(tokens).numbers[:, 15:], atol=1e-4)


def test_the_nearest_lines_above_and_below_are_found():
    """The oracle is the page as it was drawn: lines 14 points apart, 10 high, the last of another column."""
    page = features(tokens_of([*PROSE, "Beside"], [*COLUMN, (320, 100, 400, 110)]))
    above, below = page.numbers[:, 28:36], page.numbers[:, 36:44]
    assert above[:, 0].tolist() == [1, 0, 0, 0, 0, 0, 1], "the top of each column has nothing above it"
    assert below[:, 0].tolist() == [0, 0, 0, 0, 0, 1, 1]
    assert above[1:6, 1].tolist() == pytest.approx([0.2] * 5), "a gap of 4 points, in half sizes of 10"


def test_the_smallest_box_around_a_line_is_its_box():
    boxes = [(0, 0, 500, 500), (50, 90, 310, 125), (55, 98, 305, 112)]
    page = features(tokens_of(PROSE, COLUMN, graphics=boxes, kinds=[BOX] * 3))
    assert page.inside.tolist() == [8, 7, 6, 6, 6, 6, -1, -1, -1]


def test_words_and_letters_have_hashes_that_digits_do_not_change():
    first, second, other = features(tokens_of(["Page 17", "Page 24", "Harbour"], COLUMN[:3])).hashes.tolist()
    words = 3  # hashes of the first words and of the last one
    assert first[:words] == second[:words] != other[:words]
    assert all(1 <= code < HASH_BUCKETS for code in first if code)


@pytest.mark.parametrize("max_tokens", [10, 23, 53])
def test_bands_hold_each_segment_once_and_all_graphics(max_tokens):
    tokens = random_tokens(50)
    parts = list(bands(tokens, max_tokens))
    assert sorted(k for rows, _ in parts for k in rows.tolist()) == list(range(50))
    for rows, part in parts:
        assert len(part.kind) == len(rows) + 3 <= max_tokens
        assert part.texts == tuple(tokens.texts[k] for k in rows)
        assert (part.box == np.concatenate([tokens.box[rows], tokens.box[50:]])).all()


def rows_of_prose(count):
    boxes = [(60, 20 * k, 300, 20 * k + 10) for k in range(count)]
    return tokens_of((PROSE * count)[:count], boxes, graphics=[(50, 395, 310, 396)], kinds=[RULE])


def test_a_page_in_bands_has_the_features_of_the_page():
    """Guards against type that is compared with that of its band alone; only neighbours end where a band does."""
    tokens = rows_of_prose(40)
    whole = features(tokens)
    parts = list(features_by_band(tokens, 11))
    assert [part.rows.tolist() for part in parts] == [[*range(k, k + 10), -1] for k in (0, 10, 20, 30)]
    numbers = np.concatenate([part.numbers[:10] for part in parts])
    at_edges = {9, 10, 19, 20, 29, 30}
    inner = [k for k in range(40) if k not in at_edges]
    assert (numbers[inner] == whole.numbers[inner]).all()
    assert all((numbers[k] != whole.numbers[k]).any() for k in at_edges), "a line next to another band"
    assert (numbers[:, LETTERS:] == whole.numbers[:40, LETTERS:]).all()


def test_a_page_of_ten_thousand_segments_has_features_in_small_bands():
    """Guards against pages of very many lines that take all memory: their lines were compared all with all."""
    parts = list(features_by_band(rows_of_prose(10_000)))
    assert sorted(np.concatenate([part.rows[:-1] for part in parts]).tolist()) == list(range(10_000))
    assert max(len(part.kind) for part in parts) <= MAX_BAND_TOKENS
    assert len(parts) == 16


def test_every_field_of_the_features_is_an_array_with_one_row_per_token():
    page = features(random_tokens(5, num_graphics=2))
    assert {len(getattr(page, name)) for name in PageFeatures.__slots__} == {7}
