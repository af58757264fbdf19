"""Parses HTML safely: no external documents, and no words lost below a depth."""

from __future__ import annotations

from typing import Any

from lxml import etree, html  # pyright: ignore[reportAttributeAccessIssue]  it tells no types

from documents.errors import TooLargeUnpacked
from documents.office.packages.unpack_limits import MAX_TEXT_BYTES
from documents.office.packages.xml_parsing import Element
from documents.office.web.web_names import BLOCK_ELEMENTS, INVISIBLE_ELEMENTS
from documents.office.web.web_text import is_hidden

# maximum depth of a tree: libxml2 drops all elements from level 256 on, our functions stop at MAX_DEPTH
MAX_LEVELS = 200


def parsed_html(text: str) -> Element | None:
    """The root of a web page or of a fragment, which every text is; None of one without any element or text.

    Raises TooLargeUnpacked.
    """
    if len(text) > MAX_TEXT_BYTES:
        raise TooLargeUnpacked(f"a page of more than {MAX_TEXT_BYTES} characters is not read")
    content = text.replace("\x00", "").encode("utf-8", "replace")
    if not content.strip():
        return None
    options = {"encoding": "utf-8", "no_network": True, "remove_comments": True, "remove_pis": True, "huge_tree": False}
    parser = html.HTMLParser(**options)
    try:
        root = html.document_fromstring(content, parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        root = None
    if all(error.type_name != "ERR_RESOURCE_LIMIT" for error in parser.error_log):
        return root
    try:
        return etree.fromstring(content, html.HTMLParser(**options, target=_FlatTree()))
    except (etree.ParserError, etree.XMLSyntaxError, ValueError, AssertionError):
        return root


class _FlatTree:
    """Builds the tree of a page whose elements below MAX_LEVELS are text of the one above, without what is hidden."""

    def __init__(self) -> None:
        self._builder = etree.TreeBuilder()
        self._level = 0
        self._hidden_level: int | None = None  # of the outermost hidden element that is open below MAX_LEVELS

    def start(self, name: str, attributes: Any) -> None:
        self._level += 1
        if self._level <= MAX_LEVELS:
            self._builder.start(name, dict(attributes))
            return
        if self._hidden_level is None and (name in INVISIBLE_ELEMENTS or is_hidden(attributes)):
            self._hidden_level = self._level
        self._part(name)

    def end(self, name: str) -> None:
        if self._level <= MAX_LEVELS:
            self._builder.end(name)
        else:
            self._part(name)
        if self._hidden_level == self._level:
            self._hidden_level = None
        self._level -= 1

    def data(self, text: str) -> None:
        if self._hidden_level is None:
            self._builder.data(text)

    def close(self) -> Any:
        return self._builder.close()

    def _part(self, name: str) -> None:
        """A line's end as an element, where a block that is no element begins or ends."""
        if self._hidden_level is None and (name in BLOCK_ELEMENTS or name == "br"):
            self._builder.start("br", {})
            self._builder.end("br")
