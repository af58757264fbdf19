"""Lines that were read find their places in a page's text."""

from training.ocr.alignment import aligned

TRUTH = "He was a man of great renown, and it is said that he investigated the matter himself. Then he left."


def test_misread_lines_get_the_words_that_they_stand_for():
    """A piece that begins or ends within a word teaches the reader to drop letters."""
    read = [
        "He was a rnan of great renovvn, and it is sa1d",
        "that he 1nvestigated",
        "the matler himself. Then he left.",
    ]
    assert aligned(read, TRUTH) == [
        "He was a man of great renown, and it is said",
        "that he investigated",
        "the matter himself. Then he left.",
    ]


def test_a_word_that_is_divided_at_a_lines_end_stays_divided():
    """Texts are kept without the hyphens of their lines; the picture has them."""
    read = ["and it is said that he investi-", "gated the matter himself."]
    assert aligned(read, TRUTH)[0].endswith("that he investi-")
    assert aligned(read, TRUTH)[1] == "gated the matter himself."


def test_a_running_head_stands_for_nothing_of_the_text():
    read = ["CHAPTER TWELVE", "He was a man of great renown,", "and it is said"]
    assert aligned(read, TRUTH)[:2] == ["", "He was a man of great renown,"]


def test_without_a_text_no_line_has_a_piece():
    assert aligned(["one line", "another"], "") == ["", ""]
