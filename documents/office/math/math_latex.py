r"""Writes the parts of an Office formula as LaTeX; parts are parted by a space where a command would swallow one."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from documents.text.math_symbols import NAMES, latex_of_character

OFFICE_SIGNS = {  # Office writes these signs otherwise than TeX's fonts show them
    "∧": r"\land", "∨": r"\lor", "′": "'", "″": "''", "‖": r"\|", "⁡": "", "\u2062": "", "\u200b": "",
    "\u2009": " ", "\u2003": " ",
}  # fmt: skip
OPERATORS = {
    "∑": r"\sum", "∏": r"\prod", "∫": r"\int", "∬": r"\iint", "∭": r"\iiint", "∮": r"\oint", "⋃": r"\bigcup",
    "⋂": r"\bigcap", "⋁": r"\bigvee", "⋀": r"\bigwedge", "∐": r"\coprod",
}  # fmt: skip
ACCENTS = {
    "\u0302": r"\hat", "^": r"\hat", "\u0303": r"\tilde", "~": r"\tilde", "\u0307": r"\dot", "\u0308": r"\ddot",
    "\u0305": r"\overline", "\u0304": r"\bar", "¯": r"\bar", "\u20d7": r"\vec", "→": r"\vec", "\u030c": r"\check",
    "\u0306": r"\breve", "\u0301": r"\acute", "\u0300": r"\grave",
}  # fmt: skip
GROUPS = {"⏞": r"\overbrace", "⏟": r"\underbrace"}


class Latex:
    """LaTeX without dollars."""

    def joined(self, parts: Sequence[str]) -> str:
        pieces: list[str] = []
        has_command = ends_in_letter = False  # of what stands behind the last space
        for part in filter(None, parts):
            if has_command and ends_in_letter and part[0].isalnum():
                pieces.append(" ")
                has_command = False
            pieces.append(part)
            _, space, word = part.rpartition(" ")
            has_command = "\\" in word or (has_command and not space)
            ends_in_letter = part[-1].isalpha()
        return "".join(pieces)

    def text(self, text: str) -> str:
        return self.joined([_sign(sign) for sign in text])

    def run(self, text: str, *, is_upright: bool, is_words: bool) -> str:
        if text.strip() in NAMES:
            return "\\" + text.strip()
        is_phrase = is_words or (is_upright and len(text.strip()) > 3)
        if is_phrase and text.strip() and all(character.isalpha() or character in " .,-" for character in text):
            return rf"\text{{{text}}}"
        return self.text(text)

    def fraction(self, numerator: str, denominator: str, kind: str | None) -> str:
        if kind == "noBar":
            return rf"\binom{{{numerator}}}{{{denominator}}}"
        if kind == "lin":
            return f"{numerator}/{denominator}"
        return rf"\frac{{{numerator}}}{{{denominator}}}"

    def scripts(self, base: str, below: str | None, above: str | None) -> str:
        formula = base if len(base) == 1 else f"{{{base}}}"
        formula += f"_{{{below}}}" if below is not None else ""
        return formula + (f"^{{{above}}}" if above is not None else "")

    def scripts_before(self, base: str, below: str, above: str) -> str:
        return f"{{}}_{{{below}}}^{{{above}}}{base}"

    def root(self, degree: str, inner: str) -> str:
        return rf"\sqrt[{degree}]{{{inner}}}" if degree else rf"\sqrt{{{inner}}}"

    def operator(self, sign: str, below: str, above: str, inner: str) -> str:
        formula = OPERATORS.get(sign, _sign(sign[:1]))
        formula += f"_{{{below}}}" if below else ""
        formula += f"^{{{above}}}" if above else ""
        return f"{formula} {inner}"

    def delimited(self, left: str | None, right: str | None, between: str, parts: Sequence[str]) -> str:
        inner = f" {_sign(between)} ".join(parts)
        if left is None and right is None and inner.startswith(r"\binom"):
            return inner
        return rf"\left{_fence('(' if left is None else left)} {inner} \right{_fence(')' if right is None else right)}"

    def function(self, name: str, inner: str) -> str:
        return f"{name} {{{inner}}}"

    def matrix(self, rows: Sequence[Sequence[str]]) -> str:
        lines = (" & ".join(row) for row in rows)
        return r"\begin{matrix} " + r" \\ ".join(lines) + r" \end{matrix}"

    def lines(self, rows: Sequence[str]) -> str:
        return r"\begin{gathered} " + r" \\ ".join(rows) + r" \end{gathered}"

    def accent(self, sign: str, inner: str) -> str:
        return f"{ACCENTS.get(sign, chr(92) + 'hat')}{{{inner}}}"

    def bar(self, inner: str, *, is_above: bool) -> str:
        return f"{chr(92)}{'overline' if is_above else 'underline'}{{{inner}}}"

    def group(self, sign: str, inner: str) -> str:
        return f"{GROUPS.get(sign, chr(92) + 'underbrace')}{{{inner}}}"

    def limit(self, base: str, limit: str, *, is_above: bool) -> str:
        return f"{base}{'^' if is_above else '_'}{{{limit}}}"


def _sign(sign: str) -> str:
    if sign in OFFICE_SIGNS:
        return OFFICE_SIGNS[sign]
    latex = latex_of_character(sign)
    return unicodedata.normalize("NFKC", sign) if latex is None else latex


def _fence(sign: str) -> str:
    return _sign(sign[:1]) if sign else "."
