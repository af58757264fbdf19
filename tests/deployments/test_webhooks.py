"""Webhooks: a runner over a real store, and a receiver that is a real server on loopback."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any

import pytest

from configs.outbound_settings import WebhookSettings
from deployments.ingress.facades.docling.callbacks import FORM
from deployments.jobs import upkeep
from deployments.jobs.webhooks import webhook_rows
from deployments.jobs.webhooks.webhook_sender import MAX_PER_NAMESPACE, WebhookSender, signed, webhook_key
from deployments.values.jobs import (
    Options,
)
from deployments.values.webhooks import (
    DeadLetter,
    Subscription,
    SubscriptionGroup,
    Webhook,
)
from tests.deployments.gated_work import GatedWork, Uploading, ended, run, upload
from tests.deployments.webhook_receiver import hanging, receiving

SECRET = "a secret of the caller"
SETTINGS = WebhookSettings(enabled=True, allow=("127.0.0.1",), pause_s=0.01, max_attempts=3, timeout_s=2)


def sends(settings: WebhookSettings = SETTINGS, key: str | None = None) -> Callable[..., WebhookSender]:
    return lambda store, stored: WebhookSender(store, stored, settings, default_key=key)


async def dead_letters(runner: Uploading, count: int = 1, namespace: str = "default") -> list[DeadLetter]:
    async with asyncio.timeout(20):
        while True:
            letters = await runner.watch.read(lambda records: records.dead_letters(namespace, 100))
            if len(letters) >= count:
                return letters
            await asyncio.sleep(0.02)


def test_an_address_is_told_how_a_job_ended_with_a_signature(database: str) -> None:
    """The signature is made again here from the bytes that came."""

    async def scenario(runner: Uploading) -> None:
        async with receiving() as receiver:
            job = await ended(runner, upload(webhook=Webhook(url=receiver.url, secret=SECRET)))
            (body,) = await receiver.count(1)
        headers, content = receiver.requests[0]
        assert body["type"] == "job.succeeded"
        assert (body["data"]["job_id"], body["data"]["document_id"]) == (job.id, job.document_id)
        expected = signed(headers["webhook-id"], int(headers["webhook-timestamp"]), content, SECRET)
        assert headers["webhook-signature"] == expected["webhook-signature"]
        assert headers["webhook-signature"] != signed("x", 1, content, SECRET)["webhook-signature"]

    run(database, GatedWork(2), scenario, sender_of=sends())


def test_the_signature_is_that_of_standard_webhooks() -> None:
    """The example of the specification, https://github.com/standard-webhooks/standard-webhooks."""
    headers = signed(
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1614265330,
        b'{"test": 2432232314}',
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    )
    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_events_that_are_asked_for_come_in_their_order(database: str) -> None:
    async def scenario(runner: Uploading) -> None:
        async with receiving() as receiver:
            kinds = ("queued", "page", "succeeded")
            await ended(runner, upload(webhook=Webhook(url=receiver.url, secret=SECRET, events=kinds)))
            bodies = await receiver.count(4)
        assert [body["type"] for body in bodies] == ["job.queued", "job.page", "job.page", "job.succeeded"]

    run(database, GatedWork(2), scenario, sender_of=sends())


def test_addresses_that_hang_hold_up_no_events_of_other_namespaces(database: str) -> None:
    """18 of one key took all places: the first event of another tenant came after 18 s."""

    async def scenario(runner: Uploading) -> None:
        async with hanging() as (url, num_connections), receiving() as receiver:
            webhook = Webhook(url=url, secret=SECRET)
            jobs = [upload(f"file {k}", webhook=webhook) for k in range(MAX_PER_NAMESPACE + 2)]
            await asyncio.gather(*(ended(runner, job) for job in jobs))
            await num_connections(MAX_PER_NAMESPACE)
            own = upload("own", webhook=Webhook(url=receiver.url, secret=SECRET))
            await ended(runner, own.model_copy(update={"namespace": "other"}))
            await receiver.count(1)
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.2):
                    await num_connections(MAX_PER_NAMESPACE + 1)

    slow = SETTINGS.model_copy(update={"timeout_s": 60})
    run(database, GatedWork(), scenario, sender_of=sends(slow), max_queued_jobs=20)


