"""Names the characters and alphabets of mathematics as LaTeX does."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

from documents.inspection import Glyph

Alphabet = Literal["", "mathrm", "mathbf", "boldsymbol", "mathcal", "mathfrak", "mathbb", "mathsf", "mathtt"]

SYMBOLS = {
    "−": "-", "–": "-", "—": "-", "‑": "-", "×": r"\times", "÷": r"\div", "±": r"\pm", "∓": r"\mp", "·": r"\cdot",
    "⋅": r"\cdot", "∙": r"\cdot", "•": r"\bullet", "∗": "*", "⋆": r"\star", "∘": r"\circ", "◦": r"\circ",
    "°": r"^{\circ}", "⊕": r"\oplus", "⊖": r"\ominus", "⊗": r"\otimes", "⊘": r"\oslash", "⊙": r"\odot",
    "†": r"\dagger", "‡": r"\ddagger", "∧": r"\wedge", "∨": r"\vee", "¬": r"\neg", "∪": r"\cup", "∩": r"\cap",
    "⊎": r"\uplus", "⊔": r"\sqcup", "⊓": r"\sqcap", "∖": r"\setminus", "≀": r"\wr", "⨿": r"\amalg",
    "≤": r"\leq", "⩽": r"\leqslant", "≥": r"\geq", "⩾": r"\geqslant", "≠": r"\neq", "≈": r"\approx", "≡": r"\equiv",
    "∼": r"\sim", "≃": r"\simeq", "≅": r"\cong", "≍": r"\asymp", "≐": r"\doteq", "≜": r"\triangleq", "≔": ":=",
    "∝": r"\propto", "≪": r"\ll", "≫": r"\gg", "≲": r"\lesssim", "≳": r"\gtrsim", "≺": r"\prec", "≻": r"\succ",
    "⪯": r"\preceq", "⪰": r"\succeq", "∈": r"\in", "∉": r"\notin", "∋": r"\ni", "⊂": r"\subset", "⊆": r"\subseteq",
    "⊊": r"\subsetneq", "⊃": r"\supset", "⊇": r"\supseteq", "⊏": r"\sqsubset", "⊑": r"\sqsubseteq", "⊢": r"\vdash",
    "⊣": r"\dashv", "⊨": r"\models", "⊥": r"\perp", "∥": r"\parallel", "‖": r"\|", "∣": r"\mid", "∤": r"\nmid",
    "→": r"\to", "←": r"\leftarrow", "↔": r"\leftrightarrow", "⇒": r"\Rightarrow", "⇐": r"\Leftarrow",
    "⇔": r"\Leftrightarrow", "⟶": r"\longrightarrow", "⟵": r"\longleftarrow", "⟹": r"\Longrightarrow",
    "⟺": r"\iff", "↦": r"\mapsto", "⟼": r"\longmapsto", "↪": r"\hookrightarrow", "↩": r"\hookleftarrow",
    "↑": r"\uparrow", "↓": r"\downarrow", "↗": r"\nearrow", "↘": r"\searrow", "⇀": r"\rightharpoonup",
    "⇌": r"\rightleftharpoons", "∀": r"\forall", "∃": r"\exists", "∄": r"\nexists", "∅": r"\emptyset",
    "∂": r"\partial", "∇": r"\nabla", "∞": r"\infty", "∆": r"\Delta", "Ω": r"\Omega", "µ": r"\mu", "ℓ": r"\ell",
    "ℏ": r"\hbar", "ℜ": r"\Re", "ℑ": r"\Im", "℘": r"\wp", "ℵ": r"\aleph", "ı": r"\imath", "ȷ": r"\jmath",
    "∠": r"\angle", "⊤": r"\top", "□": r"\Box", "△": r"\triangle", "▽": r"\nabla", "♯": r"\sharp", "♭": r"\flat",
    "…": r"\dots", "⋯": r"\cdots", "⋮": r"\vdots", "⋱": r"\ddots", "′": r"\prime",
    "″": r"\prime\prime", "⟨": r"\langle", "⟩": r"\rangle", "〈": r"\langle", "〉": r"\rangle", "⌊": r"\lfloor",
    "⌋": r"\rfloor", "⌈": r"\lceil", "⌉": r"\rceil", "√": r"\surd", "ϵ": r"\epsilon", "ε": r"\varepsilon",
    "ϕ": r"\phi", "φ": r"\varphi", "ϑ": r"\vartheta", "ϱ": r"\varrho", "ς": r"\varsigma", "ϖ": r"\varpi",
    "ϰ": r"\varkappa", "★": r"\star", "∴": r"\therefore", "∵": r"\because",
    "§": r"\S", "¶": r"\P", "’": "'", "‘": "`", "\xa0": " ",
}  # fmt: skip
LARGE_OPERATORS = {
    "∑": r"\sum", "∏": r"\prod", "∐": r"\coprod", "⋃": r"\bigcup", "⋂": r"\bigcap", "⋁": r"\bigvee", "⋀": r"\bigwedge",
    "⨆": r"\bigsqcup", "⨁": r"\bigoplus", "⨂": r"\bigotimes", "⨀": r"\bigodot", "⨄": r"\biguplus",
    "∫": r"\int", "∬": r"\iint", "∭": r"\iiint", "∮": r"\oint",
}  # fmt: skip
INTEGRALS = frozenset("∫∬∭∮")
ACCENTS = {
    "ˆ": r"\hat", "\u0302": r"\hat", "^": r"\hat", "˜": r"\tilde", "\u0303": r"\tilde", "~": r"\tilde", "˙": r"\dot",
    "\u0307": r"\dot", "¨": r"\ddot", "\u0308": r"\ddot", "¯": r"\bar", "\u0304": r"\bar", "\u0305": r"\overline",
    "⃗": r"\vec", "ˇ": r"\check", "\u030c": r"\check", "˘": r"\breve", "\u0306": r"\breve", "´": r"\acute",
    "\u0301": r"\acute", "`": r"\grave", "\u0300": r"\grave", "\u030a": r"\mathring", "˚": r"\mathring",
}  # fmt: skip
WIDE_ACCENTS = {r"\hat": r"\widehat", r"\tilde": r"\widetilde", r"\bar": r"\overline", r"\vec": r"\overrightarrow"}
NAMES = (
    "arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc", "deg", "det", "dim", "exp", "gcd", "hom",
    "inf", "ker", "lim", "liminf", "limsup", "ln", "log", "max", "min", "Pr", "sec", "sin", "sinh", "sup", "tan",
    "tanh",
)  # fmt: skip
LIMIT_OPERATORS = ("det", "gcd", "inf", "lim", "liminf", "limsup", "max", "min", "Pr", "sup", "argmax", "argmin")
RELATIONS = frozenset("=<>≤⩽≥⩾≠≈≡∼≃≅≍≐≜≔∝≪≫≲≳≺≻⪯⪰∈∉∋⊂⊆⊃⊇⊢⊨⊥→←↔⇒⇐⇔⟶⟹⟺↦")
OPENING_FENCES = "([{⟨⌊⌈〈"
CLOSING_FENCES = ")]}⟩⌋⌉〉"
FENCES = frozenset(OPENING_FENCES + CLOSING_FENCES + "|‖∥∣/")
LONG_SIGNS = {
    ("↦", "→"): r"\mapsto", ("−", "→"): r"\longrightarrow", ("←", "−"): r"\longleftarrow",
    ("=", "⇒"): r"\Longrightarrow", ("⇐", "⇒"): r"\iff", ("←", "→"): r"\longleftrightarrow", ("|", "="): r"\models",
}  # fmt: skip
GREEK_TWINS = {  # Greek letters for which LaTeX has no command, by the Latin letter of the same shape
    "Alpha": "A", "Beta": "B", "Epsilon": "E", "Zeta": "Z", "Eta": "H", "Iota": "I", "Kappa": "K", "Mu": "M", "Nu": "N",
    "Omicron": "O", "Rho": "P", "Tau": "T", "Chi": "X", "omicron": "o",
}  # fmt: skip
FENCE_PIECES = {  # the pieces of tall signs
    **dict.fromkeys("⎛⎜⎝", "("), **dict.fromkeys("⎞⎟⎠", ")"), **dict.fromkeys("⎡⎢⎣", "["), **dict.fromkeys("⎤⎥⎦", "]"),
    **dict.fromkeys("⎧⎨⎩", "{"), **dict.fromkeys("⎫⎬⎭", "}"), "⎪": "{", "⎷": "√", "|": "|", "‖": "‖",
}  # fmt: skip
MATH_FONT = re.compile(  # of mathematics: of TeX, and those whose names say it
    r"CM(?:MI|SY|EX|BSY|MIB)|LM(?:Math|Mono)?(?:MI|SY|EX)|MS[AB]M|EU[FSR][MB]|RSFS|txsy|txex|txmi|px(?:sy|ex|mi)|rtx|"
    r"ntx|zplm|pzdr|psyr|StandardSym|PazoMath|.*[Mm]ath"
)
ITALIC_FONT = re.compile(r"(?:CMMI|LMMathItalic|.*(?:Ital|Obli|Slant|Italic))\w*")
UNICODE_ALPHABETS: tuple[tuple[str, Alphabet], ...] = (  # by the names of letters
    ("DOUBLE-STRUCK", "mathbb"),
    ("FRAKTUR", "mathfrak"),
    ("SCRIPT", "mathcal"),
    ("MATHEMATICAL BOLD ITALIC", "boldsymbol"),
    ("MATHEMATICAL BOLD", "mathbf"),
)
FAMILIES: tuple[tuple[re.Pattern[str], Alphabet], ...] = (
    (re.compile(r"(?:CMMIB|CMBSY)|.*Bold.*(?:Ital|Obli)"), "boldsymbol"),
    (re.compile(r"(?:CMSY|LMMathSymbols|txsy|pxsy)|(?i:rsfs|eus)"), "mathcal"),
    (re.compile(r"(?i:eufm|eurm)"), "mathfrak"),
    (re.compile(r"MSBM"), "mathbb"),
    (re.compile(r"(?:CMBX|SFBX|LMRoman\d+-Bold)|.*(?:Bold|Medi|Demi)"), "mathbf"),
    (re.compile(r"(?:CMSS|SFSS|LMSans)"), "mathsf"),
    (re.compile(r"(?:CMTT|SFTT|LMMono|Courier)"), "mathtt"),
    (ITALIC_FONT, ""),
)


def alphabet_of(glyph: Glyph) -> Alphabet:
    """The alphabet of a letter or digit, by its font or by its own code."""
    name = unicodedata.name(glyph.text[0], "")
    for words, alphabet in UNICODE_ALPHABETS:
        if words in name:
            return alphabet
    if name.startswith("MATHEMATICAL"):
        return ""
    for font, alphabet in FAMILIES:
        if font.match(glyph.font):
            return alphabet if alphabet != "mathcal" or glyph.text.isupper() else ""
    return "mathrm"


def latex_of_character(character: str) -> str | None:
    """The command or the character itself; None for what LaTeX has no name for here."""
    if character in LARGE_OPERATORS:
        return LARGE_OPERATORS[character]
    if character in SYMBOLS:
        return SYMBOLS[character]
    plain = unicodedata.normalize("NFKC", character)
    if "DOUBLE-STRUCK" in unicodedata.name(character[0], ""):
        return rf"\mathbb{{{plain}}}"
    if plain != character and plain in SYMBOLS:
        return SYMBOLS[plain]
    greek = _greek(plain)
    if greek is not None:
        return greek
    if plain.isascii() and plain.isprintable():
        return {"\\": r"\backslash"}.get(plain, "\\" + plain if plain in "{}%#&_$" else plain)
    return None


def _greek(letter: str) -> str | None:
    """The command of a Greek letter; those that look as Latin ones have none."""
    name = unicodedata.name(letter, "") if len(letter) == 1 else ""
    for case, change in (("SMALL", str.lower), ("CAPITAL", str.capitalize)):
        own = change(name.removeprefix(f"GREEK {case} LETTER ").removeprefix("FINAL "))
        if name.startswith(f"GREEK {case} LETTER ") and own.isalpha():
            return GREEK_TWINS.get(own) or "\\" + own.replace("amda", "ambda")
    return None
