"""Draws the regions over the picture of their page, for people to look at."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from documents.region_values import Region, RegionKind

COLOURS: dict[RegionKind, str] = {
    "title": "#d62728",
    "plain text": "#1f77b4",
    "abandon": "#7f7f7f",
    "figure": "#2ca02c",
    "figure_caption": "#98df8a",
    "table": "#9467bd",
    "table_caption": "#c5b0d5",
    "table_footnote": "#e377c2",
    "isolate_formula": "#ff7f0e",
    "formula_caption": "#ffbb78",
}


NAMES: dict[RegionKind, str] = {  # the other kinds are called as they are written
    "plain text": "text",
    "abandon": "header/footer",
    "isolate_formula": "formula",
}


def overlay(picture: np.ndarray, page_size: tuple[float, float], regions: Sequence[Region]) -> bytes:
    """A PNG of the picture (uint8, height x width x 3, RGB) with the box, place in order and kind of each region.

    `page_size` is (width, height) in the unit of the boxes. Gathered regions have thin edges, detected ones thick.
    """
    image = Image.fromarray(np.ascontiguousarray(picture))
    pen, height = ImageDraw.Draw(image, "RGBA"), max(10, image.height // 70)
    font = ImageFont.load_default(size=height)
    x, y = image.width / max(page_size[0], 1e-6), image.height / max(page_size[1], 1e-6)
    for region in regions:
        box, colour = region.box.scaled(x, y), COLOURS[region.kind]
        corners = (box.x0, box.y0, max(box.x0, box.x1), max(box.y0, box.y1))
        pen.rectangle(corners, fill=colour + "22", outline=colour, width=3 if region.score else 1)
        name = NAMES.get(region.kind, region.kind.replace("_", " "))
        label = f"{region.order} {name}" + (f" {region.score:.2f}" if region.score else "")
        place = (box.x0 + 2, max(0.0, box.y0 - height - 2))
        pen.rectangle(pen.textbbox(place, label, font), fill="#ffffffcc")
        pen.text(place, label, fill=colour, font=font)
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()
