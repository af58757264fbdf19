"""Decides the character encoding of a text file: byte order mark, declared charset, UTF-8, else Windows-1252."""

from __future__ import annotations

import codecs
import encodings
import importlib
import pkgutil
import re

from documents.errors import FileTooLarge
from documents.office.unpack_limits import MAX_TEXT_BYTES

MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
DECLARED = re.compile(
    rb"""(?:charset\s*=\s*["']?|<\?xml[^>]{0,100}encoding\s*=\s*["'])\s*([A-Za-z0-9._:-]{2,40})""", re.IGNORECASE
)
HEAD = 4096
LATE = re.compile(rb"""<meta\s[^<>]{0,400}?charset\s*=\s*["']?\s*([A-Za-z0-9._:-]{2,40})""", re.IGNORECASE)
LATE_HEAD = 1 << 16  # browsers believe a late meta element, too, and read again
SHIFTING = ("iso-2022", "hz")  # their bytes are sound UTF-8, whatever they say
WIDE = ("utf-16", "utf-32")
UNSAFE = ("idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape", "utf_7", "mbcs", "oem")


def load_codecs() -> None:
    """Load every codec of text: behind the walls of a sandbox nothing can be loaded any more."""
    for module in pkgutil.iter_modules(encodings.__path__):
        if not module.name.endswith("_codec"):
            try:
                importlib.import_module(f"encodings.{module.name}")
                codecs.lookup(module.name)
            except (ImportError, LookupError):  # one of another system
                continue


def decoded(content: bytes, declared: str | None = None, *, in_markup: bool = False) -> str:
    """The text; `declared` is a charset from outside, `in_markup` looks for one in the file's head.

    UTF-16 that is declared over bytes which are sound UTF-8 is not believed: the declaration itself was read in ASCII.

    Raises FileTooLarge.
    """
    if len(content) > MAX_TEXT_BYTES:
        raise FileTooLarge(f"a text file may have {MAX_TEXT_BYTES} bytes at most")
    for mark, name in MARKS:
        if content.startswith(mark):
            return content[len(mark) :].decode(name, "replace")
    early = _named(DECLARED.search(content[:HEAD])) if in_markup else None
    late = _named(LATE.search(content[:LATE_HEAD])) if in_markup else None
    shifts = late is not None and late.lower().startswith(SHIFTING)
    for name in (declared, early, late if shifts else None, "utf-8", late):
        text = _strictly(content, name)
        if text is not None:
            return text
    if _looks_wide(content):
        return content.decode("utf-16-le" if content[1] == 0 else "utf-16-be", "replace")
    named = next((name for name in (declared, early, late) if _codec(name) is not None), None)
    return content.decode(_codec(named) or "cp1252", "replace")


def _named(match: re.Match[bytes] | None) -> str | None:
    return match[1].decode("ascii") if match else None


def _strictly(content: bytes, name: str | None) -> str | None:
    codec = _codec(name)
    if codec is None:
        return None
    try:
        text = content.decode(codec)
    except (UnicodeError, ValueError):
        return None
    if codec == "utf-8" and _looks_wide(content):
        return None
    return None if codec.startswith(WIDE) and not _looks_wide(content) and _is_utf8(content) else text


def _codec(name: str | None) -> str | None:
    """The codec of this name, if it is one of text; Latin-1 means Windows' superset of it, as browsers have it."""
    if name is None:
        return None
    try:
        codec = codecs.lookup(name.strip().strip("\"'"))
    except (LookupError, ValueError):
        return None
    is_text = getattr(codec, "_is_text_encoding", True)
    if not is_text or codec.name.replace("-", "_") in UNSAFE:
        return None
    return "cp1252" if codec.name in ("iso8859-1", "ascii") else codec.name


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeError:
        return False
    return True


def _looks_wide(content: bytes) -> bool:
    """Whether every second byte of the begin is zero, as of Latin letters in UTF-16."""
    head = content[:200]
    return len(head) >= 8 and max(head[::2].count(0), head[1::2].count(0)) > 0.4 * len(head)
