"""Detects a file's media type from its content (magic bytes); the name decides only among kinds of text.

Nothing is parsed here: signatures at the begin of a file, and names of parts in the list at the end of a zip.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import BinaryIO

from documents.errors import EmptyFile, UnsupportedMedia

PDF, PNG, JPEG, TIFF, WEBP = "application/pdf", "image/png", "image/jpeg", "image/tiff", "image/webp"
_OFFICE = "application/vnd.openxmlformats-officedocument"
DOCX = f"{_OFFICE}.wordprocessingml.document"
PPTX = f"{_OFFICE}.presentationml.presentation"
XLSX = f"{_OFFICE}.spreadsheetml.sheet"
_ODF = "application/vnd.oasis.opendocument"
ODT, ODS, ODP = f"{_ODF}.text", f"{_ODF}.spreadsheet", f"{_ODF}.presentation"
EPUB, ZIP = "application/epub+zip", "application/zip"
HTML = "text/html"
MARKDOWN = "text/markdown"
CSV = "text/csv"
PLAIN_TEXT = "text/plain"
MAIL = "message/rfc822"
OUTLOOK = "application/vnd.ms-outlook"
INVOICE = "application/xml"  # an e-invoice in one of the two syntaxes of EN 16931; other XML is not read
LOCKED_OFFICE = "application/x-ole-storage"  # an Office file behind a password, opened only to report that

PAGE_TYPES = frozenset({PDF, PNG, JPEG, TIFF, WEBP})  # types of files whose pages are drawn
TEXT_TYPES = frozenset(
    {DOCX, PPTX, XLSX, ODT, ODS, ODP, EPUB, ZIP, HTML, MARKDOWN, CSV, PLAIN_TEXT, MAIL, OUTLOOK, INVOICE, LOCKED_OFFICE}
)  # files that say their text themselves
SUPPORTED_TYPES = PAGE_TYPES | TEXT_TYPES
PRINTED_NAMES = "PDF, PNG, JPEG, TIFF, WebP"
_TEXT_TYPE_NAMES = "DOCX, PPTX, XLSX, ODT, ODS, ODP, EPUB, HTML, Markdown, CSV, text, EML, MSG, ZIP, XML of e-invoices"
NAMES = f"{PRINTED_NAMES}, {_TEXT_TYPE_NAMES}"

MAX_JUNK_BYTES = 1024  # maximum number of bytes that readers allow before %PDF
HEAD_BYTES = 4096  # bytes of a file's start by which its type is recognised
MIN_UTF16_BYTES = 8  # minimum length of a text in UTF-16 without a byte order mark
ZIP_TAIL_BYTES = 1 << 20  # the end of a zip, which contains the names of its parts

_MAGIC_BYTES = (
    (b"\x89PNG\r\n\x1a\n", PNG),
    (b"\xff\xd8\xff", JPEG),
    (b"II*\x00", TIFF),
    (b"MM\x00*", TIFF),
)
_ZIP, _OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTION_PART = "EncryptedPackage".encode("utf-16-le")
_MAPI = tuple(name.encode("utf-16-le") for name in ("__properties_version1.0", "__nameid_version1.0", "__substg1.0_"))
_MESSAGE_CLASS = bytes.fromhex("0b0d020000000000c000000000000046")  # class of the root storage of an Outlook message
_LIST_ENTRY = b"PK\x01\x02"  # marks an entry in a zip's list of parts
_LIST_END = b"PK\x05\x06"  # marks the end of that list
_PARTS = (("word/", DOCX), ("ppt/", PPTX), ("xl/", XLSX))
_ODF_TYPES = {kind.encode(): kind for kind in (ODT, ODS, ODP)}
_TEXT_ENDINGS = {
    "md": MARKDOWN, "markdown": MARKDOWN, "mdown": MARKDOWN, "csv": CSV, "tsv": CSV, "html": HTML, "htm": HTML,
    "xhtml": HTML, "eml": MAIL,
}  # fmt: skip
_PAGE = re.compile(
    r"(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*(?:<!doctype html|<html|<head|<body)", re.IGNORECASE | re.DOTALL
)
_INVOICE = re.compile(  # the root element, within what is looked at
    r"\A(?:<\?xml[^>]*>)?\s*(?:<!--(?:(?!-->).)*-->\s*)*<(?:[\w.-]+:)?"
    r"(?:CrossIndustryInvoice|CrossIndustryDocument|(?:Invoice|CreditNote)\s[^>]*ubl:schema:xsd:(?:Invoice|CreditNote)-2)",
    re.DOTALL,
)
_MARKUP_START = re.compile(r"(?:<\?xml|<svg|<!doctype|\{\\rtf|%!ps)", re.IGNORECASE)
_FIELD = re.compile(r"([A-Za-z][A-Za-z0-9-]{1,60}):[ \t]")
_MAIL_FIELDS = frozenset(
    {"from", "to", "subject", "date", "received", "return-path", "message-id", "mime-version", "delivered-to"}
)
_PRINTED_ENDINGS = frozenset({"pdf", "png", "jpg", "jpeg", "tif", "tiff", "webp"})
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


def sniff(head: bytes) -> str | None:
    """The media type of a file of drawn pages by its first 2 kB, or None if it is none of these."""
    for magic, media_type in _MAGIC_BYTES:
        if head.startswith(magic):
            return media_type
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return WEBP
    if b"%PDF-" in head[: MAX_JUNK_BYTES + 5] and not _is_other(head):
        return PDF
    return None


def sniffed_type(file: BinaryIO, name: str, allowed: frozenset[str]) -> str:
    """The media type of a file that somebody calls so, and that is at its begin, before and after.

    Raises:
        EmptyFile: it is empty.
        UnsupportedMedia: it is of no `allowed` kind.
    """
    if not file.read(1):
        raise EmptyFile(f"{name or 'the file'} is empty")
    file.seek(0)
    media_type = sniff_file(file, name)
    if media_type is None or media_type not in allowed:
        kinds = PRINTED_NAMES if allowed == PAGE_TYPES else NAMES
        raise UnsupportedMedia(f"unsupported file type: {name or 'the file'} is not one of {kinds}")
    return media_type


def sniff_file(file: BinaryIO, name: str = "") -> str | None:
    """The media type of a file by its content; None if it is none that is read here. The file is at its begin again."""
    head = file.read(HEAD_BYTES)
    tail = directory = b""
    if head.startswith((_ZIP, _OLE)):
        size = file.seek(0, 2)
        file.seek(max(0, size - ZIP_TAIL_BYTES))
        tail = file.read(ZIP_TAIL_BYTES)
    if head.startswith(_OLE):
        file.seek(_directory_at(head))
        directory = file.read(HEAD_BYTES)
    file.seek(0)
    return _sniffed(head, tail, directory, name)


def sniff_content(content: bytes, name: str = "") -> str | None:
    """The same of bytes in memory."""
    at = _directory_at(content[:HEAD_BYTES]) if content.startswith(_OLE) else 0
    return _sniffed(content[:HEAD_BYTES], content[-ZIP_TAIL_BYTES:], content[at : at + HEAD_BYTES], name)


def utf_16_of(head: bytes) -> str | None:
    """`utf-16-le` or `utf-16-be` of the begin of a text in it without a byte order mark; None of anything else.

    Such a text has zeros (of digits, spaces, ends of lines), all in the same byte of two, and else only text.
    """
    zeros = head.count(0)
    if len(head) < MIN_UTF16_BYTES or not zeros:
        return None
    name = "utf-16-le" if head[::2].count(0) == 0 else "utf-16-be" if head[1::2].count(0) == 0 else None
    try:
        text = head[: len(head) // 2 * 2].decode(name) if name is not None else ""
    except UnicodeDecodeError as error:
        text = head[: error.start].decode(name) if name is not None and error.start >= len(head) - 4 else ""
    is_text = all(character.isprintable() or character in "\r\n\t\f\u2028\u2029\ufeff\u3000\xa0" for character in text)
    return name if text and is_text else None


def _directory_at(head: bytes) -> int:
    """Where the names of a compound file begin: at its root, which the header names by its sector."""
    if len(head) < 52:
        return 0
    (shift,) = struct.unpack_from("<H", head, 30)
    (sector,) = struct.unpack_from("<I", head, 48)
    return (sector + 1) << min(shift, 12)


def _sniffed(head: bytes, tail: bytes, directory: bytes, name: str) -> str | None:
    if (printed := sniff(head)) is not None:
        return printed
    is_named_printed = name.rpartition(".")[2].lower() in _PRINTED_ENDINGS
    if head.startswith(_ZIP):
        packed = _zipped(head, tail)
        return None if is_named_printed and packed == ZIP else packed
    if head.startswith(_OLE):
        if directory[80:96] == _MESSAGE_CLASS or any(mapi in directory for mapi in _MAPI):
            return OUTLOOK
        return LOCKED_OFFICE if any(_ENCRYPTION_PART in part for part in (head, tail, directory)) else None
    return None if is_named_printed else _written(head, name)  # an error page that was saved as a PDF is no document


def _zipped(head: bytes, tail: bytes) -> str:
    """What a zip is by the type that it begins with, or by the names of its parts."""
    if b"mimetypeapplication/" in head[:100]:
        kind = head[38:120]
        if kind.startswith(EPUB.encode()):
            return EPUB
        for begin in sorted(_ODF_TYPES, key=len, reverse=True):
            if kind.startswith(begin):
                return _ODF_TYPES[begin]
    names = list(_names(tail))
    if "[content_types].xml" in names:
        counts = {media_type: sum(name.startswith(part) for name in names) for part, media_type in _PARTS}
        most = max(counts, key=lambda media_type: counts[media_type])
        if counts[most]:
            return most
    if "content.xml" in names and "meta-inf/manifest.xml" in names:
        return ODT  # one of the three, as its body says
    return EPUB if "meta-inf/container.xml" in names else ZIP


def _names(tail: bytes) -> Iterator[str]:
    """Names of a zip's parts in small letters, from the list at its end; of a longer list those that `tail` holds."""
    end = tail.rfind(_LIST_END)
    if end < 0 or len(tail) < end + 22:
        return
    (size,) = struct.unpack_from("<I", tail, end + 12)
    at = max(0, end - size)
    while (at := tail.find(_LIST_ENTRY, at, end)) >= 0 and at + 46 <= end:
        (length,) = struct.unpack_from("<H", tail, at + 28)
        yield tail[at + 46 : at + 46 + length].decode("utf-8", "replace").replace("\\", "/").lower()
        at += 46 + length


