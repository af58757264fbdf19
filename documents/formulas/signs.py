"""Makes the signs of a formula of its glyphs: tall ones of their pieces, long ones of two, names of their letters."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from documents.boxes import BoundingBox
from documents.formulas.tree import Accent, Name, NoStructure, Part, Symbol, around
from documents.inspection import Glyph
from documents.text.math_symbols import (
    ACCENTS,
    FENCE_PIECES,
    FENCES,
    LARGE_OPERATORS,
    LIMIT_OPERATORS,
    LONG_SIGNS,
    NAMES,
    Alphabet,
    alphabet_of,
    latex_of_character,
)

# Lengths are in sizes of the type.
MIN_TALL_PHI = 0.58  # minimum height of a tall phi's ink above the baseline, in type sizes
MAX_PIECE_GAP = 0.25  # maximum gap or overlap between the pieces of one tall sign, in type sizes
MAX_DOT_GAP = 0.7  # maximum gap between the dots of a vertical or diagonal ellipsis, in type sizes
MIN_TALL_HEIGHT = 1.35  # minimum height of a sign that is taller than its type, in type sizes
MAX_LETTER_GAP = 0.14  # maximum gap between letters of one word, in type sizes


def signs_of(glyphs: Sequence[Glyph]) -> Iterator[Part]:
    """A part for each glyph; pieces one below the other are one sign."""
    columns: list[list[Glyph]] = []
    for glyph in glyphs:
        if glyph.text not in FENCE_PIECES:
            yield _part(glyph)
            continue
        column = next((c for c in columns if _goes_on(c, glyph)), None)
        if column is None:
            columns.append([glyph])
        else:
            column.append(glyph)
    for column in columns:
        sign = max((FENCE_PIECES[glyph.text] for glyph in column), key=lambda text: (text != "{", text))
        sign = FENCE_PIECES[column[0].text] if len(column) == 1 else sign
        yield _part(
            column[0].model_copy(update={"text": sign, "box": BoundingBox.around([glyph.box for glyph in column])})
        )


def _goes_on(column: Sequence[Glyph], glyph: Glyph) -> bool:
    """Whether the next piece of a tall sign stands right over or under one of a column."""
    size = glyph.font_size
    return any(
        abs(other.box.center[0] - glyph.box.center[0]) < 0.45 * size
        and -MAX_PIECE_GAP * size < -other.box.overlap_y(glyph.box) < MAX_PIECE_GAP * size
        for other in column
    )


def _part(glyph: Glyph) -> Part:
    """Raises NoStructure for a character without a name."""
    base, *marks = _taken_apart(glyph)
    latex = "" if base in ACCENTS and not base.isascii() else latex_of_character(base)
    if latex is None and _is_of_a_word(glyph):
        latex = base
    if latex is None or not ACCENTS.keys() >= set(marks):
        raise NoStructure(f"no name for {glyph.text!r}")
    is_large = base in LARGE_OPERATORS
    hangs = glyph.box.y0 > glyph.baseline - 0.3 * glyph.font_size  # as large signs of TeX's fonts do
    is_tall = base in FENCES and (glyph.box.height > MIN_TALL_HEIGHT * glyph.font_size or hangs)
    part = Part(
        node=Symbol(text=base, latex=latex, alphabet=_alphabet(glyph, base, latex)),
        box=glyph.box,
        baseline=glyph.baseline,
        size=glyph.font_size,
        shape="centered" if is_large or is_tall else "character",
        axis_height=glyph.box.center[1] if is_large or is_tall else None,
    )
    for mark in marks:
        part = replace(part, node=Accent(ACCENTS[mark], part))
    return part


def _taken_apart(glyph: Glyph) -> str:
    """A character and the accents on it; a negated relation is one character."""
    if glyph.text in "φϕ":  # fonts disagree which is which; the one that TeX calls phi is as tall as a capital letter
        return "ϕ" if glyph.baseline - glyph.box.y0 > MIN_TALL_PHI * glyph.font_size else "φ"
    if len(glyph.text) == 1 and (latex_of_character(glyph.text) is not None or _is_of_a_word(glyph)):
        return glyph.text
    return unicodedata.normalize("NFD", glyph.text)


def _is_of_a_word(glyph: Glyph) -> bool:
    """Whether it is an upright letter that formulas do not have, as in words among them."""
    return glyph.text.isalpha() and alphabet_of(glyph) == "mathrm"


def _alphabet(glyph: Glyph, base: str, latex: str) -> Alphabet:
    """Digits are upright, and only letters of Latin have other alphabets than bold ones."""
    alphabet = alphabet_of(glyph) if base.isalnum() else ""
    if latex.startswith("\\") and alphabet not in ("boldsymbol", "mathbf"):
        return ""
    return "" if alphabet == "mathrm" and base.isdigit() else alphabet


def is_symbol(part: Part, texts: Iterable[str]) -> bool:
    return isinstance(part.node, Symbol) and part.node.text in texts


def text_of(part: Part | None) -> str:
    return part.node.text if part is not None and isinstance(part.node, Symbol) else ""


def with_long_signs(parts: Sequence[Part]) -> list[Part]:
    """The parts; signs that TeX sets of two, one over the end of the other, are one."""
    ordered = sorted((p for p in parts if isinstance(p.node, Symbol)), key=lambda p: (p.baseline, p.box.x0))
    taken: set[int] = set()
    joined: list[Part] = []
    for left, right in pairwise(ordered):
        latex = LONG_SIGNS.get((text_of(left), text_of(right)))
        if latex is None or id(left) in taken or right.box.x0 > left.box.x1 or left.baseline != right.baseline:
            continue
        taken |= {id(left), id(right)}
        node = Symbol(text=text_of(left) + text_of(right), latex=latex)
        joined.append(replace(right, node=node, box=around([left, right]), count=2))
    return [*(p for p in parts if id(p) not in taken), *joined]


def with_ellipses(parts: Sequence[Part]) -> list[Part]:
    """The parts; three full stops one below the other, or down a diagonal, are one sign."""
    dots = sorted((p for p in parts if is_symbol(p, ".")), key=lambda p: (p.box.y0, p.box.x0))
    taken: set[int] = set()
    joined: list[Part] = []
    for first, second, third in zip(dots, dots[1:], dots[2:], strict=False):
        if not taken.isdisjoint(map(id, (first, second, third))):
            continue
        steps = [
            ((b.box.x0 - a.box.x0) / a.size, (b.box.y0 - a.box.y0) / a.size)
            for a, b in ((first, second), (second, third))
        ]
        if not all(0.15 < down < MAX_DOT_GAP and abs(along) < MAX_DOT_GAP for along, down in steps):
            continue
        aslant = [along for along, _ in steps]
        latex = r"\vdots" if max(map(abs, aslant)) < 0.1 else r"\ddots" if min(aslant) > 0.15 else ""
        if latex:
            taken |= {id(p) for p in (first, second, third)}
            node = Symbol(text="...", latex=latex)
            joined.append(replace(third, node=node, box=around([first, second, third]), count=3))
    return [*(p for p in parts if id(p) not in taken), *joined]


def with_names(parts: Sequence[Part]) -> Iterator[Part]:
    """The parts; upright letters in a row that are the name of a function are one."""
    upright = [p for p in parts if isinstance(p.node, Symbol) and p.node.alphabet == "mathrm" and p.node.text.isalpha()]
    upright.sort(key=lambda p: (round(p.baseline, 1), p.box.x0))
    others = {id(p) for p in parts} - {id(p) for p in upright}
    yield from (p for p in parts if id(p) in others)
    run: list[Part] = []
    for part in [*upright, None]:
        if run and (part is None or not _is_next_letter(run[-1], part)):
            yield from _named(run)
            run = []
        if part is not None:
            run.append(part)


def _is_next_letter(letter: Part, part: Part) -> bool:
    gap = part.box.x0 - letter.box.x1
    return (
        abs(part.baseline - letter.baseline) < 0.05 * part.size
        and abs(part.size - letter.size) < 0.05 * part.size
        and -0.2 * part.size < gap < MAX_LETTER_GAP * part.size
    )


def _named(run: Sequence[Part]) -> Iterator[Part]:
    text = "".join(text_of(p) for p in run)
    if len(run) > 1 and (text in NAMES or text in LIMIT_OPERATORS):
        yield Part(node=Name(text), count=len(run), box=around(run), baseline=run[0].baseline, size=run[0].size)
    else:
        yield from run
