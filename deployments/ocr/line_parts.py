"""Parts of a line that was read: runs of its words, each as high as its letters reach."""

from __future__ import annotations

from collections.abc import Sequence

from documents.boxes import BoundingBox
from documents.ocr_input.word_confidence import line_confidence
from documents.text.ink_extent import ink_extent
from documents.values import ReadLine

MAX_GAP = 0.8  # type sizes between two words of one line; MuPDF parts the lines of text layers at the same gap


def parted_at_gaps(line: ReadLine) -> list[ReadLine]:
    """The line as a text layer would have it: cells of a table that stand side by side are lines of their own.

    A line that does not know where its words stand is one part.
    """
    words = line.text.split()
    if len(words) < 2 or not len(words) == len(line.words) == len(line.word_confidences):
        return [line]
    largest = MAX_GAP * line.box.height / sum(ink_extent(line.text))
    starts = [0, *(k for k in range(1, len(words)) if line.words[k].x0 - line.words[k - 1].x1 > largest)]
    if len(starts) == 1:
        return [line]
    ends = [*starts[1:], len(words)]
    return [_level_part(line, range(start, end)) for start, end in zip(starts, ends, strict=True)]


def words_of(line: ReadLine, indices: Sequence[int]) -> ReadLine:
    """Some words of a line, in the box of the line where it does not tell theirs."""
    words = line.text.split()
    boxes = [line.words[k] for k in indices] if line.words else []
    update = {
        "text": " ".join(words[k] for k in indices),
        "box": BoundingBox.around(boxes) if boxes else line.box,
        "words": tuple(boxes),
        "confidence": line_confidence([(words[k], line.word_confidences[k]) for k in indices]),
        "word_confidences": tuple(line.word_confidences[k] for k in indices),
    }
    return line.model_copy(update=update)


def _level_part(line: ReadLine, indices: Sequence[int]) -> ReadLine:
    """Some words, whose boxes reach as far from the line's baseline as their own letters do."""
    part = words_of(line, indices)
    above, below = ink_extent(line.text)
    own_above, own_below = ink_extent(part.text)
    size = line.box.height / (above + below)
    base = line.box.y0 + above * size
    y0, y1 = base - own_above * size, base + own_below * size
    boxes = tuple(BoundingBox(x0=word.x0, y0=y0, x1=word.x1, y1=y1) for word in part.words)
    return part.model_copy(update={"box": BoundingBox.around(list(boxes)), "words": boxes})
