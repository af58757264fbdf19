"""The words and rules of an upright area as arrays, mirrored where the table is read from the right."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from documents.inspection import Ruling
from documents.tables.cells import PlacedWord
from documents.tables.judged.pieces import RegionWords


def region_words(words: Sequence[PlacedWord], rules: Sequence[Ruling], *, mirrored: bool) -> RegionWords:
    box = np.array([_edges(one) for one in words], np.float32).reshape(-1, 4)
    drawn = np.array([_edges(one) for one in rules], np.float32).reshape(-1, 4)
    if mirrored:
        box, drawn = _mirrored(box), _mirrored(drawn)
    return RegionWords(
        texts=tuple(one.word.text for one in words),
        box=box,
        size=np.array([one.word.font_size for one in words], np.float32),
        bold=np.array([one.word.bold for one in words], np.float32),
        italic=np.array([one.word.italic for one in words], np.float32),
        spaced=np.array([one.word.spaced for one in words], bool),
        rules=drawn,
        typed=any(one.word.font for one in words),
    )


def _edges(one: PlacedWord | Ruling) -> tuple[float, float, float, float]:
    return one.box.x0, one.box.y0, one.box.x1, one.box.y1


def _mirrored(box: np.ndarray) -> np.ndarray:
    return box[:, [2, 1, 0, 3]] * np.array([-1, 1, -1, 1], np.float32)
