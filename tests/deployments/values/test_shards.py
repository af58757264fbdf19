"""Which shard a document and a job belong to."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from deployments.values.shards import JOB_ID, jumps, new_id, possible_shards, shard_of


@pytest.mark.parametrize(
    ("key", "num_buckets", "bucket"),
    [(1, 1, 0), (42, 57, 43), (0xDEAD10CC, 1, 0), (0xDEAD10CC, 666, 361), (256, 1024, 520)],
)
def test_the_hash_is_that_of_the_paper(key: int, num_buckets: int, bucket: int) -> None:
    """The oracle is the test vectors of published implementations in Go and Rust."""
    assert jumps(key, num_buckets)[-1] == bucket


def test_a_document_is_found_wherever_it_was_put_when_there_were_fewer_shards() -> None:
    """Guards against documents that nobody finds after a shard was added."""
    for number in range(200):
        document = f"document {number}"
        placed = {possible_shards("tenant", document, count)[0] for count in range(1, 19)}
        assert set(possible_shards("tenant", document, 18)) == placed
        assert possible_shards("tenant", document, 1) == (0,)


def test_every_shard_gets_its_part_of_the_documents() -> None:
    """Guards against a shard that gets twice what another one gets."""
    counts = Counter(possible_shards("tenant", f"document {number}", 7)[0] for number in range(7000))
    assert set(counts) == set(range(7))
    assert all(850 < count < 1150 for count in counts.values())


def test_an_id_names_its_shard_and_fits_its_column() -> None:
    """Guards against ids of before there were shards that no longer lead anywhere."""
    assert shard_of("job_0123456789abcdef0123456789abcdef") == 0
    assert re.fullmatch(JOB_ID, new_id("job", 0))
    for shard in (1, 10, 99):
        assert shard_of(new_id("job", shard)) == shard_of(new_id("ext", shard)) == shard
        assert re.fullmatch(JOB_ID, new_id("job", shard))
        assert len(new_id("job", shard)) <= 40


@pytest.mark.parametrize("text", ["", "job_", "job_0-0123", "job_12", "nothing", "job_x-1", "1-"])
def test_what_is_no_id_leads_to_the_first_shard(text: str) -> None:
    """Guards against a text of a caller that no shard answers."""
    assert shard_of(text) == 0
