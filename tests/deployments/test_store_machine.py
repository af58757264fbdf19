"""`deployments.jobs.store.store` under any interleaving of submit, page, crash, restart, cancel and delete."""

from __future__ import annotations

import collections

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from deployments.errors import QueueFull, UnknownJob
from deployments.jobs.store.database_schema import connect, metadata
from deployments.jobs.store.store import JobStore
from deployments.values.jobs import FINAL_STATUSES, Ending, JobError, Options, Plan, Submission
from documents.values import Opened, Page

MAX_UNFINISHED = 3
NUM_PAGES = 3
LOST = JobError(code="page_failed", status=422, message="lost")


class Life(RuleBasedStateMachine):
    """The store beside what it promises: `pages` and `status` are what was committed, by job."""

    url = ""
    plans: Bundle[Plan] = Bundle("plans")

    def __init__(self) -> None:
        super().__init__()
        engine = connect(self.url)
        metadata.drop_all(engine)
        engine.dispose()
        self.status: dict[str, str] = {}
        self.pages: dict[str, dict[int, str]] = {}
        self.attempt: dict[str, int] = {}
        self.documents: dict[str, str] = {}
        self._open()

    def _open(self) -> None:
        self.store = JobStore(self.url, max_unfinished=MAX_UNFINISHED)
        assert self.store.acquire(-1) == 0  # run out at once: whoever comes next may take it

    def _current(self, plan: Plan) -> bool:
        alive = self.status.get(plan.job_id) not in (None, *FINAL_STATUSES)
        return alive and self.attempt[plan.job_id] == plan.attempt

    @rule(target=plans, name=st.sampled_from("abcd"), document=st.sampled_from("xy"))
    def submit(self, name: str, document: str):
        submission = Submission(
            sha256=name * 64,
            size=1,
            media_type="application/pdf",
            file_name=name,
            options=Options(document_id=document),
        )
        try:
            job_id, new = self.store.submit(submission)
        except QueueFull:
            assert len([status for status in self.status.values() if status not in FINAL_STATUSES]) >= MAX_UNFINISHED
            return multiple()
        assert new == (job_id not in self.status)
        if not new:
            return multiple()
        self.status[job_id], self.pages[job_id], self.documents[job_id] = "queued", {}, document
        self.attempt[job_id] = 1
        return self.store.records.plan(job_id)

    @rule(plan=plans)
    def begin(self, plan: Plan) -> None:
        left = self.store.begin(plan, Opened(num_pages=NUM_PAGES), range(1, NUM_PAGES + 1))
        if not self._current(plan):
            assert left == {}
            return
        self.status[plan.job_id] = "running"
        pages = self.pages[plan.job_id]
        for number in range(1, NUM_PAGES + 1):
            pages.setdefault(number, "queued")
        assert list(left) == [number for number in pages if pages[number] == "queued"]

    @rule(plan=plans, number=st.integers(1, NUM_PAGES), good=st.booleans())
    def page_done(self, plan: Plan, number: int, good: bool) -> None:
        outcome = Page(number=number, size=(10, 10)) if good else LOST
        accepted = self.store.finish_page(plan, number, outcome, {})
        expected = self._current(plan) and self.pages[plan.job_id].get(number) == "queued"
        assert accepted == expected, "a page is finished once, and by the latest attempt only"
        if accepted:
            self.pages[plan.job_id][number] = "succeeded" if good else "failed"

    @rule(plan=plans, status=st.sampled_from(["succeeded", "failed", "cancelled"]))
    def end(self, plan: Plan, status) -> None:
        ended = self.store.finish(plan, Ending(status))
        assert ended == self._current(plan)
        if ended:
            self.status[plan.job_id] = status

    @rule(target=plans, orderly=st.booleans())
    def restart(self, orderly: bool):
        """A crash gives no lease back; the next life takes it when it has run out."""
        if orderly:
            self.store.close()
        else:
            self.store._engine.dispose()
        self._open()
        resumed, _ = self.store.resume()
        assert {plan.job_id for plan in resumed} == {
            job for job, status in self.status.items() if status not in FINAL_STATUSES
        }
        for plan in resumed:
            self.attempt[plan.job_id] += 1
            assert plan.attempt == self.attempt[plan.job_id]
        return multiple(*resumed)

    @rule(plan=plans)
    def delete(self, plan: Plan) -> None:
        document = plan.document_id
        ended = {job for job, status in self.status.items() if status in FINAL_STATUSES}
        deleted = [job for job, document_id in self.documents.items() if document_id == document and job in ended]
        self.store.forget("default", document)
        for job in deleted:
            del self.status[job], self.pages[job], self.documents[job]
            with pytest.raises(UnknownJob):
                self.store.records.job(job)

    @invariant()
    def what_was_committed_stands(self) -> None:
        for job_id, status in self.status.items():
            job = self.store.records.job(job_id)
            assert job.status == status
            assert {page.number: page.status for page in job.pages} == self.pages[job_id]
            _, done, failed = self.store.records.facts(job_id)
            pages = self.pages[job_id]
            assert [page.number for page in done] == [n for n in sorted(pages) if pages[n] == "succeeded"]
            assert failed == [n for n in sorted(pages) if pages[n] == "failed"]

    @invariant()
    def events_tell_each_page_once_and_in_order(self) -> None:
        for job_id, status in self.status.items():
            events, over = self.store.records.events(job_id, 0, None)
            assert over == (status in FINAL_STATUSES)
            assert [event.id for event in events] == sorted({event.id for event in events})
            counts = collections.Counter(event.body["number"] for event in events if event.kind == "page")
            assert counts == {n: 1 for n, status in self.pages[job_id].items() if status != "queued"}

    @invariant()
    def blobs_are_wanted_as_long_as_a_job_has_them(self) -> None:
        hashes = {self.store.records.plan(job_id).sha256 for job_id in self.status}
        known = {name * 64 for name in "abcd"}
        assert known - set(self.store.records.unwanted_of(sorted(known))) == hashes

    def teardown(self) -> None:
        self.store.close()


def test_any_interleaving_keeps_what_was_committed(url: str) -> None:
    """Guards against pages that are lost, doubled or overwritten when lives of the server overlap."""
    machine = type("LifeOfThisDatabase", (Life,), {"url": url})
    num_examples = 25 if url.startswith("sqlite") else 15
    limits = settings(
        max_examples=num_examples,
        stateful_step_count=20,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(machine, settings=limits)
