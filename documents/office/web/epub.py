"""Reads an EPUB: its chapters in reading order."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator

from documents.errors import EncryptedDocument, UnreadableDocument
from documents.office.office_properties import metadata_in
from documents.office.packages.text_budget import TextBudget
from documents.office.packages.text_decoding import decoded
from documents.office.packages.xml_parsing import Element, attribute, child, children, descendants
from documents.office.packages.zip_package import Package, resolved
from documents.office.page_writer import PageWriter
from documents.office.parsed_file import Authored
from documents.office.web.web_page import WebPage, title_of
from documents.places import ElementPlace

CHAPTERS = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")
MAX_TITLE = 200


def parse_book(package: Package, budget: TextBudget) -> Authored:
    """Raises UnreadableDocument, EncryptedDocument, or as `Package.read`."""
    container = package.xml("META-INF/container.xml")
    name = next((attribute(root_file, "full-path") for root_file in descendants(container, "rootfile")), None)
    root = package.xml(name)
    if name is None or root is None:
        raise UnreadableDocument("the book has no list of its chapters")
    writer = PageWriter(budget)
    is_first = True
    for part in _chapters(root, posixpath.dirname(name)):
        content = package.read(part)
        if content is None:
            continue
        text = writer.read_as(decoded(content, in_markup=True))
        title = title_of(text)[:MAX_TITLE] or part.rpartition("/")[2]
        if is_first:
            writer.rename(title)
        else:
            writer.next_page(title)
        is_first = False
        WebPage(writer, _place(part, title), _pictures(package, part)).read(text)
    if is_first:
        if package.has("META-INF/encryption.xml"):
            raise EncryptedDocument("the book is encrypted")
        raise UnreadableDocument("the book has no supported chapter")
    return Authored(
        pages=writer.pages(),
        read_part=package.read,
        metadata=metadata_in(child(root, "metadata")),
        outline=writer.outline,
        warnings=writer.warnings(),
    )


def _chapters(root: Element, folder: str) -> Iterator[str]:
    """The parts that the book's spine names."""
    items = {attribute(item, "id"): item for item in children(child(root, "manifest"), "item")}
    for reference in children(child(root, "spine"), "itemref"):
        item = items.get(attribute(reference, "idref"))
        if item is not None and (attribute(item, "media-type") or CHAPTERS[0]) in CHAPTERS:
            yield resolved(folder, attribute(item, "href") or "")


def _place(part: str, title: str) -> Callable[[str, int, int], ElementPlace]:
    def place(path: str, start: int, end: int) -> ElementPlace:
        return ElementPlace(path=path, start=start, end=end, file=part, chapter=title)

    return place


def _pictures(package: Package, part: str) -> Callable[[str], str | None]:
    def picture(address: str) -> str | None:
        name = resolved(posixpath.dirname(part), address)
        return name if "://" not in address and package.has(name) else None

    return picture
