"""Nothing is found twice."""

from __future__ import annotations

from page_making import detection_of

from documents.draft.duplicate_detections import resolve, resolve_with_reasons


def test_of_two_boxes_on_one_region_the_surer_stays():
    """Guards against text that is read twice because it was found twice."""
    sure, unsure = (
        detection_of("plain text", 60, 60, 300, 200, score=0.9),
        detection_of("title", 62, 60, 300, 190, score=0.4),
    )
    assert resolve([unsure, sure]) == [sure]


def test_a_part_goes_up_in_the_whole_even_if_it_is_surer():
    """Guards against a paragraph whose first lines are read apart from it."""
    whole, part = (
        detection_of("plain text", 60, 60, 300, 400, score=0.5),
        detection_of("plain text", 60, 60, 300, 120, score=0.9),
    )
    assert resolve([part, whole]) == [whole]


def test_titles_and_captions_stay_themselves_inside_another_region():
    """Guards against captions lost in the figure that they explain."""
    figure, caption = (
        detection_of("figure", 60, 60, 300, 400),
        detection_of("figure_caption", 60, 380, 300, 398, score=0.5),
    )
    assert resolve([figure, caption]) == [figure, caption]


def test_text_inside_a_figure_is_not_swallowed():
    """Guards against a shaded box of text that is taken for a figure and lost."""
    figure, text = detection_of("figure", 60, 60, 300, 400), detection_of("plain text", 70, 70, 290, 200, score=0.5)
    assert resolve([figure, text]) == [figure, text]


def test_specks_are_no_regions():
    """Guards against crops too thin to hold a letter."""
    assert resolve([detection_of("title", 60, 60, 61, 300)]) == []


def test_what_is_dropped_is_told_with_its_reason():
    """Guards against detections that vanish without a trace."""
    sure, twin = (
        detection_of("plain text", 60, 60, 300, 200, score=0.9),
        detection_of("title", 62, 60, 300, 190, score=0.4),
    )
    part, speck = detection_of("plain text", 70, 70, 200, 90, score=0.3), detection_of("title", 60, 500, 61, 510)
    kept, dropped = resolve_with_reasons([twin, sure, part, speck])
    assert kept == [sure]
    assert {drop.reason: drop.detection for drop in dropped} == {
        "a surer region lies there": twin,
        "a part of another region": part,
        "too small to hold a letter": speck,
    }
