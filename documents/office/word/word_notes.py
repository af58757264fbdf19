"""Finds footnotes, endnotes and comments of a DOCX."""

from __future__ import annotations

from collections.abc import Mapping

from documents.office.packages.xml_parsing import Element, attribute, children, descendants
from documents.office.packages.zip_package import Package, Relation
from documents.office.word.word_styles import roman

KINDS = ("footnote", "endnote", "comment")
Mark = tuple[str, str]  # kind, id


class WordNotes:
    """Their elements by kind and id; `marks` are the numbers of notes in the order in which the text refers to them."""

    def __init__(self, package: Package, targets: Mapping[str, str], body: Element) -> None:
        """`targets` are the parts of the document by the kind of their relation."""
        self._package = package
        self._names = {kind: targets.get(f"{kind}s", "") for kind in KINDS}
        parts = {kind: package.soft_xml(name) for kind, name in self._names.items()}
        self._elements = {
            (kind, attribute(element, "id") or ""): element for kind in KINDS for element in children(parts[kind], kind)
        }
        self._relations: dict[str, dict[str, Relation]] = {}
        self.marks = note_marks(body)

    def element(self, kind: str, name: str) -> Element | None:
        return self._elements.get((kind, name))

    def relations(self, kind: str) -> dict[str, Relation]:
        """Those of the part that holds notes of a kind."""
        if kind not in self._relations:
            self._relations[kind] = self._package.relations(self._names[kind])
        return self._relations[kind]


def note_marks(body: Element) -> dict[Mark, str]:
    """The numbers of notes, by kind and id: footnotes count 1, 2, endnotes i, ii."""
    marks: dict[Mark, str] = {}
    for kind, format_number in (("footnote", str), ("endnote", roman)):
        names = dict.fromkeys(attribute(reference, "id") or "" for reference in descendants(body, f"{kind}Reference"))
        marks |= {(kind, name): format_number(number).lower() for number, name in enumerate(names, 1)}
    return marks
