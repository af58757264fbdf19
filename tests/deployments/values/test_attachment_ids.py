"""The ids of documents that were attached to others."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as some

from deployments.values.attachment_ids import MAX_ID, prefixes_of, root_of

parts = some.sampled_from(["a", "attachments", "x" * 60, "12", "0" * 32, "f" * 64])
ids = some.lists(parts, min_size=1, max_size=6).map("/".join).filter(lambda text: len(text) <= MAX_ID)


@given(ids, some.lists(some.integers(1, 99_999_999), max_size=3))
@example("a/attachments", [1])
@example("x" * 95 + "/attachments", [1, 1])
@example("x" * 170, [1, 1, 1])
def test_a_document_and_what_is_attached_to_it_have_one_root(document_id: str, numbers: list[int]) -> None:
    """Guards against an attachment that is looked for in another shard than its mail."""
    attached = document_id
    for number in numbers:
        attached = f"{prefixes_of(attached)[0]}{number}"
        assert len(attached) <= MAX_ID
        assert root_of(attached) == root_of(document_id)


def test_paths_of_callers_are_roots_of_their_own() -> None:
    """Guards against a caller whose documents are all in one shard, because their ids look like attachments."""
    ids = [f"confluence/attachments/page {number}.pdf" for number in range(10)]
    assert [root_of(document_id) for document_id in ids] == ids
