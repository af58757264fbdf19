"""Versions of the packages that results depend on, as `/version` reports them."""

from __future__ import annotations

import contextlib
from importlib.metadata import PackageNotFoundError, version

PACKAGES = ("pagemill", "ray", "torch", "transformers", "doclayout-yolo", "pymupdf", "pillow", "lancedb")


def versions() -> dict[str, str]:
    """Name and version of the project and of what it stands on, as far as it is installed."""
    installed: dict[str, str] = {}
    for name in PACKAGES:
        with contextlib.suppress(PackageNotFoundError):  # a machine that only runs benchmarks has not all of them
            installed[name] = version(name)
    return installed
