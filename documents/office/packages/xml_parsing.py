"""Parses XML safely: no entities, no external documents, no words lost below a depth."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, Protocol

from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]  it tells no types

from documents.errors import UnreadableDocument

STRICT_NAMESPACE = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/(\w+)")  # ISO 29500's names of the same elements
HEAD_BYTES = 1_000_000  # a document type would be declared within these bytes
DOCTYPE_REASON = "a part of the file declares a document type, which is not allowed"


class Element(Protocol):
    """What is used here of lxml's elements."""

    tag: Any  # a function, where it is no element
    text: str | None
    tail: str | None

    def get(self, name: str) -> str | None: ...
    def items(self) -> list[tuple[str, str]]: ...
    def itertext(self) -> Iterator[str]: ...
    def iter(self, *names: str) -> Iterator[Element]: ...
    def iterancestors(self, *names: str) -> Iterator[Element]: ...
    def getparent(self) -> Element | None: ...
    def __iter__(self) -> Iterator[Element]: ...
    def __len__(self) -> int: ...


def parsed_xml(content: bytes) -> Element:
    """The root of an XML part.

    Raises:
        UnreadableDocument: it is no XML, or declares a document type, which no Office file may.
    """
    if b"<!DOCTYPE" in content[:HEAD_BYTES]:
        raise UnreadableDocument(DOCTYPE_REASON)
    content = STRICT_NAMESPACE.sub(rb"http://schemas.openxmlformats.org/\1/2006/\2", content)
    for recover in (False, True):
        try:
            parser = _xml_parser(recover=recover)
            root = etree.fromstring(content, parser)
        except (etree.XMLSyntaxError, ValueError):
            continue
        _check_limits(parser.error_log)
        if root is not None:
            _check_type(root)  # in whatever encoding it is declared
            return root
    raise UnreadableDocument("a part of the file is not XML")


def elements_of(stream: BinaryIO, names: Sequence[str]) -> Iterator[Element]:
    """The elements of these names one by one, as they end, also of a part that is damaged further on.

    Raises:
        UnreadableDocument: it declares a document type, or nests too deep.
    """
    events = etree.iterparse(
        stream,
        tag=[f"{{*}}{name}" for name in names],
        resolve_entities=False,
        no_network=True,
        huge_tree=False,
        recover=True,
    )
    is_first = True
    try:
        for _, element in events:
            if is_first:
                _check_type(element)
            is_first = False
            yield element
    except (etree.XMLSyntaxError, ValueError) as error:
        if is_first:
            raise UnreadableDocument("a part of the file is not XML") from error
    _check_limits(events.error_log)


def _check_type(element: Any) -> None:
    if element.getroottree().docinfo.internalDTD is not None:
        raise UnreadableDocument(DOCTYPE_REASON)


def _check_limits(errors: Any) -> None:
    """What comes behind a limit of the parser would be lost without a word."""
    if any(error.type_name == "ERR_RESOURCE_LIMIT" for error in errors):
        raise UnreadableDocument("a part of the file nests deeper, or has longer texts, than allowed")


def _xml_parser(*, recover: bool) -> Any:
    return etree.XMLParser(
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        recover=recover,
    )


def name_of(element: Element) -> str:
    """Its name without a namespace; empty for an entity that was not resolved."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Element | None, name: str) -> str | None:
    """The attribute of this name, in whatever namespace."""
    if element is None:
        return None
    plain = element.get(name)
    if plain is not None:
        return plain
    ending = "}" + name
    return next((str(value) for key, value in element.items() if str(key).endswith(ending)), None)


def child(element: Element | None, *names: str) -> Element | None:
    """The first child of the first of these names, then of that its first of the second, and so on."""
    for name in names:
        if element is None:
            return None
        element = next((node for node in element if name_of(node) == name), None)
    return element


def children(element: Element | None, name: str) -> Iterator[Element]:
    """All children of a name."""
    return (node for node in (element if element is not None else ()) if name_of(node) == name)


def descendants(element: Element | None, name: str) -> Iterator[Element]:
    """All elements of a name below it, in the order of the file."""
    return iter(()) if element is None else element.iter(f"{{*}}{name}")


def text_within(element: Element | None, *names: str) -> str:
    """The texts of all elements of these names below it, one after the other."""
    if element is None:
        return ""
    return "".join(node.text or "" for node in element.iter(*(f"{{*}}{name}" for name in names)))
