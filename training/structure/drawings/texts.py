"""Words to draw pages with, in eight scripts; everything comes from files that are installed here, nothing is fetched.

English: documentation under /usr/share/doc, pydoc's topics, docstrings, fortunes. Other languages: the help pages of
GNOME under /usr/share/help and the message catalogues under /usr/share/locale. What is missing is left out, and where
nothing is installed there is still the English of Python itself.

apt: fortunes fortunes-min gnome-user-docs iso-codes. Catalogues come with most packages (libglib2.0-0, libgtk-3-0).
Fonts: fonts-noto-core fonts-noto-cjk fonts-liberation fonts-lato fonts-open-sans fonts-roboto-unhinted fonts-texgyre
fonts-ebgaramond fonts-crosextra-carlito fonts-crosextra-caladea fonts-hosny-amiri fonts-linuxlibertine fonts-cantarell.
More faces are used where they are installed (`typst.style.FACES`): fonts-sil-charis fonts-sil-gentiumplus
fonts-paratype fonts-ipafont fonts-nanum fonts-wqy-zenhei fonts-wqy-microhei fonts-kacst fonts-lohit-deva fonts-cabin.
pip: typst.
"""

from __future__ import annotations

import gettext
import gzip
import random
import re
import struct
import sysconfig
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, get_args

Script = Literal["latin", "cyrillic", "greek", "arabic", "hebrew", "devanagari", "chinese", "japanese", "korean"]
SCRIPTS: tuple[Script, ...] = get_args(Script)
LANGUAGES: dict[Script, tuple[str, ...]] = {
    "latin": ("de", "fr", "es", "it", "pt_BR", "nl", "pl", "cs", "sv", "da", "fi", "hu", "ro", "tr", "vi", "id"),
    "cyrillic": ("ru", "uk", "sr", "bg"),
    "greek": ("el",),
    "arabic": ("ar", "fa"),
    "hebrew": ("he",),
    "devanagari": ("hi", "mr"),
    "chinese": ("zh_CN",),
    "japanese": ("ja",),
    "korean": ("ko",),
}
SPACELESS: frozenset[Script] = frozenset({"chinese", "japanese"})

HELP = Path("/usr/share/help")
LOCALES = Path("/usr/share/locale")
DOCUMENTATION = Path("/usr/share/doc")
FORTUNES = Path("/usr/share/games/fortunes")
CATALOGUES = ("glib20", "gtk30", "gdk-pixbuf", "apt", "dpkg", "coreutils", "gsettings-desktop-schemas", "PackageKit")
NAMES = "iso_3166-1"  # the catalogue of countries' names

MAX_TEXTS = 4000  # of each kind and language
MAX_FILES = 700
MAX_BYTES = 120_000  # of a file
MIN_SHARE_OF_SCRIPT = 0.6  # of a text's letters: help pages are translated in part only, and names stay Latin
MARKUP = re.compile(r"[`\\{}<>=_|#*\[\]%~^@]|::|[0-9a-f]{8}|\w\(|[!-~]{26}|--|https?:|&\w")
NO_HEADING = re.compile(
    MARKUP.pattern + r"|\d[.:]\d|\d{3}|Release Notes|[A-Z]{16}"
)  # names of releases are no headings
ENGLISH = re.compile(r"\b(the|and|of|to|is|are|you|that|with|be|for|not)\b")  # other languages stand among fortunes
MNEMONIC = re.compile(r"\(_?\w\)|_(?=\w)|…|\.\.\.$")
SENTENCE_END = re.compile(r"(?<=[.!?。！？؟।])\s+|(?<=[。！？])")
TAGS = re.compile(r"<[^>]+>")
HEADED = re.compile(r"^#{1,5} +(.{3,70})$|^=head\d (.{3,70})$|^(\S.{2,69})\n[=\-~^]{3,}$", re.MULTILINE)
BULLET = re.compile(r"(?:^|\n)\s*(?:[-*+•]|\d+[.)])\s+")
BLANK_LINE = re.compile(r"\n\s*\n")


@dataclass(frozen=True, slots=True)
class Language:
    """What can be set in one language; no kind of text is empty."""

    code: str
    script: Script
    paragraphs: tuple[str, ...]
    sentences: tuple[str, ...]
    phrases: tuple[str, ...]  # two to eight words without a full stop: headings and labels
    names: tuple[str, ...]  # countries


@dataclass(frozen=True, slots=True)
class Texts:
    """Everything that is installed; the same on every call on one machine."""

    english: Language
    others: dict[Script, tuple[Language, ...]]
    code: tuple[str, ...]


