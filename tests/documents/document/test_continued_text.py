"""Sentences go on over columns and pages in any script."""

from __future__ import annotations

import pytest
from page_making import box, opened, page, region

from documents.boxes import BoundingBox
from documents.document.assemble_document import assemble
from documents.region_values import Span, region_of


def regions_of(document):
    return [one for page in document.pages for one in page.regions]


def lines_of(texts, x, y, letter=10.0):
    """A paragraph of printed lines whose letters are as wide as `letter`."""
    boxes = [box(x, y + 12 * k, x + letter * len(text), y + 12 * k + 10) for k, text in enumerate(texts)]
    spans = tuple(
        Span(text=text, box=place, source="text_layer", font_size=10.0)
        for text, place in zip(texts, boxes, strict=True)
    )
    text = ("" if letter == 10.0 else " ").join(texts)
    return region_of("plain text", box=BoundingBox.around(boxes), score=0.9, text=text, spans=spans)


GOES_ON = {
    "zh": (["他在报告中指出今年的经", "济增长主要来自于内需的"], ["扩大和投资的增加，这说", "明政策有效。"]),
    "ja": (["国境の長いトンネルを抜", "けると雪国であった夜の"], ["底が白くなった。"]),
    "th": (["ประเทศไทยมีภูเขาสูงและ", "น้ำใสไหลผ่านหมู่บ้านเล็"], ["กหลายแห่ง"]),
    "ar": (["كان الرجل يمشي في الطريق", "الطويل الذي يصل بين بيته"], ["والمدينة الكبيرة."]),
    "hi": (["वह आदमी लंबी सड़क पर चलता", "हुआ अपने घर से शहर की ओर"], ["जा रहा था।"]),
    "de": (["An der alten Mühle steht ein", "Rad, und daneben wartet der"], ["Müller auf das Wasser."]),
}


@pytest.mark.parametrize("language", GOES_ON)
def test_a_sentence_goes_on_in_another_column_or_page_in_any_script(language):
    """Guards against Chinese sentences, and German ones before a noun, cut in two by each page's end."""
    letter = 10.0 if language in ("zh", "ja", "th") else 5.0
    first, second = GOES_ON[language]
    over_pages = [page(lines_of(first, 60, 600, letter)), page(lines_of(second, 60, 60, letter), number=2)]
    assert [r.continues for r in regions_of(assemble("d", 1, opened(2), over_pages))] == [False, True]
    columns = page(lines_of(first, 60, 600, letter), lines_of(second, 330, 60, letter))
    assert [r.continues for r in regions_of(assemble("d", 1, opened(), [columns]))] == [False, True]
    below = page(lines_of(first, 60, 100, letter), lines_of(second, 60, 140, letter))
    assert [r.continues for r in regions_of(assemble("d", 1, opened(), [below]))] == [False, False]


@pytest.mark.parametrize(
    ("first", "second", "letter"),
    [
        (["他在报告中指出今年的经", "济增长有效。"], ["扩大和投资的增加。"], 10.0),  # an end
        (["他在报告中指出今年的经", "济增长"], ["扩大和投资的增加。"], 10.0),  # room left
        (["姓名"], ["扩大和投资的增加，这说", "明政策有效。"], 10.0),  # a label
        (["Names of boats and of their", "owners"], ["Prices of all of them."], 5.0),
        (["Names of boats"], ["Prices of boats"], 5.0),  # one line each
    ],
)
def test_what_ends_early_or_with_a_full_stop_goes_on_nowhere(first, second, letter):
    pages = [page(lines_of(first, 60, 600, letter)), page(lines_of(second, 60, 60, letter), number=2)]
    assert [r.continues for r in regions_of(assemble("d", 1, opened(2), pages))] == [False, False]


@pytest.mark.parametrize(
    ("between", "x", "y", "continues"),
    [(None, 60, 150, True), ("isolate_formula", 60, 150, False), ("isolate_formula", 330, 60, True)],
)
def test_a_text_behind_a_displayed_formula_goes_on_with_the_formula(between, x, y, continues):
    """Guards against a sentence put together before the formula in its middle; over columns a formula may float."""
    first, rest = lines_of(["We define the voltage as"], 60, 100, 5.0), lines_of(["where it is the mean"], x, y, 5.0)
    formulas = [region("V = x", between, (60, 120, 200, 132))] if between else []
    *_, last = regions_of(assemble("d", 1, opened(), [page(first, *formulas, rest)]))
    assert (last.text, last.continues) == ("where it is the mean", continues)
