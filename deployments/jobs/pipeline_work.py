"""What a job may ask of the pipeline: open a file, read a page, index the result, remove it again."""

from __future__ import annotations

from typing import Protocol

from deployments.values.jobs import Plan, Timings
from documents.values import Opened, Page


class Work(Protocol):
    """What the pipeline does; each call may raise IngestError, Busy or ReplicaDied."""

    async def open(self, plan: Plan) -> Opened: ...
    async def attachment(self, plan: Plan, name: str) -> bytes: ...
    async def fingerprint(self, plan: Plan, number: int) -> str | None:
        """A digest of what a page draws and says; None of one that cannot be compared."""
        ...

    def count_reused(self) -> None:
        """A page was taken over from an earlier revision."""
        ...

    async def page(self, plan: Plan, number: int, until: float) -> tuple[Page, Timings]:
        """`until`: seconds since 1970, after which nobody waits for the page any more."""
        ...

    async def finish(self, plan: Plan, opened: Opened) -> None: ...
    async def forget(self, namespace: str, document_id: str) -> None: ...
