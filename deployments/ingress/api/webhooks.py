"""Checks webhook URLs before a job is accepted, and lists undelivered events (dead letters)."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query

from configs.settings import WebhookSettings
from deployments.calls.cancellable_calls import call
from deployments.ingress.errors import Problem
from deployments.ingress.middleware.authorization import Namespace
from deployments.ingress.services import Services
from deployments.jobs.webhooks.webhook_sender import ENCODED_KEY, key_bytes
from deployments.outbound.outbound_requests import AddressRefused, AddressUnknown, addresses_of, web_address
from deployments.values.jobs import DeadLetter, Webhook

LOOK_UP_S = 10.0


class WebhookRefused(Problem):
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
        raise WebhookRefused(f"webhook.secret: what follows {ENCODED_KEY} is not base64") from None
    try:
        async with asyncio.timeout(LOOK_UP_S):
            await addresses_of(web_address(webhook.url), settings.allow)
    except AddressRefused as error:
        raise WebhookRefused(f"webhook.url: {error}; webhooks.allow can allow it") from None
    except (AddressUnknown, TimeoutError):
        raise WebhookRefused("webhook.url: the host name cannot be resolved") from None


def router(services: Services) -> APIRouter:
    """GET /v1/webhooks/dead."""
    routes = APIRouter(prefix="/v1/webhooks", tags=["jobs"])

    @routes.get("/dead")
    async def dead(
        namespace: Namespace, limit: Annotated[int, Query(ge=1, le=1000)] = 100
    ) -> dict[str, list[DeadLetter]]:
        """Events that could not be delivered, the newest first, with the last error and the undelivered body."""
        return {"dead": await call(services.jobs.dead_letters.remote(namespace, limit))}

    return routes
