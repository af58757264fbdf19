"""What deliveries say: messages in our own form, and who writes those of a group of jobs in another server's form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from sqlalchemy.engine import RowMapping

from deployments.values.jobs import (
    JobStatus,
    Row,
)
from deployments.values.webhooks import (
    SubscriptionGroup,
)


@dataclass(frozen=True, slots=True)
class GroupJob:
    """A job of a group as it stands."""

    id: str
    file_name: str
    sha256: str
    num_pages: int | None
    status: JobStatus


class GroupWriter(Protocol):
    """Writes the messages of one form; `jobs` are those of the group that are still there, in its order."""

    def begun(self, group: SubscriptionGroup) -> list[Row]:
        """When the address begins to follow the group."""
        ...

    def ended(self, group: SubscriptionGroup, job: GroupJob, body: Row, jobs: Sequence[GroupJob]) -> list[Row]:
        """When a job of it has ended; `body` is of that event."""
        ...


def own_message(job: RowMapping, kind: str, body: Row) -> Row:
    """An event of a job in our own form."""
    names = ("document_id", "revision", "file_name")
    facts = {"job_id": job["id"]} | {name: job[name] for name in names} | body
    return {"type": f"job.{kind}", "timestamp": datetime.now(UTC).isoformat(), "data": facts}
