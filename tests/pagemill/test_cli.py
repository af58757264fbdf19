"""`pagemill.cli`: the commands as a whole."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from configs import earlier_names, fields
from configs.api_keys import KeyEntry, hash_of
from pagemill.cli import app

COMMANDS = ("serve", "ingest", "query", "jobs", "cancel", "doctor", "bench", "where", "key", "convert")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str) -> None:
    """Guards against a command that is written and not to be reached."""
    ran = CliRunner().invoke(app, [name, "--help"])
    assert (ran.exit_code, "Usage" in ran.output) == (0, True)


def test_options_of_the_earlier_server_mean_our_settings() -> None:
    """Guards against an alias of a setting that has another name by now, or that no option has."""
    assert set(earlier_names.OPTIONS) <= {field.name for field in fields()}
    shown = CliRunner().invoke(app, ["serve", "--help"], env={"COLUMNS": "200"}).stdout
    assert all(option in shown for options in earlier_names.OPTIONS.values() for option in options)
    ran = CliRunner().invoke(app, ["serve", "--dynamic-batching-batch-size", "none"])
    assert ran.exit_code == 2
    assert "layout.batch_size" in ran.output


def test_a_key_as_json_opens_what_its_entry_says() -> None:
    """Guards against a key and an entry of two makings."""
    output = json.loads(CliRunner().invoke(app, ["key", "ann", "--role", "query", "--json"]).stdout)
    entry = KeyEntry.model_validate(output["entry"])
    assert (entry.sha256, entry.roles) == (hash_of(output["key"]), {"query"})
    assert CliRunner().invoke(app, ["key", "ann", "--role", "king"]).exit_code == 2
