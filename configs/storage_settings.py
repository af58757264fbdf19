"""Settings of what is stored in a folder or a bucket: the index, and uploads."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BeforeValidator, Field, field_validator

from configs.settings_group import Group, by_name

OPTION_NAMES = frozenset(  # named as those of the index
    (
        "allow_http",
        "aws_access_key_id",
        "aws_secret_access_key",
        "aws_session_token",
        "endpoint",
        "region",
        "virtual_hosted_style_request",
    )
)


class IndexSettings(Group):
    """Where the index is stored, and how it is maintained."""

    uri: str | None = Field(default=None, description="folder, or s3://, gs://, az:// URL; unset: in the data folder")
    storage_options: Annotated[dict[str, str], BeforeValidator(by_name)] = Field(
        default={},
        description="options of the object storage: `endpoint=...,region=...`; for keys use AWS_* and the like",
    )
    consistency_s: float = Field(
        default=0,
        ge=0,
        description="maximum seconds that a search may lag behind other writers; 1 to 5 on object storage",
    )
    cache_mb: int = Field(default=256, ge=16, description="maximum MB of the index kept in memory")
    tidy_commits: int = Field(default=20, ge=1, description="commits after which the index is compacted")
    tidy_s: float = Field(default=60, gt=0, description="maximum seconds from a commit until the index is compacted")
    vector_rows: int = Field(default=50_000, ge=1000, description="number of chunks from which a vector index is built")


class BlobSettings(Group):
    """Where uploads are stored."""

    uri: str | None = Field(default=None, description="s3:// URL of a bucket's folder; unset: in the data folder")
    storage_options: Annotated[dict[str, str], BeforeValidator(by_name)] = Field(
        default={},
        description="options of the object storage: `endpoint=...,region=...`; for keys use AWS_* and the like",
    )
    cache_mb: int = Field(
        default=2000,
        ge=1,
        description="maximum MB of uploads that a renderer keeps in the data folder of its machine, where `uri` is set",
    )
    cache_s: float = Field(
        default=600, ge=0, description="seconds after which a renderer removes such a file that it has not used"
    )

    @field_validator("uri")
    @classmethod
    def _is_in_a_bucket(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch(r"s3://[^/]+(/[^/]+)*/?", value):
            raise ValueError("blobs.uri must be s3://bucket or s3://bucket/folder")
        return value

    @field_validator("storage_options")
    @classmethod
    def _are_known(cls, values: dict[str, str]) -> dict[str, str]:
        if unknown := sorted(values.keys() - OPTION_NAMES):
            raise ValueError(f"unknown {unknown[0]!r}; known: {', '.join(sorted(OPTION_NAMES))}")
        if values.get("endpoint", "").startswith("http://") and values.get("allow_http") != "true":
            raise ValueError("an endpoint with http:// needs allow_http=true: uploads go there unencrypted")
        return values
