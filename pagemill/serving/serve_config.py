"""Builds the Serve config that `pagemill serve` runs: the config file merged with environment and options."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from configs import Settings, with_environment, with_options
from configs.api_keys import read_keys
from configs.settings import HOME

PACKAGED_CONFIG = HOME / "configs" / "serve_config.yaml"  # in a checkout, this is a link to the file in its root
LOGGING_FIELDS = {"log_level": "log_level", "log_format": "encoding"}  # our names of logging options and Serve's


def default_config() -> Path:
    """`serve_config.yaml` here, or the one that is installed with Pagemill."""
    here = Path("serve_config.yaml")
    return here if here.is_file() else PACKAGED_CONFIG


@dataclass(frozen=True, slots=True)
class Composed:
    """A Serve config with all settings resolved."""

    settings: Settings
    config: dict[str, Any]


def compose(file: Path, options: Mapping[str, str | None], environment: Mapping[str, str] = os.environ) -> Composed:
    """The config of `file` with the environment's and the options' settings, ready for `serve run`.

    Raises:
        ValueError: a setting that does not exist or cannot have this value.
        OSError: the file cannot be read.
    """
    config, application = _read(file)
    http, logging = config.setdefault("http_options", {}), config.setdefault("logging_config", {})
    args = {key: http[key] for key in ("host", "port") if key in http}
    args |= {ours: logging[theirs] for ours, theirs in LOGGING_FIELDS.items() if theirs in logging}
    args |= application.get("args") or {}
    settings = Settings.model_validate(with_options(with_environment(args, environment), options))
    settings.check_exposure(settings.host)
    places = {"data_dir": settings.data_dir.resolve()}
    if settings.keys_file is not None:
        read_keys(settings.keys_file)  # a clear word now, not a crash of the ingress later
        places["keys_file"] = settings.keys_file.resolve()
    settings = settings.model_copy(update=places)
    absolute = {name: str(path) for name, path in places.items()}
    application["args"] = settings.model_dump(mode="json", exclude_unset=True) | absolute
    http |= {"host": settings.host, "port": settings.port}
    logging |= {theirs: getattr(settings, ours) for ours, theirs in LOGGING_FIELDS.items()}
    return Composed(settings, config)


def _read(file: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The file's content, and the one application in it."""
    try:
        config = yaml.safe_load(file.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise ValueError(f"{file} is not YAML: {error}") from None
    applications = config.get("applications") if isinstance(config, dict) else None
    if not isinstance(applications, list) or len(applications) != 1 or not isinstance(applications[0], dict):
        raise ValueError(f"{file} is not a Serve config with one application")
    if not isinstance(applications[0].get("args") or {}, dict):
        raise ValueError(f"{file}: the application's args are settings by name")
    return config, applications[0]
