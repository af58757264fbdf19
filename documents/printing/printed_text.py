"""Finds the text of an Office file on its printed pages, to give regions boxes."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, cast

from documents.boxes import BoundingBox
from documents.places import Place, PrintedBox
from documents.region_values import Region, Span
from documents.values import Page

WORD = re.compile(r"\w+")
SEED_WORDS = 3  # number of consecutive words by which a place is searched
MAX_SEEDS = 8  # maximum number of seeds per region
MAX_CANDIDATES = 40  # maximum number of candidates per seed
MIN_WORD_SHARE = 0.6  # minimum share of a region's words that stand at its place


class PrintedWord(NamedTuple):
    text: str  # in small letters
    page: int  # from 1
    box: BoundingBox


class PrintedText:
    """The words of all printed pages in their order."""

    def __init__(self, lines: Iterable[tuple[int, str, BoundingBox]]) -> None:
        """`lines` are pages from 1, texts and boxes; a line's words share its box."""
        self._words = [PrintedWord(word.lower(), page, box) for page, text, box in lines for word in WORD.findall(text)]
        self._seeds: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for size in range(1, SEED_WORDS + 1):
            for index in range(len(self._words) - size + 1):
                self._seeds[tuple(word.text for word in self._words[index : index + size])].append(index)
        self._next = 0  # behind the last region that was found

    def find(self, text: str) -> PrintedBox | None:
        """Where the text is printed, the nearest behind what was found before; None where it is not."""
        words = [word.lower() for word in WORD.findall(text)]
        if not words:
            return None
        best: tuple[float, int, int] | None = None
        for at in self._candidates(words):
            share = self._share(words, at)
            if share >= MIN_WORD_SHARE and (best is None or (share, -abs(at - self._next)) > best[:2]):
                best = share, -abs(at - self._next), at
        if best is None:
            return None
        start = best[2]
        self._next = start + len(words)
        return _box_of(self._words[start : start + len(words)], words)

    def _candidates(self, words: Sequence[str]) -> set[int]:
        size = min(SEED_WORDS, len(words))
        candidates: set[int] = set()
        step = max(1, (len(words) - size + 1) // MAX_SEEDS)
        for offset in range(0, len(words) - size + 1, step):
            places = self._seeds.get(tuple(words[offset : offset + size]), ())  # in their order
            middle = bisect_left(places, self._next + offset)
            near = places[max(0, middle - MAX_CANDIDATES) : middle + MAX_CANDIDATES]
            starts = [at - offset for at in near]
            candidates.update(sorted(starts, key=lambda at: abs(at - self._next))[:MAX_CANDIDATES])
        return {at for at in candidates if at >= 0}

    def _share(self, words: Sequence[str], at: int) -> float:
        window = Counter(word.text for word in self._words[at : at + len(words)])
        return (window & Counter(words)).total() / len(words)


def _box_of(printed: Sequence[PrintedWord], words: Sequence[str]) -> PrintedBox:
    """The box around the shared words on the page that has most of them."""
    shared = [word for word in printed if word.text in set(words)]
    page, _ = Counter(word.page for word in shared).most_common(1)[0]
    boxes = [word.box for word in shared if word.page == page]
    left, top = min(box.x0 for box in boxes), min(box.y0 for box in boxes)
    right, bottom = max(box.x1 for box in boxes), max(box.y1 for box in boxes)
    return PrintedBox(page=page, box=(round(left, 1), round(top, 1), round(right, 1), round(bottom, 1)))


def printed_boxes(pages: Sequence[Page], printed: PrintedText) -> dict[tuple[int, int], PrintedBox]:
    """Of the regions of all authored pages, by number of page and index, those that are found on the printed ones."""
    matches = (
        ((page.number, index), printed.find(region.text)) for page in pages for index, region in enumerate(page.regions)
    )
    return {key: box for key, box in matches if box is not None}


def with_printed_boxes(page: Page, boxes: Mapping[tuple[int, int], PrintedBox]) -> Page:
    """The page, each region that was found with its printed page and box in its place."""
    regions = tuple(_placed(region, boxes.get((page.number, index))) for index, region in enumerate(page.regions))
    return page.model_copy(update={"regions": regions})


def _placed(region: Region, box: PrintedBox | None) -> Region:
    if box is None or region.place is None:
        return region
    spans = tuple(_span_placed(span, box) for span in region.spans)
    return region.model_copy(update={"place": _with_box(region.place, box), "spans": spans})


def _span_placed(span: Span, box: PrintedBox) -> Span:
    return span if span.place is None else span.model_copy(update={"place": _with_box(span.place, box)})


def _with_box(place: Place, box: PrintedBox) -> Place:
    return cast("Place", place.model_copy(update={"printed": box}))
