"""Decides why a child process died and who is to blame: the document, a rule, or the machine.

A rule of page structure that was running is to blame for all but a signal from outside. The document is to blame for
its own cost, and for a crash or a senseless reply that repeats itself in a fresh child. A signal from outside, such as
the kernel's when memory is short, and an exit that nobody foresaw are the machine's.
"""

from __future__ import annotations

import enum
import signal
from collections.abc import Sequence
from typing import Any

from documents import errors
from documents.sandbox.child_call import ChildCall

ATTEMPTS = 2  # children that may end over one call
EXIT_OUT_OF_MEMORY = 70  # exit status of a child that has used up its address space outside of parsing
CRASH_SIGNALS = frozenset(
    {
        signal.SIGSEGV,
        signal.SIGBUS,
        signal.SIGABRT,
        signal.SIGILL,
        signal.SIGFPE,
        signal.SIGTRAP,
        signal.SIGSYS,
    }
)
EXTERNAL_SIGNALS = frozenset({signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP})


class ChildEnd(enum.StrEnum):
    """Why a child ended, or was ended."""

    CPU = "cpu"  # its own limit of processor time
    MEMORY = "memory"  # its own limit of address space
    CRASH = "crash"  # a signal that a parser's bug raises
    SENSELESS = "senseless"  # it answered in a wrong form, or closed its output and went on
    LOST = "lost"  # any other signal or exit status
    TIMEOUT = "timeout"  # the call took too long by the wall clock
    CANCELLED = "cancelled"  # nobody waits for the call any more
    RETIRED = "retired"  # it has read its share of documents, or holds too much memory
    NAMESPACE = "namespace"  # another tenant's documents come next
    UNSTARTED = "unstarted"  # it was never ready
    CLOSED = "closed"  # the pool is


class ChildLost(Exception):
    """A child ended in the middle of a call, in the rule `rule` if in any; a negative `status` is a signal's number."""

    def __init__(self, end: ChildEnd, status: int | None, rule: str | None = None) -> None:
        super().__init__(f"{end} ({status})")
        self.end = end
        self.status = status
        self.rule = rule

    @property
    def is_from_outside(self) -> bool:
        return self.status is not None and -self.status in EXTERNAL_SIGNALS


class RuleEnded(Exception):
    """A rule of page structure ended its child; without it the page may be composed."""

    def __init__(self, rule: str, lost: ChildLost) -> None:
        super().__init__(f"its child ended: {lost}")
        self.rule = rule


def end_of(status: int) -> ChildEnd:
    """What an exit status (negative for a signal) says."""
    if status == -signal.SIGXCPU:
        return ChildEnd.CPU
    if status == EXIT_OUT_OF_MEMORY:
        return ChildEnd.MEMORY
    return ChildEnd.CRASH if -status in CRASH_SIGNALS else ChildEnd.LOST


def verdict(lost: Sequence[ChildLost], call: ChildCall[Any], page_cpu_s: float) -> Exception | None:
    """What the caller gets after these ends of the children that served `call`; None: try in a fresh child."""
    last = lost[-1]
    if last.rule is not None and not last.is_from_outside:
        return RuleEnded(last.rule, last)
    if last.end is ChildEnd.CPU:
        return errors.PageTooCostly(f"stopped after {page_cpu_s:g} s of CPU time")
    if last.end is ChildEnd.MEMORY:
        return too_large(call)
    if len(lost) < ATTEMPTS:
        return None
    message = f"{len(lost)} renderers ended ({', '.join(str(ending) for ending in lost)}) while they read this"
    if all(ending.end in (ChildEnd.CRASH, ChildEnd.SENSELESS) for ending in lost):
        return blamed(call)(message)
    return errors.RendererUnavailable(message)


def too_large(call: ChildCall[Any]) -> errors.IngestError:
    """The error of what takes more than a child's own limit of address space."""
    if call.work == "composing":
        return errors.PageTooCostly("its structure takes more memory than allowed")
    return errors.ImageTooLarge("it needs more memory than allowed")


def blamed(call: ChildCall[Any]) -> type[errors.IngestError]:
    """The error of a document that cannot be opened, or of one of its pages."""
    return errors.UnreadableDocument if call.name == "open" else errors.PageFailed
