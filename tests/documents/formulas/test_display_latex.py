"""What pdfTeX set is read as its author wrote it; the oracle is the source of `displays.pdf`."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_making import box, line

from documents.formulas.display_latex import display_latex
from documents.formulas.displays import DisplayLimits, displays
from documents.inspection import Glyph

LIMITS = DisplayLimits()
SPACES = re.compile(r"\\(?:qquad|quad)(?![a-zA-Z])|\\[,;:!]|\s")
SAME = {r"\left": "", r"\right": "", r"\mid": "|"}


def plain(latex):
    """Without spaces and sizes, on which typesetting says nothing."""
    latex = re.sub(r"\\text\{([^{}]*)\}", lambda text: text[1].replace("$", ""), SPACES.sub("", latex))
    return re.sub(r"\\(?:left|right|mid)(?![a-z])", lambda command: SAME[command[0]], latex)


def lines_of(display):
    return [*display.lines, *([] if display.number is None else [display.number])]


def read(pages):
    return [
        display_latex([page.lines[k] for k in lines_of(display)], page.bars)
        for page in pages
        for display in sorted(displays(page.lines, page.bars, LIMITS), key=lambda display: display.box.y0)
    ]


def test_each_displayed_formula_is_as_its_author_wrote_it(typeset_pages, authors_formulas):
    formulas = read(typeset_pages)
    written = [re.sub(r"\\tag\{.*?\}", "", latex) for latex in formulas]
    assert [plain(latex) for latex in written] == [plain(latex) for latex in authors_formulas]


def test_numbers_of_formulas_are_tags(typeset_pages):
    assert [re.findall(r"\\tag\{(.*?)\}", latex) for latex in read(typeset_pages)] == [
        ["1"], [], ["2"], [], [], ["3"], [], ["4"],
    ]  # fmt: skip


def moved(page, text, dy):
    """The page's lines, one character of which stands higher or lower."""

    def shifted(glyph):
        place = glyph.box.shifted(0, dy)
        return glyph.model_copy(update={"box": place, "baseline": glyph.baseline + dy}) if glyph.text == text else glyph

    return [one.model_copy(update={"glyphs": tuple(map(shifted, one.glyphs))}) for one in page.lines]


@pytest.mark.parametrize(("text", "dy"), [("α", -5.0), ("β", 14.0), ("∞", 9.0)])
def test_what_tex_would_set_elsewhere_is_no_latex(typeset_pages, text, dy):
    """A structure that the places do not bear out is worse than none."""
    page = typeset_pages[0]
    [own] = [d for d in displays(page.lines, page.bars, LIMITS) if any(text == glyph.text for glyph in d.glyphs)]
    lines = moved(page, text, dy)
    assert display_latex([lines[k] for k in lines_of(own)], page.bars) is None


def glyphs(*signs):
    return tuple(
        Glyph(text=text, box=box(x, y - 7, x + 5, y), baseline=y, font_size=size, font="CMMI10")
        for text, x, y, size in signs
    )


def test_a_formula_of_too_many_bars_is_left_as_it_is():
    """The work on a formula grows with both, and a file may draw thousands."""
    formula = line("a=b", glyphs=glyphs(("a", 100, 100, 10), ("=", 109, 100, 10), ("b", 118, 100, 10)))
    assert display_latex([formula], ()) == "a = b"
    bars = [box(99, 90 + k / 100, 120, 90.4 + k / 100) for k in range(1000)]
    assert display_latex([formula], bars) is None


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from("ab1=+∑∫√(){}⎧⎨⎩|ˆ′"), st.integers(0, 60), st.integers(0, 40), st.sampled_from([5, 7, 10])
        ),
        max_size=14,
    ),
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 40), st.integers(2, 30)), max_size=4),
)
def test_characters_anywhere_never_raise(signs, bars):
    drawn = [box(x, y, x + width, y + 0.4) for x, y, width in bars]
    display_latex([line("x", glyphs=glyphs(*signs))], drawn)


def test_signs_side_by_side_stay_two():
    """`||x||` lost a bar at each side: pieces of one tall sign stand one below the other."""
    bars = [("|", 100, 100, 10), ("|", 103, 100, 10)]
    norm = glyphs(*bars, ("x", 109, 100, 10), ("=", 118, 100, 10), ("y", 127, 100, 10))
    assert display_latex([line("||x=y", glyphs=norm)], ()) == "||x = y"


def test_accents_on_accents_are_no_formula():
    """One letter under hundreds of hats nested as deep."""
    hats = [("ˆ", 100, 92 - k / 10, 10) for k in range(300)]
    many = glyphs(("a", 100, 100, 10), ("=", 109, 100, 10), ("b", 118, 100, 10), *hats)
    assert display_latex([line("a=b", glyphs=many)], ()) is None
