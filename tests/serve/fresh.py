"""What the parts of the server say of themselves now: /readyz answers a look that may be a second old."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import httpx

from tests.serve.gates import until


def fresh_parts(client: httpx.Client) -> dict[str, Any]:
    """`parts` of /readyz, where each part was asked after this call."""
    begun, parts = datetime.now(UTC), {}

    def has_answers() -> bool:
        parts.update(client.get("/readyz").json()["parts"])
        return all(datetime.fromisoformat(part.get("checked_at", OLD)) >= begun for part in parts.values())

    until(has_answers)
    return parts


OLD = datetime.min.replace(tzinfo=UTC).isoformat()  # of a part that has not answered yet
