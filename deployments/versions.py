"""The versions that results depend on."""

from __future__ import annotations

from importlib.metadata import version

PACKAGES = ("pagemill", "ray", "torch", "transformers", "doclayout-yolo", "pymupdf", "pillow", "lancedb")


def versions() -> dict[str, str]:
    """Name and version of the project and of what it stands on."""
    return {name: version(name) for name in PACKAGES}
