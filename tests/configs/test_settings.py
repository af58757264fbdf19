"""`configs.settings`: every setting has one place, and a wrong key is told what it should have been."""

import pytest
from pydantic import ValidationError

from configs import Settings, fields


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"layout": {"bacth_size": 3}}, "unknown setting 'bacth_size'; the nearest is 'batch_size'"),
        ({"prot": 80}, "unknown setting 'prot'; the nearest is 'port'"),
        ({"search": {"lookahead": True}}, "unknown setting 'lookahead'"),
        ({"search": {"semantic_threshold": 0.97}}, "unknown setting 'semantic_threshold'"),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest_right_one(values: dict, message: str) -> None:
    """Guards against a misspelt setting that is silently dropped."""
    with pytest.raises(ValidationError, match="unknown setting") as refused:
        Settings.model_validate(values)
    assert message in str(refused.value)


def test_settings_cannot_be_changed_after_they_are_made() -> None:
    """Guards against a replica that changes what others read."""
    with pytest.raises(ValidationError):
        Settings().port = 1  # type: ignore[misc]


@pytest.mark.parametrize(
    ("values", "device", "route"),
    [
        ({}, "cuda", "auto"),
        ({}, "cpu", "auto"),
        ({"gpu_route": "torch"}, "cuda", "auto"),
        ({"gpu_route": "transformers"}, "cuda", "transformers"),
        ({"gpu_route": "transformers"}, "cpu", "auto"),
        ({"gpu_route": "safe"}, "cuda", "transformers"),
        ({"gpu_route": "fast"}, "cuda", "auto"),
        ({"gpu_route": "graphs"}, "cuda", "auto"),
    ],
)
def test_the_route_of_a_gpu_is_no_demand_by_default(values: dict, device: str, route: str) -> None:
    """Guards against a default that refuses every model without graphs, and a setting of GPUs that slows a CPU."""
    settings = Settings.model_validate({"lm": values, "ocr": values})
    assert settings.lm.route_on(device) == settings.ocr.route_on(device) == route


def test_every_setting_says_what_it_means() -> None:
    """Guards against an option without help."""
    assert [field.name for field in fields() if not field.info.description] == []


def test_variables_and_options_name_each_setting_once() -> None:
    """Guards against two settings that share one variable, as `a_b.c` and `a.b_c` would."""
    everything = list(fields())
    assert len({field.variable for field in everything}) == len(everything)
    assert len({field.option for field in everything}) == len(everything)


def test_thresholds_by_class_are_told_as_a_table_or_in_one_line() -> None:
    """Guards against a setting that a file can say and a variable cannot."""
    for value in ("title=0.3, figure_caption=.2", {"title": 0.3, "figure_caption": 0.2}):
        layout = Settings.model_validate({"layout": {"class_confidence": value}}).layout
        assert layout.class_confidence == {"title": 0.3, "figure_caption": 0.2}
    assert Settings.model_validate({"layout": {"class_confidence": None}}).layout.class_confidence == {}
    for wrong in ("title", "title=high", "title=2"):
        with pytest.raises(ValidationError):
            Settings.model_validate({"layout": {"class_confidence": wrong}})


def test_hosts_that_may_be_fetched_from_are_named_with_commas() -> None:
    """Guards against a network that is allowed in the file, and refused as an option."""
    sources = Settings.model_validate({"sources": {"allow": "files.lan, 10.1.0.0/16"}}).sources
    assert sources.allow == Settings.model_validate({"sources": {"allow": ["files.lan", "10.1.0.0/16"]}}).sources.allow
    assert not sources.http, "nothing is fetched unless that is switched on"


def test_facades_are_named_with_commas_and_shown_so() -> None:
    """Guards against a help text that shows a tuple of Python, which no option takes."""
    facades = next(field for field in fields() if field.name == "facades")
    assert Settings.model_validate({"facades": facades.default_text}).facades == Settings().facades
    assert Settings.model_validate({"facades": "dify, mcp"}).facades == ("dify", "mcp")


@pytest.mark.parametrize("address", ["pages.example", "ftp://pages.example", "https://", "https://a.example/?x", "//a"])
def test_the_public_address_is_one_that_a_browser_opens(address: str) -> None:
    """Guards against links in answers that lead nowhere."""
    with pytest.raises(ValidationError, match="public_url"):
        Settings.model_validate({"public_url": address})


@pytest.mark.parametrize("uri", ["/data/blobs", "s3://", "s3:///blobs", "gs://bucket/blobs", "s3://bucket//blobs"])
def test_uploads_are_in_a_folder_of_a_bucket_or_in_the_data_folder(uri: str) -> None:
    """Guards against uploads that land where nobody looks for them."""
    with pytest.raises(ValidationError, match=r"blobs\.uri must be s3://bucket"):
        Settings.model_validate({"blobs": {"uri": uri}})
    assert Settings.model_validate({"blobs": {"uri": "s3://bucket/a/b/"}}).blobs.uri == "s3://bucket/a/b/"


def test_an_unknown_option_of_the_bucket_is_refused() -> None:
    """Guards against a misspelt endpoint, without which uploads would go to another storage."""
    with pytest.raises(ValidationError, match="needs allow_http=true"):
        Settings.model_validate({"blobs": {"storage_options": "endpoint=http://x"}})
    with pytest.raises(ValidationError, match=r"unknown 'endpiont'; known: allow_http, .*endpoint"):
        Settings.model_validate({"blobs": {"uri": "s3://bucket", "storage_options": "endpiont=http://x"}})
