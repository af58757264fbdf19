"""Callbacks of docling-serve's form: a task's documents, each that ends, and its end once and last."""

from __future__ import annotations

import asyncio

import pytest

from deployments.ingress.facades.docling.callbacks import FORM
from deployments.values.jobs import (
    Job,
)
from deployments.values.webhooks import (
    Subscription,
    SubscriptionGroup,
    Webhook,
)
from tests.deployments.gated_work import GatedWork, Uploading, ended, run, upload
from tests.deployments.test_webhooks import SECRET, receiving, sends


def task_of(job_ids: list[str], task: str, webhook: Webhook, headers: dict[str, str] | None = None) -> Subscription:
    group = SubscriptionGroup(form=FORM, id=task, job_ids=tuple(job_ids), order="o")
    return Subscription(webhook=webhook, headers=headers or {}, group=group)


def test_docling_is_told_in_its_own_words(database: str) -> None:
    async def scenario(runner: Uploading) -> None:
        async with receiving() as receiver:
            job = await ended(runner, upload())
            webhook = Webhook(url=receiver.url)
            task = f"{job.id}~e30"
            await runner.subscribe(task_of([job.id], task, webhook, {"x-a": "b"}))
            bodies = await receiver.count(3)
        progress = {body["progress"]["kind"]: body["progress"] for body in bodies}
        assert {body["task_id"] for body in bodies} == {task}
        assert progress["set_num_docs"]["num_docs"] == 1
        assert progress["document_completed"]["document"]["status"] == "success"
        assert progress["update_processed"]["num_succeeded"] == 1
        assert receiver.requests[0][0]["x-a"] == "b"
        assert "webhook-signature" not in receiver.requests[0][0]

    run(database, GatedWork(), scenario, sender_of=sends())


async def held_task(work: GatedWork, runner: Uploading, url: str) -> tuple[list[Job], Subscription]:
    """A task of two jobs that wait at the gate, and what is told of it to the address."""
    work.gate = asyncio.Event()
    jobs = [await runner.take(upload(name)) for name in ("a", "b")]
    task = ".".join(job.id for job in jobs) + "~e30"
    return jobs, task_of([job.id for job in jobs], task, Webhook(url=url))


@pytest.mark.parametrize("when", ["before", "between", "after"])
def test_docling_is_told_the_end_of_a_task_once_and_last(database: str, when: str) -> None:
    """Guards against an end of the task for each of its documents, and against one that overtakes a document."""
    work = GatedWork()

    async def scenario(runner: Uploading) -> None:
        async with receiving() as receiver:
            jobs, subscription = await held_task(work, runner, receiver.url)
            if when == "between":
                await runner.cancel(jobs[1].id)
            if when != "after":
                await runner.subscribe(subscription)
            work.gate.set()
            for job in jobs:
                await runner.watch.wait(job.id, 20)
            if when == "after":
                await runner.subscribe(subscription)
            await receiver.count(4)
            await ended(runner, upload("c", webhook=Webhook(url=receiver.url, secret=SECRET)))
            bodies = await receiver.count(5)
        progress = [body["progress"] for body in bodies if "progress" in body]
        kinds = ["set_num_docs", "document_completed", "document_completed", "update_processed"]
        assert [entry["kind"] for entry in progress] == kinds
        assert [doc["source"] for doc in progress[-1]["docs"]] == ["a", "b"]
        assert progress[-1]["num_processed"] == 2
        assert progress[-1]["num_failed"] == (when == "between")

    run(database, work, scenario, sender_of=sends())


def test_a_document_that_is_removed_does_not_hold_up_the_end_of_its_task(database: str) -> None:
    work = GatedWork()

    async def scenario(runner: Uploading) -> None:
        async with receiving() as receiver:
            jobs, subscription = await held_task(work, runner, receiver.url)
            await runner.subscribe(subscription)
            await runner.forget("default", jobs[1].document_id)
            work.gate.set()
            bodies = await receiver.count(4)
        end = bodies[-1]["progress"]
        assert (end["kind"], end["num_processed"], end["num_failed"]) == ("update_processed", 2, 1)

    run(database, work, scenario, sender_of=sends())
