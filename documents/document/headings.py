"""Headings and their levels over a document: what is set as its headings are is one, and one style has one level."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from documents.document.as_text import as_text
from documents.document.document_styles import DocumentStyles, StyledText, outline_levels, styled_texts
from documents.document.heading_judge import HeadingJudge, heading_judge
from documents.document.heading_levels import MAX_LEVEL, decoded, looks_of, number_depth, pair_features, tie_features
from documents.region_values import Region, TitleRegion, as_kind
from documents.values import Opened, Page

MIN_PROBABILITY = 0.5  # a text with at least this probability is a heading
CERTAIN_PROBABILITY = 0.999  # probability of a heading that the outline or the author's tags state


def with_document_headings(pages: Sequence[Page], opened: Opened, judge: HeadingJudge | None = None) -> list[Page]:
    """The pages, their headings as the judge finds them in the whole document, each with a level from 1 to 6.

    The level that an author or the outline gives a heading is its level; the shipped judge is the default.
    """
    judge = judge or heading_judge()
    texts = styled_texts(pages)
    styles = DocumentStyles(texts, opened.outline, len(pages))
    is_heading = _are_headings(texts, styles, judge)
    headings = [text for text, heading in zip(texts, is_heading, strict=True) if heading]
    named = outline_levels(headings, opened.outline, [page.number for page in pages])
    facts = [
        text.region.level if isinstance(text.region, TitleRegion) and text.region.level else level
        for text, level in zip(headings, named, strict=True)
    ]
    levels = iter(levels_of(headings, facts, pages, styles, judge))
    changed: dict[tuple[int, int], Region] = {}
    for text, heading in zip(texts, is_heading, strict=True):
        if heading:
            changed[text.page, text.index] = as_kind(text.region, "title", level=next(levels))
        elif text.region.kind == "title":
            changed[text.page, text.index] = as_text(text.region)
    return list(_replaced(pages, changed))


def _are_headings(texts: Sequence[StyledText], styles: DocumentStyles, judge: HeadingJudge) -> list[bool]:
    """What the judge does not know stays what it is."""
    scores = judge.probabilities(np.array(list(styles.features(texts)), np.float64))
    return [
        bool(score >= MIN_PROBABILITY) if text.may_be_heading else text.region.kind == "title"
        for text, score in zip(texts, scores, strict=True)
    ]


def levels_of(
    headings: Sequence[StyledText],
    facts: Sequence[int | None],
    pages: Sequence[Page],
    styles: DocumentStyles,
    judge: HeadingJudge,
) -> list[int]:
    """The level of each heading: as facts say, else that of its look."""
    if not headings:
        return []
    looks, own = looks_of(headings)
    above, same = judge.relations(pair_features(headings, looks, own, pages, styles.body), tie_features(looks))
    known = _known_levels(own, facts)
    for a, first in known.items():
        for b, second in known.items():
            above[a, b], same[a, b] = (
                (CERTAIN_PROBABILITY if first < second else 1 - CERTAIN_PROBABILITY),
                (CERTAIN_PROBABILITY if first == second else 1 - CERTAIN_PROBABILITY),
            )
    sizes = np.bincount(own)
    places = decoded(above, same, np.sqrt(sizes[:, None] * sizes[None, :]))
    depths = {k: depth for k, look in enumerate(looks) if k not in known and (depth := number_depth(look.form))}
    level_of = _numbered(places, known, depths)
    return [
        min(MAX_LEVEL, fact or max(level_of[places[k]], depths.get(k, 1))) for k, fact in zip(own, facts, strict=True)
    ]


def _known_levels(own: Sequence[int], facts: Sequence[int | None]) -> dict[int, int]:
    """The level that facts say most often of each look of which they say one."""
    counts: dict[int, Counter[int]] = {}
    for look, fact in zip(own, facts, strict=True):
        if fact:
            counts.setdefault(look, Counter())[fact] += 1
    return {look: min(count, key=lambda level: (-count[level], level)) for look, count in counts.items()}


def _numbered(places: Sequence[int], known: Mapping[int, int], depths: Mapping[int, int]) -> list[int]:
    """The level of each place, from the highest down: a known one, else one below the last, as deep as its numbers."""
    levels: list[int] = []
    for place in range(max(places) + 1):
        looks = [look for look, own in enumerate(places) if own == place]
        facts = [known[look] for look in looks if look in known]
        depth = min(depths.get(look, 1) for look in looks)
        level = min(facts) if facts else max(depth, levels[-1] + 1 if levels else 1)
        levels.append(max(level, levels[-1] if levels else 1))
    return levels


def _replaced(pages: Sequence[Page], changed: Mapping[tuple[int, int], Region]) -> Iterator[Page]:
    for place, page in enumerate(pages):
        regions = tuple(changed.get((place, index), region) for index, region in enumerate(page.regions))
        yield page.model_copy(update={"regions": regions})
