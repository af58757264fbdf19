"""One call to a child process: its request, and how its reply is parsed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from documents.sandbox import framing
from documents.values import Source

T = TypeVar("T")
Work = Literal["parsing", "composing"]  # reads a document's file; works on page content or pixels, without a file


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildCall(Generic[T]):
    """`read` makes the result of the reply and its payload, and raises one of `child_process.BROKEN` at a wrong form.

    A child that parses is handed the document's file; one that composes says each of `rules` before it runs it.
    """

    source: Source
    work: Work
    header: framing.Header
    payload: bytes = b""
    read: Callable[[Any, bytes], T]
    max_reply: int = framing.MAX_HEADER_BYTES  # bytes of its payload
    is_raw: bool = False  # nothing of its payload is parsed
    rules: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        return self.header["call"]

    def rule_of(self, announcement: framing.Header) -> str | None:
        """The rule that a composing child says it runs from now on, or none; raises ValueError if there is no such."""
        rule = announcement["rule"]
        if rule is not None and rule not in self.rules:
            raise ValueError("a rule that does not exist")
        return rule
