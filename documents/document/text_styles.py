"""The type size of texts, and the bare letters of their words."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from statistics import median

from documents.region_values import Region
from documents.rotated_boxes import unrotate
from documents.text.ink_extent import type_size_of_ink
from documents.values import Page


def type_size(region: Region) -> float:
    """The type size of a region in points: what the text layer says, else the ink of its lines."""
    sizes = [
        span.font_size or type_size_of_ink(span.text, unrotate(span.box, region.angle).height) for span in region.spans
    ]
    return round(median(sizes), 1) if sizes else 0.0


def body_type_size(pages: Sequence[Page]) -> float:
    """The type size that half of all letters of running text have at most."""
    regions = [region for page in pages for region in page.regions if region.text and region.kind == "plain text"]
    sizes = sorted((type_size(region), len(region.text)) for region in regions)
    half, running_length = sum(length for _, length in sizes) / 2, 0
    for size, length in sizes:
        running_length += length
        if running_length >= half:
            return size
    return math.inf


def bare(text: str) -> str:
    """Its letters alone, small."""
    return re.sub(r"[\W\d_]+", "", text).lower()
