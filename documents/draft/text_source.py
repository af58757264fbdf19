"""Decides for each region between its text layer and OCR, with the reason."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from operator import add
from typing import Literal, NamedTuple

import numpy as np

from documents.boxes import BoundingBox
from documents.inspection import Inspection, TextLine
from documents.region_values import RegionKind, SourceReason, TextSource
from documents.rotated_boxes import unrotate, usual_angle
from documents.text.languages import COMMON_PAIRS

Wanted = Literal["auto", "text_layer", "ocr"]

MIN_FONT_CHARACTERS = 30  # the letters of a font are judged from this number of characters on
# minimum share of letters and digits among the characters of sound text that is no table of figures
MIN_WORD_SHARE = 0.5
# minimum share of frequent letter pairs: sound text has 0.35 to 0.6, letters shifted by one about 0.1
MIN_PAIR_SHARE = 0.2
LONG_CODE = re.compile(r"[A-Za-z0-9+/=_-]{20,}")
CASE_CHANGE = re.compile(r"(?=[a-z][A-Z]|[A-Za-z][0-9]|[0-9][A-Za-z])")
MIN_CASE_CHANGES = 0.25  # changes between small letters, capitals and digits, per character of a code
LONG_CAPITALS = re.compile(r"\b[A-Z]{10,}\b")
NO_AMINO_ACID = frozenset("BJOUXZ")
MAX_STAMP_LETTERS = 300  # a text layer of more letters is no stamp on a scan
MIN_SCAN_SHARE = 0.7  # minimum share of the page that a scan covers
TILE_POINTS = 72.0  # points; small enough for a skew of five degrees
MIN_INK_CELLS = 12  # minimum number of inked cells of a picture that may be text
MIN_INKED_ROWS = 0.4  # minimum share of rows with ink: 97 % of text regions have more, line drawings less
# minimum change of ink from row to row, as a share of its mean: 95 % of text regions have more, photographs less
MIN_ROW_CHANGE = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLimits:
    """When the text layer of a region says something else than what is printed."""

    max_bad_share: float = 0.3  # of a region's characters
    max_bad: int = 6  # bad characters that a formula or a symbol font may bring along
    min_covered: float = 0.35  # of a text region's ink, by lines of the text layer


DEFAULT_LIMITS = SourceLimits()


class Decision(NamedTuple):
    """Where a region's text comes from, and why."""

    text_source: TextSource
    reason: SourceReason


