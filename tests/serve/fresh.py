"""What the parts of the server say of themselves now: /readyz answers a look that may be a second old."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from typing import Any

import httpx


def fresh_parts(client: httpx.Client) -> dict[str, Any]:
    """`parts` of /readyz, of a look that began after this call."""
    asked_at, pause = datetime.now(UTC), threading.Event()
    for _ in range(100):
        body = client.get("/readyz").json()
        if datetime.fromisoformat(body["checked_at"]) >= asked_at:
            return body["parts"]
        pause.wait(0.2)  # until the next look is due
    raise AssertionError("no newer look at the parts came")
