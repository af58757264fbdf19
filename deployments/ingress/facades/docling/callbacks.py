"""Messages of a task as docling-serve sends them to its callbacks: how many documents, each that ends, and its end."""

from __future__ import annotations

from collections.abc import Sequence

from deployments.jobs.webhooks.messages import GroupJob
from deployments.values.jobs import (
    FINAL_STATUSES,
    JobStatus,
    Row,
)
from deployments.values.webhooks import (
    SubscriptionGroup,
)

FORM = "docling"
TASK_STATUSES: dict[JobStatus, str] = {"succeeded": "success", "partial": "partial_success"}


class CallbackMessages:
    """See `deployments.jobs.webhooks.messages.GroupWriter`."""

    def begun(self, group: SubscriptionGroup) -> list[Row]:
        """How many documents the task has."""
        return [_message(group, {"kind": "set_num_docs", "num_docs": len(group.job_ids)})]

    def ended(self, group: SubscriptionGroup, job: GroupJob, body: Row, jobs: Sequence[GroupJob]) -> list[Row]:
        """A document of the task has ended; after the last one, what became of all."""
        statuses = [TASK_STATUSES.get(one.status, "failure") for one in jobs]
        num_unfinished = sum(one.status not in FINAL_STATUSES for one in jobs)
        document: Row = {
            "source": job.file_name,
            "status": TASK_STATUSES.get(job.status, "failure"),
            "num_pages": job.num_pages,
            "processing_time": (body.get("timings") or {}).get("total_s"),
            "doc_hash": job.sha256,
            "error": (body.get("error") or {}).get("message"),
        }
        counts: Row = {"total_processed": len(group.job_ids) - num_unfinished, "total_docs": len(group.job_ids)}
        messages = [_message(group, {"kind": "document_completed", "document": document} | counts)]
        if not num_unfinished:
            num_removed = len(group.job_ids) - len(jobs)  # they have failed
            end: Row = {
                "kind": "update_processed",
                "num_processed": len(group.job_ids),
                "num_succeeded": statuses.count("success"),
                "num_partially_succeeded": statuses.count("partial_success"),
                "num_failed": statuses.count("failure") + num_removed,
                "docs": [
                    {"source": one.file_name, "status": status} for one, status in zip(jobs, statuses, strict=True)
                ],
            }
            messages.append(_message(group, end))
        return messages


def _message(group: SubscriptionGroup, progress: Row) -> Row:
    return {"task_id": group.id, "progress": progress}
