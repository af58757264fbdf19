"""Types of the calls that other deployments make to Jobs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Literal, Protocol

from deployments.calls.remote_method import remote_method, streaming_method

if TYPE_CHECKING:  # a caller by handle loads nothing of the callee's
    from datetime import datetime

    from deployments.storage.blobs import StagedBlob
    from deployments.values.jobs import (
        DeadLetter,
        Event,
        ExtractionJob,
        ExtractionSubmission,
        Job,
        JobStatus,
        PageRecord,
        PartialPage,
        Plan,
        Submission,
        Subscription,
    )
    from documents.values import Opened


class JobsStreams(Protocol):
    """What Jobs streams."""

    @streaming_method
    def facts(self, job_id: str, namespace: str | None = None) -> AsyncIterator[tuple[Plan, Opened] | list[str]]: ...


class JobsHandle(Protocol):
    """See `deployments.jobs.deployment.Jobs`."""

    @remote_method
    def submit(self, content: bytes, options: dict[str, Any] | None = None, *, file_name: str = "document") -> Job: ...

    @remote_method
    def check_room(self, namespace: str = "default", max_unfinished: int | None = None) -> None: ...

    @remote_method
    def take(self, submission: Submission, staged: StagedBlob) -> Job: ...

    @remote_method
    def subscribe(self, subscription: Subscription) -> None: ...

    @remote_method
    def dead_letters(self, namespace: str, limit: int = 100) -> list[DeadLetter]: ...

    @remote_method
    def wait(self, job_id: str, timeout_s: float = 3600, namespace: str | None = None) -> Job: ...

    @remote_method
    def events(
        self, job_id: str, after: int, wait_s: float, namespace: str | None = None
    ) -> tuple[list[Event], bool]: ...

    @remote_method
    def documents_older_than(self, moment: datetime, namespace: str) -> list[str]: ...

    @remote_method
    def partial_page(self, job_id: str, partial_page: PartialPage) -> None: ...

    @remote_method
    def partial_results(self, job_id: str, num_sent: int, wait_s: float) -> tuple[list[PartialPage], int, bool]: ...

    @remote_method
    def forget(self, document_id: str, namespace: str = "default") -> None: ...

    @remote_method
    def job(self, job_id: str, namespace: str | None = None) -> Job: ...

    @remote_method
    def jobs(self, namespace: str, limit: int = 100, status: JobStatus | None = None) -> list[Job]: ...

    @remote_method
    def position(self, job_id: str, namespace: str) -> int: ...

    @remote_method
    def cancel(self, job_id: str, namespace: str | None = None) -> Job: ...

    @remote_method
    def extract(self, submission: ExtractionSubmission) -> ExtractionJob: ...

    @remote_method
    def extraction(self, extraction_id: str, namespace: str | None = None, wait_s: float = 0) -> ExtractionJob: ...

    @remote_method
    def extraction_events(
        self, extraction_id: str, after: int, wait_s: float, namespace: str | None = None
    ) -> tuple[list[Event], bool]: ...

    @remote_method
    def cancel_extraction(self, extraction_id: str, namespace: str | None = None) -> ExtractionJob: ...

    @remote_method
    def extraction_result(self, extraction_id: str, namespace: str | None = None) -> str | None: ...

    @remote_method
    def plan(self, job_id: str, namespace: str | None = None) -> Plan: ...

    @remote_method
    def page(self, job_id: str, number: int, namespace: str | None = None) -> PageRecord | None: ...

    @remote_method
    def newest(self, document_id: str, namespace: str = "default") -> str: ...

    @remote_method
    def about(self) -> dict[str, Any]: ...

    def options(self, *, stream: Literal[True]) -> JobsStreams: ...
