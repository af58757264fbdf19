"""Converts rows of the job database to values such as Job, PageProgress and Event."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy.engine import RowMapping

from deployments.values.jobs import Event, Job, JobError, Options, PageProgress, Plan
from documents.values import Opened, PageWarning


def plan_of(row: RowMapping) -> Plan:
    """What Jobs must know to do the job of this row."""
    options = Options.model_validate(row["options"])
    names = ("namespace", "document_id", "revision", "attempt", "sha256", "media_type", "file_name")
    return Plan(
        job_id=row["id"], options=options, created_at=aware(row["created_at"]), **{name: row[name] for name in names}
    )


def job_of(row: RowMapping, progress: tuple[PageProgress, ...]) -> Job:
    """The job of this row with the progress of its pages."""
    opened = Opened.model_validate(row["opened"]) if row["opened"] else None
    own = tuple(PageWarning.model_validate(warning) for warning in row["warnings"])
    of_pages = tuple(warning for page in progress for warning in page.warnings)
    names = (
        "id",
        "document_id",
        "revision",
        "file_name",
        "media_type",
        "size",
        "status",
        "num_pages",
        "error",
        "timings",
    )
    return Job.model_validate(
        {name: row[name] for name in names}
        | {"pages": progress, "warnings": (*(opened.warnings if opened else ()), *own, *of_pages)}
        | {"created_at": aware(row["created_at"]), "finished_at": row["finished_at"] and aware(row["finished_at"])}
        | {
            "links": {
                name: f"/v1/jobs/{row['id']}{path}"
                for name, path in (("self", ""), ("result", "/result"), ("events", "/events"))
            }
        }
    )


def progress_of(row: RowMapping) -> PageProgress:
    """The progress of the page of this row; the page itself is not read."""
    return PageProgress(
        number=row["number"],
        status=row["status"],
        text_source=row["text_source"],
        reused_from=row["reused_from"],
        warnings=tuple(PageWarning.model_validate(warning) for warning in row["warnings"]),
        error=row["error"] and JobError.model_validate(row["error"]),
    )


def event_of(row: RowMapping) -> Event:
    """The event of this row."""
    return Event(id=row["id"], kind=row["kind"], body=row["body"], created_at=aware(row["created_at"]))


def aware(moment: datetime) -> datetime:
    """SQLite forgets the time zone, which is always UTC."""
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
