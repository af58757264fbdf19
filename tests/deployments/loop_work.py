"""LoopWork: counts what an event loop's thread computes between two turns of the loop, instead of timing it."""

from __future__ import annotations

import asyncio
import json
import ssl
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pydantic
import pytest

MAX_CALLS = 5_000  # of functions, Python's and C's, in one turn; work per chunk, page or token of a caller has more
MAX_CHARACTERS = 200_000  # that one call of a C function may convert


class LoopWork:
    """The calls of the busiest turn, and the conversions of much text in the loop's thread.

    A call of a C function counts as one, however long it takes; conversions of `CONVERSIONS` are counted by length.
    """

    def __init__(self) -> None:
        self.most_calls = 0
        self.busiest = ""
        self.conversions: list[str] = []

    def restart(self) -> None:
        """Forget what was counted: imports, and what else is done once."""
        self.most_calls = 0
        self.busiest = ""

    def check(self) -> None:
        assert self.most_calls <= MAX_CALLS, f"{self.most_calls} calls in one turn of the loop: {self.busiest}"
        assert not self.conversions, f"in the loop's thread: {self.conversions}"


@contextmanager
def counted_loop_work(*, ignored: tuple[str, ...] = ()) -> Iterator[LoopWork]:
    """Every turn of every loop is counted; conversions under a frame of a file that ends so are `ignored`."""
    work = LoopWork()
    with pytest.MonkeyPatch.context() as patch:
        _count_turns(patch, work)
        _watch_conversions(patch, work, ignored)
        yield work


def _count_turns(patch: pytest.MonkeyPatch, work: LoopWork) -> None:
    run = asyncio.Handle._run

    def counted(handle: asyncio.Handle) -> None:
        calls: Counter[str] = Counter()

        def profile(frame: Any, event: str, argument: Any) -> None:
            if event in ("call", "c_call"):
                calls[frame.f_code.co_name] += 1

        sys.setprofile(profile)
        try:
            run(handle)
        finally:
            sys.setprofile(None)
        if calls.total() > work.most_calls:
            work.most_calls = calls.total()
            work.busiest = f"{handle}: {calls.most_common(5)}"

    patch.setattr(asyncio.Handle, "_run", counted)


def _watch_conversions(patch: pytest.MonkeyPatch, work: LoopWork, ignored: tuple[str, ...]) -> None:
    def watch(owner: Any, name: str, size: Any) -> None:
        original = getattr(owner, name)

        def watched(*args: Any, **options: Any) -> Any:
            result = original(*args, **options)
            if is_in_loop() and size(args, result) > MAX_CHARACTERS and not _is_under(ignored):
                work.conversions.append(f"{getattr(owner, '__name__', owner)}.{name}")
            return result

        patch.setattr(owner, name, watched)

    watch(json, "loads", lambda args, _: len(args[0]))
    watch(json, "dumps", lambda _, result: len(result))
    watch(pydantic.BaseModel, "model_dump_json", lambda _, result: len(result))
    watch(ssl, "create_default_context", lambda *_: sys.maxsize)  # reads all certificates of the machine


def _is_under(files: tuple[str, ...]) -> bool:
    frame: Any = sys._getframe()
    while frame is not None:
        if frame.f_code.co_filename.endswith(files or ("no file",)):
            return True
        frame = frame.f_back
    return False


def is_in_loop() -> bool:
    """Whether this thread runs an event loop."""
    return asyncio._get_running_loop() is not None


class Threads:
    """The threads in which a function was called."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.in_loop = 0

    def note(self) -> None:
        self.names.append(threading.current_thread().name)
        self.in_loop += is_in_loop()


def watched(patch: pytest.MonkeyPatch, owner: Any, name: str) -> Threads:
    """The threads that call `owner.name` from now on."""
    threads, original = Threads(), getattr(owner, name)

    def noted(*args: Any, **options: Any) -> Any:
        threads.note()
        return original(*args, **options)

    patch.setattr(owner, name, noted)
    return threads