@cache
def installed_texts() -> Texts:
    """The texts of this machine, read once per process (seconds)."""
    others: dict[Script, tuple[Language, ...]] = {}
    for script, codes in LANGUAGES.items():
        languages = tuple(language for code in codes if (language := _language(code, script)))
        if languages:
            others[script] = languages
    return Texts(_english(), others, _sample(_code(), str.strip))


@cache
def script_of(character: str) -> Script | None:
    """The script of a letter; Chinese characters count as Chinese; None: no letter, or of another script."""
    name = unicodedata.name(character, "").split(" ")[0] if character.isalpha() else ""
    by_name: dict[str, Script] = {"CJK": "chinese", "HIRAGANA": "japanese", "KATAKANA": "japanese", "HANGUL": "korean"}
    if name in by_name:
        return by_name[name]
    return next((script for script in SCRIPTS if script == name.lower()), None)


def _language(code: str, script: Script) -> Language | None:
    """The language of help pages and catalogues; None where these hold too little."""
    titles, paragraphs = _help_pages(code, script)
    messages = [text for text in _messages(code, script) if is_of(text, script)]
    short = 5 if script in SPACELESS else 12
    sentences = [text for text in messages if len(text) > 2.5 * short]
    sentences += [part for text in paragraphs for part in SENTENCE_END.split(text) if len(part) > 2 * short]
    phrases = titles + [text for text in messages if 3 <= len(text) <= 4 * short and text[-1].isalpha()]
    names = [text for text in _catalogue(code, NAMES) if is_of(text, script) and len(text) < 24] or phrases
    if min(len(sentences), len(phrases), len(names)) < 40:
        return None
    return Language(
        code=code.replace("pt_BR", "pt").split("_")[0],
        script=script,
        paragraphs=_sample(paragraphs or sentences, str.strip),
        sentences=_sample(sentences, str.strip),
        phrases=_sample(phrases, str.strip),
        names=_sample(names, str.strip),
    )


def _help_pages(code: str, script: Script) -> tuple[list[str], list[str]]:
    """Titles and paragraphs of GNOME's help."""
    titles: list[str] = []
    paragraphs: list[str] = []
    untranslated = frozenset(_help_texts("C", "title") + _help_texts("C", "p")) if code != "C" else frozenset[str]()
    for element, texts in (("title", titles), ("p", paragraphs)):
        for text in _help_texts(code, element):
            if text not in untranslated and is_of(text, script) and not MARKUP.search(text) and "&" not in text:
                texts.append(text)
    return titles, paragraphs


@cache
def _help_texts(code: str, element: str) -> tuple[str, ...]:
    pages = (path.read_text(encoding="utf-8", errors="ignore") for path in _help_files(code))
    texts = (text for page in pages for text in re.findall(rf"<{element}>(.*?)</{element}>", page, re.DOTALL))
    return tuple(" ".join(TAGS.sub("", text).split()) for text in texts)


def _help_files(code: str) -> list[Path]:
    return sorted((HELP / code / "gnome-help").glob("*.page"))


def _messages(code: str, script: Script) -> Iterator[str]:
    """The messages of some catalogues; of all, where few help pages are translated."""
    files = sorted((LOCALES / code / "LC_MESSAGES").glob("*.mo"))
    catalogues = CATALOGUES if script == "latin" else [path.stem for path in files if not path.stem.startswith("iso_")]
    for name in catalogues:
        for message in _catalogue(code, name):
            text = " ".join(MNEMONIC.sub("", message).split())
            if text and not MARKUP.search(text):
                yield text


def _catalogue(code: str, name: str) -> list[str]:
    path = LOCALES / code / "LC_MESSAGES" / f"{name}.mo"
    try:
        with path.open("rb") as file:
            entries = vars(gettext.GNUTranslations(file)).get("_catalog", {})
    except (OSError, UnicodeDecodeError, ValueError, struct.error):
        return []
    return sorted({text for key, text in entries.items() if key and isinstance(text, str)})


def is_of(text: str, script: Script) -> bool:
    """Whether nearly all letters of the text are of the script (Japanese: with Chinese characters among them)."""
    scripts = [letter_script for letter in text[:120] if (letter_script := script_of(letter))]
    own = sum(
        letter_script == script or (script == "japanese" and letter_script == "chinese") for letter_script in scripts
    )
    if script == "japanese" and "japanese" not in scripts:
        return False
    return bool(scripts) and own >= MIN_SHARE_OF_SCRIPT * len(scripts)


