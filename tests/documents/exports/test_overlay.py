"""`documents.exports.overlay`: what is drawn lies where the regions are."""

from __future__ import annotations

import io

import numpy as np
from page_making import region
from PIL import Image

from documents.exports.overlay import overlay


def test_layout_regions_are_drawn_in_their_places():
    """Guards against an overlay of another scale than its page."""
    paper = np.full((400, 200, 3), 255, np.uint8)
    regions = [region("a", corners=(50, 100, 90, 150), order=0), region("b", corners=(-5, 190, 500, 205), order=1)]
    drawn = np.asarray(Image.open(io.BytesIO(overlay(paper, (100.0, 200.0), regions))).convert("RGB"))
    assert drawn.shape == paper.shape
    inked = (drawn != 255).any(axis=2)
    assert inked[250, 140]
    assert not inked[230:330, :90].any()
    assert (overlay(paper, (0.0, 0.0), []))[:4] == b"\x89PNG"
