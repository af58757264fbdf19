"""Reads a mail (EML): headers, text, attachments."""

from __future__ import annotations

import email
import email.policy
import html
from collections.abc import Iterator
from email.errors import MessageError
from email.header import decode_header
from email.message import EmailMessage, Message

from documents.office.mail.inner_files import InnerFiles
from documents.office.mail.outlook import mail_of
from documents.office.packages.text_decoding import decoded
from documents.office.packages.unpack_limits import MAX_DEPTH
from documents.office.page_writer import PageWriter
from documents.office.paragraph_text import Words, clean
from documents.office.parsed_file import Authored, PrintedPage, warned
from documents.office.sheets.text_and_csv import paragraphs_of, raw_lines
from documents.office.web.web_page import WebPage
from documents.places import MailPlace
from documents.values import Page, PageWarning

VISIBLE_HEADERS = ("From", "To", "Cc", "Date", "Reply-To")
MAX_HEADER_CHARACTERS = 2000
MAX_PARTS = 1000
INLINE_PICTURE = "cid:"


def parse_mail(content: bytes, inner: InnerFiles) -> Authored:
    """Raises TooManyPages; what of it cannot be read is reported and left out."""
    return _parsed(email.message_from_bytes(content, _class=EmailMessage, policy=email.policy.compat32), inner)


def parse_outlook(content: bytes, inner: InnerFiles) -> Authored:
    """The same of an Outlook file. Raises UnreadableDocument, TooLargeUnpacked, too."""
    message, warnings = mail_of(content)
    inner.warnings += warnings
    return _parsed(message, inner)


def _parsed(message: Message, inner: InnerFiles) -> Authored:
    parts = list(_parts(message, "", 0))[:MAX_PARTS]
    writer = PageWriter(inner.budget)
    _headers(message, writer)
    body = _body(parts, set(_alternatives(message, "", 0)))
    pictures = {
        (part.get("Content-ID") or "").strip(" <>"): name
        for name, part in parts
        if part.get_content_maintype() == "image"
    }
    for number in body:
        _text(number, dict(parts)[number], writer, pictures)
    inline_pictures = {pictures[key] for key in pictures if key and _mentions(body, dict(parts), key)}
    pages: list[Page | PrintedPage] = [*writer.pages()]
    for number, part in parts:
        if number in body or number in inline_pictures or _is_container(part) or not _is_attachment(part):
            continue
        name = _file_name(part) or f"part {number}"
        pages += inner.attached(name, _content(part), part.get_content_type())
    contents = {number: part for number, part in parts if not _is_container(part)}

    def read_part(name: str) -> bytes | None:
        return _content(contents[name]) if name in contents else inner.read(name)

    return Authored(
        pages=pages,
        read_part=read_part,
        metadata=_metadata(message),
        outline=writer.outline,
        warnings=[*writer.warnings(), *inner.warnings, *_defects(message)],
    )


def _parts(message: Message, number: str, depth: int) -> Iterator[tuple[str, Message]]:
    """All parts with their numbers as in IMAP; a mail within the mail is one part."""
    if depth > MAX_DEPTH:
        return
    if message.get_content_maintype() != "multipart" or not message.is_multipart():
        yield number or "1", message
        return
    for k, part in enumerate(message.get_payload(), 1):  # pyright: ignore[reportArgumentType]
        if isinstance(part, Message):
            yield from _parts(part, f"{number}.{k}" if number else str(k), depth + 1)


def _alternatives(message: Message, number: str, depth: int) -> Iterator[str]:
    """The numbers of the containers whose parts all say the same."""
    if depth > MAX_DEPTH or not message.is_multipart() or message.get_content_maintype() != "multipart":
        return
    if message.get_content_subtype() == "alternative":
        yield number
    for k, part in enumerate(message.get_payload(), 1):  # pyright: ignore[reportArgumentType]
        if isinstance(part, Message):
            yield from _alternatives(part, f"{number}.{k}" if number else str(k), depth + 1)


