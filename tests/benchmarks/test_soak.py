"""`benchmarks.soak`: a row for every fifty documents, and every document that did not succeed."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from benchmarks import soak
from benchmarks.harness.server import Running


def test_memory_is_looked_at_every_fifty_documents_by_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against a table whose rows do not fit each other when a process was away for a moment."""
    held = iter([{"Jobs": 100.0, "Ray: raylet": 5.0}, {"Jobs": 110.0, "Layout": 7.0}, {"Jobs": 120.0}])

    def memory(_: int) -> dict[str, float]:
        result = next(held)
        return result | {"all": sum(result.values())}

    def send(_: object, document: Any, **__: object) -> httpx.Response:
        return httpx.Response(200, json={"status": "failed" if document.name == "7.pdf" else "succeeded"})

    monkeypatch.setattr(soak, "memory_mb", memory)
    monkeypatch.setattr(soak, "send", send)
    rows, failed = soak.soaked(Running("http://here", 1, 0.0), 120)
    assert [(row["documents"], row["all"]) for row in rows] == [(50, 105.0), (100, 117.0), (120, 120.0)]
    assert [(row["Ray"], row["Layout"]) for row in rows] == [(5.0, None), (0, 7.0), (0, None)]
    assert failed == 1
