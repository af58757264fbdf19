"""Takes files in: detects their media type from the content, refuses unknown kinds, and makes each a job."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import BinaryIO, Protocol

from configs.outbound_settings import WebhookSettings
from deployments.calls.background_tasks import detached
from deployments.calls.cancellable_calls import call
from deployments.ingress.operations.callers import Caller
from deployments.ingress.operations.services import Services
from deployments.jobs.webhooks.webhook_sender import BASE64_KEY_PREFIX, key_bytes
from deployments.outbound.outbound_requests import AddressRefused, AddressUnknown, addresses_of, web_address
from deployments.values.jobs import (
    Job,
    Options,
    Submission,
)
from deployments.values.staged_blob import StagedFile
from deployments.values.webhooks import (
    Webhook,
)
from documents.errors import Refusal
from documents.media_types import SUPPORTED_TYPES, sniffed_type

logger = logging.getLogger("ray.serve")
MAX_NAME = 255  # characters of a file's name
LOOKUP_TIMEOUT_S = 10.0


class SubmittedFile(Protocol):
    """A file that is to be a job."""

    @property
    def name(self) -> str:
        """What it is called, as `shown_name`."""
        ...

    def staged(self, services: Services, caller: Caller, /) -> AbstractAsyncContextManager[StagedFile]:
        """Its bytes, for as long as the block lasts, unless they are kept in it."""
        ...


@dataclass(frozen=True, slots=True)
class Upload:
    """One file, of a kind that is read here."""

    name: str
    media_type: str
    content: BinaryIO

    @asynccontextmanager
    async def staged(self, services: Services, _caller: Caller, /) -> AsyncIterator[StagedFile]:
        async with services.blobs.staged(self.content) as staged:
            yield StagedFile(staged.address, staged.sha256, staged.size, self.media_type)


def sniffed(name: str, content: BinaryIO, allowed: frozenset[str] = SUPPORTED_TYPES) -> Upload:
    """A file that somebody calls so, if it is of an `allowed` media type.

    Raises:
        EmptyFile: it is empty.
        UnsupportedMedia: it is of no such kind.
    """
    media_type = sniffed_type(content, name, allowed)
    return Upload(shown_name(name), media_type, content)


def shown_name(name: str) -> str:
    """What a file is called; a name is only shown."""
    return "".join(character for character in name if character.isprintable())[:MAX_NAME] or "document"


async def submit(
    services: Services,
    file: SubmittedFile,
    options: Options,
    key: str | None,
    caller: Caller,
    leave: Callable[[Job], None],
    *,
    repeats: str | None = None,
) -> Job:
    """The job of a file. If the client disconnects meanwhile the job counts as accepted, and goes to `leave`.

    `repeats`: the job whose stored file it is.
    """

    async def take() -> Job:
        async with file.staged(services, caller) as staged:
            submission = Submission(
                namespace=caller.namespace,
                max_unfinished=caller.max_unfinished_jobs,
                sha256=staged.sha256,
                size=staged.size,
                media_type=staged.media_type,
                file_name=file.name,
                options=options,
                idempotency_key=key,
                repeats=repeats,
            )
            return await call(services.jobs.take.remote(submission, staged))

    def after_leaving(ended_task: asyncio.Task[Job]) -> None:
        if not ended_task.cancelled() and ended_task.exception() is None:
            leave(ended_task.result())

    submission_task = detached(take())
    try:
        job = await asyncio.shield(submission_task)
    except asyncio.CancelledError:  # the client went away
        submission_task.add_done_callback(after_leaving)
        raise
    # here, with the request's id; the call above has one of its own
    logger.info("job %s: %s", job.id, job.status, extra={"job": job.id, "document_id": job.document_id})
    return job


class WebhookRefused(Refusal):
    """An address that events must not be sent to, or sending at all where the settings do not allow it."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "webhook_refused"


async def check_webhook(webhook: Webhook | None, settings: WebhookSettings, *, signed: bool = True) -> None:
    """Raises WebhookRefused where events would never be sent; `signed`: a key of signatures is needed."""
    if webhook is None:
        return
    if not settings.enabled:
        raise WebhookRefused("webhooks are disabled; read the job's events instead, or set webhooks.enabled")
    if signed and webhook.secret is None and settings.secret_variable is None:
        raise WebhookRefused("webhook.secret is missing: it is needed to sign the events")
    try:
        key_bytes(webhook.secret or "")
    except ValueError:  # not in Webhook: a row of an earlier release must be read however its key is
        raise WebhookRefused(f"webhook.secret: what follows {BASE64_KEY_PREFIX} is not base64") from None
    try:
        async with asyncio.timeout(LOOKUP_TIMEOUT_S):
            await addresses_of(web_address(webhook.url), settings.allow)
    except AddressRefused as error:
        raise WebhookRefused(f"webhook.url: {error}; webhooks.allow can allow it") from None
    except (AddressUnknown, TimeoutError):
        raise WebhookRefused("webhook.url: the host name cannot be resolved") from None
