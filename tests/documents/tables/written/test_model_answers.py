"""Answers of image-text models in the forms of their families."""

import pytest

from documents.tables.written.model_answers import text_of_answer
from documents.text.latex import written_latex


@pytest.mark.parametrize(
    ("form", "answer", "text"),
    [
        ("plain", "  two\nlines ", "two\nlines"),
        ("plain", "# 1 is no heading here", "# 1 is no heading here"),
        ("markdown", "## A **bold** heading\n\ntext", "A bold heading\n\ntext"),
        ("markdown", "```markdown\nfenced\n```", "fenced"),
        ("markdown", "before\n![a chart](page_1.png)\nafter", "before\n\nafter"),
        ("markdown", "a | b is no table", "a | b is no table"),
        ("markdown", "2 ** 3 ** 4 stays", "2 ** 3 ** 4 stays"),
        (
            "markdown",
            "| a | b |\n|---|:-:|\n| 1 \\| 2 | <x> |",
            "<table><tr><th>a</th><th>b</th></tr><tr><td>1 | 2</td><td>&lt;x&gt;</td></tr></table>",
        ),
        (
            "chart",
            "a | b\n1 | 2",
            "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>",
        ),
        (
            "chart",
            "| a | b |\n|---|---|\n| 1 | 2 |",
            "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>",
        ),
        ("html", "<table><tr><td>1</td></tr></table>", "<table><tr><td>1</td></tr></table>"),
        ("html", "```html\n<table><tr><td>1</td></tr></table>\n```", "<table><tr><td>1</td></tr></table>"),
        ("otsl", "<fcel>1<nl>", "<table><tr><td>1</td></tr></table>"),
        ("latex", "$$x^{2}$$", "\\[x^{2}\\]"),
        ("latex", "\\[ a \\]", "\\[a\\]"),
        ("latex", "\\frac{a}{b}", "\\[\\frac{a}{b}\\]"),
        (
            "doctags",
            "<doctag><section_header_level_1><loc_1><loc_2><loc_3><loc_4>Title</section_header_level_1>\n"
            "<unordered_list><list_item>one &amp; two</list_item></unordered_list></doctag>",
            "Title\none & two",
        ),
        ("doctags", "<otsl><fcel>1<nl></otsl>", "<table><tr><td>1</td></tr></table>"),
        ("doctags", "<code><_C++_>List<string> a; Map<k2></code>", "List<string> a; Map<k2>"),
        ("doctags", "<picture><loc_1><logo><caption>Harbour</caption></picture>", "Harbour"),
        ("doctags", "<formula><loc_1>x+1</formula>", "\\[x+1\\]"),
    ],
)
def test_an_answer_in_its_form_is_the_text_of_a_reading(form, answer, text):
    """Tables and formulas as the structure of a page knows them."""
    assert text_of_answer(answer, form) == text


@pytest.mark.parametrize(
    ("form", "answer"),
    [
        ("html", "no table"),
        ("chart", "a | b"),
        ("chart", "a | b\n1 | 2 | 3"),
        ("chart", "a | b\nwords"),
        ("html", "<table><tr><td>open"),
        ("otsl", "plain words"),
        ("latex", "\\frac{a}{b"),
        ("latex", "$$ $$"),
        ("latex", "$a$ and $b$"),
        ("latex", "$$a$$\n$$b$$"),
        ("doctags", "words without a tag"),
        ("doctags", "<text>cut in the mid"),
        ("doctags", "<otsl><fcel>a<nl><fcel>b<fcel>c<nl></otsl>"),
    ],
)
def test_an_answer_in_another_form_is_none(form, answer):
    """Its words are kept as they are, with a warning; see deployments/ocr/answer_parsing.py."""
    assert text_of_answer(answer, form) is None


def test_a_formula_is_one_that_pages_know():
    """Else it would stay text on its way."""
    assert written_latex(text_of_answer("$$\\frac{a}{b}$$", "latex") or "") is not None
