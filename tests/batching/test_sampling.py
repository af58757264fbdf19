"""Which sampling settings are refused."""

import pytest

from batching import SamplingParams


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("max_tokens", -1),
        ("max_tokens", 1.5),
        ("temperature", -0.1),
        ("temperature", float("nan")),
        ("temperature", float("inf")),
        ("top_k", -1),
        ("top_p", 0.0),
        ("top_p", 1.1),
        ("repetition_penalty", 0.0),
        ("seed", -1),
        ("seed", 2**63),
        ("stop_token_ids", (-1,)),
    ],
)
def test_a_value_out_of_range_is_refused_by_the_name_of_its_field(field, value):
    """Found out only in the model thread, one client's typing error would be everybody's."""
    with pytest.raises(ValueError, match=field):
        SamplingParams(**{field: value})


def test_the_default_is_greedy():
    """OCR must not depend on chance."""
    assert SamplingParams().greedy
    assert not SamplingParams(temperature=0.5).greedy