class Layer:
    """The text layer of one page, with the fonts whose codes do not mean what they print."""

    def __init__(self, inspection: Inspection) -> None:
        self.lines = tuple(line for line in inspection.lines if line.hidden is None)
        self._images = inspection.images
        self._grid = inspection.ink
        self._ink = self._grid.cells()
        self._covered = self._cells_under(line.box for line in self.lines)

    @cached_property
    def unsound_fonts(self) -> frozenset[str]:
        """Fonts whose codes do not mean what they print."""
        return _unsound_fonts(self.lines)

    @cached_property
    def body(self) -> float:
        """The type size of most letters, in points."""
        return body_size(self.lines)

    @cached_property
    def _turn(self) -> int:
        return usual_angle(self.lines)

    def along_lines(self, box: BoundingBox) -> BoundingBox:
        """The box as it stands when most lines run level: those of Chinese and Japanese may run down the page."""
        return unrotate(box, self._turn)

    def is_usual(self, line: TextLine) -> bool:
        """Whether a line runs as most lines do."""
        return line.angle == self._turn

    @cached_property
    def sound(self) -> bool:
        """Whether the page has text that can be trusted."""
        trusted = sum((1 - line.bad_share) * len(line.text) for line in self.lines if self._trusted(line))
        if trusted < 10 or 2 * trusted <= sum(len(line.text) for line in self.lines):
            return False
        return trusted > MAX_STAMP_LETTERS or not self._is_scan_with_stamp()

    def _is_scan_with_stamp(self) -> bool:
        """Whether a picture of text fills the page, and the few letters of the layer, a stamp or a number, miss it."""
        page = self._grid.box
        if not any(image.intersection(page) >= MIN_SCAN_SHARE * page.area for image in self._images):
            return False
        return self.share_covered(page) < DEFAULT_LIMITS.min_covered and self._tiles_like_lines()

    def _tiles_like_lines(self) -> bool:
        """Whether most of the page's ink lies in rows, level or upright; tiles are so small that skew hides none."""
        side = max(1, round(TILE_POINTS / self._grid.cell))
        rows, columns = (range(0, size, side) for size in self._ink.shape)
        tiles = [self._ink[y : y + side, x : x + side] for y in rows for x in columns]
        inked = [tile for tile in tiles if tile.sum() >= MIN_INK_CELLS]
        return 2 * sum(_in_rows(tile) or _in_rows(tile.T) for tile in inked) > len(inked)

    def decide(
        self,
        kind: RegionKind,
        box: BoundingBox,
        lines: Sequence[TextLine],
        text_source: Wanted,
        limits: SourceLimits = DEFAULT_LIMITS,
    ) -> Decision:
        """The source of one region that holds `lines`."""
        if text_source != "auto":
            return Decision(text_source, "asked for")
        if not lines:
            if kind == "figure" or self.sound or not self.ink_in(box):
                return Decision("text_layer", "nothing to read")
            return Decision("ocr", "no text layer")
        total = sum(len(line.text) for line in lines)
        bad = sum(line.bad_share * len(line.text) for line in lines)
        if bad > limits.max_bad_share * total and (bad > limits.max_bad or not self.sound):
            return Decision("ocr", "characters without a meaning")
        if 2 * sum(len(line.text) for line in lines if not self._trusted(line)) > total:
            return Decision("ocr", "implausible letters")
        if self._is_over_image(box) and self.share_covered(box) < limits.min_covered and kind != "figure":
            return Decision("ocr", "ink without text")
        return Decision("text_layer", "sound")

    @property
    def has_ink(self) -> bool:
        """Whether anything is printed on the page."""
        return bool(self._ink.any())

    def ink_in(self, box: BoundingBox) -> int:
        """How many cells of the box hold ink."""
        return int(self._ink[self._grid.window(box)].sum())

    def reads_like_lines(self, box: BoundingBox) -> bool:
        """Whether the ink of the box lies in rows, as lines of upright text do: told from the picture alone."""
        return _in_rows(self._ink[self._grid.window(box)])

    def share_covered(self, box: BoundingBox) -> float:
        """How much of the ink of a box lies under lines of the text layer; 1 where there is next to none."""
        ink = self._ink[self._grid.window(box)]
        total = int(ink.sum())
        return int((ink & self._covered[self._grid.window(box)]).sum()) / total if total >= 12 else 1.0

    def bare_ink(self, boxes: Iterable[BoundingBox]) -> np.ndarray:
        """The ink that no box covers, bool (rows, columns) of the page's grid."""
        return self._ink & ~self._cells_under(boxes)

    def is_sound(self, line: TextLine) -> bool:
        """Whether a line says what it shows, whatever the others of its region do."""
        return line.bad_share <= DEFAULT_LIMITS.max_bad_share and self._trusted(line)

    def ink_beyond_lines(self, boxes: Iterable[BoundingBox]) -> np.ndarray:
        """The ink under neither lines of the text layer nor boxes, as `bare_ink`."""
        return self._ink & ~self._covered & ~self._cells_under(boxes)

    def _trusted(self, line: TextLine) -> bool:
        return not self.unsound_fonts.issuperset(line.fonts)

    def _is_over_image(self, box: BoundingBox) -> bool:
        return any(2 * image.intersection(box) > box.area for image in self._images)

    def _cells_under(self, boxes: Iterable[BoundingBox]) -> np.ndarray:
        under = np.zeros_like(self._ink)
        for box in boxes:
            under[self._grid.window(box)] = True
        return under


