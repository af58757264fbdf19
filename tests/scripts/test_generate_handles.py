"""`scripts/generate_handles.py`: a handle offers what its deployment takes, and loads nothing of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from scripts.generate_handles import TARGET, UnreadableDeployment, generated

DEPLOYMENT = '''
from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any

import numpy as np
import torch.nn as nn

from deployments.calls.remote_method import Forwardable
from deployments.store import Staged

if TYPE_CHECKING:
    from deployments.values import Plan as Task

LIMIT = 5


class Item:
    size: int


class Reader:
    def __init__(self, settings: Settings) -> None: ...

    def reconfigure(self, user_config: dict[str, Any]) -> None: ...

    async def read(
        self,
        picture: Forwardable[np.ndarray],
        task: Task,
        /,
        limit: int = LIMIT,
        *parts: nn.Module,
        label: str = "",  # noqa: ARG002
        staged: Staged,
        **options: Any,
    ) -> tuple[Item, ...]:
        """Reads."""

        async def items() -> AsyncGenerator[int, None]:
            yield 1

        return [item async for item in items()]

    async def stream(self, bounds: tuple[int, int] = (0, 1)) -> AsyncGenerator[str, None]:
        for part in "ab":
            yield part

    async def check_health(self) -> None: ...

    async def _private(self) -> None: ...
'''
HANDLES = '''
class ReaderStreams(Protocol):
    """What Reader streams."""

    @streaming_method
    def stream(self, bounds: tuple[int, int] = (0, 1)) -> AsyncIterator[str]: ...


class ReaderHandle(Protocol):
    """See `deployments.reader.deployment.Reader`."""

    @remote_method
    def read(
        self,
        picture: np.ndarray | Response[np.ndarray],
        task: Task,
        /,
        limit: int = ...,
        *parts: nn.Module,
        label: str = "",
        staged: Staged,
        **options: Any,
    ) -> tuple[Item, ...]: ...

    def options(self, *, stream: Literal[True]) -> ReaderStreams: ...
'''
IMPORTS = """
if TYPE_CHECKING:  # a caller by handle loads nothing of the callee's
    from collections.abc import AsyncIterator
    from typing import Any, Literal

    import numpy as np
    import torch.nn as nn

    from deployments.calls.remote_method import Response
    from deployments.reader.deployment import Item
    from deployments.values import Plan as Task
    from deployments.values import Staged
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "deployments" / "reader"
    folder.mkdir(parents=True)
    (folder / "deployment.py").write_text(DEPLOYMENT)
    (tmp_path / "deployments" / "store.py").write_text("from deployments.values import Staged\n")
    (tmp_path / "deployments" / "values.py").write_text("class Staged: ...\nclass Plan: ...\n")
    return tmp_path


def test_a_handle_has_the_calls_of_its_deployment_and_nothing_else(root: Path) -> None:
    """Guards against a parameter that pyright lets a caller pass and no replica takes."""
    assert generated(root).endswith("\n" + HANDLES)


def test_types_come_from_where_they_are_defined_and_for_type_checkers_alone(root: Path) -> None:
    """Guards against an arrow to a room that only passes a value on, and against callees loaded with their handles."""
    assert IMPORTS in generated(root)


def test_one_name_of_two_types_is_refused(root: Path) -> None:
    other = root / "deployments" / "other"
    other.mkdir()
    (other / "deployment.py").write_text(
        "class Other:\n    async def f(self, item: Item) -> None: ...\n\nclass Item: ...\n"
    )
    with pytest.raises(UnreadableDeployment, match="`Item`"):
        generated(root)


def test_a_base_class_is_refused(root: Path) -> None:
    """Guards against methods that a deployment has and its handle lacks."""
    file = root / "deployments" / "reader" / "deployment.py"
    file.write_text(DEPLOYMENT.replace("class Reader:", "class Reader(Item):"))
    with pytest.raises(UnreadableDeployment, match="Reader has a base class"):
        generated(root)


def test_the_committed_handles_are_the_generated_ones() -> None:
    assert TARGET.read_text(encoding="utf-8") == generated()


def test_handles_load_no_room_of_the_repository_beside_calls() -> None:
    code = """
import sys, deployments.calls.handles
print(sorted(name for name in sys.modules if name.split(".")[0] in ("deployments", "documents", "retrieval", "ray")))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=TARGET.parents[2]
    )
    calls = ["deployments.calls", "deployments.calls.handles", "deployments.calls.remote_method"]
    assert done.stdout == f"{['deployments', *calls]}\n"
