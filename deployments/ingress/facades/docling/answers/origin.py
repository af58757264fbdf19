"""What a converted document came from, as docling-core's DocumentOrigin."""

from __future__ import annotations

from typing import Any

from deployments.ingress.operations.conversions import Converted, file_name

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


def origin_of(converted: Converted) -> dict[str, Any] | None:
    """Media type, hash and name of the file; None where docling-core would refuse them."""
    if converted.job.media_type not in ORIGIN_TYPES or not converted.sha256:
        return None
    return {
        "mimetype": converted.job.media_type,
        "binary_hash": int(converted.sha256, 16) & HASH_MASK,
        "filename": file_name(converted.job),
    }