def _body(parts: list[tuple[str, Message]], alternatives: set[str]) -> list[str]:
    """The numbers of the parts that are the mail's text; of two that say the same, HTML."""
    texts = [(number, part.get_content_subtype()) for number, part in parts if not _is_attachment(part)]
    marked = [number for number, kind in texts if kind == "html"]
    plain = [number for number, kind in texts if kind == "plain"]

    def is_said_by_markup(number: str) -> bool:
        container = number.rpartition(".")[0]
        return container in alternatives and any(not container or m.startswith(f"{container}.") for m in marked)

    return sorted([*marked, *(number for number in plain if not is_said_by_markup(number))], key=_numbers)


def _text(number: str, part: Message, writer: PageWriter, pictures: dict[str, str]) -> None:
    is_markup = part.get_content_subtype() == "html"
    text = writer.read_as(decoded(_content(part), _charset(part), in_markup=is_markup))
    if is_markup:

        def place(path: str, _start: int, _end: int) -> MailPlace:
            return MailPlace(part=number, path=path)

        def picture(address: str) -> str | None:
            return pictures.get(address.removeprefix(INLINE_PICTURE)) if address.startswith(INLINE_PICTURE) else None

        WebPage(writer, place, picture).read(text)
        return
    for words, first, last in paragraphs_of(raw_lines(text)):
        writer.paragraph(Words(words), MailPlace(part=number, first=first, last=last))


def _headers(message: Message, writer: PageWriter) -> None:
    place = MailPlace(part="headers")
    subject = _header(message, "Subject")
    writer.rename(subject[:200])
    writer.heading(Words(subject), 1, place)
    lines = [f"{name}: {value}" for name in VISIBLE_HEADERS if (value := _header(message, name))]
    writer.paragraph(Words("\n".join(lines)), place)


def _header(message: Message, name: str) -> str:
    """The header's words, decoded; those that cannot be stay as they are."""

    value = next((value for key, value in message.raw_items() if key.lower() == name.lower()), None)
    if value is None:
        return ""
    text = _with_encoded_words(decoded(str(value).encode("utf-8", "surrogateescape")).text)
    return " ".join(clean(html.unescape(text) if "&#" in text else text).split())[:MAX_HEADER_CHARACTERS]


def _with_encoded_words(text: str) -> str:
    """A text whose encoded words are decoded, each in the charset that its bytes are in; broken ones stay."""
    try:
        parts = decode_header(text)
    except (MessageError, ValueError):
        return text
    return "".join(part if isinstance(part, str) else _decoded_part(part, charset) for part, charset in parts)


def _decoded_part(part: bytes, charset: str | None) -> str:
    """Bytes of an encoded word, or what the library makes of the characters between such words."""
    return part.decode("raw-unicode-escape") if charset is None else decoded(part, charset).text


def _is_container(part: Message) -> bool:
    return part.get_content_maintype() == "multipart"


def _is_attachment(part: Message) -> bool:
    if _file_name(part) or part.get_content_type() == "message/rfc822":
        return True
    if part.get_content_type() in ("text/plain", "text/html"):
        return part.get_content_disposition() == "attachment"
    return part.get_content_maintype() != "multipart"


def _file_name(part: Message) -> str:
    try:
        return " ".join(clean(_with_encoded_words(part.get_filename() or "")).split())[:200]
    except (MessageError, LookupError, ValueError):
        return "attachment"


def _content(part: Message) -> bytes:
    """The bytes of a part, decoded; of a mail within the mail, or a report of one, as it stands."""
    if part.is_multipart():
        try:
            return b"\n".join(inner.as_bytes() for inner in part.get_payload() if isinstance(inner, Message))
        except (MessageError, LookupError, ValueError, TypeError):  # what it was made of cannot be written
            return b""
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def _charset(part: Message) -> str | None:
    try:
        return part.get_content_charset()
    except (MessageError, LookupError, ValueError):
        return None


def _mentions(body: list[str], parts: dict[str, Message], key: str) -> bool:
    """Whether the mail's HTML shows the picture itself."""
    return any(f"{INLINE_PICTURE}{key}".encode() in _content(parts[number]) for number in body)


def _metadata(message: Message) -> dict[str, str]:
    names = {"title": "Subject", "author": "From", "created": "Date"}
    return {name: value[:1000] for name, header in names.items() if (value := _header(message, header))}


def _defects(message: Message) -> list[PageWarning]:
    return (
        [warned(code="repaired", message="the mail is damaged and was read as far as possible")]
        if message.defects
        else []
    )


def _numbers(number: str) -> list[int]:
    return [int(step) for step in number.split(".")]
