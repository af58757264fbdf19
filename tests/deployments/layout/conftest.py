"""Layout without Ray, over a fake network."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from ray import serve

from configs import Settings
from deployments.layout import deployment as layout
from deployments.layout.deployment import Layout
from tests.deployments.layout.fake_detector import FakeDetector


@pytest.fixture
def drive(batch_runner: asyncio.Runner, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Runs `scenario(layout)` on a Layout without Ray, over a fake network."""
    context = type("Context", (), {"_deployment_config": type("Config", (), {"max_ongoing_requests": 1000})})
    monkeypatch.setattr(serve, "get_replica_context", lambda: context)

    def run(fake: FakeDetector, scenario: Callable[[Layout], Coroutine[Any, Any, Any]], **settings: Any) -> Any:
        monkeypatch.setattr(layout, "_detector", lambda _: fake)
        deployment = Layout(Settings.model_validate({"layout": settings}))
        return batch_runner.run(asyncio.wait_for(scenario(deployment), 60))

    return run