def _written(head: bytes, name: str) -> str | None:
    """Which kind of text it is; None of what is no text, or text of another kind."""
    text = _text(head)
    if text is None:
        return None
    start = text.lstrip()
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    by_name = _TEXT_ENDINGS.get(ending)
    if _PAGE.match(start):
        return HTML
    if _INVOICE.search(start):
        return INVOICE
    if _MARKUP_START.match(start):
        return None
    if by_name is not None:
        return by_name
    return MAIL if _is_mail(start) else PLAIN_TEXT


def _text(head: bytes) -> str | None:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return head.decode("utf-16", "replace")
    if (wide := utf_16_of(head)) is not None:
        return head.decode(wide, "replace")
    try:
        text = head.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        is_cut = error.start >= len(head) - 4 and len(head) == HEAD_BYTES
        text = head.decode("utf-8-sig" if is_cut else "cp1252", "replace" if not is_cut else "ignore")
    return None if _CONTROLS.search(text) else text


def _is_mail(text: str) -> bool:
    """Whether it begins with headers of a mail, two of those that every mail has among them."""
    names: set[str] = set()
    for line in text.splitlines()[:60]:
        if line[:1] in (" ", "\t") and names:
            continue
        field = _FIELD.match(line)
        if field is None:
            break
        names.add(field[1].lower())
    return len(names & _MAIL_FIELDS) >= 2


def _is_other(head: bytes) -> bool:
    """Whether the file is plainly something else that only mentions a PDF's magic."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:16].lower()
    return start.startswith((b"pk\x03\x04", b"gif8", b"<!doctype", b"<html", b"<?xml", b"<svg"))
