"""A door of uploads whose callers do not wait for a place."""

from __future__ import annotations

from deployments.ingress.places import Places
from deployments.ingress.uploads import Door


def door_of(max_bytes: int, num_places: int = 2) -> Door:
    return Door(max_bytes=max_bytes, places=Places(num_places, wait_s=0, what="uploads"))