def test_an_address_that_fails_is_tried_again_with_the_same_id(database: str) -> None:
    async def scenario(runner: Uploading) -> None:
        async with receiving(503, 500) as receiver:
            await ended(runner, upload(webhook=Webhook(url=receiver.url, secret=SECRET)))
            await receiver.count(3)
        assert len({headers["webhook-id"] for headers, _ in receiver.requests}) == 1
        assert await runner.watch.read(lambda records: records.dead_letters("default", 9)) == []

    run(database, GatedWork(), scenario, sender_of=sends())


@pytest.mark.parametrize(("statuses", "attempts"), [((500, 500, 500), 3), ((410,), 1), ((302, 302, 302), 3)])
def test_what_cannot_be_delivered_is_a_dead_letter_of_its_namespace(
    database: str, statuses: tuple[int, ...], attempts: int
) -> None:
    """A redirect is no delivery, and is not followed: it may lead inside."""

    async def scenario(runner: Uploading) -> None:
        async with receiving(*statuses) as receiver:
            receiver.location = receiver.url + "/inside"
            job = await ended(runner, upload(webhook=Webhook(url=receiver.url, secret=SECRET)))
            (letter,) = await dead_letters(runner)
        assert (letter.job_id, letter.attempts, letter.event) == (job.id, attempts, "succeeded")
        assert str(statuses[0]) in letter.error
        assert len(receiver.requests) == attempts
        assert SECRET not in letter.model_dump_json()
        assert await runner.watch.read(lambda records: records.dead_letters("theirs", 9)) == []

    run(database, GatedWork(), scenario, sender_of=sends())


@pytest.mark.parametrize(
    ("url", "secret", "headers"),
    [
        ("http://127.0.0.1:9/", "whsec_abcdefghijk", {}),
        ("http://127.0.0.1:99999/", SECRET, {}),
        ("http://127.0.0.1:9/", SECRET, {"x": "\u00e9"}),
    ],
)
def test_an_event_that_no_request_can_carry_is_given_up(
    database: str, url: str, secret: str, headers: dict[str, str]
) -> None:
    """Guards against a delivery that is tried for ever and never counted."""

    async def scenario(runner: Uploading) -> None:
        job = await ended(runner, upload())
        group = SubscriptionGroup(form=FORM, id=f"{job.id}~e30", job_ids=(job.id,), order="o")
        webhook = Webhook(url=url, secret=secret)
        await runner.subscribe(Subscription(webhook=webhook, headers=headers, group=group))
        letters = await dead_letters(runner, 3)  # the number of documents, the document's end, the task's
        assert [letter.attempts for letter in letters] == [1, 1, 1]

    run(database, GatedWork(), scenario, sender_of=sends())


