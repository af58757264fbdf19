"""Formulas that OCR wrote."""

from __future__ import annotations

from documents.text.latex import written_latex


def test_a_formula_that_ocr_wrote_is_taken_whole_or_not_at_all():
    """Guards against commands of a page that load, link or define where its Markdown is shown."""
    assert written_latex("\\[ \\frac{a}{b} =\n \\sqrt{x_{1}} \\]") == r"\frac{a}{b} = \sqrt{x_{1}}"
    for text in (
        r"\[ \href{javascript:alert(1)}{x} \]",
        r"\[ \frac{a}{b \]",
        r"\[ a} + {b \]",
        r"\[ a \] and \[ b \]",
        r"\[ a $$ b \]",
        r"\[ <script> \]",
        "a = b",
    ):
        assert written_latex(text) is None
