"""Decides the charset of a text: byte order mark, UTF-8, declared charset, else the one that its letters suggest."""

from __future__ import annotations

import codecs
import encodings
import importlib
import pkgutil
import re
from collections.abc import Sequence
from typing import NamedTuple

import chardet
import webencodings

from documents.errors import FileTooLarge
from documents.media_types import utf_16_of
from documents.office.packages.unpack_limits import MAX_TEXT_BYTES

MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
CHARSET_DECLARATION = re.compile(
    rb"""(?:charset\s*=\s*["']?|<\?xml[^>]{0,100}encoding\s*=\s*["'])\s*([A-Za-z0-9._:-]{2,40})""", re.IGNORECASE
)
HEAD_BYTES = 4096
LATE_DECLARATION = re.compile(rb"""<meta\s[^<>]{0,400}?charset\s*=\s*["']?\s*([A-Za-z0-9._:-]{2,40})""", re.IGNORECASE)
LATE_HEAD_BYTES = 1 << 16  # browsers accept a late meta element too, and read the page again
ESCAPES = ((b"\x1b$B", "iso-2022-jp"), (b"\x1b$@", "iso-2022-jp"), (b"\x1b$)C", "iso-2022-kr"))
SHIFT_CODECS = ("iso2022", "hz")  # the bytes of these codecs are valid UTF-8, whatever the text is
WIDE_CODECS = ("utf-16", "utf-32")
UNSAFE_CODECS = ("idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape", "utf_7", "mbcs", "oem")
CODECS = {  # Python's codecs for the encodings of the web: the widest first, then those with further characters
    "gbk": ("gb18030",),
    "big5": ("big5hkscs", "cp950"),
    "shift_jis": ("cp932", "shift_jis_2004"),
    "euc-jp": ("euc_jp", "euc_jis_2004"),
    "euc-kr": ("cp949",),
    "iso-8859-8-i": ("iso8859-8",),
    "windows-874": ("cp874",),
    "x-mac-cyrillic": ("mac-cyrillic",),
}
WESTERN_CODEC = "cp1252"
LATIN_CODECS = (WESTERN_CODEC, "cp1250", "cp1254", "cp1257", "cp1258", "iso8859-2", "mac-roman")
SINGLE_BYTE_CODECS = (
    *LATIN_CODECS,
    "cp1251",
    "cp1253",
    "cp1255",
    "cp1256",
    "cp874",
    "koi8-r",
    "koi8-u",
    "cp866",
    "iso8859-5",
    "mac-cyrillic",
)
CANDIDATE_CODECS = (*SINGLE_BYTE_CODECS, "gb18030", "big5", "cp932", "euc-jp", "cp949", "utf-16-le", "utf-16-be")
SAMPLE_BYTES = 1 << 16  # number of bytes that the charset is guessed from
MAX_CONTEXT_BYTES = 500  # maximum ASCII bytes of a line before its first other byte that belong to the sample
NON_ASCII_RUN = re.compile(r"[^\x00-\x7f]+")
NON_ASCII_BYTE = re.compile(rb"[\x80-\xff]")
NON_ASCII_BYTES = bytes(range(0x80, 0x100))
MIN_NON_ASCII = 0.3  # minimum share of non-ASCII bytes in a short Chinese, Japanese or Korean text
MAX_DAMAGED = 0.1  # maximum share of non-ASCII characters that may be damaged in a text of its declared charset
MAX_MIXED = 0.3  # maximum share of non-ASCII runs within Latin words, in a text of another script
# below this confidence, a charset of one byte is taken for the Western one, by far the most frequent
MIN_CONFIDENCE = 0.05
MIN_SURE_CONFIDENCE = 0.1  # below this confidence, the guess is a warning
# with this confidence in another script, a declared Western charset (a frequent default) is wrong
MIN_OTHER_CONFIDENCE = 0.25
MIN_SEQUENCES = 3  # so many sequences of UTF-8 do not occur by accident in a text of two bytes per character


class Decoded(NamedTuple):
    """A text, and why its charset may be another than the one that it was read in; empty where that is certain."""

    text: str
    doubt: str = ""


