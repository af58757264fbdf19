from documents.ocr_input.text_line import TextLine, joined


def line(x0: int, x1: int, top: float, bottom: float, letter: float = 18.0) -> TextLine:
    return TextLine(x0=x0, x1=x1, top=top, bottom=bottom, letter=letter, num_letters=9)


def test_letters_between_those_of_a_line_are_of_that_line():
    """Guards against `pageage`: of broken letters one chain had `p` and `g`, the next began at the `a` between them."""
    (whole,) = joined([line(21, 228, 6, 43), line(175, 1260, 6, 43), line(1208, 1614, 6, 34)])
    assert (whole.x0, whole.x1) == (21, 1614)


def test_lines_above_one_another_stay_two_though_their_letters_touch():
    assert len(joined([line(21, 700, 6, 43), line(175, 900, 34, 71)])) == 2


def test_a_small_line_beside_the_middle_of_two_large_ones_stays_its_own():
    assert len(joined([line(21, 700, 6, 60), line(400, 900, 20, 38, letter=8.0)])) == 2
