"""The values of webhooks: where events of jobs are sent, and what could not be delivered."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from documents.boxes import Value

EventKind = Literal[
    "queued", "running", "page_started", "page", "indexing", "succeeded", "partial", "failed", "cancelled"
]


class Webhook(Value):
    """Where events of a job are sent, signed so that the receiver knows whose they are."""

    url: str = Field(max_length=2000, description="an http or https address that the server may contact")
    secret: str | None = Field(
        default=None,
        min_length=16,
        max_length=200,
        description="signing key; unset: the one in webhooks.secret_variable",
    )
    events: tuple[EventKind, ...] = Field(
        default=("succeeded", "partial", "failed", "cancelled"),
        min_length=1,
        description="events to send; unset: how the job ended",
    )


class SubscriptionGroup(Value):
    """Jobs that an address follows as one, its messages in another server's form and in their order."""

    form: str  # names who writes the messages, see `deployments.jobs.webhooks.messages`
    id: str  # what the address calls these jobs
    job_ids: tuple[str, ...]
    order: str  # equal for deliveries that go out one after the other


class Subscription(Value):
    """A webhook as it is stored, and what is sent along."""

    webhook: Webhook
    headers: dict[str, str] = Field(default={})
    group: SubscriptionGroup | None = None  # None: the job by itself, in our own form


class Delivery(Value):
    """An event on its way to an address."""

    id: int
    message_id: str
    webhook_id: str
    namespace: str
    url: str
    secret: str | None
    headers: dict[str, str]
    body: str
    attempts: int  # that failed by now


class DeadLetter(Value):
    """An event that could not be delivered."""

    id: str
    job_id: str
    event: str
    url: str
    attempts: int
    error: str = Field(description="of the last attempt")
    body: dict[str, Any] = Field(description="the undelivered body")
    created_at: datetime
    given_up_at: datetime
