"""`documents.page.hidden_text_warnings`: where text lies that nobody sees."""

from __future__ import annotations

from page_making import box, inspection, line

from documents.page.hidden_text_warnings import MAX_PLACES, hidden_text_warnings


def test_each_place_has_its_own_box():
    """Guards against one box around the page's corners that tells nobody where to look."""
    page_inspection = inspection(
        line("Seen"),
        line("Secret", y=300, hidden="no_ink"),
        line("secret", y=312, hidden="no_ink"),
        line("Tiny", y=326, hidden="tiny"),
        line("Again", y=700, hidden="no_ink"),
        line("Far off", x=5000, hidden="off_page"),
    )
    warnings = [(warning.code, warning.page, warning.box) for warning in hidden_text_warnings(page_inspection)]
    boxes = [box(60, 300, 90, 322), box(60, 326, 80, 336), box(60, 700, 85, 710), box(5000, 100, 5035, 110)]
    assert warnings == [("hidden_text", 1, box) for box in boxes]


def test_lines_beside_each_other_are_one_place_only_when_they_are_close():
    """Guards against two columns of hidden text told as one."""
    near = inspection(line("a", hidden="no_ink"), line("b", x=70, hidden="no_ink"))
    far = inspection(line("a", hidden="no_ink"), line("b", x=300, hidden="no_ink"))
    assert [len(list(hidden_text_warnings(page))) for page in (near, far)] == [1, 2]


def test_very_many_places_end_in_one_warning():
    """Guards against a file that fills the job with warnings; none of its lines goes untold."""
    lines = [line("x", y=40 * n, hidden="no_ink") for n in range(MAX_PLACES + 7)]
    warnings = list(hidden_text_warnings(inspection(*lines)))
    assert len(warnings) == MAX_PLACES + 1
    assert warnings[-1].box is None
    assert warnings[-1].message == "hidden text removed: 7 lines have no visible ink"


def test_a_page_without_such_text_has_no_warning():
    """Guards against a false alarm on every page."""
    assert list(hidden_text_warnings(inspection(line("Seen"), line("Laid over the scan", invisible=True)))) == []


def test_a_warning_says_in_words_why_the_lines_are_hidden():
    """Guards against a message that shows the name of a reason as the code has it."""
    page_inspection = inspection(
        line("Secret", hidden="no_ink"),
        line("Far", x=5000, hidden="off_page"),
        line("Tiny", y=700, hidden="tiny"),
        line("Tiny, too", y=706, hidden="tiny"),
    )
    assert [warning.message for warning in hidden_text_warnings(page_inspection)] == [
        "hidden text removed: 1 line has no visible ink",
        "hidden text removed: 1 line lies off the page",
        "hidden text removed: 2 lines are too small to read",
    ]
