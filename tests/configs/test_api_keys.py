"""`configs.api_keys`: what is kept of API keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from configs import Settings
from configs.api_keys import hash_of, new_key, read_keys
from configs.settings import is_loopback


def test_a_key_is_never_kept(tmp_path: Path) -> None:
    """Guards against a file whose thief can use it."""
    key, sha256 = new_key()
    assert hash_of(key) == sha256
    assert new_key()[0] != key
    file = tmp_path / "keys.yaml"
    file.write_text(f"keys:\n  - {{name: a, sha256: {sha256}, namespace: b, roles: [query]}}\n")
    (entry,) = read_keys(file)
    assert (entry.namespace, entry.roles) == ("b", {"query"})
    assert key not in repr(entry)


@pytest.mark.parametrize(
    "content",
    ["keys: [{name: a, sha256: secret-in-the-clear}]", "keys: [{name: a, rolls: []}]", "a: [", "[]", "keys: 3"],
)
def test_a_wrong_file_is_refused_and_not_shown(tmp_path: Path, content: str) -> None:
    """Guards against a typing error that opens the server, or that prints a secret."""
    file = tmp_path / "keys.yaml"
    file.write_text(content)
    with pytest.raises(ValueError, match=r"keys\.yaml") as refusal:
        read_keys(file)
    assert "in-the-clear" not in str(refusal.value)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    """Guards against a server that runs without keys because their file is not there."""
    with pytest.raises(ValueError, match="cannot be read"):
        read_keys(tmp_path / "none.yaml")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "[::1]", "127.8.8.8"])
def test_loopback_needs_no_key(host: str) -> None:
    """Guards against a first start that asks for keys."""
    assert is_loopback(host)
    Settings().check_exposure(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "example.org", ""])
def test_a_public_address_needs_keys_or_a_word(host: str) -> None:
    """Guards against a server that everybody in the network may empty."""
    with pytest.raises(ValueError, match="keys_file"):
        Settings().check_exposure(host)
    Settings(public_without_keys=True).check_exposure(host)
    Settings(keys_file=Path("keys.yaml")).check_exposure(host)
