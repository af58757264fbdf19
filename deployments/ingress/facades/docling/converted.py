"""The value Converted: one document of a task with its job, its figures, and what its file was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from deployments.values.jobs import Job
from documents.values import Document

# docling-core refuses a document whose origin has a media type that it does not know
ORIGIN_TYPES = frozenset(
    {
        *("application/pdf", "image/png", "image/jpeg", "image/tiff", "text/html", "text/plain", "text/csv"),
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    }
)
HASH_MASK = 2**64 - 1  # docling keeps these bits of a file's SHA-256


@dataclass(frozen=True, slots=True)
class Converted:
    """One document of a task with its job, and the pictures of its figures (PNG) by their names."""

    job: Job
    document: Document | None  # None: the job has no result
    pictures: Mapping[str, bytes]
    sha256: str = ""  # of the file

    @property
    def file_name(self) -> str:
        """The last part of what the client called the file, which may be a whole path."""
        return PurePosixPath(PureWindowsPath(self.job.file_name).name).name or "document"

    @property
    def origin(self) -> dict[str, Any] | None:
        """docling's DocumentOrigin of the file."""
        if self.job.media_type not in ORIGIN_TYPES or not self.sha256:
            return None
        binary_hash = int(self.sha256, 16) & HASH_MASK
        return {"mimetype": self.job.media_type, "binary_hash": binary_hash, "filename": self.file_name}
