"""Ingests a mail's attachments as documents of their own, each by a job linked to the mail's document."""

from __future__ import annotations

import io
from collections.abc import Awaitable, Callable
from http import HTTPStatus

from pydantic import ValidationError

from deployments.errors import QueueFull
from deployments.jobs.pipeline_work import Work
from deployments.storage.blobs import BlobStore
from deployments.values.attachment_ids import STEP, prefixes_of
from deployments.values.jobs import Options, Plan, Submission
from deployments.values.staged_blob import StagedBlob
from documents.errors import IngestError
from documents.media_types import SUPPORTED_TYPES
from documents.values import Attachment, Opened, PageWarning

MAX_DEPTH = 3  # mails within one another whose attachments become documents; of deeper ones they are pages
Submit = Callable[[Submission, StagedBlob, Plan], Awaitable[str]]  # gives the job's id


class MetadataTooLarge(IngestError):
    """The caller's metadata fill what an attachment's document may have of them."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "metadata_too_large"


class AttachedDocuments:
    """The same mail opened again gives the same jobs: each has a key of its own."""

    def __init__(
        self,
        work: Work,
        blobs: BlobStore,
        submit: Submit,
        max_unfinished: Callable[[str], Awaitable[int | None]],
    ) -> None:
        """`max_unfinished`: what the key that sent the mail of a job allows."""
        self._work = work
        self._blobs = blobs
        self._submit = submit
        self._max_unfinished = max_unfinished

    async def submitted(self, plan: Plan, opened: Opened) -> Opened:
        """The opened mail, its attachments with their documents and jobs; with a warning for each without.

        Raises Busy or ReplicaDied, as a call of the pipeline.
        """
        attachments: list[Attachment] = []
        warnings: list[PageWarning] = []
        for number, attachment in enumerate(opened.attachments, 1):
            if attachment.media_type not in SUPPORTED_TYPES or not attachment.size:
                attachments.append(attachment)  # the parser has a warning for it
                continue
            try:
                attachments.append(await self._linked(plan, attachment, number))
            except (IngestError, QueueFull) as error:
                attachments.append(attachment)
                message = f"{attachment.name} was left out: {error.message}"
                warnings.append(PageWarning(code="attachment_unread", message=message))
        changes = {"attachments": tuple(attachments), "warnings": (*opened.warnings, *warnings)}
        return opened.model_copy(update=changes)

    async def _linked(self, plan: Plan, attachment: Attachment, number: int) -> Attachment:
        content = await self._work.attachment(plan, attachment.name)
        document_id = f"{prefixes_of(plan.document_id)[0]}{number}"
        is_deepest = plan.document_id.count(STEP) + 1 >= MAX_DEPTH
        changes = {
            "pages": None,
            "document_id": document_id,
            "attachments": "pages" if is_deepest else "documents",
            "metadata": plan.options.metadata | {"attached_to": plan.document_id, "attachment": attachment.name},
            "cancel_on_disconnect": False,
        }
        try:
            options = Options.model_validate(plan.options.model_dump() | changes)
        except ValidationError:  # a row that nobody can read again would be committed
            raise MetadataTooLarge("with the link to its mail, its metadata would be too large") from None
        async with self._blobs.staged(io.BytesIO(content)) as staged:
            submission = Submission(
                namespace=plan.namespace,
                max_unfinished=await self._max_unfinished(plan.job_id),
                sha256=staged.sha256,
                size=staged.size,
                media_type=attachment.media_type,
                file_name=attachment.name,
                options=options,
                idempotency_key=f"{plan.job_id}{STEP}{number}",
            )
            job_id = await self._submit(submission, staged, plan)
        return attachment.model_copy(update={"document_id": document_id, "job_id": job_id})
