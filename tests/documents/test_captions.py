"""Captions find what they describe."""

from __future__ import annotations

from page_making import box

from documents.captions import bound
from documents.footnotes import Placed


def at(kind, top, bottom, left=60, right=300):
    return Placed(kind, box(left, top, right, bottom), kind)


def test_a_caption_belongs_to_the_nearest_figure_on_the_side_where_captions_stand():
    """Guards against a caption taken for that of the figure below it, which stands a little nearer."""
    regions = [
        at("figure", 60, 200),
        at("figure_caption", 210, 222),
        at("figure", 230, 400),
        at("figure_caption", 410, 422),
        at("figure", 428, 600),
        at("figure_caption", 610, 622),
    ]
    assert bound(regions, 10.0) == {1: 0, 3: 2, 5: 4}


def test_captions_above_tables_and_notes_below_them_are_all_the_tables():
    """Guards against notes that lose their table to its caption."""
    regions = [
        at("table_caption", 60, 72),
        at("table", 76, 200),
        at("table_footnote", 204, 214),
        at("table_footnote", 216, 226),
    ]
    assert bound(regions, 10.0) == {0: 1, 2: 1, 3: 1}


def test_what_is_far_off_or_behind_text_is_not_described():
    """Guards against captions bound over half a page, and over the paragraph between."""
    far = [at("figure", 60, 200), at("figure_caption", 300, 312)]
    behind = [at("figure", 60, 200), at("plain text", 205, 225), at("figure_caption", 230, 242)]
    corner = [at("figure", 60, 200), at("figure_caption", 205, 217, left=320, right=500)]
    assert [bound(regions, 10.0) for regions in (far, behind, corner)] == [{}, {}, {}]


def test_a_figure_has_one_caption_and_a_table_may_be_called_a_figure():
    """Guards against two captions on one figure while another has none."""
    regions = [at("figure", 60, 200), at("figure_caption", 204, 214), at("figure_caption", 217, 227)]
    assert bound(regions, 10.0) == {1: 0}
    assert bound([at("table", 60, 200), at("figure_caption", 204, 214)], 10.0) == {1: 0}


def test_a_number_beside_a_formula_is_its_own():
    """Guards against numbers of formulas that stand for themselves."""
    regions = [at("isolate_formula", 60, 80, 100, 300), at("formula_caption", 62, 78, 320, 340)]
    assert bound(regions, 10.0) == {1: 0}
