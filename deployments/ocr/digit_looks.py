"""Looks again at printed lines for the digits of a reading: what no further look reads is `unproved`.

A planted or invented digit is in no picture; one that is misread is often read otherwise at another size of the print.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from PIL import Image

from deployments.values.read_options import RegionUnread
from documents.boxes import BoundingBox
from documents.draft.whole_page_reading import PageReading
from documents.errors import RegionTooDense
from documents.page_index import PageIndex
from documents.text.digit_strings import counted, counted_as_read, most_said, ranges_of
from documents.values import Reading, ReadLine

# scale of the picture at each further look; a look reads only what the ones before did not prove
SIZES = (1.4, 0.8, 1.0)


class LineReader(Protocol):
    """Reads printed lines one by one."""

    async def lines(self, picture: np.ndarray, within: Sequence[BoundingBox] | None, label: str) -> Sequence[ReadLine]:
        """Those of a picture, uint8 (height, width, 3), or those that lie in boxes of it, without unreadable words."""
        ...


async def with_looks(
    reading: Reading,
    picture: np.ndarray,
    reader: LineReader | None,
    *,
    printed: Sequence[BoundingBox] | None,
    label: str,
) -> Reading:
    """The reading of a picture, uint8 (height, width, 3), with further looks at its digits.

    `printed` are the lines from which it is, None where a model read the picture as a whole. Without a reader of lines,
    or where it fails, nothing is proved.
    """
    looks: list[tuple[ReadLine, ...]] = []
    rest, boxes = await asyncio.to_thread(_unproved, reading, looks, printed)
    for size in SIZES if printed is None else SIZES[:-1]:  # read as lines it was looked at as it is
        if not rest or reader is None:
            break
        try:
            looks.append(await _look(picture, size, reader, boxes if printed is not None else None, label))
        except (RegionTooDense, RegionUnread):
            break
        rest, boxes = await asyncio.to_thread(_unproved, reading, looks, printed)
    return reading.model_copy(update={"looks": tuple(looks), "unproved": ranges_of(reading.text, rest)})


async def page_with_looks(
    page: PageReading, picture: np.ndarray, reader: LineReader | None, *, label: str
) -> PageReading:
    """What a model read of a whole page, with further looks at the digits of all of its blocks."""
    height, width = picture.shape[:2]
    whole = BoundingBox(x0=0, y0=0, x1=width, y1=height)
    text = "\n".join(block.text for block in page.blocks)
    answer = Reading(text=text, lines=(ReadLine(text=text, box=whole, confidence=page.confidence),))
    answer = await with_looks(answer, picture, reader, printed=None, label=label)
    looks = tuple(tuple(line.scaled(1 / width, 1 / height) for line in look) for look in answer.looks or ())
    return page.model_copy(update={"looks": looks})


async def _look(
    picture: np.ndarray, size: float, reader: LineReader, boxes: Sequence[BoundingBox] | None, label: str
) -> tuple[ReadLine, ...]:
    """The lines with digits, in pixels of the picture."""
    resized = await asyncio.to_thread(_resized, picture, size)
    x, y = resized.shape[1] / picture.shape[1], resized.shape[0] / picture.shape[0]
    lines = await reader.lines(resized, None if boxes is None else [box.scaled(x, y) for box in boxes], label)
    return tuple(line.scaled(1 / x, 1 / y) for line in lines if counted([line.text]))


def _unproved(
    reading: Reading, looks: Sequence[Sequence[ReadLine]], printed: Sequence[BoundingBox] | None
) -> tuple[Counter[str], list[BoundingBox]]:
    """The digits that no look has read in the place of their line by now, and the printed lines that hold them."""
    places = [([counted_as_read(line.text) for line in look], PageIndex(line.box for line in look)) for look in looks]
    rest: Counter[str] = Counter()
    doubtful: list[BoundingBox] = []
    for line in reading.lines:
        own = counted([line.text])
        if own:
            beside = (
                sum((look[k] for k in {*index.with_middle_in(line.box), *index.holding(*line.box.center)}), Counter())
                for look, index in places
            )
            own -= most_said(beside)
        if own:
            rest += own
            doubtful.append(line.box)
    middles = PageIndex(doubtful)
    return rest, [box for box in printed or () if middles.with_middle_in(box)]


def _resized(picture: np.ndarray, size: float) -> np.ndarray:
    height, width = picture.shape[:2]
    shape = max(1, round(width * size)), max(1, round(height * size))
    return np.asarray(Image.fromarray(np.ascontiguousarray(picture)).resize(shape, Image.Resampling.BICUBIC))
