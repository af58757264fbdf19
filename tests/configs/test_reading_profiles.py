"""How families of image-text models read."""

import pytest

from batching.inputs.reading_config import ReadingConfig
from configs.reading_profiles import MARKDOWN_PROFILE, PROFILES, profile_of
from documents.tables.written.model_answers import FORMS


@pytest.mark.parametrize("name", PROFILES)
def test_every_profile_is_one_that_the_engine_takes(name):
    """A task without a prompt, or a form that nobody parses, would show at the first crop."""
    profile = PROFILES[name]
    assert "text" in profile.prompts
    assert ReadingConfig.of_prompts(profile.prompts, max_tokens=profile.max_tokens).modes == tuple(profile.prompts)
    assert profile.answers.keys() <= profile.prompts.keys()
    assert set(profile.answers.values()) <= FORMS.keys()


def test_the_kind_of_a_region_chooses_what_is_asked():
    """A table that is read as text loses its cells."""
    profile = PROFILES["paddleocr_vl"]
    kinds = ("table", "isolate_formula", "chart", "figure", "plain text", None)
    assert [profile.task_of(kind) for kind in kinds] == ["table", "formula", "chart", "text", "text", "text"]
    assert profile.answer_of("table") == "otsl"
    assert PROFILES["lighton_ocr"].task_of("table") == "text"
    assert PROFILES["minicpm_ocr"].answer_of("table") == "html"


def test_a_family_without_a_profile_writes_markdown():
    """A general model can be asked for it."""
    assert profile_of("qwen3_vl") == ("markdown", MARKDOWN_PROFILE)
    assert profile_of("qwen2_vl", "mineru") == ("mineru", PROFILES["mineru"])


def test_a_reader_of_a_general_family_is_named():
    """LightOnOCR-3 is a Qwen3.5, and knows no other prompt than the picture alone."""
    assert profile_of("qwen3_5") == ("markdown", MARKDOWN_PROFILE)
    _, profile = profile_of("qwen3_5", "lighton_ocr_3")
    assert profile.prompts == {"text": ""}
    assert (profile.unit, profile.long_side) == ("page", 2048)
    assert PROFILES["lighton_ocr"].long_side == 1540


def test_a_profile_that_does_not_exist_is_refused_with_those_that_do():
    """A typing error would read all pages by another prompt."""
    with pytest.raises(ValueError, match=r"mineru.*not 'minerU'"):
        profile_of("qwen2_vl", "minerU")


def test_families_that_write_charts_as_rows_without_a_rule_are_read_so():
    """As Markdown their tables were text."""
    assert PROFILES["paddleocr_vl"].answer_of("chart") == "chart"
    assert PROFILES["pp_chart2table"].answer_of("text") == "chart"
