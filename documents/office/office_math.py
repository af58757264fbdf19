"""Converts Office Math (OMML equations) to LaTeX."""

from __future__ import annotations

import unicodedata

from documents.office.unpack_limits import MAX_DEPTH
from documents.office.xml_parsing import Element, attribute, child, children, name_of
from documents.text.formulas import NAMES, SIGNS

FURTHER = {
    "∙": r"\cdot", "∗": "*", "∼": r"\sim", "≅": r"\cong", "∝": r"\propto", "⊕": r"\oplus", "⊗": r"\otimes",
    "∧": r"\land", "∨": r"\lor", "¬": r"\neg", "⊃": r"\supset", "⊇": r"\supseteq", "∅": r"\emptyset",
    "←": r"\leftarrow", "↔": r"\leftrightarrow", "⟶": r"\longrightarrow", "⋯": r"\cdots", "⋮": r"\vdots",
    "⋱": r"\ddots", "′": "'", "″": "''", "∮": r"\oint", "∬": r"\iint", "∭": r"\iiint", "⟨": r"\langle",
    "⟩": r"\rangle", "⌊": r"\lfloor", "⌋": r"\rfloor", "⌈": r"\lceil", "⌉": r"\rceil", "‖": r"\|", "ℏ": r"\hbar",
    "≪": r"\ll", "≫": r"\gg", "⋅": r"\cdot", "∘": r"\circ", "°": r"^{\circ}", "⁡": "", "\u2062": "", "\u200b": "",
    "‑": "-", "–": "-", "—": "-", "\xa0": " ", "\u2009": " ", "\u2003": " ",
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
DOUBLE_STRUCK = {"ℝ": "R", "ℕ": "N", "ℤ": "Z", "ℚ": "Q", "ℂ": "C"}


def latex_of(math: Element) -> str:
    r"""The LaTeX of an `oMath`, without dollars; several lines of it are parted by `\\`."""
    return " ".join(_row(math, 0).split())


def text_of(math: Element) -> str:
    """The same on one line, as far as its characters say it."""
    return "".join(node.text or "" for node in math.iter("{*}t"))


def _row(element: Element | None, depth: int) -> str:
    """All parts of an element, one after the other."""
    if element is None or depth > MAX_DEPTH:
        return ""
    formula = ""
    for node in element:
        part = _part(node, depth + 1)
        ends_in_command = formula[-1:].isalpha() and "\\" in formula.rpartition(" ")[2]
        formula += (" " if ends_in_command and part[:1].isalnum() else "") + part
    return formula


def _part(element: Element, depth: int) -> str:
    def of(name: str) -> str:
        return _row(child(element, name), depth)

    match name_of(element):
        case "r":
            return _run(element)
        case "t":
            return _signs(element.text or "")
        case "f":
            return _fraction(element, of("num"), of("den"))
        case "sSup":
            return f"{_base(of('e'))}^{{{of('sup')}}}"
        case "sSub":
            return f"{_base(of('e'))}_{{{of('sub')}}}"
        case "sSubSup":
            return f"{_base(of('e'))}_{{{of('sub')}}}^{{{of('sup')}}}"
        case "sPre":
            return f"{{}}_{{{of('sub')}}}^{{{of('sup')}}}{of('e')}"
        case "rad":
            degree = of("deg")
            return rf"\sqrt[{degree}]{{{of('e')}}}" if degree else rf"\sqrt{{{of('e')}}}"
        case "nary":
            return _operator(element, of)
        case "d":
            return _delimited(element, depth)
        case "func":
            return f"{of('fName')} {{{of('e')}}}"
        case "m":
            rows = [" & ".join(_row(e, depth) for e in children(row, "e")) for row in children(element, "mr")]
            return r"\begin{matrix} " + r" \\ ".join(rows) + r" \end{matrix}"
        case "eqArr":
            rows = [_row(row, depth) for row in children(element, "e")]
            return r"\begin{gathered} " + r" \\ ".join(rows) + r" \end{gathered}"
        case "acc":
            sign = attribute(child(element, "accPr", "chr"), "val") or "\u0302"
            return f"{ACCENTS.get(sign, chr(92) + 'hat')}{{{of('e')}}}"
        case "bar":
            is_top = attribute(child(element, "barPr", "pos"), "val") == "top"
            return f"{chr(92)}{'overline' if is_top else 'underline'}{{{of('e')}}}"
        case "groupChr":
            sign = attribute(child(element, "groupChrPr", "chr"), "val") or "⏟"
            return f"{GROUPS.get(sign, chr(92) + 'underbrace')}{{{of('e')}}}"
        case "limLow":
            return f"{of('e')}_{{{of('lim')}}}"
        case "limUpp":
            return f"{of('e')}^{{{of('lim')}}}"
        case name if name.endswith("Pr") or name in ("del", "moveFrom"):
            return ""
        case _:
            return _row(element, depth)


def _run(run: Element) -> str:
    text = "".join(node.text or "" for node in children(run, "t"))
    if text.strip() in NAMES:
        return "\\" + text.strip()
    style = attribute(child(run, "rPr", "sty"), "val")
    is_words = child(run, "rPr", "nor") is not None or (style == "p" and len(text.strip()) > 3)
    if is_words and text.strip() and all(character.isalpha() or character in " .,-" for character in text):
        return rf"\text{{{text}}}"
    return _signs(text)


def _signs(text: str) -> str:
    formula = ""
    for sign in text:
        latex = _sign(sign)
        formula += " " if formula[-1:].isalpha() and "\\" in formula.rpartition(" ")[2] and latex[:1].isalnum() else ""
        formula += latex
    return formula


def _sign(sign: str) -> str:
    if sign in FURTHER:
        return FURTHER[sign]
    if sign in SIGNS:
        return SIGNS[sign]
    if sign in DOUBLE_STRUCK:
        return rf"\mathbb{{{DOUBLE_STRUCK[sign]}}}"
    if sign.isascii():
        return {"\\": r"\backslash "}.get(sign, "\\" + sign if sign in "{}%#&_$" else sign)
    plain = unicodedata.normalize("NFKC", sign)
    name = unicodedata.name(plain[:1], "")
    for case, change in (("SMALL", str.lower), ("CAPITAL", str.capitalize)):
        letter = name.removeprefix(f"GREEK {case} LETTER ").removeprefix("FINAL ")
        if letter != name and letter.isalpha():
            return "\\" + change(letter)
    return plain


def _fraction(element: Element, numerator: str, denominator: str) -> str:
    kind = attribute(child(element, "fPr", "type"), "val")
    if kind == "noBar":
        return rf"\binom{{{numerator}}}{{{denominator}}}"
    if kind == "lin":
        return f"{numerator}/{denominator}"
    return rf"\frac{{{numerator}}}{{{denominator}}}"


def _operator(element: Element, of) -> str:  # noqa: ANN001  reads a child by its name
    sign = attribute(child(element, "naryPr", "chr"), "val") or "∫"
    below, above = of("sub"), of("sup")
    formula = OPERATORS.get(sign, _sign(sign[:1]))
    formula += f"_{{{below}}}" if below else ""
    formula += f"^{{{above}}}" if above else ""
    return f"{formula} {of('e')}"


def _delimited(element: Element, depth: int) -> str:
    settings = child(element, "dPr")
    opening, closing = child(settings, "begChr"), child(settings, "endChr")
    left = "(" if opening is None else attribute(opening, "val") or "."
    right = ")" if closing is None else attribute(closing, "val") or "."
    between = attribute(child(settings, "sepChr"), "val") or "|"
    inner = f" {_sign(between)} ".join(_row(node, depth) for node in children(element, "e"))
    if opening is None and closing is None and inner.startswith(r"\binom"):
        return inner
    return rf"\left{_fence(left)} {inner} \right{_fence(right)}"


def _fence(sign: str) -> str:
    return sign if sign == "." else _sign(sign[:1])


def _base(latex: str) -> str:
    return latex if len(latex) == 1 else f"{{{latex}}}"
