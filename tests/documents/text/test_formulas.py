"""Display formulas from the text layer."""

from __future__ import annotations

import pytest
from page_making import box, line

from documents.inspection import Ruling, Word
from documents.text.formulas import latex_of


def formula(*parts):
    """Words of ten points each; a part is a text, or (text, rise)."""
    words = []
    for k, part in enumerate(parts):
        text, rise = part if isinstance(part, tuple) else (part, None)
        place = box(100 + 10 * k, 100, 110 + 10 * k, 110)
        words.append(Word(text=text, box=place, font_size=10, rise=rise, spaced=rise is None))
    return [line("x", words=tuple(words))]


@pytest.mark.parametrize(
    ("parts", "latex"),
    [
        (("x", ("1", "sub"), ("2", "super"), "=", "r"), "x_{1}^{2} = r"),
        (("𝑥", "∈", "ℝ"), r"x \in \mathbb{R}"),
        (("sin", "α", "≤", "1"), r"\sin \alpha \leq 1"),
    ],
)
def test_a_line_with_a_relation_is_latex(parts, latex):
    assert latex_of(formula(*parts), ()) == latex


def test_a_root_reaches_as_far_as_its_line():
    rule = Ruling(box=box(130, 100, 150, 100.4))
    assert latex_of(formula("c", "=", "√", "a", "b", "+", "1"), (rule,)) == r"c = \sqrt{a b} + 1"
    assert latex_of(formula("c", "=", "√", "a"), ()) is None


@pytest.mark.parametrize(
    "parts", [("where", "x", "=", "radius"), ("x", "+", "1"), ("x", "=", "\ufffd"), ("x", "=", "\\in")]
)
def test_prose_and_signs_without_a_meaning_are_left_as_they_are(parts):
    """Guards against sentences in italics of a formula, and against markup that a page smuggles in."""
    assert latex_of(formula(*parts), ()) is None
