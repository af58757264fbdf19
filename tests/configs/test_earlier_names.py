"""`configs.earlier_names`: a renamed setting is still read by its earlier name, from every source."""

import pytest
from pydantic import ValidationError

from configs import Settings, with_environment, with_options
from configs.earlier_names import SETTINGS


def test_a_config_file_with_an_earlier_name_sets_the_setting():
    """Guards against a server that no longer starts with the config file of last month."""
    ocr = Settings.model_validate({"ocr": {"glimpse_s": 0, "low_confidence": 0.6, "least_confidence": 0.3}}).ocr
    assert (ocr.partial_results_s, ocr.warning_confidence, ocr.min_word_confidence) == (0, 0.6, 0.3)


@pytest.mark.parametrize("earlier", SETTINGS)
def test_a_variable_of_an_earlier_name_overrides_the_file(earlier):
    """Guards against a variable that is refused, or that the file's own value overrides."""
    group, key = SETTINGS[earlier].split(".")
    variable = "PAGEMILL_" + earlier.replace(".", "_").upper()
    file = {group: {earlier.split(".")[1]: 0.1}}
    merged = with_options(with_environment(file, {variable: "0.25"}), {})
    assert getattr(getattr(Settings.model_validate(merged), group), key) == 0.25


def test_an_option_overrides_the_file_where_that_has_the_earlier_name():
    """Guards against two values of one setting, of which the file's wins."""
    merged = with_options({"ocr": {"glimpse_s": 5}}, {"ocr.partial_results_s": "1"})
    assert merged == {"ocr": {"partial_results_s": "1"}}


def test_both_names_at_once_are_refused():
    """Guards against a setting whose value depends on the order of two lines."""
    with pytest.raises(ValidationError, match=r"earlier name of ocr\.partial_results_s"):
        Settings.model_validate({"ocr": {"glimpse_s": 1, "partial_results_s": 2}})
    with pytest.raises(ValueError, match="earlier name of PAGEMILL_OCR_PARTIAL_RESULTS_S"):
        with_environment({}, {"PAGEMILL_OCR_GLIMPSE_S": "1", "PAGEMILL_OCR_PARTIAL_RESULTS_S": "2"})
