"""A rule of whole documents: a named step from pages to pages, with its thresholds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from documents.values import Page


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRule:
    """`purpose` is one sentence; `step` gets all pages and `thresholds`, and makes the pages that come after."""

    name: str
    purpose: str
    step: Callable[[Sequence[Page], Any], list[Page]]
    thresholds: Any

    def apply(self, pages: Sequence[Page]) -> list[Page]:
        return self.step(pages, self.thresholds)