def load_codecs() -> None:
    """Load every codec of text, and the detector: behind the walls of a sandbox nothing can be loaded any more."""
    for module in pkgutil.iter_modules(encodings.__path__):
        if not module.name.endswith("_codec"):
            try:
                importlib.import_module(f"encodings.{module.name}")
                codecs.lookup(module.name)
            except (ImportError, LookupError):  # one of another system
                continue
    _guessed("Größe".encode(WESTERN_CODEC))


def decoded(content: bytes, declared: str | None = None, *, in_markup: bool = False) -> Decoded:
    """The text; `declared` is a charset from outside, `in_markup` looks for one in the file's head.

    Labels mean what browsers take them for. UTF-8 that is sound is not taken for anything else; a label over bytes
    that it does not fit is not believed.

    Raises FileTooLarge.
    """
    if len(content) > MAX_TEXT_BYTES:
        raise FileTooLarge(f"a text file may have {MAX_TEXT_BYTES} bytes at most")
    for mark, name in MARKS:
        if content.startswith(mark):
            return Decoded(content[len(mark) :].decode(name, "replace"))
    labels = _labels(content, declared, in_markup=in_markup)
    shifting = [label for label in labels if _codecs(label)[0].startswith(SHIFT_CODECS)]
    utf_8 = _strictly(content, ("utf-8",))
    for label in shifting:
        if (text := _strictly(content, _codecs(label))) is not None:
            return Decoded(text)
    wide = utf_16_of(content[:HEAD_BYTES])
    if wide is not None:
        return Decoded(content.decode(wide, "replace"))
    for label in labels:
        text = _strictly(content, _codecs(label))
        if text is not None:
            return _unless_contradicted(content, Decoded(text), label, utf_8)
    return Decoded(utf_8) if utf_8 is not None else _damaged(content, labels)


def _unless_contradicted(content: bytes, declared: Decoded, label: str, utf_8: str | None) -> Decoded:
    """A text in its declared charset, if the bytes are not plainly of another."""
    codec = _codecs(label)[0]
    if utf_8 is not None and utf_8 != declared.text:
        num_sequences = sum(1 for _ in re.finditer(r"[^\x00-\x7f]", utf_8[:SAMPLE_BYTES]))
        if codec.startswith(WIDE_CODECS) or len(declared.text) == len(content) or num_sequences >= MIN_SEQUENCES:
            return Decoded(utf_8)
    if codec == WESTERN_CODEC and not content.isascii():
        guess, confidence = _guessed(content)
        if confidence >= MIN_OTHER_CONFIDENCE and _codecs(guess)[0] not in LATIN_CODECS:
            text = _strictly(content, _codecs(guess))
            if text is not None:
                return Decoded(text, f"the text is declared as {label}, and was read as {guess.lower()}")
    return declared


def _damaged(content: bytes, labels: Sequence[str]) -> Decoded:
    """A text of no declared charset, or with bytes that are none of its characters."""
    for label in (*labels, "utf-8"):
        text = content.decode(_codecs(label)[0], "replace")
        num_bad = text.count("\ufffd")
        if num_bad <= MAX_DAMAGED * sum(1 for _ in re.finditer(r"[^\x00-\x7f]", text)):
            return Decoded(text, f"{num_bad} characters are damaged: their bytes are none of {label}")
    guess, confidence = _guessed(content)
    text = _strictly(content, _codecs(guess))
    if text is None:
        text = content.decode(_codecs(guess)[0], "replace")
    if labels:
        return Decoded(text, f"the text is declared as {labels[0]}, and was read as {guess.lower()}")
    is_certain = confidence >= MIN_SURE_CONFIDENCE and "\ufffd" not in text
    return Decoded(text, "" if is_certain else f"the charset is not declared, and {guess.lower()} was guessed")


