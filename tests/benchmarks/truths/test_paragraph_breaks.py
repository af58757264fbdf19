"""Paragraphs that are cut or joined wrongly are counted at the words of the truth."""

import pytest

from benchmarks.truths.paragraph_breaks import Breaks, breaks

TRUTH = "One two three four.\n\nFive six seven eight.\n\n- an item\n\nNine ten eleven twelve."


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (TRUTH, Breaks(3, 0, 0)),
        (TRUTH.replace("two three", "two\n\nthree"), Breaks(3, 1, 0)),
        (TRUTH.replace("four.\n\n", "four. "), Breaks(3, 0, 1)),
        (TRUTH.replace("- an item\n\n", "- an item "), Breaks(3, 0, 0)),  # a list is no paragraph
        (TRUTH.replace("two three", "two\nthree"), Breaks(3, 0, 0)),
        (TRUTH.replace("three", "unread").replace("two unread", "two\n\nunread"), Breaks(3, 0, 0)),
        ("", Breaks(3, 0, 0)),
    ],
)
def test_each_wrong_break_between_words_of_both_is_counted(result: str, expected: Breaks) -> None:
    assert breaks(TRUTH, result, str) == expected


def test_programs_hold_no_paragraphs() -> None:
    assert breaks("```\nOne two\n\nthree four.\n```\n", "", str) == Breaks(0, 0, 0)


def test_a_paragraph_may_begin_with_bold_words() -> None:
    assert breaks("**Note.** One two.\n", "**Note.** One\n\ntwo.\n", str) == Breaks(1, 1, 0)
