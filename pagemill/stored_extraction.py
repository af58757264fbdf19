"""StoredExtraction: the client's value for an extraction that runs on the server, and its progress."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from pagemill.values import FINAL_STATUSES, JobError, JobStatus, Value


class StoredExtraction(Value):
    """One extraction of one document; its values are a call of their own."""

    id: str
    document_id: str
    job_id: str
    revision: int
    status: JobStatus
    calls_done: int  # calls of the model
    calls_total: int | None  # None: not known yet
    error: JobError | None = None
    created_at: datetime
    finished_at: datetime | None = None
    links: dict[str, str] = Field(default_factory=dict)

    @property
    def done(self) -> bool:
        return self.status in FINAL_STATUSES