def test_the_oldest_dead_letters_go_where_there_are_too_many(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against an address that fills the database."""
    monkeypatch.setattr(webhook_rows, "MAX_DEAD_LETTERS", 1)

    async def scenario(runner: Uploading) -> None:
        async with receiving(410, 410) as receiver:
            await ended(runner, upload("a", webhook=Webhook(url=receiver.url, secret=SECRET)))
            await dead_letters(runner)
            last = await ended(runner, upload("b", webhook=Webhook(url=receiver.url, secret=SECRET)))
            await receiver.count(2)
            async with asyncio.timeout(20):
                while [letter.job_id for letter in await dead_letters(runner)] != [last.id]:  # noqa: ASYNC110  the sender tells nobody
                    await asyncio.sleep(0.02)

    run(database, GatedWork(), scenario, sender_of=sends())


def test_a_name_that_answers_otherwise_later_is_not_contacted(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against DNS rebinding: public when the job was taken, this machine when the event is sent."""

    async def scenario(runner: Uploading) -> None:
        async with receiving() as receiver:
            port = int(receiver.url.split(":")[2].split("/")[0])

            async def looked_up(host: str, *_: Any, **__: Any) -> list[Any]:
                return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

            monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", looked_up)
            await ended(runner, upload(webhook=Webhook(url=f"http://rebound.example:{port}/", secret=SECRET)))
            (letter,) = await dead_letters(runner)
        assert "not public" in letter.error
        assert receiver.requests == []

    run(database, GatedWork(), scenario, sender_of=sends(SETTINGS.model_copy(update={"allow": ()})))


def test_the_connection_goes_to_the_address_that_was_judged(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against a second look-up between the judgement and the connection."""

    async def scenario(runner: Uploading) -> None:
        async with receiving() as receiver:
            port = int(receiver.url.split(":")[2].split("/")[0])
            lookups: list[str] = []

            async def looked_up(host: str, *_: Any, **__: Any) -> list[Any]:
                lookups.append(host)
                return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

            monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", looked_up)
            await ended(runner, upload(webhook=Webhook(url=f"http://hooks.example:{port}/", secret=SECRET)))
            await receiver.count(1)
        assert [host for host in lookups if host == "hooks.example"] == ["hooks.example"]
        assert receiver.requests[0][0]["host"] == f"hooks.example:{port}"

    run(database, GatedWork(), scenario, sender_of=sends())


def test_a_restart_loses_no_event(database: str) -> None:
    """The first life of the server sends nothing; the second finds what is on its way."""

    async def first(runner: Uploading) -> str:
        webhook = Webhook(url="http://127.0.0.1:9/hook", secret=SECRET)
        return (await ended(runner, upload(webhook=webhook))).id

    async def second(runner: Uploading) -> None:
        (letter,) = await dead_letters(runner)
        assert letter.job_id == job_id

    job_id = run(database, GatedWork(), first)
    run(database, GatedWork(), second, sender_of=sends())


def test_the_same_upload_again_tells_the_address_of_what_was_done(database: str) -> None:
    """Guards against a client that sends a known document and waits for an event for ever."""

    async def scenario(runner: Uploading) -> None:
        async with receiving() as receiver:
            first = await ended(runner, upload())
            again = await ended(runner, upload(webhook=Webhook(url=receiver.url, secret=SECRET)))
            assert again.id == first.id
            (body,) = await receiver.count(1)
        assert body["data"]["job_id"] == first.id

    run(database, GatedWork(), scenario, sender_of=sends())


def test_an_event_outlives_its_document(database: str) -> None:
    """docling-serve's conversions are forgotten as soon as they are answered."""

    async def scenario(runner: Uploading) -> None:
        async with receiving(500) as receiver:
            job = await ended(runner, upload(webhook=Webhook(url=receiver.url, secret=SECRET)))
            await runner.forget("default", job.document_id)
            await receiver.count(2)

    run(database, GatedWork(), scenario, sender_of=sends(SETTINGS.model_copy(update={"pause_s": 0.3})))


def test_old_dead_letters_go_though_nothing_else_happens(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against letters that stay as long as no further event is on its way."""
    monkeypatch.setattr(upkeep, "SWEEP_PERIOD_S", 0.05)
    settings = SETTINGS.model_copy(update={"keep_days": 0.5 / 86_400})

    async def scenario(runner: Uploading) -> None:
        async with receiving(410) as receiver:
            await ended(runner, upload(webhook=Webhook(url=receiver.url, secret=SECRET)))
            await dead_letters(runner)
            async with asyncio.timeout(20):
                while await runner.watch.read(lambda records: records.dead_letters("default", 9)):  # noqa: ASYNC110  upkeep tells nobody
                    await asyncio.sleep(0.05)

    run(database, GatedWork(), scenario, sender_of=sends(settings))


def test_no_trace_of_the_secret_stays_in_the_jobs_options(database: str) -> None:
    async def scenario(runner: Uploading) -> None:
        job = await ended(runner, upload(webhook=Webhook(url="http://127.0.0.1:9/", secret=SECRET)))
        plan = await runner.watch.read(lambda records: records.plan(job.id))
        assert plan.options == Options()

    run(database, GatedWork(), scenario)


def test_a_key_that_is_named_must_be_there() -> None:
    settings = WebhookSettings(secret_variable="HOOK_KEY")
    assert webhook_key(settings, {"HOOK_KEY": "x"}) == "x"
    with pytest.raises(ValueError, match="HOOK_KEY"):
        webhook_key(settings, {})
    with pytest.raises(ValueError, match="base64"):
        webhook_key(settings, {"HOOK_KEY": "whsec_abcdefghijk"})
