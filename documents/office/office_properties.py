"""Reads title, author and dates of an Office file."""

from __future__ import annotations

from documents.office.packages.xml_parsing import Element, name_of
from documents.office.packages.zip_package import Package
from documents.office.paragraph_text import clean

NAMES = {
    "title": "title",
    "creator": "author",
    "initial-creator": "author",
    "subject": "subject",
    "keywords": "keywords",
    "keyword": "keywords",
    "description": "description",
    "language": "language",
    "created": "created",
    "creation-date": "created",
    "modified": "modified",
    "date": "modified",
    "publisher": "publisher",
}
MAX_VALUE_CHARACTERS = 1000


def office_metadata(package: Package) -> dict[str, str]:
    """Of `docProps/core.xml`, wherever the package has it."""
    core = next(
        (relation.target for relation in package.relations("").values() if relation.kind == "core-properties"), None
    )
    return metadata_in(package.soft_xml(core or "docProps/core.xml"))


def metadata_in(element: Element | None) -> dict[str, str]:
    """The properties among the children of an element."""
    metadata: dict[str, str] = {}
    for node in element if element is not None else ():
        name = NAMES.get(name_of(node))
        value = clean(node.text or "")[:MAX_VALUE_CHARACTERS]
        if name and value and name not in metadata:
            metadata[name] = value
    return metadata


def main_part(package: Package, *fallbacks: str) -> str | None:
    """The part that holds the document, by the package's relations or by its usual names."""
    named = [relation.target for relation in package.relations("").values() if relation.kind == "officeDocument"]
    return next((name for name in (*named, *fallbacks) if package.has(name)), None)
