"""API keys: the format of `keys_file` (hash, namespace, roles, quotas), how a key is made and how it is hashed."""

from __future__ import annotations

import hashlib
import secrets
from pathlib import Path
from typing import Literal

import yaml
from pydantic import Field, ValidationError, field_validator

from configs.settings import Group

Role = Literal["ingest", "query", "admin"]
KEY_PREFIX = "pmk_"  # tells scanners of leaked secrets what the text is


class KeyEntry(Group):
    """Who a key belongs to and what it may; keys of the same namespace see the same documents."""

    name: str = Field(min_length=1, max_length=100)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    namespace: str = Field(default="default", pattern=r"^[A-Za-z0-9._-]{1,100}$")
    roles: frozenset[Role] = frozenset({"ingest", "query"})
    max_unfinished_jobs: int | None = Field(default=None, ge=1)  # of its namespace, whoever sent them; 429 beyond
    requests_per_minute: int | None = Field(default=None, ge=1)  # 429 beyond


class _KeyFile(Group):
    keys: tuple[KeyEntry, ...]

    @field_validator("keys")
    @classmethod
    def _are_told_apart(cls, keys: tuple[KeyEntry, ...]) -> tuple[KeyEntry, ...]:
        """Quotas are counted by name."""
        if len({key.name for key in keys}) < len(keys):
            raise ValueError("two keys have the same name")
        return keys


def read_keys(file: Path) -> tuple[KeyEntry, ...]:
    """The entries of a file of keys.

    Raises:
        ValueError: it cannot be read, or is no file of keys; the message holds nothing of its content.
    """
    try:
        return _KeyFile.model_validate(yaml.safe_load(file.read_text(encoding="utf-8"))).keys
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror}") from None
    except yaml.YAMLError:
        raise ValueError(f"{file} is not YAML") from None
    except ValidationError as error:
        where = ".".join(map(str, error.errors()[0]["loc"]))
        raise ValueError(f"{file}: {where}: {error.errors()[0]['msg']}") from None


def new_key() -> tuple[str, str]:
    """A key of 256 random bits, and the hash to keep of it; so many need no salt and no slow hash."""
    key = KEY_PREFIX + secrets.token_urlsafe(32)
    return key, hash_of(key)


def hash_of(key: str) -> str:
    """What is kept of a key: its SHA-256 in hexadecimal."""
    return hashlib.sha256(key.encode()).hexdigest()
