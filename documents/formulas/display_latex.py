"""The LaTeX of a displayed formula: as its glyphs stand, if TeX would set it so."""

from __future__ import annotations

from collections.abc import Sequence

from documents.boxes import BoundingBox
from documents.formulas.displays import MAX_GLYPHS, without_number
from documents.formulas.prose import hides_a_word, is_formula, is_sentence
from documents.formulas.structure import NoStructure, structure_of
from documents.formulas.typesetting import is_set_alike
from documents.formulas.write_latex import latex_of
from documents.inspection import TextLine
from documents.text.latex import inert


def display_latex(lines: Sequence[TextLine], bars: Sequence[BoundingBox]) -> str | None:
    """The formula that stands on `lines`, with its number as a tag; None where its structure is not proved."""
    glyphs = tuple(glyph for line in lines for glyph in line.glyphs)
    if not glyphs or len(glyphs) > MAX_GLYPHS or not all(line.glyphs for line in lines):
        return None
    if any(map(is_sentence, lines)):
        return None
    own, number = without_number(glyphs)
    if not is_formula(own) or hides_a_word(own):
        return None
    try:
        structure = structure_of(own, bars)
    except NoStructure:
        return None
    if not is_set_alike(structure):
        return None
    latex = latex_of(structure) + (rf"\tag{{{number}}}" if number else "")
    return latex if inert(latex) is not None else None
