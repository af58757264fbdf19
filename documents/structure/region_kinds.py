"""Decides the kind of a region (title, text, caption, header ...) by type size and place, over a doubtful detection."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from statistics import median

from documents.inspection import TextLine
from documents.rotated_boxes import unrotate
from documents.text.languages import DATE, OPEN_END, PAGE_NUMBER, caption_kind, is_caption
from documents.text.list_markers import KEY
from documents.text.word_count import num_words
from documents.values import BoundingBox, RegionKind

SECTION = re.compile(r"\d{1,2}(?:\.\d{1,2})+\.?\s+[^\W\d_a-zß-ÿ][^.;]*[^.;,:]")
LOOSE: tuple[RegionKind, ...] = ("plain text", "abandon", "title", "isolate_formula")  # may be captions by their words
MARGIN = 0.09  # of the page's height, at top and bottom, where running heads stand
BARE_MARGIN = 0.075  # where they are taken for such without a page number beside them
NUMBERED_MARGIN = 0.15
MOST_WORDS, MOST_WORDS_NUMBERED = 14, 25  # of a part of a running head; beside the page's number there is less doubt
CENTRED_MARGIN = 0.25  # where a number alone in the middle is the page's, as on sheets longer than they were set for
CENTRED = 0.02  # of the page's width
MAX_CAPTION_SIZE = 0.95  # times the body's type, below which captions are set
HIGH, HIGH_NUMBER = 1.3, 1.6  # times the body's type: running heads are no higher, numbers of pages may be set larger


def body_size(lines: Sequence[TextLine]) -> float:
    """The font size of most letters of a page, in points; 10 if there are none."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(2 * line.font_size) / 2] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 10.0


def classify_region(
    kind: RegionKind, box: BoundingBox, lines: Sequence[TextLine], page: BoundingBox, body: float, angle: int = 0
) -> RegionKind:
    """The kind of a region that holds `lines` (at least one), on a page whose text is turned by `angle` degrees."""
    lines = sorted(lines, key=lambda line: unrotate(line.box, line.angle).center[::-1])
    text = " ".join(line.text for line in lines)
    if kind in ("table", "figure", "table_caption", "table_footnote"):
        return kind
    caption = caption_kind(text)
    if caption and len(lines) <= 6 and _may_be_caption(kind, text, lines, body):
        return caption
    if kind == "abandon":
        if KEY.fullmatch(text):
            return "plain text"
        if _is_furniture(unrotate(box, angle), lines, unrotate(page, angle), body, angle):
            return "abandon"
        kind = "plain text"
        if any(line.font_size <= HIGH_NUMBER * body for line in lines):
            return kind
    if SECTION.fullmatch(text) and _is_title(kind, text, lines, body):
        return "title"
    if kind == "isolate_formula" and (
        all(line.monospaced for line in lines) or not any(unicodedata.category(sign) in ("Sm", "Co") for sign in text)
    ):
        return "plain text"  # a program, or neither operator nor relation
    if kind in ("isolate_formula", "formula_caption", "figure_caption"):
        return "plain text" if _is_prose(text, 3 if kind == "formula_caption" else 12) else kind
    return "title" if _is_title(kind, text, lines, body) else "plain text"


def _may_be_caption(kind: RegionKind, text: str, lines: Sequence[TextLine], body: float) -> bool:
    """Whether a text that begins with a figure's name is its caption: by its words or its type, or as detected.

    A sentence about a figure is set as the text is, and a large title is one of a section.
    """
    if kind not in LOOSE:
        return kind == "figure_caption"
    sizes = [line.font_size for line in lines]
    if kind == "title" and min(sizes) > HIGH * body:
        return False
    words = [word for line in lines for word in line.words]
    is_label_bold = bool(words) and words[0].bold and not words[-1].bold
    return is_caption(text) or is_caption(lines[0].text) or is_label_bold or max(sizes) < MAX_CAPTION_SIZE * body


