"""A long document does not hold up a short one."""

from __future__ import annotations

import json

import httpx
import pytest

from tests.serve.files import pdf

pytestmark = pytest.mark.serve


def test_one_page_is_done_before_a_long_document_that_came_first(client: httpx.Client) -> None:
    """Guards against a queue in which everybody waits for whoever came first."""
    asked = {"options": json.dumps({"text_source": "ocr"})}
    long = client.post("/v1/documents", files={"file": ("long.pdf", pdf(20, title="A long one"))}, data=asked).json()
    short = client.post("/v1/documents", params={"wait": 100}, files={"file": ("short.pdf", pdf(title="A short one"))})
    beside = client.get(long["links"]["self"]).json()
    client.delete(long["links"]["self"])
    assert short.json()["status"] == "succeeded"
    assert beside["status"] == "running"
    assert any(page["status"] == "queued" for page in beside["pages"])
