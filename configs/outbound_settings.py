"""Settings of what the server sends to, or fetches from, addresses that callers name: sources and webhooks."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BeforeValidator, Field, field_validator

from configs.settings_group import Group, names

FOLDER = re.compile(r"s3://[a-z0-9][a-z0-9.-]+(/(?!\.{1,2}(/|$))[^/]+)*/")


class SourceSettings(Group):
    """Documents that clients name by address, or send inside JSON."""

    http: bool = Field(default=False, description="fetch documents from http and https addresses that callers name")
    allow: Annotated[tuple[str, ...], BeforeValidator(names)] = Field(
        default=(), description="non-public hosts and networks that may be fetched from: `files.lan,10.1.0.0/16`"
    )
    timeout_s: float = Field(
        default=60, gt=0, description="seconds that fetching or copying one document may take in all"
    )
    max_redirects: int = Field(default=5, ge=0, le=20, description="maximum number of redirects that are followed")
    max_inline_mb: float = Field(
        default=50,
        gt=0,
        description="maximum megabytes of files inside one JSON body (413); forms may have more",
    )
    buckets: Annotated[tuple[str, ...], BeforeValidator(names)] = Field(
        default=(),
        description="folders of buckets whose objects callers may name: `s3://papers/in/,s3://scans/`;"
        " endpoint and keys are those of `blobs.storage_options`",
    )

    @field_validator("buckets")
    @classmethod
    def _are_folders(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        """Each with a slash at its end, so that `s3://a/in` is not the begin of `s3://a/internal`."""
        folders = tuple(value if value.endswith("/") else f"{value}/" for value in values)
        for folder in folders:
            if not FOLDER.fullmatch(folder):
                raise ValueError(f"{folder}: a folder of a bucket is s3://bucket/ or s3://bucket/folder/")
        return folders


class WebhookSettings(Group):
    """Events of jobs that are sent to addresses that callers name."""

    enabled: bool = Field(default=False, description="send events of jobs to addresses that callers name")
    allow: Annotated[tuple[str, ...], BeforeValidator(names)] = Field(
        default=(), description="non-public hosts and networks that events may be sent to: `hooks.lan,10.1.0.0/16`"
    )
    secret_variable: str | None = Field(
        default=None,
        description="name of the environment variable with the signing key, for callers that send none;"
        " unset: a caller must send one",
    )
    timeout_s: float = Field(default=10, gt=0, description="seconds that an address may take to answer")
    max_attempts: int = Field(default=8, ge=1, description="attempts at an event before it goes to the dead letters")
    pause_s: float = Field(
        default=5, gt=0, description="seconds before the second attempt; each further pause is twice as long, up to 1 h"
    )
    keep_days: float = Field(default=7, gt=0, description="days after which a dead letter is removed")
