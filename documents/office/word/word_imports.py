"""Reads the parts that Word imports where a DOCX names them (altChunk): HTML, MHT, DOCX, plain text."""

from __future__ import annotations

import email
import email.policy
from email.errors import MessageError
from email.message import EmailMessage

from documents.errors import UnreadableDocument
from documents.office.mail.inner_files import InnerFiles
from documents.office.packages.text_decoding import decoded
from documents.office.packages.xml_parsing import attribute, children
from documents.office.packages.zip_package import Package, Relation
from documents.region_values import Region
from documents.values import Page

ENDINGS_BY_TYPE = {"text/html": "html", "application/xhtml+xml": "html", "text/plain": "txt"}
WEB_ARCHIVES = ("message/rfc822", "multipart/related", "application/x-mimearchive")
WEB_ARCHIVE_ENDINGS = ("mht", "mhtml", "eml")
UTF8_MARK = "\ufeff"


class WordImports:
    """Parts of one document; what cannot be read of them is reported in `inner`, which bounds them."""

    def __init__(self, package: Package, inner: InnerFiles) -> None:
        self._package = package
        self._inner = inner
        types = package.soft_xml("[Content_Types].xml")
        self._of_part = {
            (attribute(node, "PartName") or "").lstrip("/").lower(): attribute(node, "ContentType") or ""
            for node in children(types, "Override")
        }
        self._of_ending = {
            (attribute(node, "Extension") or "").lower(): attribute(node, "ContentType") or ""
            for node in children(types, "Default")
        }

    def regions(self, relation: Relation | None) -> list[Region]:
        """What a part says, in its order. Raises TooManyPages, or as `Package.read`."""
        if relation is None or relation.is_external:
            name = relation.target if relation is not None else "a part"
            self._inner.report(name, "it is not in the file")
            return []
        name = relation.target
        try:
            content = self._package.read(name) or b""
        except UnreadableDocument:
            content = b""
        ending = name.rpartition(".")[2].lower()
        kind = (self._of_part.get(name.lower()) or self._of_ending.get(ending) or "").partition(";")[0].strip().lower()
        if ending in WEB_ARCHIVE_ENDINGS or kind in WEB_ARCHIVES:
            content, kind = _web_page(content), "text/html"
        own_ending = ENDINGS_BY_TYPE.get(kind, ending)
        pages = self._inner.pages(name if own_ending == ending else f"{name}.{own_ending}", content)
        if any(not isinstance(page, Page) for page in pages):
            self._inner.report(name, "it has printed pages")
        return [region for page in pages if isinstance(page, Page) for region in page.regions]


def _web_page(archive: bytes) -> bytes:
    """The page of a web archive, in UTF-8; its text where it has none."""
    message = email.message_from_bytes(archive, _class=EmailMessage, policy=email.policy.compat32)
    parts = {part.get_content_type(): part for part in reversed(list(message.walk()))}  # the first of each type
    part = parts.get("text/html") or parts.get("text/plain")
    content = part.get_payload(decode=True) if part is not None else None
    if part is None or not isinstance(content, bytes):
        return b""
    try:
        charset = part.get_content_charset()
    except (MessageError, LookupError, ValueError):
        charset = None
    return (UTF8_MARK + decoded(content, charset, in_markup=True).text).encode("utf-8", "replace")
