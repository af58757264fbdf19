"""Words of a plain table, as arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from documents.tables.judged.pieces import RegionWords

CHARACTER, SIZE, PITCH = 5.0, 10.0, 12.0  # points


def region(
    rows: Sequence[Sequence[tuple[float, str]]], rules: Sequence[Sequence[float]] = (), pitch: float = PITCH
) -> RegionWords:
    """Each row lists what begins where; words of a text stand a quarter of the type's size apart."""
    texts: list[str] = []
    boxes: list[list[float]] = []
    spaced: list[bool] = []
    for number, row in enumerate(rows):
        for x, text in row:
            for index, word in enumerate(text.split()):
                width = CHARACTER * len(word)
                boxes.append([x, pitch * number, x + width, pitch * number + SIZE])
                texts.append(word)
                spaced.append(index > 0)
                x += width + 0.25 * SIZE  # noqa: PLW2901
    count = len(texts)
    return RegionWords(
        texts=tuple(texts),
        box=np.array(boxes, np.float32).reshape(-1, 4),
        size=np.full(count, SIZE, np.float32),
        bold=np.zeros(count, np.float32),
        italic=np.zeros(count, np.float32),
        spaced=np.array(spaced, bool),
        rules=np.array(rules, np.float32).reshape(-1, 4),
    )
