"""Converts a one-line formula of a PDF's text layer to LaTeX."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from documents.boxes import BoundingBox
from documents.inspection import Ruling, TextLine, Word
from documents.text.latex import inert

SIGNS = {
    "−": "-", "×": r"\times", "÷": r"\div", "±": r"\pm", "·": r"\cdot", "≤": r"\leq", "≥": r"\geq", "≠": r"\neq",
    "≈": r"\approx", "≡": r"\equiv", "∈": r"\in", "∉": r"\notin", "⊂": r"\subset", "⊆": r"\subseteq", "∪": r"\cup",
    "∩": r"\cap", "∞": r"\infty", "→": r"\to", "⇒": r"\Rightarrow", "⇔": r"\Leftrightarrow", "∀": r"\forall",
    "∃": r"\exists", "∂": r"\partial", "∇": r"\nabla", "∑": r"\sum", "∏": r"\prod", "∫": r"\int", "…": r"\dots",
}  # fmt: skip
NAMES = ("sin", "cos", "tan", "log", "ln", "exp", "lim", "max", "min", "det", "mod")
RELATION = re.compile(r"[=<>≤≥≠≈≡∈⊂⊆→⇒⇔]")
ROOT = "√"
GREEK = "GREEK SMALL LETTER "


def latex_of(lines: Sequence[TextLine], rules: Sequence[Ruling]) -> str | None:
    """LaTeX of a line with a relation in it; None for prose, several lines, and signs without a known meaning."""
    words = sorted((word for line in lines for word in line.words), key=lambda word: word.box.x0)
    if not words or not _on_one_line(words) or not RELATION.search("".join(word.text for word in words)):
        return None
    parts: list[str] = []
    at = 0
    while at < len(words):
        part, num_words = _part(words, at, rules)
        if part is None:
            return None
        room = words[at].spaced and words[at].rise is None
        parts.append((" " if room else "") + part)
        at += num_words
    return None if _has_a_word(latex := _set(parts)) else inert(latex)


def _part(words: Sequence[Word], at: int, rules: Sequence[Ruling]) -> tuple[str | None, int]:
    """One word as LaTeX, or a root with all words under its line; how many words that takes."""
    word = words[at]
    if word.text != ROOT:
        text = _text(word.text)
        sign = {"super": "^", "sub": "_"}.get(word.rise or "")
        return (f"{sign}{{{text}}}" if sign and text is not None else text), 1
    line = next((rule.box for rule in rules if rule.level and _covers(rule.box, word.box)), None)
    if line is None:
        return None, 1
    under = [one for one in words[at + 1 :] if one.box.center[0] <= line.x1]
    inner = [_part(under, k, ())[0] for k in range(len(under))]
    if not inner or None in inner:
        return None, 1
    texts = (
        (" " if k and under[k].spaced and under[k].rise is None else "") + (part or "") for k, part in enumerate(inner)
    )
    return rf"\sqrt{{{''.join(texts)}}}", 1 + len(under)


def _text(text: str) -> str | None:
    """Signs of one word, or None where they are no formula's."""
    letters = _set([_sign(sign) or "\ufffd" for sign in text])
    if "\ufffd" in letters:
        return None
    if _has_a_word(letters):
        return None
    return "\\" + letters if letters in NAMES else letters


def _has_a_word(latex: str) -> bool:
    """Whether letters stand in a row as in prose; a change of type within a word makes it no shorter."""
    return re.search(r"[A-Za-z]{4,}", re.sub(r"\\[a-zA-Z]+", " ", latex)) is not None


def _set(parts: Sequence[str]) -> str:
    """Parts in a row; a blank ends a command that a letter follows."""
    latex = ""
    for part in parts:
        latex += (" " if re.search(r"\\[a-zA-Z]+$", latex) and part[:1].isalpha() else "") + part
    return latex.strip()


def _sign(sign: str) -> str | None:
    if sign in SIGNS:
        return SIGNS[sign]
    name = unicodedata.name(sign, "")
    if "DOUBLE-STRUCK CAPITAL" in name:
        return rf"\mathbb{{{unicodedata.normalize('NFKC', sign)}}}"
    plain = unicodedata.normalize("NFKC", sign)
    if unicodedata.name(plain[0], "").startswith(GREEK) and len(plain) == 1:
        return "\\" + unicodedata.name(plain).removeprefix(GREEK).lower().removeprefix("final ")
    if len(plain) == 1 and plain.isascii() and plain.isprintable():
        return "\\" + plain if plain in "{}%#&_$" else None if plain == "\\" else plain
    return None


def _on_one_line(words: Sequence[Word]) -> bool:
    base = [word.box for word in words if word.rise is None]
    return bool(base) and max(b.center[1] for b in base) - min(b.center[1] for b in base) <= 0.5 * max(
        b.height for b in base
    )


def _covers(line: BoundingBox, root: BoundingBox) -> bool:
    """Whether a rule begins at the right of a root's sign, at its top."""
    return abs(line.x0 - root.x1) <= 3 and abs(line.y0 - root.y0) <= 0.6 * root.height
