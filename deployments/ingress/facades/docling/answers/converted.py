"""The value Converted: one document of a task with its job, its figures, and the hash of its file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath

from deployments.values.jobs import Job
from documents.values import Document


@dataclass(frozen=True, slots=True)
class Converted:
    """One document of a task with its job, and the pictures of its figures (PNG) by their names."""

    job: Job
    document: Document | None  # None: the job has no result
    pictures: Mapping[str, bytes]
    sha256: str = ""  # of the file


def file_name(job: Job) -> str:
    """The last part of what the client called the file, which may be a whole path."""
    return PurePosixPath(PureWindowsPath(job.file_name).name).name or "document"
