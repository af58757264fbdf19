"""Rotates boxes by quarter turns, for text that runs sideways."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from unicodedata import east_asian_width

from documents.boxes import BoundingBox
from documents.inspection import TextLine


def unrotate(box: BoundingBox, angle: int) -> BoundingBox:
    """The box after undoing a clockwise turn by `angle` (0, 90, 180, 270) about the page's origin."""
    if angle == 90:  # read downward
        return BoundingBox(x0=box.y0, y0=-box.x1, x1=box.y1, y1=-box.x0)
    if angle == 180:
        return BoundingBox(x0=-box.x1, y0=-box.y1, x1=-box.x0, y1=-box.y0)
    if angle == 270:  # read upward
        return BoundingBox(x0=-box.y1, y0=box.x0, x1=-box.y0, y1=box.x1)
    return box


def rotate_back(box: BoundingBox, angle: int, width: float, height: float) -> BoundingBox:
    """Where a box of a crop that was turned back by `angle` lies in the crop as it stands on the page.

    `width` and `height` are of the crop on the page, in the units of the box.
    """
    if angle == 90:
        return BoundingBox(x0=width - box.y1, y0=box.x0, x1=width - box.y0, y1=box.x1)
    if angle == 180:
        return BoundingBox(x0=width - box.x1, y0=height - box.y1, x1=width - box.x0, y1=height - box.y0)
    if angle == 270:
        return BoundingBox(x0=box.y0, y0=height - box.x1, x1=box.y1, y1=height - box.x0)
    return box


def usual_angle(lines: Sequence[TextLine]) -> int:
    """The turn of most letters; 0 if there are none."""
    letters: Counter[int] = Counter()
    for line in lines:
        letters[line.angle] += len(line.text)
    return letters.most_common(1)[0][0] if letters else 0


def page_turn(lines: Sequence[TextLine]) -> int:
    """Degrees clockwise that a page lies turned for who reads it; scripts that run down a page do not turn it."""
    visible = [line for line in lines if line.hidden is None]
    turn = usual_angle(visible)
    text = "".join(line.text for line in visible if line.angle == turn)
    return turn if turn and 2 * sum(east_asian_width(sign) in "WF" for sign in text) <= len(text) else 0
