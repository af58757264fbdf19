"""Finds what a form's fields say of extracted values: buttons of truth values, and values that are printed nowhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from documents.matching.labels import similarity
from documents.matching.lines import PrintedLine, names_of
from documents.matching.matcher import Leaf, Match, Matcher
from documents.values import FormField, Page

MIN_SIMILARITY = 0.75  # minimum similarity between the name of a boolean field and the name of a button
BUTTON_MARKS = {"on": "☒", "off": "☐"}
MAX_COMPARISONS = 1_000_000  # maximum number of boolean fields times buttons


class FormEvidence:
    """The fields of all pages of one document."""

    def __init__(self, pages: Iterable[Page]) -> None:
        fields = [(page.number, field) for page in pages for field in page.fields]
        self._buttons = [(page, field) for page, field in fields if field.kind == "check"]
        self._lines = [
            PrintedLine(page=page, text=row, box=field.box, names=names_of(field), order=order)
            for order, (page, field) in enumerate(fields)
            if field.state != "off"
            for row in field.value.splitlines()
            if row.strip()
        ]

    def completed(self, leaves: Sequence[Leaf], matches: Sequence[Match]) -> list[Match]:
        """The matches, with the field of a value that stands nowhere else, and with the button of a truth value."""
        if not self._lines and not self._buttons:
            return list(matches)
        by_fields = Matcher(self._lines).match(leaves)
        are_few = len(leaves) * len(self._buttons) <= MAX_COMPARISONS
        completed: list[Match] = []
        for leaf, match, by_field in zip(leaves, matches, by_fields, strict=True):
            if isinstance(leaf.value, bool):
                completed.append(self._of_button(leaf, leaf.value) if are_few else match)
            else:
                completed.append(by_field if match.match == "none" else match)
        return completed

    def _of_button(self, leaf: Leaf, value: bool) -> Match:
        """The box to tick that the value is named like, if that is one and in the state that the value says."""
        names = (next((step for step in reversed(leaf.path) if isinstance(step, str)), ""), *leaf.labels)
        scored = [(_score(names, field), page, field) for page, field in self._buttons]
        best = max((score for score, _, _ in scored), default=0.0)
        candidates = [(page, field) for score, page, field in scored if score == best]
        if best < MIN_SIMILARITY or len(candidates) > 1:
            return Match()
        page, field = candidates[0]
        state = field.state or "off"
        if (state == "on") != value:
            return Match()
        return Match(
            match="exact",
            page=page,
            boxes=(field.box,),
            source_text=BUTTON_MARKS[state],
            confidence=1.0,
            num_places=1,
        )


def _score(names: Sequence[str], field: FormField) -> float:
    return max((similarity(name, other) for name in names for other in names_of(field)), default=0.0)