def body_size(lines: Sequence[TextLine]) -> float:
    """The font size of most letters of a page, in points; 10 if there are none."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(2 * line.font_size) / 2] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 10.0


def must_stand_straight(layer: Layer, text_source: Wanted) -> bool:
    """Whether the page of that text layer will be read from its picture, so that its lines must run level there."""
    return text_source != "text_layer" and layer.has_ink and (text_source == "ocr" or not layer.sound)


def _in_rows(ink: np.ndarray) -> bool:
    if ink.sum() < MIN_INK_CELLS:
        return False
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    ink = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    inked = ink[ink.any(axis=1)]
    down = _change(np.pad(ink.mean(axis=1), 1))
    return bool(inked.mean() >= MIN_INKED_ROWS and down >= max(MIN_ROW_CHANGE, _change(inked.mean(axis=0))))


def _change(profile: np.ndarray) -> float:
    """How much a profile of ink changes from one place to the next, as a share of its mean."""
    return float(np.abs(np.diff(profile)).mean() / profile.mean()) if len(profile) > 1 else 0.0


class _SignCounts(NamedTuple):
    """What tells honest text from garbage; counts of two texts add up to those of both, one below the other."""

    signs: int = 0
    words: int = 0  # letters, digits and their marks
    alnum: int = 0
    pairs: int = 0  # of small letters from a to z
    common_pairs: int = 0
    others: int = 0  # letters of other scripts than Latin

    @classmethod
    def of(cls, text: str) -> _SignCounts:
        signs = [(sign, count) for sign, count in Counter(text).items() if not sign.isspace()]
        pairs = [
            (a + b, n)
            for (a, b), n in Counter(pairwise(_without_codes(text).lower())).items()
            if "a" <= min(a, b) <= max(a, b) <= "z"
        ]
        return cls(
            signs=sum(count for _, count in signs),
            words=sum(count for sign, count in signs if unicodedata.category(sign)[0] in "LNM"),
            alnum=sum(count for sign, count in signs if sign.isalnum()),
            pairs=sum(count for _, count in pairs),
            common_pairs=sum(count for pair, count in pairs if pair in COMMON_PAIRS),
            others=sum(count for sign, count in signs if sign.isalpha() and sign > "\u024f"),
        )

    def and_of(self, other: _SignCounts) -> _SignCounts:
        return self._make(map(add, self, other))

    def are_plausible(self) -> bool:
        if self.signs < MIN_FONT_CHARACTERS:
            return True
        if self.words < MIN_WORD_SHARE * self.signs:
            return False
        if self.pairs < MIN_FONT_CHARACTERS or 2 * self.others > self.signs:
            return True
        return self.common_pairs >= MIN_PAIR_SHARE * self.pairs

    def are_honest(self, *, invisible: bool) -> bool:
        """Formula, symbol and table fonts hold few letters by nature: signs alone condemn only an invisible layer."""
        return self.are_plausible() or (self.alnum < MIN_WORD_SHARE * self.signs and not invisible)


def _without_codes(text: str) -> str:
    """A text without keys, Base64 and sequences of amino acids, whose letters are no words of any language."""
    sequences = LONG_CAPITALS.findall(text)
    if sum(map(len, sequences)) >= MIN_FONT_CHARACTERS and not any(set(one) & NO_AMINO_ACID for one in sequences):
        text = LONG_CAPITALS.sub(" ", text)
    return LONG_CODE.sub(lambda code: code[0] if _is_word_like(code[0]) else " ", text)


def _is_word_like(token: str) -> bool:
    return len(CASE_CHANGE.findall(token)) < MIN_CASE_CHANGES * len(token)


def plausible(text: str) -> bool:
    """Whether the letters of a longer text are those of some language; other scripts than Latin always pass."""
    return _SignCounts.of(text).are_plausible()


def _unsound_fonts(lines: Sequence[TextLine]) -> frozenset[str]:
    """Fonts whose lines are no honest text; each text is counted once, however many fonts its line has."""
    texts: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for line in lines:
        texts[line.fonts].append(line.text)
    counts: defaultdict[str, _SignCounts] = defaultdict(_SignCounts)
    for fonts, some in texts.items():
        of_some = _SignCounts.of("\n".join(some))
        for font in fonts:
            counts[font] = counts[font].and_of(of_some)
    unseen = {font for line in lines if line.invisible for font in line.fonts}
    return frozenset(font for font, signs in counts.items() if not signs.are_honest(invisible=font in unseen))
