"""The ids of documents that were attached to others: they begin with the mail's, or its digest if that is long."""

from __future__ import annotations

import hashlib

STEP = "/attachments/"  # between the id of a mail's document and the number of an attachment
MAX_ID = 200  # characters
MAX_NUMBER = 8  # characters of the number of an attachment
MAX_ROOT = 100  # characters of an id that stands itself before two steps


def prefix_of(document_id: str) -> str:
    """How the ids of the documents that are attached to this one begin."""
    if len(document_id) + len(STEP) + MAX_NUMBER <= MAX_ID:
        return f"{document_id}{STEP}"
    if STEP not in document_id:
        return f"{_digest(document_id)}{STEP}"
    return f"{root_of(document_id)}{STEP}{_digest(document_id)[:32]}{STEP}"


def root_of(document_id: str) -> str:
    """Equal for a document and all that is attached to it, at any depth."""
    root = document_id.partition(STEP)[0]
    return root if len(root) <= MAX_ROOT else _digest(root)


def _digest(document_id: str) -> str:
    return hashlib.sha256(document_id.encode()).hexdigest()
