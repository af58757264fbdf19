import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from documents.ocr_input.text_ink import percentiles, text_ink


@given(hnp.arrays(np.uint8, hnp.array_shapes(min_dims=2, max_dims=2, max_side=60)), st.integers(1, 49))
def test_percentiles_from_counts_are_numpys(grey: np.ndarray, percent: int) -> None:
    """Guards against levels of ink that change by a rounding."""
    percents = (percent, 100 - percent)
    assert percentiles(grey, percents) == list(np.percentile(grey, percents))
    mask = grey > grey.mean()
    if mask.any():
        assert percentiles(grey, percents, mask.view(np.uint8)) == list(np.percentile(grey[mask], percents))


def test_light_print_on_a_dark_part_is_dark_ink_on_white_and_the_rest_stays() -> None:
    """Guards against a dark heading that turns the page around it, or stays unread."""
    grey = np.full((500, 400), 250, np.uint8)
    grey[100:220, 50:350] = 20
    grey[150:170, 100:300:20] = grey[400:420, 100:300:20] = 240
    grey[400:420, 100:300:20] = 30
    result = text_ink(grey)
    for y in (150, 400):
        assert (result.even[y : y + 20, 100:300:20] < 80).all()
        assert (result.even[y : y + 20, 110:300:20] > 200).all()


def test_a_picture_on_white_paper_is_even_as_it_is() -> None:
    """Guards against a drawn page whose greys are changed for nothing."""
    grey = np.full((200, 300), 255, np.uint8)
    grey[80:120, 40:260:11] = 90
    assert np.array_equal(text_ink(grey).even, grey)
