"""Joins the parts of a printed line that black bars cover between, with a mark for what is covered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pymupdf

from documents.boxes import BoundingBox
from documents.inspection import REDACTED_TEXT, TextLine, Word
from documents.page_index import PageIndex
from documents.text.typography import set_words

MAX_BAR_LIGHTNESS = 0.3  # maximum value of each colour channel of a bar, of 1
BAR_HEIGHTS = (0.6, 2.5)  # range of a bar's height, in type sizes
MIN_BAR_WIDTH = 1.0  # minimum width of a bar, in bar heights and in type sizes
MAX_GAP = 0.8  # maximum gap between a bar and the words beside it, in type sizes
MAX_MIDDLE_OFFSET = 0.4  # maximum offset between the middles of bar and line, in type sizes
MAX_SIZE_RATIO = 1.2  # maximum ratio of the type sizes at the left and right of a bar
MAX_NEIGHBOURS = 100  # maximum number of lines at the height of a bar that are compared with it


def with_covered_places(
    lines: Sequence[TextLine], paths: Sequence[dict[str, Any]], page: pymupdf.Page
) -> tuple[tuple[TextLine, ...], list[dict[str, Any]]]:
    """The lines, those on both sides of a bar as one, with a mark for each bar; and the paths that are no such bar.

    A bar with words on one side alone, or on none, counts if it hides text, or on a page where others part lines.
    """
    bars = sorted(_bars(paths, page), key=lambda pair: pair[1].x0)
    if not bars:
        return tuple(lines), list(paths)
    covered = _CoveredLines(lines)
    left = [pair for pair in bars if not covered.join_at(pair[1])]
    others = {number for number, bar in left if not covered.mark(bar, certain=len(left) < len(bars))}
    marked = {number for number, _ in bars} - others
    return covered.lines(), [path for number, path in enumerate(paths) if number not in marked]


class _CoveredLines:
    """The lines of a page while bars join them."""

    def __init__(self, lines: Sequence[TextLine]) -> None:
        self._current: list[TextLine | None] = list(lines)
        self._added: list[TextLine] = []
        self._index = PageIndex(line.box for line in lines)

    def lines(self) -> tuple[TextLine, ...]:
        return (*(line for line in self._current if line is not None), *self._added)

    def join_at(self, bar: BoundingBox) -> bool:
        """Make one line of those on both sides of a bar, if there are such in the same type."""
        left, right = self._sides(bar, self._level_with(bar))
        if left is None or right is None:
            return False
        before, after = self._current[left], self._current[right]
        if before is None or after is None or not _is_alike(before, after):
            return False
        self._current[left], self._current[right] = _joined(before, bar, after), None
        return True

    def mark(self, bar: BoundingBox, *, certain: bool) -> bool:
        """Whether a bar got a mark: in the line at one side of it, or alone where it hides all of a line."""
        level = self._level_with(bar)
        hides = [line for line in level.values() if line.hidden is not None and line.box.intersection(bar)]
        left, right = self._sides(bar, level)
        place = left if left is not None else right
        if place is not None and (hides or certain):
            line = level[place]
            self._current[place] = _joined(line, bar, None) if place == left else _joined(None, bar, line)
            return True
        if hides and not self._has_words_on(bar, level):
            mark = Word(text=REDACTED_TEXT, box=bar, font_size=hides[0].font_size)
            update = {"text": REDACTED_TEXT, "words": (mark,), "box": bar, "hidden": None, "bad_share": 0.0}
            self._added.append(hides[0].model_copy(update=update))
            return True
        return False

    def _level_with(self, bar: BoundingBox) -> dict[int, TextLine]:
        crossing = self._index.level_with(bar.y0, bar.y1, MAX_NEIGHBOURS)
        near = ((k, self._current[k]) for k in crossing)
        return {k: line for k, line in near if line is not None and _is_level(line, bar)}

    def _sides(self, bar: BoundingBox, level: Mapping[int, TextLine]) -> tuple[int | None, int | None]:
        """The lines that end and begin at a bar on which no words are printed."""
        visible = {k: line for k, line in level.items() if line.hidden is None and line.words}
        if self._has_words_on(bar, visible):
            return None, None
        left = next((k for k, line in visible.items() if _is_beside(line.box.x1, bar.x0, line)), None)
        right = next((k for k, line in visible.items() if _is_beside(bar.x1, line.box.x0, line)), None)
        return left, right

    def _has_words_on(self, bar: BoundingBox, level: Mapping[int, TextLine]) -> bool:
        return any(
            bar.contains(*word.box.center) for line in level.values() if line.hidden is None for word in line.words
        )


def _bars(paths: Sequence[dict[str, Any]], page: pymupdf.Page) -> Iterator[tuple[int, BoundingBox]]:
    """Dark boxes that are wider than high, thick lines too, with the number of their path."""
    upright = page.rotation_matrix  # asked for once: MuPDF works it out each time
    for number, path in enumerate(paths):
        fill, stroke = path.get("fill"), path.get("color")
        for kind, *points in path["items"]:
            if (
                kind == "re"
                and fill is not None
                and max(fill) <= MAX_BAR_LIGHTNESS
                and path.get("fill_opacity", 1.0) == 1.0
            ):
                rect = pymupdf.Rect(points[0])
            elif (
                kind == "l"
                and stroke is not None
                and max(stroke) <= MAX_BAR_LIGHTNESS
                and (path.get("width") or 0) > 4.0
            ):
                half = path["width"] / 2
                (x0, y0), (x1, y1) = points
                rect = pymupdf.Rect(min(x0, x1), min(y0, y1) - half, max(x0, x1), max(y0, y1) + half)
            else:
                continue
            rect = rect.normalize() * upright
            if rect.width >= MIN_BAR_WIDTH * rect.height > 0:
                yield number, BoundingBox(x0=rect.x0, y0=rect.y0, x1=rect.x1, y1=rect.y1)


def _is_level(line: TextLine, bar: BoundingBox) -> bool:
    size = line.font_size
    fits = BAR_HEIGHTS[0] * size <= bar.height <= BAR_HEIGHTS[1] * size and bar.width >= MIN_BAR_WIDTH * size
    return fits and not line.angle and abs(line.box.center[1] - bar.center[1]) <= MAX_MIDDLE_OFFSET * size


def _is_beside(left: float, right: float, line: TextLine) -> bool:
    return -0.5 * line.font_size <= right - left <= MAX_GAP * line.font_size


def _is_alike(a: TextLine, b: TextLine) -> bool:
    return max(a.font_size, b.font_size) <= MAX_SIZE_RATIO * min(a.font_size, b.font_size)


def _joined(left: TextLine | None, bar: BoundingBox, right: TextLine | None) -> TextLine:
    main = max((line for line in (left, right) if line is not None), key=lambda line: len(line.text))
    mark = Word(text=REDACTED_TEXT, box=bar, font_size=main.font_size)
    before = left.words if left is not None else ()
    after = right.words if right is not None else ()
    spaced = tuple(word.model_copy(update={"spaced": word.text[0] not in ".,;:!?)"}) for word in after[:1])
    words = (*before, mark, *spaced, *after[1:])
    box = BoundingBox.around([*(line.box for line in (left, right) if line is not None)])
    box = box.model_copy(update={"x0": min(box.x0, bar.x0), "x1": max(box.x1, bar.x1)})
    return main.model_copy(update={"text": set_words(words), "words": words, "box": box})
