"""Folders of tiny random models in the formats that are published, for servers: `python -m tests.random_models DIR`.

They say nothing sensible. What they show is that a folder of their family starts, and that steps are shared.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.batching.vision_families import make


def save_image_text(name: str, folder: Path) -> Path:
    """A model of FAMILIES_VISION with its processor, as `save_pretrained` writes them."""
    model, processor = make(name)
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


if __name__ == "__main__":
    target = Path(sys.argv[1])
    for family in sys.argv[2:] or ["paddleocr_vl"]:
        print(save_image_text(family, target / f"tiny-{family}"))  # noqa: T201 # a command
