"""A quotation beside a text is read after the sentence that runs around it."""

from __future__ import annotations

import pytest
from page_making import detection_of, inspection, line

from documents.structure.build_page import compose_page, draft_regions
from documents.structure.split_by_columns import split_columns

BEFORE = ["The pilot program began in the", "October of that year and was", "completed by the men of the"]
AFTER = [
    "harbour office in June, when all of the ships had left the bay for good.",
    "It was the last of its kind that they held.",
]
QUOTE = ["More than most", "of the feedback", "was good.”"]


def texts_of(*, size=14.0, first="completed by the men of the", font="Other"):
    """A text of two regions, the first narrow, with a quotation in larger type to the right of it."""
    before = [line(text, x=60, y=100 + 12 * k, width=160) for k, text in enumerate([*BEFORE[:2], first])]
    after = [line(text, x=60, y=136 + 12 * k, width=400) for k, text in enumerate(AFTER)]
    quote = [line(text, x=300, y=90 + 15 * k, size=size, width=150) for k, text in enumerate(QUOTE)]
    quote = [one.model_copy(update={"fonts": (font,)}) for one in quote]
    page = inspection(*before, *after, *quote)
    boxes = [(58, 98, 224, 134), (58, 135, 464, 162), (298, 88, 454, 134)]
    regions = compose_page(
        page, draft_regions(page, [detection_of("plain text", *one) for one in boxes]), {}, {}
    ).regions
    return [region.text.split()[0] for region in regions]


def test_a_sentence_goes_on_before_the_quotation_beside_it():
    """Guards against "The pilot program" and "was completed" with a quotation between them."""
    assert texts_of() == ["The", "harbour", "More"]
    assert texts_of(size=10.6) == ["The", "harbour", "More"]  # in a font of another family a little is enough


@pytest.mark.parametrize("text", [{"first": "and of the harbour."}, {"size": 10.0}, {"size": 10.6, "font": "Font"}])
def test_what_is_no_quotation_or_interrupts_no_sentence_stays(text):
    assert texts_of(**text) == ["The", "More", "harbour"]


def test_a_quotation_is_a_column_of_its_own_however_few_words_its_lines_have():
    """Guards against its words read within the lines of the text beside it, as if both were one region."""
    text = [line("the harbour office", x=60, y=100 + 12 * k, width=100) for k in range(4)]
    quote = [line("a saying", x=200, y=104 + 15 * k, size=14.0, width=60) for k in range(3)]
    region = detection_of("plain text", 58, 98, 262, 150)
    assert [lines for _, lines in split_columns((region, [*text, *quote]))] == [text, quote]


def test_labels_and_values_on_the_same_baselines_are_no_columns():
    labels = [line("Name of", x=60, y=98 + 15 * k, size=12.0, width=60) for k in range(3)]
    values = [line("a ship", x=200, y=100 + 15 * k, width=60) for k in range(3)]
    region = (detection_of("plain text", 58, 96, 262, 150), [*labels, *values])
    assert split_columns(region) == [region]
