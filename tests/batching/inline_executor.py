"""InlineExecutor: work that is done where it is submitted; a fixture that prepares pictures by it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

import pytest


class InlineExecutor(Executor):
    """Runs what it is given before `submit` returns; takes the arguments of a ThreadPoolExecutor."""

    def __init__(self, **_settings: Any) -> None:
        pass

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except BaseException as error:
            future.set_exception(error)
        return future


@pytest.fixture
def images_prepared_inline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sequences with pictures are admitted in the same steps each time; threads would make that a matter of load."""
    monkeypatch.setattr("batching.inputs.image_preparer.ThreadPoolExecutor", InlineExecutor)