def _english() -> Language:
    documents = [*_files(), *_docstrings(), *_fortunes(), *_topics()]
    paragraphs: list[str] = []
    headings: list[str] = []
    for document in documents:
        headings += (
            " ".join(next(filter(None, heading.groups())).split()).strip("# :") for heading in HEADED.finditer(document)
        )
        for block in BLANK_LINE.split(document):
            paragraphs += (" ".join(part.split()) for part in BULLET.split(block))
    paragraphs = [text for text in paragraphs if _is_prose(text)]
    sentences = [part for text in paragraphs for part in SENTENCE_END.split(text) if 25 < len(part) < 300]
    titles, help_paragraphs = _help_pages("C", "latin")
    headings = [text for text in headings + titles if not NO_HEADING.search(text) and is_of(text, "latin")]
    return Language(
        code="en",
        script="latin",
        paragraphs=_sample(paragraphs + help_paragraphs, _shortened),
        sentences=_sample(sentences, str.strip),
        phrases=_sample([text for text in headings if 3 < len(text) < 70 and text[0].isalpha()], str.strip),
        names=_sample(_country_names(), str.strip),
    )


def _country_names() -> list[str]:
    """English names are the keys of every catalogue of countries."""
    path = LOCALES / "de" / "LC_MESSAGES" / f"{NAMES}.mo"
    try:
        with path.open("rb") as file:
            keys = vars(gettext.GNUTranslations(file)).get("_catalog", {})
    except (OSError, ValueError, struct.error):
        keys = {}
    names = sorted(key for key in keys if isinstance(key, str) and 3 < len(key) < 22 and key.isascii())
    return names or ["Norway", "Chile", "Kenya", "Japan", "Peru", "Latvia", "Ghana", "Nepal", "Malta", "Fiji"]


def _files() -> Iterator[str]:
    """Documentation of packages, and Perl's manual."""
    if not DOCUMENTATION.is_dir():
        return
    names = re.compile(r"(README|NEWS|FAQ|HACKING|copyright)|\.(md|rst|txt)(\.gz)?$")
    paths = [path for path in sorted(DOCUMENTATION.rglob("*")) if names.search(path.name) and path.is_file()]
    random.Random(1).shuffle(paths)
    paths += sorted(Path("/usr/share/perl").rglob("*.pod"))[:100]
    for path in paths[: 2 * MAX_FILES]:
        if text := _read(path):
            yield text


def _read(path: Path) -> str:
    try:
        if path.suffix != ".gz":
            return path.read_bytes()[:MAX_BYTES].decode("utf-8")
        with gzip.open(path) as file:
            return file.read(MAX_BYTES).decode("utf-8")
    except (OSError, EOFError, UnicodeDecodeError):
        return ""


def _docstrings() -> Iterator[str]:
    for path in _python_files():
        try:
            yield from re.findall(r'"""(.*?)"""', path.read_text(encoding="utf-8"), re.DOTALL)
        except (OSError, UnicodeDecodeError):
            continue


def _python_files() -> list[Path]:
    roots = [Path(sysconfig.get_path("stdlib")), Path("/usr/lib/python3/dist-packages")]
    return [path for root in roots for path in sorted(root.rglob("*.py")) if "site-packages" not in path.parts][
        :MAX_FILES
    ]


def _fortunes() -> Iterator[str]:
    if not FORTUNES.is_dir():
        return
    for path in sorted(FORTUNES.iterdir()):
        if not path.suffix and path.is_file():
            yield _read(path).replace("\n%\n", "\n\n")


def _topics() -> Iterator[str]:
    from pydoc_data.topics import topics

    yield from topics.values()


def _code() -> Iterator[str]:
    """Functions and classes of Python, and routines of Perl."""
    python = (_python_files(), re.compile(r"^(?:def|class|async def) .*?(?=\n\S|\Z)", re.DOTALL | re.MULTILINE))
    perl = (sorted(Path("/usr/share/perl5").rglob("*.pm"))[:80], re.compile(r"^sub .*?^}", re.DOTALL | re.MULTILINE))
    for paths, pattern in (python, perl):
        for path in paths:
            for text in pattern.findall(_read(path))[-5:]:
                yield "\n".join(line[:90] for line in text.expandtabs(4).splitlines()[:24])


def _is_prose(text: str) -> bool:
    if len(text) < 40 or MARKUP.search(text) or not re.match(r"[A-ZÀ-Þ\"'(]", text):
        return False
    return sum(letter.isalpha() or letter == " " for letter in text) > 0.9 * len(text) and bool(ENGLISH.search(text))


def _shortened(text: str) -> str:
    return text if len(text) < 1400 else text[:1400].rsplit(".", 1)[0] + "."


def _sample(texts: Iterable[str], finish: Callable[[str], str]) -> tuple[str, ...]:
    """At most `MAX_TEXTS` different texts, in an order that depends on nothing but the texts."""
    different = sorted(set(texts))
    chance = random.Random(len(different))
    return tuple(finish(text) for text in chance.sample(different, min(MAX_TEXTS, len(different))))
