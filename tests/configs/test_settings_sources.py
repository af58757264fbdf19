"""`configs.settings_sources`: the file, then the environment, then the options."""

import pytest

from configs import Settings, with_environment, with_options


def test_options_override_variables_which_override_the_file() -> None:
    """Guards against an order that depends on which was read last."""
    args = {"layout": {"batch_size": 2}, "ocr": {"max_running": 4}, "port": 1}
    args = with_environment(args, {"PAGEMILL_LAYOUT_BATCH_SIZE": "3", "PAGEMILL_PORT": "2", "HOME": "/"})
    settings = Settings.model_validate(with_options(args, {"port": "3", "host": None}))
    assert (settings.layout.batch_size, settings.ocr.max_running, settings.port) == (3, 4, 3)


def test_what_was_given_is_not_changed() -> None:
    """Guards against a config file's dictionary that is written into."""
    args: dict = {"layout": {"batch_size": 2}}
    with_environment(args, {"PAGEMILL_LAYOUT_BATCH_SIZE": "3"})
    assert args == {"layout": {"batch_size": 2}}


def test_an_unknown_variable_is_refused() -> None:
    """Guards against a misspelt variable that does nothing."""
    with pytest.raises(ValueError, match="PAGEMILL_LAYOUT_BACTH names no setting"):
        with_environment({}, {"PAGEMILL_LAYOUT_BACTH": "3"})


def test_an_empty_value_unsets_a_setting() -> None:
    """Guards against full text search alone being impossible to ask for by a variable."""
    assert Settings.model_validate(with_environment({}, {"PAGEMILL_EMBEDDER_MODEL": ""})).embedder.model is None


def test_variables_of_the_client_are_no_settings() -> None:
    """Guards against a server that does not start where somebody has said which server the client asks."""
    assert with_environment({}, {"PAGEMILL_URL": "http://127.0.0.1:9", "PAGEMILL_API_KEY": "k"}) == {}
