"""`deployments.storage.bucket_objects`: which addresses may be named."""

from __future__ import annotations

import posixpath
from pathlib import PurePosixPath
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import ValidationError

from configs import Settings
from deployments.errors import SourceRefused
from deployments.storage.bucket_objects import check_object_address

PARTS = st.sampled_from(
    ["in", "in-other", "i", "a", "..", ".", "", "%2e%2e", "a%2Fb", "in ", " ", "a?b", "a#b", "\\..", "é"]
)
KEYS = st.lists(PARTS, min_size=1, max_size=5).map("/".join)


def settings_of(*buckets: str, **groups: Any) -> Settings:
    return Settings.model_validate({"sources": {"buckets": buckets}} | groups)


def is_allowed(url: str, settings: Settings) -> bool:
    try:
        check_object_address(url, settings)
    except SourceRefused:
        return False
    return True


@given(bucket=st.sampled_from(["papers", "papers2", "paper", "papers.x"]), key=KEYS)
@example(bucket="papers", key="in/../secret.pdf")
@example(bucket="papers", key="in-other/a.pdf")
@example(bucket="papers", key="in")
@example(bucket="papers", key="in/")
def test_an_address_is_allowed_where_a_file_system_has_it_below_the_folder(bucket: str, key: str) -> None:
    """Guards against every way to write an address that leads out of the folder; the judge is posixpath."""
    path, folder = f"/{bucket}/{key}", PurePosixPath("/papers/in")
    is_below = posixpath.normpath(path) == path and PurePosixPath(path).is_relative_to(folder) and path != str(folder)
    for written in ("s3://papers/in", "s3://papers/in/"):
        assert is_allowed(f"s3:/{path}", settings_of(written)) == is_below


@given(st.text(max_size=40))
@example("https://papers/in/a.pdf")
@example("S3://papers/in/a.pdf")
@example("s3:/papers/in/a.pdf")
@example("s3://key:secret@papers/in/a.pdf")
@example(" s3://papers/in/a.pdf")
def test_what_does_not_begin_with_the_folder_is_refused(url: str) -> None:
    """Guards against other schemes, other spellings of the scheme, and keys of somebody in the address."""
    assert not is_allowed(url, settings_of("s3://papers/in/"))


@pytest.mark.parametrize("key", ["a\nb.pdf", "a\x00.pdf", "\ud800.pdf", "a\x7f.pdf", "k" * 1025, "é" * 513])
def test_a_key_that_s3_would_not_take_is_refused(key: str) -> None:
    """Guards against an internal error of who asks for what cannot be sent."""
    assert not is_allowed(f"s3://papers/{key}", settings_of("s3://papers"))


def test_the_server_s_own_storage_is_no_source() -> None:
    """Guards against a caller who reads the uploads of another namespace by their SHA-256."""
    settings = settings_of(
        "s3://papers", blobs={"uri": "s3://papers/pagemill/blobs"}, index={"uri": "s3://papers/pagemill/index/"}
    )
    assert is_allowed("s3://papers/pagemill/other/a.pdf", settings)
    for folder in ("blobs/incoming", "blobs/ab", "index"):
        assert not is_allowed(f"s3://papers/pagemill/{folder}/a.pdf", settings)


def test_nothing_is_read_from_buckets_unless_they_are_named() -> None:
    """Guards against a default that opens what the server's keys can read."""
    with pytest.raises(SourceRefused, match=r"sources\.buckets"):
        check_object_address("s3://papers/in/a.pdf", Settings())


@pytest.mark.parametrize(
    "folder", ["papers/in", "s3://", "s3:///in/", "s3://papers//in", "s3://papers/../", "s3://a/./b", "https://papers/"]
)
def test_a_folder_that_would_allow_something_else_is_no_setting(folder: str) -> None:
    """Guards against a setting that reads as if it allowed a folder."""
    with pytest.raises(ValidationError, match="s3://bucket/folder/"):
        settings_of(folder)
