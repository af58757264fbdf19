"""Features cross from the child that read a stranger's file: whole, and refused where no page has them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_making import inspection, line
from segment_pages import pages, random_tokens, tokens_of

from documents.segments.features import PageFeatures, features, features_by_band
from documents.segments.packed_features import HEADER, MAX_PAGE_TOKENS, pack, packed_segments, unpack
from documents.segments.page_bands import MAX_BAND_TOKENS
from documents.segments.page_tokens import MAX_GRAPHICS, PICTURE, SEGMENT

HALF_PRECISION = 1e-3  # relative error of the numbers
PAGE = features(random_tokens(6, num_graphics=2))


@given(pages())
def test_features_come_back_as_they_were_packed(tokens):
    """Guards against a page that fails because one of its boxes is far off the sheet."""
    page = features(tokens)
    if not len(page.kind):
        return
    (after,) = unpack(pack([page]))
    np.testing.assert_allclose(after.numbers, page.numbers.clip(-6e4, 6e4), rtol=HALF_PRECISION, atol=1e-6)
    for name in ("hashes", "kind", "inside", "lengths", "rows", "size", "bold"):
        assert (getattr(after, name) == getattr(page, name)).all(), name
    assert (after.box == page.box.clip(-6e4, 6e4)).all()
    assert pack([after]) == pack([page])


@given(st.binary(max_size=400))
def test_bytes_that_are_no_features_are_refused(content):
    try:
        bands = unpack(content)
    except ValueError:
        return
    assert pack(bands) == content


@given(st.data())
def test_features_with_bytes_changed_are_refused_or_are_those_of_a_page(data):
    """Guards against an index or a number that takes the network down, and the pages beside it."""
    content = bytearray(pack([PAGE]))
    for _ in range(data.draw(st.integers(1, 6))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        bands = unpack(bytes(content))
    except ValueError:
        return
    page = bands[0]
    assert all(np.isfinite(getattr(page, name)).all() for name in ("numbers", "box", "size", "bold"))
    assert np.abs(page.box).max() <= 6e4
    assert ((page.inside >= -1) & (page.inside < len(page.kind))).all()
    assert ((page.kind >= SEGMENT) & (page.kind <= PICTURE)).all()
    assert (page.hashes >= 0).all()


@pytest.mark.parametrize("change", [lambda content: content[:-1], lambda content: content + b"\0", lambda _: b"\1\0"])
def test_features_of_another_length_are_refused(change):
    with pytest.raises(ValueError, match=r"numbers|early|buffer|tokens"):
        unpack(change(pack([PAGE])))


def test_a_count_that_no_page_has_takes_no_memory():
    with pytest.raises(ValueError, match="more tokens"):
        unpack(HEADER.pack(MAX_BAND_TOKENS + 1) + b"\0" * 1000)


def test_a_page_of_many_bands_comes_back_band_by_band():
    """Guards against rows or boxes of one band in another."""
    bands = list(features_by_band(random_tokens(50), 23))
    after = unpack(pack(bands))
    assert [band.rows.tolist() for band in after] == [band.rows.tolist() for band in bands]
    assert [band.inside.tolist() for band in after] == [band.inside.tolist() for band in bands]


def test_bands_without_end_are_refused():
    """Guards against work that grows with what a child sends, though each band is small."""
    band = features(random_tokens(MAX_BAND_TOKENS, num_graphics=0))
    with pytest.raises(ValueError, match="more tokens than a page"):
        unpack(pack([band] * (1 + MAX_PAGE_TOKENS // MAX_BAND_TOKENS)))


def test_segments_that_are_in_two_bands_or_in_none_are_refused():
    """Guards against blocks that double or lose lines of a page."""
    first, second = features_by_band(random_tokens(40), 23)
    for bands in ([first, first], [second], [first, second, first]):
        with pytest.raises(ValueError, match="segments that no page has"):
            unpack(pack(bands))


def changed(name, index, value):
    array = getattr(PAGE, name).copy()
    array[index] = value
    return replace(PAGE, **{name: array})


@pytest.mark.parametrize(
    "page",
    [
        changed("box", (0, 0), np.nan),
        changed("size", 0, np.inf),
        changed("numbers", (3, 4), np.nan),
        changed("inside", 0, len(PAGE.kind)),
        changed("inside", 0, -2),
        changed("hashes", (0, 0), 4096),
        changed("hashes", (0, 0), -1),
        changed("kind", 7, PICTURE + 1),
        changed("kind", 0, -1),
        changed("kind", 0, PICTURE),
        changed("lengths", 0, -1),
        changed("rows", 0, 6),
        changed("rows", 0, -1),
        changed("rows", 0, 1),
    ],
)
def test_numbers_that_no_page_has_are_refused(page):
    """One of them: graphics stand behind all segments. Three others: a segment has a place, and one alone."""
    with pytest.raises(ValueError, match="no page has"):
        unpack(_raw(page))


def test_a_place_that_no_page_has_is_refused():
    """Guards against widths that are infinite once the network subtracts them."""
    with pytest.raises(ValueError, match="no page has"):
        unpack(_raw(changed("box", (0, 2), 3e38)))


def test_more_graphics_than_the_network_takes_are_refused():
    """Guards against a page of graphics alone, which no band of segments makes smaller."""
    boxes = [(k, k, k + 9, k + 9) for k in range(MAX_GRAPHICS + 1)]
    crowded = features(tokens_of(["Line"], [(0, 0, 50, 10)], graphics=boxes, kinds=[PICTURE] * len(boxes)))
    with pytest.raises(ValueError, match="no page has"):
        unpack(pack([crowded]))
    fewer = PageFeatures(*(getattr(crowded, name)[:-1] for name in PageFeatures.__slots__))
    assert [len(band.kind) for band in unpack(pack([fewer]))] == [1 + MAX_GRAPHICS]


def test_lines_that_nobody_sees_have_no_features():
    visible, hidden = line("Seen"), line("Hidden", y=300, hidden="off_page")
    assert lengths_of(packed_segments(inspection(visible, hidden))) == [len("Seen")]
    assert packed_segments(inspection(hidden)) == b""
    assert lengths_of(packed_segments(inspection(visible), [visible, visible])) == [4, 4]


def lengths_of(content):
    (band,) = unpack(content)
    return band.lengths.tolist()


def _raw(page):
    """The bytes of a page that `pack` would bound; written here by the layout that its module states."""
    columns = (("numbers", "<f2"), ("hashes", "<i2"), ("kind", "<i1"), ("box", "<f4"), ("size", "<f4"))
    columns += (("bold", "<f4"), ("inside", "<i2"), ("lengths", "<i4"), ("rows", "<i4"))
    arrays = b"".join(getattr(page, name).astype(kind).tobytes() for name, kind in columns)
    return HEADER.pack(len(page.kind)) + arrays
