"""Reads an Outlook mail (MSG).

Its parts have the numbers that they would have over IMAP: the text first, then the attachments in their order.
"""

from __future__ import annotations

from email import encoders
from email.message import Message
from email.utils import format_datetime, formataddr

from documents.errors import UnreadableDocument
from documents.office.mail.outlook_properties import PROPERTIES, CompoundFile, Properties
from documents.office.packages.unpack_limits import MAX_NESTED_FILES
from documents.office.paragraph_text import CONTROLS
from documents.office.parsed_file import warned
from documents.values import PageWarning

TOP_HEADER_BYTES = 32  # length of the header before the fixed properties
INNER_HEADER_BYTES = 24
PART_HEADER_BYTES = 8
SUBJECT, SENDER, SENDER_ADDRESS, SENDER_SMTP = 0x0037, 0x0C1A, 0x0C1F, 0x5D01
AUTHOR, AUTHOR_ADDRESS, AUTHOR_SMTP = 0x0042, 0x0065, 0x5D02  # whom the sender wrote for
DISPLAY_TO = 0x0E04
DISPLAY_CC = 0x0E03
SUBMIT_TIME = 0x0039
DELIVERY_TIME = 0x0E06
TEXT, RTF, MARKUP, CHARSET = 0x1000, 0x1009, 0x1013, 0x3FDE
FILE, MESSAGE = 0x3701, 0x3701
LONG_NAME = 0x3707
SHORT_NAME = 0x3704
DISPLAY_NAME = 0x3001
MEDIA_TYPE = 0x370E
CONTENT_ID = 0x3712
RECIPIENT_NAME, RECIPIENT_ADDRESS, RECIPIENT_SMTP, RECIPIENT_KIND = 0x3001, 0x3003, 0x39FE, 0x0C15
MAX_PARTS = 1000
MAX_HEADER_CHARACTERS = 4000


def mail_of(content: bytes) -> tuple[Message, list[PageWarning]]:
    """The mail of an Outlook file, and what of it is not read. Raises UnreadableDocument, TooLargeUnpacked."""
    file = CompoundFile(content)
    if PROPERTIES not in file.names_in(()):
        raise UnreadableDocument("the file holds no message")
    properties = Properties.of(file, (), TOP_HEADER_BYTES)
    message = _message(properties, 0)
    is_rich_alone = properties.content(RTF) and not any(
        part.get_content_maintype() == "text" for part in message.walk()
    )
    text = "the text of the mail is only RTF, which is not supported"
    return message, [warned(code="cut_short", message=text)] if is_rich_alone else []


def _message(properties: Properties, depth: int) -> Message:
    message = Message()
    _write_headers(message, properties)
    parts = _texts(properties)
    for number, storage in enumerate(properties.storages("__attach")):
        if number >= MAX_PARTS:
            break
        part = _attachment(Properties.of(properties.file, storage, PART_HEADER_BYTES, properties.code_page), depth)
        if part is not None:
            parts.append(part)
    message["Content-Type"] = "multipart/mixed"
    for part in parts:
        message.attach(part)
    if not parts:
        message.set_payload([])
    return message


def _write_headers(message: Message, properties: Properties) -> None:
    author = _address(properties, AUTHOR, AUTHOR_SMTP, AUTHOR_ADDRESS)
    sent_at = properties.time(SUBMIT_TIME) or properties.time(DELIVERY_TIME)
    recipients = {1: list[str](), 2: list[str]()}
    for number, storage in enumerate(properties.storages("__recip")):
        if number >= MAX_PARTS:
            break
        one = Properties.of(properties.file, storage, PART_HEADER_BYTES, properties.code_page)
        recipients.get(one.number(RECIPIENT_KIND) or 1, []).append(
            _address(one, RECIPIENT_NAME, RECIPIENT_SMTP, RECIPIENT_ADDRESS)
        )
    for name, value in (
        ("Subject", properties.text(SUBJECT)),
        ("From", author or _address(properties, SENDER, SENDER_SMTP, SENDER_ADDRESS)),
        ("To", ", ".join(filter(None, recipients[1])) or properties.text(DISPLAY_TO)),
        ("Cc", ", ".join(filter(None, recipients[2])) or properties.text(DISPLAY_CC)),
        ("Date", format_datetime(sent_at) if sent_at is not None else ""),
    ):
        line = " ".join(CONTROLS.sub("", value).split())[:MAX_HEADER_CHARACTERS]
        if line:
            message[name] = line


def _address(properties: Properties, name: int, smtp: int, other: int) -> str:
    """`Name <address>`, where the address is one of mail."""
    display_name = properties.text(name)
    address = next((text for text in (properties.text(smtp), properties.text(other)) if "@" in text), "")
    if not address or address in display_name:
        return display_name or address
    return (
        formataddr((display_name, address))
        if address.isascii() and display_name.isascii()
        else f"{display_name} <{address}>"
    )


def _texts(properties: Properties) -> list[Message]:
    """The mail's text; HTML and plain text of the same words are alternatives."""
    parts: list[Message] = []
    plain = properties.text(TEXT)
    if plain.strip():
        parts.append(_part("text/plain; charset=utf-8", plain.encode("utf-8", "replace")))
    markup = properties.content(MARKUP)
    if markup is not None and markup.strip():
        charset = properties.code_page_of(CHARSET) or "utf-8"
        parts.append(_part(f"text/html; charset={charset}", markup))
    elif (text := properties.text(MARKUP)).strip():
        parts.append(_part("text/html; charset=utf-8", text.encode("utf-8", "replace")))
    if len(parts) < 2:
        return parts
    both = Message()
    both["Content-Type"] = "multipart/alternative"
    for part in parts:
        both.attach(part)
    return [both]


def _attachment(properties: Properties, depth: int) -> Message | None:
    """One attachment, a message within the message as a mail; None of what holds nothing."""
    name = properties.text(LONG_NAME) or properties.text(SHORT_NAME) or properties.text(DISPLAY_NAME)
    storage = properties.object(MESSAGE)
    content = properties.content(FILE)
    if content is not None:
        part = _part(_media_type(properties.text(MEDIA_TYPE)), content)
    elif storage is not None and depth < MAX_NESTED_FILES:
        inner = Properties.of(properties.file, storage, INNER_HEADER_BYTES, properties.code_page)
        part = Message()
        part["Content-Type"] = "message/rfc822"
        part.set_payload([_message(inner, depth + 1)])
        name = name or inner.text(SUBJECT)
    else:
        return None
    part.add_header("Content-Disposition", "attachment", filename=" ".join(CONTROLS.sub("", name).split()) or "file")
    content_id = CONTROLS.sub("", properties.text(CONTENT_ID)).strip()
    if content_id:
        part["Content-ID"] = f"<{content_id}>"
    return part


def _part(content_type: str, content: bytes) -> Message:
    part = Message()
    part["Content-Type"] = content_type
    part.set_payload(content)
    encoders.encode_base64(part)  # so that a mail within the mail can be written as one
    return part


def _media_type(text: str) -> str:
    main, _, kind = text.partition("/")
    is_sound = all(
        step and step.isascii() and step.replace("-", "").replace(".", "").replace("+", "").isalnum()
        for step in (main, kind)
    )
    return text if is_sound and main not in ("multipart", "message") else "application/octet-stream"
