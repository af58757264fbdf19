"""Trees of formulas as LaTeX."""

from __future__ import annotations

from page_making import box

from documents.formulas.tree import Part, Row, Symbol
from documents.formulas.write_latex import joined, latex_of


def letters(text, *, step, alphabet="mathrm"):
    return [
        Part(
            node=Symbol(text=one, latex=one, alphabet=alphabet),
            box=box(100 + step * k, 93, 105 + step * k, 100),
            baseline=100,
            size=10,
        )
        for k, one in enumerate(text)
    ]


def row(parts):
    return latex_of(Part(node=Row(tuple(parts)), box=box(100, 93, 200, 100), baseline=100, size=10))


def test_a_command_ends_before_a_letter():
    assert joined([r"\alpha", "x", r"\beta", "2"]) == r"\alpha x\beta2"


def test_letters_of_one_alphabet_are_written_together():
    assert row(letters("ab", step=6)) == r"\mathrm{ab}"
    assert row(letters("ab", step=6, alphabet="mathbf")) == r"\mathbf{ab}"


def test_upright_words_are_text():
    assert row(letters("ab", step=9)) == r"\text{a b}"


def test_wide_gaps_are_spaces():
    assert row(letters("ab", step=20)) == r"\mathrm{a} \quad \mathrm{b}"
