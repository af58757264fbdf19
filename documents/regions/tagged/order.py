"""Puts a page in the order of its author's tree, and tells by places and sentences how far that differs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise

from documents.draft.page_draft import PageDraft
from documents.text.languages import SENTENCE_ENDS

MAX_COMPARED = 200  # maximum number of regions of two orders that are compared


def reordered(page: PageDraft, places: Mapping[int, int]) -> tuple[int, ...]:
    """The page's order, what stands between the first and the last text put in the order of `places`.

    What has no place stays behind what it was read after; notes stay where they were.
    """
    relations = page.relations
    kinds = {draft.index: draft.kind for draft in page.drafts}
    still = relations.foot_notes | relations.side_notes
    body = [k for k in relations.order if kinds.get(k) != "abandon" and k not in relations.foot_notes]
    groups: list[tuple[int, list[int]]] = [(-1, [])]
    for k in body:
        if k in places and k not in still:
            groups.append((places[k], [k]))
        else:
            groups[-1][1].append(k)
    ordered = iter([k for _, group in sorted(groups, key=lambda entry: (entry[0], entry[1][:1])) for k in group])
    own = set(body)
    return tuple(next(ordered) if k in own else k for k in relations.order)


def share_reversed(before: Sequence[int], after: Sequence[int]) -> float:
    """Of the pairs of regions, those that two orders disagree about; of very many regions a sample says it."""
    places = {index: place for place, index in enumerate(after)}
    sample = [places[index] for index in before[:: 1 + len(before) // MAX_COMPARED]]
    pairs = len(sample) * (len(sample) - 1) / 2
    return sum(a > b for a, b in combinations(sample, 2)) / max(1.0, pairs)


def num_torn(page: PageDraft, order: Sequence[int]) -> int:
    """How many texts begin in the middle of a sentence behind one that has come to its end."""
    texts = [page.regions[k].text.strip() for k in order if page.regions[k].kind == "plain text"]
    pairs = pairwise(text for text in texts if text)
    return sum(text[0].islower() and before.endswith(SENTENCE_ENDS) for before, text in pairs)
