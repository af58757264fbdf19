"""Which sampling settings are refused."""

import pytest

from batching import BeamSearchParams, Guide, RepetitionLimit, Request, SamplingParams


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
        ("min_p", -0.1),
        ("min_p", 1.1),
        ("no_repeat_ngram_size", -1),
        ("no_repeat_ngram_size", 1.5),
        ("no_repeat_ngram_window_size", -1),
        ("repeatable_token_ids", ("a",)),
        ("stop", ("",)),
        ("stop", (7,)),
        ("logprobs", -1),
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


@pytest.mark.parametrize(
    ("field", "value"), [("num_beams", 0), ("length_penalty", float("nan")), ("early_stopping", "always")]
)
def test_a_setting_of_beams_out_of_range_is_refused_by_the_name_of_its_field(field, value):
    with pytest.raises(ValueError, match=field):
        BeamSearchParams(**{"num_beams": 2, field: value})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("temperature", 0.7),
        ("stop", ("x",)),
        ("logprobs", 2),
        ("repetition", RepetitionLimit()),
        ("guide", Guide.choice(["a"])),
    ],
)
def test_what_does_not_go_with_beam_search_is_refused_by_its_name(field, value):
    """Taken and ignored, it would be missed only by a careful reader."""
    with pytest.raises(ValueError, match=field):
        Request(prompt_token_ids=[1], sampling=SamplingParams(**{field: value}), beams=BeamSearchParams(num_beams=2))


def test_one_stop_string_may_come_without_a_tuple():
    """Taken for a sequence, "end" would stop at each "e"."""
    assert SamplingParams(stop="end").stop == ("end",)
