"""Writes the parts of an Office formula in plain characters on one line, so that its value stays: `(a+b)/(c+d)`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from documents.text.typography import script

INVISIBLE_OPERATOR = re.compile("[\u2061-\u2064\u200b]")  # function application, invisible times
NUMBER = r"\d+(?:[.,]\d+)*"
SCRIPTS = r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿⁱ₀₁₂₃₄₅₆₇₈₉₊₋\u0300-\u036f\u20d0-\u20ff]*"
TOKEN = re.compile(rf"(?:{NUMBER}|[^\W\d_]){SCRIPTS}")
SCRIPT_BASE = re.compile(rf"(?:{NUMBER}|[^\W\d_]+){SCRIPTS}")
ROOTS = {"": "√", "2": "√", "3": "∛", "4": "∜"}
COMBINING_MARKS = {"^": "\u0302", "~": "\u0303", "¯": "\u0304", "→": "\u20d7"}
RAISED_CHARACTERS = frozenset("′″‴°*†")  # these characters are raised without a superscript
OVERLINE, UNDERLINE = "\u0305", "\u0332"


class PlainText:
    """Characters of Unicode; parts of more than one character are in brackets where a line would change them."""

    def joined(self, parts: Sequence[str]) -> str:
        return "".join(parts)

    def text(self, text: str) -> str:
        return INVISIBLE_OPERATOR.sub("", text)

    def run(self, text: str, *, is_upright: bool, is_words: bool) -> str:  # noqa: ARG002
        return self.text(text)

    def fraction(self, numerator: str, denominator: str, kind: str | None) -> str:
        if kind == "noBar":
            return f"({numerator} choose {denominator})"
        return f"{_grouped(numerator, TOKEN)}/{_grouped(denominator, TOKEN)}"

    def scripts(self, base: str, below: str | None, above: str | None) -> str:
        text = _grouped(base, SCRIPT_BASE)
        text += script(below, "sub") if below else ""
        if above and RAISED_CHARACTERS.issuperset(above.replace("∘", "°")):
            return text + above.replace("∘", "°")
        return text + (script(above, "super") if above else "")

    def scripts_before(self, base: str, below: str, above: str) -> str:
        return (script(above, "super") if above else "") + (script(below, "sub") if below else "") + base

    def root(self, degree: str, inner: str) -> str:
        sign = ROOTS.get(degree) or f"{script(degree, 'super')}√"
        return sign + _grouped(inner, TOKEN)

    def operator(self, sign: str, below: str, above: str, inner: str) -> str:
        text = self.scripts("", below, above)
        return f"{sign}{text} {inner}" if text else sign + inner

    def delimited(self, left: str | None, right: str | None, between: str, parts: Sequence[str]) -> str:
        inner = between.join(parts)
        if left is None and right is None and len(parts) == 1 and _is_in_brackets(inner):
            return inner
        return ("(" if left is None else left) + inner + (")" if right is None else right)

    def function(self, name: str, inner: str) -> str:
        return name + ("" if inner.startswith(("(", "[", "{")) else " ") + inner

    def matrix(self, rows: Sequence[Sequence[str]]) -> str:
        return "[" + self.lines([", ".join(row) for row in rows]) + "]"

    def lines(self, rows: Sequence[str]) -> str:
        return "; ".join(rows)

    def accent(self, sign: str, inner: str) -> str:
        mark = COMBINING_MARKS.get(sign, sign)
        return unicodedata.normalize("NFC", inner + mark) if len(inner) == 1 and unicodedata.combining(mark) else inner

    def bar(self, inner: str, *, is_above: bool) -> str:
        mark = OVERLINE if is_above else UNDERLINE
        return "".join(character if character.isspace() else character + mark for character in inner)

    def group(self, sign: str, inner: str) -> str:  # noqa: ARG002
        return inner

    def limit(self, base: str, limit: str, *, is_above: bool) -> str:
        return base + script(limit, "super" if is_above else "sub")


def _grouped(text: str, single: re.Pattern[str]) -> str:
    """The text in brackets, if it is more than one thing."""
    return text if not text or single.fullmatch(text) or _is_in_brackets(text) else f"({text})"


def _is_in_brackets(text: str) -> bool:
    """Whether one pair of brackets is around all of it."""
    if len(text) < 2 or text[0] + text[-1] not in ("()", "[]"):
        return False
    depth = 0
    for position, character in enumerate(text):
        depth += (character == text[0]) - (character == text[-1])
        if not depth:
            return position == len(text) - 1
    return False
