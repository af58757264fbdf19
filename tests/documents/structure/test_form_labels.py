"""Forms are read label by label, each with its value."""

from __future__ import annotations

import pytest
from page_making import detection_of, inspection, line

from documents.structure.build_page import compose_page, draft_regions
from documents.structure.footnotes import PlacedRegion
from documents.structure.form_labels import form_values
from documents.values import BoundingBox

LABELS = ["Name:", "Date of birth:", "Harbour:"]
VALUES = ["Ada Lindqvist of the northern pilots", "12 March 1931", "Kiel, the old basin below the locks"]


def placed(text, x, y, width=60.0, height=10.0, kind="plain text"):
    return PlacedRegion(kind, BoundingBox(x0=x, y0=y, x1=x + width, y1=y + height), text)


def texts_of(lines):
    """Each line a region of its own, as the network finds the fields of a form."""
    page = inspection(*lines)
    boxes = [(one.box.x0, one.box.y0, one.box.x1, one.box.y1) for one in lines]
    detections = [detection_of("plain text", *box) for box in boxes]
    return [region.text for region in compose_page(page, draft_regions(page, detections), {}, {}).regions]


@pytest.mark.parametrize("off", [0.0, -3.0, 3.0])
def test_each_label_of_a_form_is_read_right_before_its_value(off):
    """Guards against all labels read first, as a column, and all values after them."""
    lines = [
        *(line(text, x=60, y=80 + 40 * k, width=120) for k, text in enumerate(LABELS)),
        *(line(text, x=220, y=80 + 40 * k + off, width=190) for k, text in enumerate(VALUES)),
    ]
    assert texts_of(lines) == [text for pair in zip(LABELS, VALUES, strict=True) for text in pair]


def test_a_form_of_two_columns_is_read_column_by_column():
    columns = [(LABELS, 40, 90), (VALUES, 140, 120), ([f"Other {k}:" for k in range(3)], 330, 70)]
    columns += [([f"No. {k}" for k in range(3)], 410, 90)]
    lines = [line(texts[k], x=x, y=80 + 40 * k, width=width) for k in range(3) for texts, x, width in columns]
    left = [text for pair in zip(LABELS, VALUES, strict=True) for text in pair]
    right = [text for k in range(3) for text in (f"Other {k}:", f"No. {k}")]
    assert texts_of(lines) == left + right


def rows(*pairs, y=80, gap=80.0, **value):
    """Texts level with each other, row by row."""
    texts = []
    for k, (label, text) in enumerate(pairs):
        texts += [placed(label, 60, 80 + 120 * k), placed(text, 60 + gap, y + 120 * k, **value)]
    return texts


@pytest.mark.parametrize(
    "regions",
    [
        rows(("Note:", "a remark")),  # one alone
        rows(("Note:", "a text"), ("So:", "another"), height=90.0),  # too high
        rows(("Name", "Ada"), ("Date", "1931")),  # no colons
        rows(("Name:", "Ada"), ("Date:", "1931"), y=92),  # not level
        rows(("Name:", "Ada"), ("Date:", "1931"), gap=400.0),  # too far
        rows(("Name:", "Date:"), ("Sex:", "Place:")),  # the heads of a table
        rows(("Name:", "Ada"), ("Date:", "1931"), kind="table"),
    ],
)
def test_what_is_no_form_has_no_values(regions):
    assert form_values(regions, 612.0) == {}


def test_the_nearest_on_the_right_is_the_value():
    row = [placed("Name:", 60, 80), placed("Ada", 140, 81), placed("see over", 300, 80)]
    below = [placed("Date:", 60, 120), placed("12 March", 140, 119), placed("1931", 300, 120)]
    assert form_values([*row, *below], 612.0) == {1: 0, 4: 3}
