"""Captions find what they describe."""

from __future__ import annotations

from page_making import box

from documents.figures.captions import PlacedRegion, bind_captions, bind_labels


def at(kind, top, bottom, left=60, right=300):
    return PlacedRegion(kind, box(left, top, right, bottom), kind)


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
    assert bind_captions(regions, 10.0) == {1: 0, 3: 2, 5: 4}


def test_captions_above_tables_and_notes_below_them_are_all_the_tables():
    """Guards against notes that lose their table to its caption."""
    regions = [
        at("table_caption", 60, 72),
        at("table", 76, 200),
        at("table_footnote", 204, 214),
        at("table_footnote", 216, 226),
    ]
    assert bind_captions(regions, 10.0) == {0: 1, 2: 1, 3: 1}


def test_what_is_far_off_or_behind_text_is_not_described():
    """Guards against captions bound over half a page, and over the paragraph between."""
    far = [at("figure", 60, 200), at("figure_caption", 300, 312)]
    text = at("plain text", 205, 225)._replace(text="A sentence of the text that stands there.")
    behind = [at("figure", 60, 200), text, at("figure_caption", 230, 242)]
    corner = [at("figure", 60, 200), at("figure_caption", 205, 217, left=320, right=500)]
    assert [bind_captions(regions, 10.0) for regions in (far, behind, corner)] == [{}, {}, {}]


def test_a_figure_has_one_caption_and_a_table_may_be_called_a_figure():
    """Guards against two captions on one figure while another has none."""
    regions = [at("figure", 60, 200), at("figure_caption", 204, 214), at("figure_caption", 217, 227)]
    assert bind_captions(regions, 10.0) == {1: 0}
    assert bind_captions([at("table", 60, 200), at("figure_caption", 204, 214)], 10.0) == {1: 0}


def test_a_number_beside_a_formula_is_its_own():
    """Guards against numbers of formulas that stand for themselves."""
    regions = [at("isolate_formula", 60, 80, 100, 300), at("formula_caption", 62, 78, 320, 340)]
    assert bind_captions(regions, 10.0) == {1: 0}


def test_few_words_in_a_captioned_figure_are_its_labels():
    """Guards against names of parts in the middle of a sentence that goes on beside the figure."""
    figure, caption = at("figure", 60, 200), at("figure_caption", 230, 242)
    inside, below = at("plain text", 120, 130, 100, 160), at("plain text", 204, 214, 100, 160)
    long = at("plain text", 140, 190)._replace(text="It is a sentence of more words than any label has.")
    regions = [figure, inside, below, caption, long, at("plain text", 250, 262)]
    assert bind_captions(regions, 10.0) == {3: 0}
    assert bind_labels(regions, {3: 0}) == {1: 0, 2: 0}


def test_words_on_a_picture_without_a_caption_stay_text():
    """Guards against slides whose words are lost in the picture behind them."""
    assert bind_labels([at("figure", 0, 700), at("plain text", 120, 130)], {}) == {}
