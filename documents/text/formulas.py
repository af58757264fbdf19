"""Converts a one-line formula of a PDF's text layer to LaTeX."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True, kw_only=True)
class FormulaLimits:
    """How signs of a formula stand, and what is a word in it."""

    level: float = 0.5  # of the tallest sign's height, between the middles of signs on one line
    root_gap: float = 3.0  # points between the sign of a root and the rule over its inside
    root_depth: float = 0.6  # of that sign's height, between its top and the rule
    max_letters: int = 3  # in a row: more are a word


def latex_of(lines: Sequence[TextLine], rules: Sequence[Ruling], limits: FormulaLimits = FormulaLimits()) -> str | None:
    """LaTeX of a line with a relation in it; None for prose, several lines, and signs without a known meaning."""
    words = sorted((word for line in lines for word in line.words), key=lambda word: word.box.x0)
    if not words or not _on_one_line(words, limits) or not RELATION.search("".join(word.text for word in words)):
        return None
    parts: list[str] = []
    at = 0
    while at < len(words):
        part, num_words = _part(words, at, rules, limits)
        if part is None:
            return None
        room = words[at].spaced and words[at].rise is None
        parts.append((" " if room else "") + part)
        at += num_words
    return None if _has_a_word(latex := _set(parts), limits) else inert(latex)


def _part(words: Sequence[Word], at: int, rules: Sequence[Ruling], limits: FormulaLimits) -> tuple[str | None, int]:
    """One word as LaTeX, or a root with all words under its line; how many words that takes."""
    word = words[at]
    if word.text != ROOT:
        text = _text(word.text, limits)
        sign = {"super": "^", "sub": "_"}.get(word.rise or "")
        return (f"{sign}{{{text}}}" if sign and text is not None else text), 1
    line = next((rule.box for rule in rules if rule.level and _covers(rule.box, word.box, limits)), None)
    if line is None:
        return None, 1
    under = [one for one in words[at + 1 :] if one.box.center[0] <= line.x1]
    inner = [_part(under, k, (), limits)[0] for k in range(len(under))]
    if not inner or None in inner:
        return None, 1
    texts = (
        (" " if k and under[k].spaced and under[k].rise is None else "") + (part or "") for k, part in enumerate(inner)
    )
    return rf"\sqrt{{{''.join(texts)}}}", 1 + len(under)


def _text(text: str, limits: FormulaLimits) -> str | None:
    """Signs of one word, or None where they are no formula's."""
    letters = _set([_sign(sign) or "\ufffd" for sign in text])
    if "\ufffd" in letters:
        return None
    if _has_a_word(letters, limits):
        return None
    return "\\" + letters if letters in NAMES else letters


def _has_a_word(latex: str, limits: FormulaLimits) -> bool:
    """Whether letters stand in a row as in prose; a change of type within a word makes it no shorter."""
    runs = re.findall(r"[A-Za-z]+", re.sub(r"\\[a-zA-Z]+", " ", latex))
    return any(len(run) > limits.max_letters for run in runs)


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


def _on_one_line(words: Sequence[Word], limits: FormulaLimits) -> bool:
    base = [word.box for word in words if word.rise is None]
    return bool(base) and max(b.center[1] for b in base) - min(b.center[1] for b in base) <= limits.level * max(
        b.height for b in base
    )


def _covers(line: BoundingBox, root: BoundingBox, limits: FormulaLimits) -> bool:
    """Whether a rule begins at the right of a root's sign, at its top."""
    return abs(line.x0 - root.x1) <= limits.root_gap and abs(line.y0 - root.y0) <= limits.root_depth * root.height
