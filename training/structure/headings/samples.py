"""What documents teach the judge of headings: which texts are headings, and which of two looks stands above."""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pymupdf
from rapidfuzz import fuzz

from benchmarks.harness.rule_replay import Replay
from benchmarks.truths.headings import LEVEL
from benchmarks.truths.tagged_pdf import TaggedPage
from documents.document.assemble_document import before_headings
from documents.document.document_styles import FEATURES, DocumentStyles, StyledText, bare, styled_texts
from documents.document.heading_levels import looks_of, pair_features, tie_features
from documents.values import OutlineItem, Page
from training.structure.drawings.drawn_document import DrawnBlock, DrawnDocument
from training.structure.drawings.truth import colours_of

MIN_LIKENESS = 85  # of 100: a text and the heading that it is, as `benchmarks.headings` compares them
UNKNOWN = -1
HEADLESS_WEIGHT = 0.3  # weight of a text on a page without any heading: its author may have tagged none
OWN_PAIR = 0.5  # weight of a pair of looks beside that of two headings that follow one another
TITLE = 0  # the level of a drawn document's title


class LookPair(NamedTuple):
    """How two looks differ, and whether the first stands above the second (1), below (-1) or on its level."""

    features: np.ndarray
    ties: np.ndarray
    sign: int
    weight: float


@dataclass(frozen=True, slots=True)
class DocumentSample:
    """A document before its headings are judged.

    Attributes:
        texts: that may be headings, and all others, in their order.
        features: float (texts, FEATURES).
        is_heading: int (texts,): 1, 0 or UNKNOWN.
        level: int (texts,): of headings, UNKNOWN of all others.
        family: of a tagged PDF, as `benchmarks.truths.headings` has it; "" of a drawn document.
    """

    texts: tuple[StyledText, ...]
    pages: tuple[Page, ...]
    styles: DocumentStyles
    features: np.ndarray
    is_heading: np.ndarray
    level: np.ndarray
    outline: tuple[OutlineItem, ...]
    family: str = ""

    @property
    def is_tagged(self) -> bool:
        return bool(self.family)

    def weight(self, real: float) -> np.ndarray:
        """float (texts,): how much each text counts; a document counts as the root of its texts."""
        places = np.array([text.page for text in self.texts], int)
        with_headings = np.isin(places, places[self.is_heading == 1])
        judged = np.array([text.may_be_heading for text in self.texts], bool) & (self.is_heading != UNKNOWN)
        weight = judged * np.where(with_headings, 1.0, HEADLESS_WEIGHT) * bool(with_headings.any())
        return weight * (real if self.is_tagged else 1.0) / np.sqrt(max(1.0, weight.sum()))

    def pairs(self, real: float) -> Iterator[LookPair]:
        """Each two looks of headings, and each two headings that follow one another, from both sides."""
        rows = np.flatnonzero(self.level != UNKNOWN)
        headings, levels = [self.texts[row] for row in rows], self.level[rows].tolist()
        if not headings:
            return
        looks, own = looks_of(headings)
        features = pair_features(headings, looks, own, self.pages, self.styles.body)
        ties = tie_features(looks)
        of_look = [
            Counter(level for level, look in zip(levels, own, strict=True) if look == k) for k in range(len(looks))
        ]
        usual = [counts.most_common(1)[0][0] for counts in of_look]
        weights: defaultdict[tuple[int, int, int], float] = defaultdict(float)
        for (a, first), (b, second) in pairwise(zip(own, levels, strict=True)):
            weights[a, b, _sign(second - first)] += 1
        for a in range(len(looks)):
            for b in range(a):
                weights[a, b, _sign(usual[b] - usual[a])] += OWN_PAIR
        different = {key: weight for key, weight in weights.items() if key[0] != key[1]}
        share = (real if self.is_tagged else 1.0) / np.sqrt(max(1.0, sum(different.values())))
        for (a, b, sign), weight in different.items():
            yield LookPair(features[a, b], ties[a, b], sign, share * weight)
            yield LookPair(features[b, a], ties[b, a], -sign, share * weight)


def tagged_sample(document: Replay, truth: Sequence[TaggedPage], family: str) -> DocumentSample:
    """A text is the heading of its page's tags that reads as it does."""
    sample = _sample(document, family)
    rows_of: dict[int, list[int]] = {}
    for row, text in enumerate(sample.texts):
        rows_of.setdefault(sample.pages[text.page].number, []).append(row)
    for page in truth:
        rows = rows_of.get(page.number, [])
        knows = "heads" in page.scores
        if knows:
            sample.is_heading[rows] = 0
        for marks, heading in LEVEL.findall(page.markdown):
            likeness = [fuzz.ratio(bare(sample.texts[row].region.text), bare(heading)) for row in rows]
            if likeness and max(likeness) >= MIN_LIKENESS:
                row = rows.pop(int(np.argmax(likeness)))
                sample.level[row] = len(marks)
                if knows:
                    sample.is_heading[row] = 1
    return sample


def drawn_sample(document: Replay, drawn: DrawnDocument) -> DocumentSample:
    """A text is what most of its letters were drawn as."""
    sample = _sample(document, "")
    blocks = _blocks_of_lines(document, drawn)
    for row, text in enumerate(sample.texts):
        letters: Counter[DrawnBlock] = Counter()
        for span in text.region.spans:
            block = blocks.get((sample.pages[text.page].number, span.text, round(span.box.x0), round(span.box.y0)))
            if block is not None:
                letters[block] += len(span.text)
        if letters:
            block = letters.most_common(1)[0][0]
            sample.is_heading[row] = block.role in ("title", "heading")
            if sample.is_heading[row]:
                sample.level[row] = TITLE if block.role == "title" else block.level or UNKNOWN
    return sample


def _blocks_of_lines(document: Replay, drawn: DrawnDocument) -> Mapping[tuple[int, str, int, int], DrawnBlock]:
    """The block of each line, by its page, words and place."""
    blocks: dict[tuple[int, str, int, int], DrawnBlock] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.pdf"
        path.write_bytes(drawn.content)
        with pymupdf.open(path) as pdf:
            for facts in document.facts:
                page = facts.inspection
                lines = [line for line in page.lines if line.hidden is None]
                for line, colour in zip(lines, colours_of(pdf[page.number - 1], lines, drawn.blocks), strict=True):
                    if colour is not None:
                        blocks[page.number, line.text, round(line.box.x0), round(line.box.y0)] = drawn.blocks[colour]
    return blocks


def _sample(document: Replay, family: str) -> DocumentSample:
    pages = before_headings(document.pages)
    texts = tuple(styled_texts(pages))
    outline = document.opened.outline
    styles = DocumentStyles(texts, outline, len(pages))
    features = np.array(list(styles.features(texts)), np.float64).reshape(len(texts), len(FEATURES))
    unknown = np.full(len(texts), UNKNOWN)
    return DocumentSample(texts, tuple(pages), styles, features, unknown, unknown.copy(), outline, family)


def _sign(step: int) -> int:
    return (step > 0) - (step < 0)
