"""A form reader whose callers do not wait for a slot."""

from __future__ import annotations

from deployments.ingress.operations.fair_limiter import FairLimiter
from deployments.ingress.uploads import FormReader
from deployments.storage.blobs import BlobStore


def form_reader(blobs: BlobStore, max_bytes: int, num_slots: int = 2) -> FormReader:
    return FormReader(max_bytes=max_bytes, slots=FairLimiter(num_slots, wait_s=0, what="uploads"), blobs=blobs)
