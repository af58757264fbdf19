"""Language-dependent words: captions, page numbers, hyphenation, by language."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

from documents.text.placed_text import PlacedText

CaptionKind = Literal["figure_caption", "table_caption"]

_FIGURES = {  # figures, charts, schemes
    "cs": "obrázek obr. graf schéma",
    "da, no": "figur fig. diagram graf",
    "de": "abbildung abb. fig. diagramm grafik schaubild schema",
    "el": "εικόνα εικ. σχήμα σχ. γράφημα διάγραμμα",
    "en": "figure fig. chart exhibit scheme graph diagram plate",
    "es": "figura fig. gráfico gráfica esquema",
    "fi": "kuva kuvio kaavio",
    "fr": "figure fig. graphique schéma",
    "it": "figura fig. grafico schema",
    "ja": "図",
    "ko": "그림 도표",
    "nl": "figuur fig. afbeelding afb. grafiek schema",
    "pl": "rysunek rys. wykres schemat",
    "pt": "figura fig. gráfico esquema",
    "ru, uk": "рисунок рис. график графік схема диаграмма діаграма",
    "sv": "figur fig. diagram",
    "tr": "şekil grafik şema",
    "zh": "图 圖 图表 圖表",
}
_TABLES = {
    "cs": "tabulka tab.",
    "da": "tabel tab.",
    "de": "tabelle tab. übersicht",
    "el": "πίνακας πίν.",
    "en": "table tab.",
    "es": "tabla cuadro",
    "fi": "taulukko",
    "fr": "tableau table tab.",
    "it": "tabella tab.",
    "ja, zh": "表 表格",
    "ko": "표",
    "nl": "tabel tab.",
    "no": "tabell tab.",
    "pl": "tabela tab.",
    "pt": "tabela tab. quadro",
    "ru, uk": "таблица таблиця табл.",
    "sv": "tabell tab.",
    "tr": "tablo çizelge",
}
_PAGES = {"de": "seite", "en": "page", "es, pt": "página", "fr": "page", "it": "pagina", "nl": "pagina", "pl": "strona"}
_PAGE_COUNT_WORDS = {"de": "von", "en": "of", "es, fr, pt": "de", "it": "di", "nl": "van", "pl": "z"}
_JOINING_WORDS = {  # these words join "light- and heavy-"
    "cs": "a nebo",
    "de": "bis oder sowie und",
    "en": "and or to",
    "es": "y o",
    "fr": "et ou",
    "it": "e o",
    "nl": "en of",
    "pl": "i lub oraz",
    "ru": "и или",
    "tr": "ve veya",
}
_PAIRS = {  # the commonest pairs of letters in prose
    "de": "en er ch de ei ie in te ge un nd ic es be he an st re ne sc us is se le ur",
    "en": (
        "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri "
        "ro ic ne ea ra ce li ch ll be ma si om ur"
    ),
    "es": "de es en el la os ue ra re er as on st ad al ar or ta te co nt do an ro po qu ca ec so",
    "fr": "es le en de re nt on er te la et el qu ai ue ou is it ti se me us an ne",
    "it": "er on re la to ti co ne in an en ra te al le ta li el nt st ri io ch de se so ca",
    "nl": "en de er an in te ge et el ie he re nd ch ng st se or ar ro",
    "pt": "de es ra os do as ar co en qu te er ta re da nt is ad or an st se ue to ca me po",
}
UNSPACED_SCRIPTS = (  # a class of characters: scripts that set no spaces between words, with their marks
    "\u0e00-\u0e3e\u0e40-\u0eff\u1000-\u109f\u1780-\u17ff\uaa60-\uaa7f"  # Thai, Lao, Burmese, Khmer
    "\u3005-\u3007\u3031-\u3035\u3040-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
SENTENCE_ENDS = tuple(".!?:…。！？：؟।။។")
COMMON_PAIRS = frozenset(" ".join(_PAIRS.values()).split())
DATE = re.compile(  # the months need no table: a day, a word and a year are a date in any language
    r"(?:\d{1,2}\.?\s+[^\W\d_]{3,12}|[^\W\d_]{3,12}\s+\d{1,2},?)\s+\d{4}|\d{4}\s*[年년]\s*\d{1,2}\s*[月월]\s*\d{1,2}\s*[日일]"
)
_ROMAN_NUMERAL = "(?=[ivxlc])c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})"  # 1 to 399, as they are printed


def _one_of(words: dict[str, str]) -> str:
    """Any of them, the longest first; the point after a short form may be missing."""
    single = sorted({word for phrase in words.values() for word in phrase.split()}, key=lambda word: (-len(word), word))
    return "|".join(re.escape(word[:-1]) + r"\.?" if word.endswith(".") else re.escape(word) for word in single)


# A.1, S1, II; A if a full stop follows
_LETTER_NUMBER = r"(?-i:[A-Z]{1,2}[.\-–]?\d+|[IVXL]+(?!\w)|[A-Z](?=\s*(?:[.:–—|]|$)))"
_NUMBER = rf"(?:\s*\d+|(?:\s+|(?<=\.)){_LETTER_NUMBER})(?:[.\-–]\d+)*(?-i:[a-z](?!\w))?"
_CAPTIONS: tuple[tuple[CaptionKind, re.Pattern[str]], ...] = (
    ("table_caption", re.compile(rf"(?:{_one_of(_TABLES)}){_NUMBER}", re.IGNORECASE)),
    ("figure_caption", re.compile(rf"(?:{_one_of(_FIGURES)}){_NUMBER}", re.IGNORECASE)),
)
_TABLE_NAME = re.compile(rf"(?:{_one_of(_TABLES)})(?![^\W\d_])|[表표]", re.IGNORECASE)
_BRACKETED_TEXT = re.compile(r"\s?[(（][^()（）]{0,20}[)）]")
_NUMBER_ENDS = ".:–—-|。：．)"
PAGE_NUMBER = re.compile(
    rf"(?:(?:{_one_of(_PAGES)})\s*|[-–—]\s*)?(?:\d{{1,4}}|(?-i:{_ROMAN_NUMERAL}|{_ROMAN_NUMERAL.upper()}))"
    rf"(?:\s*(?:{_one_of(_PAGE_COUNT_WORDS)}|/)\s*\d+)?(?:\s*[-–—])?",
    re.IGNORECASE,
)
# within a line
_BROKEN_WORD = re.compile(rf"(?<=[^\W\d_][^\W\d_])- (?!(?:{_one_of(_JOINING_WORDS)})\b)(?=[^\W\d_]{{2}})")
# follows a hyphen that stands for the end of a later word; shorter words are ends of words, too
SUSPENDED_HYPHEN = re.compile(rf"(?=[^\W\d_]{{3}})(?:{_one_of(_JOINING_WORDS)})\b")
# the only words of two parts that the end of a line may split
COMPOUND_PREFIX = re.compile(r"(?:self|well)-(?!(?:ish|less|ness|same|hood|s\b))")
# "light- and heavy-": both hyphens stand for the end of a later word
SUSPENDED_PAIR = re.compile(rf"\w- (?:{_one_of(_JOINING_WORDS)}) [^\W\d_]+-$")


def without_breaks(text: PlacedText) -> PlacedText:
    """Words that a hyphen and a space break within a line, between small letters of any script, made whole."""
    return text.replaced(_BROKEN_WORD, lambda gap: "" if _is_between_small(gap) else gap[0])


def _is_between_small(gap: re.Match[str]) -> bool:
    around = gap.string[gap.start() - 1] + gap.string[gap.end() : gap.end() + 2]
    return all(unicodedata.category(letter) == "Ll" for letter in around)


def named_caption_kind(text: str) -> CaptionKind:
    """What a text that is a caption describes: a table if it begins with a word for one, numbered or not."""
    return "table_caption" if _TABLE_NAME.match(text) else "figure_caption"


def caption_kind(text: str) -> CaptionKind | None:
    """What the words that a text begins with, and a number, make it; a sentence may begin so, too."""
    return next((kind for kind, pattern in _CAPTIONS if pattern.match(text)), None)


def is_caption(text: str) -> bool:
    """Whether a text begins as a caption does and is one: its number is closed, or a new sentence or name follows.

    A sentence goes on behind the number: with a small letter, or at once, or to a full stop where letters have no case.
    """
    label = next((match for _, pattern in _CAPTIONS if (match := pattern.match(text))), None)
    if label is None:
        return False
    rest = _BRACKETED_TEXT.sub("", text[label.end() :], 1)
    after = rest.lstrip()
    if not after or after[0] in _NUMBER_ENDS:
        return True
    if unicodedata.category(after[0]) == "Lo":
        return rest != after and not text.rstrip().endswith(SENTENCE_ENDS)
    return rest != after and not after[0].islower() and (after[0].isalnum() or after[0] in '"“«„‘(')
