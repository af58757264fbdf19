"""Sends webhooks: signs and posts events, and decides when a failed delivery is retried or given up.

What is on its way lies in the job store, so that a restart loses none.
An address is judged again at each attempt, and no redirect is followed.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import hmac
import logging
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any, Protocol

import httpx

from configs.outbound_settings import WebhookSettings
from deployments.calls.background_tasks import DetachedTasks
from deployments.jobs.store.store import JobStore
from deployments.jobs.store.store_thread import StoreThread
from deployments.jobs.webhooks.webhook_rows import delivered, due, given_up, num_pending, postponed, purge_dead
from deployments.outbound.outbound_requests import (
    AddressRefused,
    AddressUnknown,
    addresses_of,
    outbound_client,
    pinned_request,
    web_address,
)
from deployments.values.webhooks import (
    Delivery,
)

logger = logging.getLogger("ray.serve")
MAX_IN_FLIGHT = 64
MAX_PER_NAMESPACE = 8  # deliveries in flight, so that one namespace's dead addresses do not delay the others' events
MAX_PAUSE_S = 3600.0
JITTER_SHARE = 0.2  # share of a pause, so that deliveries that failed together are not retried together
BASE64_KEY_PREFIX = "whsec_"  # a key with this prefix is base64, as in Standard Webhooks


class DeliveryMetrics(Protocol):
    """Metrics of deliveries."""

    def attempted(self, outcome: str, seconds: float) -> None: ...
    def pending(self, count: int) -> None: ...


class WebhookSender:
    """A bounded number of deliveries at once, in all and per namespace, for each webhook one after the other."""

    def __init__(
        self,
        store: JobStore,
        stored: Callable[[Callable[[], Any]], Awaitable[Any]],
        settings: WebhookSettings,
        *,
        default_key: str | None = None,
        metrics: DeliveryMetrics | None = None,
    ) -> None:
        """`default_key`: of signatures, for webhooks that have none of their own."""
        self._store = store
        self._stored = stored
        self._settings = settings
        self._default_key = default_key
        self._metrics = metrics
        self._news = asyncio.Event()
        self._busy: dict[str, str] = {}  # namespaces of the webhooks with a delivery under way
        self._tasks = DetachedTasks()

    async def run(self) -> None:
        """Deliver for ever."""
        loop = asyncio.get_running_loop()

        def wake() -> None:  # in the store's thread
            loop.call_soon_threadsafe(self._news.set)

        self._store.on_delivery = wake
        try:
            while True:
                self._news.clear()
                next_at = await self._begin()
                wait_s = None if next_at is None else max(0.05, next_at - time.time())
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(wait_s):
                        await self._news.wait()
        finally:
            self._store.on_delivery = lambda: None
            for task in self._tasks:
                task.cancel()

    async def purge(self) -> None:
        """Remove dead letters that are older than `webhooks.keep_days`."""
        keep_s = self._settings.keep_days * 86_400
        await self._stored(lambda: self._store.change(lambda db: purge_dead(db, keep_s)))

    async def _begin(self) -> float | None:
        """Start what is due and has a place; when to look again (None: at the next event)."""
        if len(self._busy) == MAX_IN_FLIGHT:
            return None
        busy = dict(self._busy)
        try:
            ready, next_at, count = await self._stored(
                lambda: self._store.change(
                    lambda db: (*due(db, MAX_IN_FLIGHT, MAX_PER_NAMESPACE, busy), num_pending(db))
                )
            )
            if self._metrics is not None:
                self._metrics.pending(count)
        except Exception:  # the database may be away for a moment
            logger.exception("pending deliveries could not be read")
            return time.time() + self._settings.pause_s
        for delivery in ready:
            self._busy[delivery.webhook_id] = delivery.namespace
            self._tasks.start(self._deliver(delivery))
        return next_at

    async def _deliver(self, delivery: Delivery) -> None:
        began = time.perf_counter()
        try:
            outcome, error = await self._attempt(delivery)
            if self._metrics is not None:
                self._metrics.attempted(outcome, time.perf_counter() - began)
            await self._stored(lambda: self._store.change(lambda db: self._note(db, delivery, outcome, error)))
        except Exception:  # it stays as it is, and is tried again
            logger.exception("a webhook delivery could not be recorded")
            await asyncio.sleep(self._settings.pause_s)
        finally:
            del self._busy[delivery.webhook_id]
            self._news.set()

    def _note(self, db: Any, delivery: Delivery, outcome: str, error: str) -> None:
        if outcome == "delivered":
            delivered(db, delivery)
        elif outcome == "refused" or delivery.attempts + 1 >= self._settings.max_attempts:
            logger.warning("%s was given up: %s", delivery.message_id, error)
            given_up(db, delivery, error)
        else:
            pause_s = min(MAX_PAUSE_S, self._settings.pause_s * 2**delivery.attempts)
            postponed(db, delivery, error, time.time() + pause_s * (1 + random.uniform(0, JITTER_SHARE)))  # noqa: S311

    async def _attempt(self, delivery: Delivery) -> tuple[str, str]:
        """`delivered`, `failed` (to be tried again) or `refused` (never), and why."""
        try:
            async with asyncio.timeout(self._settings.timeout_s):
                status = await self._posted(delivery)
        except AddressRefused as error:
            return "refused", f"{error}; webhooks.allow can allow it"
        except AddressUnknown as error:
            return "failed", str(error)
        except TimeoutError:
            return "failed", f"no answer within {self._settings.timeout_s:g} s"
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            return "failed", f"the address could not be reached: {type(error).__name__}"
        except Exception as error:  # the next attempt would end so, too, and without a count it would have no end
            logger.exception("%s cannot be sent", delivery.message_id)
            return "refused", f"it cannot be sent: {type(error).__name__}"
        if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
            return "delivered", ""
        if status == HTTPStatus.GONE:
            return "refused", "the address answered 410: it accepts no more events"
        return "failed", f"the address answered {status}"

    async def _posted(self, delivery: Delivery) -> int:
        """The status of the answer, whose body is not read."""
        url = web_address(delivery.url)
        content = delivery.body.encode()
        headers = {**delivery.headers, "content-type": "application/json"}
        headers |= signed(delivery.message_id, int(time.time()), content, delivery.secret or self._default_key)
        addresses = await addresses_of(url, self._settings.allow)
        async with outbound_client(self._settings.timeout_s) as client:
            for address in addresses:
                request = pinned_request(client, "POST", url, address, headers, content)
                try:
                    answer = await client.send(request, stream=True)
                except (httpx.ConnectError, httpx.ConnectTimeout):
                    if address == addresses[-1]:
                        raise
                    continue
                await answer.aclose()
                return answer.status_code
        raise AddressUnknown("the host name cannot be resolved")


def webhook_sender(
    settings: WebhookSettings,
    variables: Mapping[str, str],
    metrics: DeliveryMetrics,
    store: JobStore,
    stored: StoreThread,
) -> WebhookSender | None:
    """The sender of these settings; None: webhooks are off. Raises ValueError as `webhook_key`."""
    if not settings.enabled:
        return None
    return WebhookSender(store, stored, settings, default_key=webhook_key(settings, variables), metrics=metrics)


def webhook_key(settings: WebhookSettings, variables: Mapping[str, str]) -> str | None:
    """The server's own key of signatures; None: it has none. Raises ValueError where its variable is not set."""
    if settings.secret_variable is None:
        return None
    key = variables.get(settings.secret_variable, "").strip()
    if not key:
        raise ValueError(f"webhooks.secret_variable names {settings.secret_variable}, which is not set")
    try:
        key_bytes(key)
    except ValueError:
        raise ValueError(f"{settings.secret_variable}: what follows {BASE64_KEY_PREFIX} is not base64") from None
    return key


def key_bytes(key: str) -> bytes:
    """What a key signs with. Raises ValueError where what follows `whsec_` is not base64."""
    if not key.startswith(BASE64_KEY_PREFIX):
        return key.encode()
    secret = base64.b64decode(key.removeprefix(BASE64_KEY_PREFIX))
    if not secret:
        raise ValueError("the key is empty")
    return secret


def signed(message_id: str, timestamp: int, content: bytes, key: str | None) -> dict[str, str]:
    """The headers of Standard Webhooks: HMAC-SHA256 of `id.timestamp.body`; without a key, no signature."""
    headers = {"webhook-id": message_id, "webhook-timestamp": str(timestamp)}
    if key is None:
        return headers
    digest = hmac.new(key_bytes(key), f"{message_id}.{timestamp}.".encode() + content, hashlib.sha256).digest()
    return headers | {"webhook-signature": f"v1,{base64.b64encode(digest).decode()}"}
