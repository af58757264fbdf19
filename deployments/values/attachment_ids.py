"""The ids of documents that were attached to others: they begin with the mail's, or its digest if that is long."""

from __future__ import annotations

import hashlib
import re

STEP = "/attachments/"  # between the id of a mail's document and the number of an attachment
MAX_ID = 200  # characters
MAX_NUMBER = 8  # characters of the number of an attachment
MAX_ROOT = 100  # characters of an id that stands itself before two steps
LAST_STEPS = re.compile(rf"(?:{STEP}(?:[0-9a-f]{{32}}|[0-9]{{1,{MAX_NUMBER}}}))+$")


def prefixes_of(document_id: str) -> tuple[str, ...]:
    """How the ids of the documents that are attached to this one begin; the second is of an earlier version."""
    if len(document_id) + len(STEP) + MAX_NUMBER <= MAX_ID:
        return (f"{document_id}{STEP}",)
    digest = _digest(document_id)
    if mail_of(document_id) == document_id:
        return (f"{digest}{STEP}",)
    return f"{root_of(document_id)}{STEP}{digest[:32]}{STEP}", f"{digest}{STEP}"


def root_of(document_id: str) -> str:
    """Equal for a document and all that is attached to it, at any depth."""
    mail = mail_of(document_id)
    return mail if len(mail) <= MAX_ROOT else _digest(mail)


def mail_of(document_id: str) -> str:
    """The id of what is attached to nothing, or its digest."""
    return LAST_STEPS.sub("", document_id)


def _digest(document_id: str) -> str:
    return hashlib.sha256(document_id.encode()).hexdigest()