def find_running_heads(boxes: Sequence[BoundingBox], texts: Sequence[str], page: BoundingBox, body: float) -> set[int]:
    """Which regions are running heads or feet: short rows at the very top or bottom, apart from what follows."""
    running_heads: set[int] = set()
    for top in (True, False):
        left = [i for i, text in enumerate(texts) if text.strip() and boxes[i].height <= 3 * body]
        left.sort(key=lambda i: boxes[i].y0 if top else -boxes[i].y1)
        for first in left[:1]:
            row = [i for i in range(len(boxes)) if _level(boxes[i], boxes[first])]
            rest = [box for i, box in enumerate(boxes) if i not in row]
            if any(box.y0 < boxes[first].y0 if top else box.y1 > boxes[first].y1 for box in rest):
                continue
            gap = min((box.y0 - boxes[first].y1 if top else boxes[first].y0 - box.y1 for box in rest), default=0.0)
            depth = (boxes[first].y1 - page.y0 if top else page.y1 - boxes[first].y0) / page.height
            middle = not top and len(row) == 1 and abs(boxes[first].center[0] - page.center[0]) <= CENTRED * page.width
            if _is_running([boxes[i] for i in row], [texts[i] for i in row], gap, depth, body, middle=middle):
                running_heads.update(row)
    return running_heads


def _is_running(
    boxes: Sequence[BoundingBox], texts: Sequence[str], gap: float, depth: float, body: float, *, middle: bool
) -> bool:
    """Whether a row is a running head or foot; `middle`: it stands alone in the middle of the page's foot."""
    numbers = [bool(PAGE_NUMBER.fullmatch(text.strip())) for text in texts]
    highest = [(HIGH_NUMBER if number else HIGH) * body for number in numbers]
    if gap < 0.8 * body or any(box.height > high for box, high in zip(boxes, highest, strict=True)):
        return False
    most = MOST_WORDS_NUMBERED if any(numbers) else MOST_WORDS
    if any(num_words(text) > most for text in texts):
        return False
    numbered = CENTRED_MARGIN if middle else NUMBERED_MARGIN
    return depth <= (numbered if any(numbers) else BARE_MARGIN)


def _level(a: BoundingBox, b: BoundingBox) -> bool:
    return min(a.y1, b.y1) - max(a.y0, b.y0) > 0.5 * min(a.height, b.height)


def _is_title(kind: RegionKind, text: str, lines: Sequence[TextLine], body: float) -> bool:
    size = median(line.font_size for line in lines)
    bold = all(line.bold for line in lines)
    if num_words(text) > 30 or sum(sign.isalpha() for sign in text) < 3 or text.endswith(tuple(",;，；、")):
        return False
    if DATE.fullmatch(text) or text[0] in "•·▪●" or (text[0].islower() and text.endswith(".")):
        return False
    if SECTION.fullmatch(text) and len(lines) <= 2 and num_words(text) <= 12:
        return True
    if kind == "title":
        return len(lines) <= 4 and not (size < 1.05 * body and not bold and text.endswith("."))
    if OPEN_END.search(text):
        return False
    big = size >= 1.18 * body or (bold and size >= 0.98 * body)
    return big and len(lines) <= 3 and num_words(text) <= 20


def _is_prose(text: str, least: int) -> bool:
    """Words of letters rather than signs of a formula."""
    words = [word for word in text.split() if sum(map(str.isalpha, word)) > 0.6 * len(word) and len(word) > 1]
    plain = sum(map(num_words, words))
    return plain >= 2 and len(text) > least and plain > 0.55 * num_words(text)


def _is_furniture(box: BoundingBox, lines: Sequence[TextLine], page: BoundingBox, body: float, angle: int) -> bool:
    """Running heads, page numbers and margin stamps, but neither notes at the foot of a page nor its title."""
    if any(line.angle != angle for line in lines):
        return True
    if len(lines) > 3 or sum(num_words(line.text) for line in lines) > 25:
        return False
    if all(line.font_size > HIGH_NUMBER * body and sum(map(str.isalpha, line.text)) > 3 for line in lines):
        return False
    top, bottom = box.y1 - page.y0, page.y1 - box.y0
    return top <= 1.4 * MARGIN * page.height or bottom <= 1.2 * MARGIN * page.height
