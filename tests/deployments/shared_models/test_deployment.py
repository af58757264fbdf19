"""Models: three parts in one process, called through handles that look like three."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from configs import Settings
from deployments.app import build
from deployments.shared_models import deployment as shared_models
from deployments.shared_models.handle import SharedModelHandle, deployment_of


class Part:
    """Stands where a model would load: what is under test is who is called."""

    closed = False

    def __init__(self, settings: Settings) -> None:
        self.calls: list[str] = []

    async def about(self, *, detail: str = "") -> dict[str, Any]:
        return {"part": type(self).__name__, "detail": detail}

    async def count(self, last: int) -> AsyncGenerator[int, None]:
        try:
            for number in range(last):
                yield number
        finally:
            type(self).closed = True

    async def check_health(self) -> None:
        return None


class Broken(Part):
    async def check_health(self) -> None:
        raise RuntimeError("stuck")


class Method:
    def __init__(self, body: Any) -> None:
        self.remote = body


class Handle:
    """A DeploymentHandle's two faces over an object of this process."""

    def __init__(self, body: shared_models.Models) -> None:
        self._body = body
        self.run, self.run_stream = Method(body.run), Method(body.run_stream)

    def options(self, *, stream: bool) -> Handle:
        assert stream
        return self


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> shared_models.Models:
    other = type("Other", (Part,), {})
    monkeypatch.setattr(shared_models, "PARTS", {"layout": Part, "ocr": other})
    return shared_models.Models(Settings())


def test_a_call_reaches_the_part_that_the_handle_names(models: shared_models.Models) -> None:
    handle = Handle(models)

    async def run() -> tuple[Any, Any]:
        layout, ocr = SharedModelHandle(handle, "layout"), SharedModelHandle(handle, "ocr")
        return await layout.about.remote(detail="x"), await ocr.about.remote()

    assert asyncio.run(run()) == ({"part": "Part", "detail": "x"}, {"part": "Other", "detail": ""})


def test_leaving_a_stream_ends_the_parts_generator(models: shared_models.Models) -> None:
    """Guards against decode slots of a client that left."""

    async def run() -> int:
        stream = SharedModelHandle(Handle(models), "layout").options(stream=True).count.remote(5)
        first = await anext(stream)
        await stream.aclose()
        return first

    Part.closed = False
    assert asyncio.run(run()) == 0
    assert Part.closed


def test_one_sick_part_makes_the_process_sick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_models, "PARTS", {"layout": Part, "ocr": Broken})
    with pytest.raises(RuntimeError, match="stuck"):
        asyncio.run(shared_models.Models(Settings()).check_health())


def test_a_shared_model_handle_survives_pickling() -> None:
    handle = pickle.loads(pickle.dumps(SharedModelHandle("handle", "ocr")))
    assert (handle.part, handle.handle) == ("ocr", "handle")


def test_the_controllers_word_on_a_part_is_that_on_its_process() -> None:
    parts = {"ocr": SharedModelHandle("handle", "ocr"), "jobs": object()}
    assert [deployment_of(parts, name) for name in parts] == ["models", "jobs"]


@pytest.mark.parametrize("shared", [True, False])
def test_the_graph_has_one_process_for_models_or_three(shared: bool) -> None:
    application = build(Settings(shared_models=shared))
    bound = application._bound_deployment.init_args
    parts = [argument for argument in bound if isinstance(argument, SharedModelHandle)]
    assert len(parts) == (3 if shared else 0)
