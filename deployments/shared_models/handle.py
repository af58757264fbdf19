"""The handle of Layout, Ocr or Embedder where all three run in one process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from deployments.calls.handles import ModelsHandle


@dataclass(frozen=True)
class SharedModelHandle:
    """The handle of Models, seen by the callers of one part as the handle of that part's own deployment."""

    handle: ModelsHandle  # in `deployments.app` the bound application that Serve makes one of
    part: str
    streams: bool = False

    def options(self, *, stream: bool) -> SharedModelHandle:
        """As of a handle, with the one option that our callers use."""
        return SharedModelHandle(self.handle, self.part, stream)

    def __getattr__(self, method: str) -> SharedModelMethod:
        if method.startswith("_"):  # what pickling looks for
            raise AttributeError(method)
        return SharedModelMethod(self, method)


@dataclass(frozen=True, slots=True)
class SharedModelMethod:
    """One method of a part."""

    owner: SharedModelHandle
    name: str

    def remote(self, *args: Any, **options: Any) -> Any:
        """The response, or the generator where the handle streams."""
        owner = self.owner
        if owner.streams:
            return owner.handle.options(stream=True).run_stream.remote(owner.part, self.name, *args, **options)
        return owner.handle.run.remote(owner.part, self.name, *args, **options)


def deployment_of(parts: Mapping[str, Any], part: str) -> str:
    """The deployment that a part runs in, in small letters as the controller's word is kept."""
    return "models" if isinstance(parts[part], SharedModelHandle) else part
