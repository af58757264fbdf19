"""Texts with their features and whether each is a heading: of drawn documents, and of authors' trees of one half."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz import fuzz

from documents.structure.headings import candidates
from documents.values import OutlineItem, Page

PART = 8  # characters
SAME = 85.0  # of 100, by which two texts are one


@dataclass(frozen=True, slots=True)
class Samples:
    """Of one document: features (texts, NAMES), and bool (texts,) which are headings."""

    name: str
    features: np.ndarray
    is_heading: np.ndarray
    texts: tuple[str, ...] = ()


def samples_of(
    name: str, pages: Sequence[Page], outline: Sequence[OutlineItem], headings: Sequence[Sequence[str] | None]
) -> Samples:
    """`headings` are the true ones of each page; None: nobody knows them."""
    blocks, rows = candidates(pages, outline)
    labels = [_is_one_of(block.region.text, headings[block.page] or ()) for block in blocks]
    judged = np.array(
        [
            headings[block.page] is not None and (yes or not _is_part_of(block.region.text, headings[block.page] or ()))
            for block, yes in zip(blocks, labels, strict=True)
        ],
        bool,
    )
    texts = tuple(block.region.text for block, yes in zip(blocks, judged, strict=True) if yes)
    return Samples(name, rows[judged], np.array(labels, bool)[judged], texts)


def _is_one_of(text: str, headings: Sequence[str]) -> bool:
    plain = " ".join(text.split())
    return any(fuzz.ratio(plain, " ".join(heading.split())) >= SAME for heading in headings)


def _is_part_of(text: str, headings: Sequence[str]) -> bool:
    """Whether a heading was cut, or holds more than it should: neither is an example of anything."""
    plain = " ".join(text.split())
    return len(plain) >= PART and any(
        fuzz.partial_ratio(plain, " ".join(heading.split())) >= 95 for heading in headings
    )


def stacked(samples: Sequence[Samples]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, labels and weights of all; each document weighs as much as the square root of its texts."""
    weights = [np.full(len(sample.is_heading), max(1, len(sample.is_heading)) ** -0.5) for sample in samples]
    return (
        np.concatenate([sample.features for sample in samples]),
        np.concatenate([sample.is_heading for sample in samples]),
        np.concatenate(weights),
    )


def folds(samples: Sequence[Samples], num: int) -> Iterator[tuple[list[Samples], list[Samples]]]:
    """Training and test documents, `num` times; no document is in both."""
    for k in range(num):
        yield [sample for n, sample in enumerate(samples) if n % num != k], list(samples[k::num])
