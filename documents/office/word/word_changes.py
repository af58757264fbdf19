"""Counts what a DOCX has that its accepted view does not show: tracked changes, hidden text, unknown symbols."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from documents.office.packages.xml_parsing import Element, attribute, name_of
from documents.office.parsed_file import warned
from documents.values import PageWarning


@dataclass(slots=True)
class Changes:
    """Tracked changes, hidden text and unknown symbols of a document, which its accepted view does not show as such."""

    inserted: int = 0
    deleted: int = 0
    hidden: int = 0
    authors: Counter[str] = field(default_factory=Counter[str])
    unknown_symbols: Counter[str] = field(default_factory=Counter[str])  # by font

    def note(self, change: Element) -> None:
        self.authors[(attribute(change, "author") or "").strip()] += 1
        if name_of(change) in ("ins", "moveTo"):
            self.inserted += 1
        else:
            self.deleted += 1

    def warnings(self) -> list[PageWarning]:
        """That changes were read as accepted, and that hidden text and unknown symbols were left out."""
        warnings: list[PageWarning] = []
        if self.inserted or self.deleted:
            authors = ", ".join(sorted(filter(None, self.authors))[:5]) or "an unnamed author"
            message = (
                f"{self.inserted} tracked insertions and {self.deleted} deletions by {authors} were read as accepted"
            )
            warnings.append(warned(code="tracked_changes", message=message))
        if self.hidden:
            message = f"hidden text removed: {self.hidden} " + ("passage" if self.hidden == 1 else "passages")
            warnings.append(warned(code="hidden_text", message=message))
        if self.unknown_symbols:
            fonts = ", ".join(sorted(self.unknown_symbols)[:5])
            message = (
                f"{self.unknown_symbols.total()} symbols without a Unicode character were left out; fonts: {fonts}"
            )
            warnings.append(warned(code="symbols_left_out", message=message[:500]))
        return warnings
