"""What the property parts of an Office file say of it: title, author, dates."""

from __future__ import annotations

from documents.office.markup import Element, children, name_of
from documents.office.package import Package
from documents.office.words import clean

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
MAX_VALUE = 1000  # characters


def office_metadata(package: Package) -> dict[str, str]:
    """Of `docProps/core.xml`, wherever the package has it."""
    core = next((each.target for each in package.relations("").values() if each.kind == "core-properties"), None)
    return metadata_in(package.soft_xml(core or "docProps/core.xml"))


def metadata_in(element: Element | None) -> dict[str, str]:
    """The properties among the children of an element."""
    found: dict[str, str] = {}
    for each in element if element is not None else ():
        name = NAMES.get(name_of(each))
        value = clean(each.text or "")[:MAX_VALUE]
        if name and value and name not in found:
            found[name] = value
    return found


def main_part(package: Package, *fallbacks: str) -> str | None:
    """The part that holds the document, by the package's relations or by its usual names."""
    named = [each.target for each in package.relations("").values() if each.kind == "officeDocument"]
    return next((name for name in (*named, *fallbacks) if package.has(name)), None)


def texts_of(element: Element | None, name: str) -> list[str]:
    """The texts of its children of a name."""
    return [clean(each.text or "") for each in children(element, name)]
