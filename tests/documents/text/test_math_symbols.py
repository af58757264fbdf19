"""Names of signs of mathematics; what is written must be shown by the page of formulas, too."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from page_making import box

from documents.inspection import Glyph
from documents.text import math_symbols
from documents.text.latex import COMMANDS, inert
from documents.text.math_symbols import alphabet_of, latex_of_character

STATIC = Path(__file__).parents[3] / "deployments" / "ingress" / "page" / "static" / "text"
TABLES = (
    math_symbols.SYMBOLS,
    math_symbols.LARGE_OPERATORS,
    math_symbols.ACCENTS,
    math_symbols.WIDE_ACCENTS,
    math_symbols.LONG_SIGNS,
)


@pytest.mark.parametrize(
    ("character", "latex"),
    [
        ("λ", r"\lambda"),
        ("Λ", r"\Lambda"),
        ("𝛼", r"\alpha"),
        ("Α", "A"),
        ("ℝ", r"\mathbb{R}"),
        ("−", "-"),
        ("{", r"\{"),
    ],
)
def test_a_character_has_the_name_that_latex_gives_it(character, latex):
    """`\\lamda` is what Unicode calls it, and no command."""
    assert latex_of_character(character) == latex


def test_a_character_without_a_name_has_none():
    assert latex_of_character("漢") is None


@pytest.mark.parametrize(
    ("font", "text", "alphabet"),
    [
        ("CMMI10", "x", ""),
        ("CMR10", "x", "mathrm"),
        ("CMBX12", "x", "mathbf"),
        ("CMSY10", "L", "mathcal"),
        ("MSBM10", "R", "mathbb"),
        ("NimbusRomNo9L-ReguItal", "x", ""),
        ("LatinModernMath-Regular", "𝑥", ""),
        ("LatinModernMath-Regular", "𝐱", "mathbf"),
        ("LatinModernMath-Regular", "𝔤", "mathfrak"),
    ],
)
def test_the_alphabet_of_a_letter_is_that_of_its_font_or_code(font, text, alphabet):
    glyph = Glyph(text=text, box=box(0, 0, 5, 5), baseline=5, font_size=10, font=font)
    assert alphabet_of(glyph) == alphabet


def test_every_command_may_be_written_and_is_shown():
    """A formula with a command that is not known is no formula in Markdown, and no MathML on the page."""
    written = {
        command for table in TABLES for latex in table.values() for command in re.findall(r"\\([a-zA-Z]+)", latex)
    }
    written |= set(math_symbols.NAMES) | {"binom", "frac", "sqrt", "cases", "pmatrix", "gathered", "tag", "lt", "gt"}
    assert written - {"lt", "gt"} <= set(COMMANDS.split())
    scripts = "".join((STATIC / name).read_text("utf-8") for name in ("math.js", "math_symbols.js"))
    assert not {command for command in written if not re.search(rf"(?<![a-zA-Z]){command}(?![a-zA-Z])", scripts)}


def test_signs_that_markdown_would_take_for_its_own_are_commands():
    assert inert("a<b") == r"a\lt b"