def _guessed(content: bytes) -> tuple[str, float]:
    """The charset that the letters of a sample suggest, and how far they do, from 0 to 1."""
    sample = _sample(content)
    guess = chardet.detect(sample, include_encodings=CANDIDATE_CODECS)
    name, confidence = guess["encoding"], guess["confidence"]
    if name is not None and not _is_likely(sample, _codecs(name)[0], confidence):
        guess = chardet.detect(sample, include_encodings=LATIN_CODECS)
        name, confidence = guess["encoding"], guess["confidence"]
    is_faint = name is not None and confidence < MIN_CONFIDENCE and _codecs(name)[0] in SINGLE_BYTE_CODECS
    if name is None or (is_faint and _strictly(sample, (WESTERN_CODEC,)) is not None):
        return "windows-1252", 0.0
    return name, confidence


def _sample(content: bytes) -> bytes:
    """The lines with bytes beyond ASCII, up to SAMPLE_BYTES bytes of them."""
    lines: list[bytes] = []
    length = end = 0
    while length < SAMPLE_BYTES and (beyond := NON_ASCII_BYTE.search(content, end)) is not None:
        at = beyond.start()
        start = max(end, at - MAX_CONTEXT_BYTES, content.rfind(b"\n", max(end, at - MAX_CONTEXT_BYTES), at) + 1)
        newline = content.find(b"\n", at, at + SAMPLE_BYTES - length)
        end = newline + 1 if newline >= 0 else at + SAMPLE_BYTES - length
        lines.append(content[start:end])
        length += end - start
    return b"".join(lines)


def _is_likely(sample: bytes, codec: str, confidence: float) -> bool:
    """Whether a text of another script than the Latin one looks like it: few bytes of ASCII, and not within words."""
    if codec in LATIN_CODECS:
        return True
    if codec not in SINGLE_BYTE_CODECS and confidence < MIN_CONFIDENCE:
        num_beyond = len(sample) - len(sample.translate(None, NON_ASCII_BYTES))
        if num_beyond < MIN_NON_ASCII * len(sample):
            return False
    return not _mixes_scripts(sample, codec)


def _mixes_scripts(sample: bytes, codec: str) -> bool:
    """Whether letters of another script stand within Latin words, as in `dы` for `dû`, or beside bytes of no letter."""
    text = sample.decode(codec, "replace")
    runs = list(NON_ASCII_RUN.finditer(text))
    is_single = len(text) == len(sample)
    num_mixed = 0
    for run in runs:
        sides = text[max(0, run.start() - 1) : run.start()], text[run.end() : run.end() + 1]
        letters = [side.isascii() and side.isalpha() for side in sides]
        num_mixed += any(letters) if is_single else all(letters)
    return num_mixed > MAX_MIXED * len(runs) or text.count("\ufffd") > MAX_DAMAGED * len(runs)


def _labels(content: bytes, declared: str | None, *, in_markup: bool) -> list[str]:
    """The charsets that a file or its envelope names, the first to be believed first; unknown ones are left out."""
    labels = [declared or ""]
    if in_markup:
        matches = CHARSET_DECLARATION.search(content[:HEAD_BYTES]), LATE_DECLARATION.search(content[:LATE_HEAD_BYTES])
        labels += [match[1].decode("ascii") for match in matches if match is not None]
    labels += [label for escape, label in ESCAPES if escape in content[:LATE_HEAD_BYTES]]
    return [label for label in dict.fromkeys(labels) if _codecs(label)]


def _codecs(label: str) -> tuple[str, ...]:
    """Python's codecs for a label, the first of which decodes all that is right; empty for an unknown one."""
    label = label.strip().strip("\"'")
    encoding = webencodings.lookup(label)
    try:
        codec = codecs.lookup(label) if encoding is None or encoding.name == "replacement" else None
        encoding = webencodings.lookup(codec.name) if codec is not None else encoding
        if encoding is not None and encoding.name not in ("replacement", "x-user-defined"):
            return CODECS.get(encoding.name) or (codecs.lookup(encoding.name).name,)
    except (LookupError, ValueError):
        return ()
    is_text = codec is not None and getattr(codec, "_is_text_encoding", True)
    return (codec.name,) if codec is not None and is_text and codec.name.replace("-", "_") not in UNSAFE_CODECS else ()


def _strictly(content: bytes, names: Sequence[str]) -> str | None:
    """The text in the first of these codecs to which all bytes belong."""
    for name in names:
        try:
            return content.decode(name)
        except (UnicodeError, ValueError):
            continue
    return None
