"""An upload that is stored and waits for a job to own it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StagedBlob:
    """Bytes that are whole and stored, but that no job owns yet; whoever has it discards it or keeps it."""

    address: str  # a path, or a URL of the bucket
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class StagedFile(StagedBlob):
    """The same, of a kind that is read here."""

    media_type: str
