"""Options of one OCR read (mode, box, color, region kind), its result, and errors of crops that a model cannot read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

from documents.boxes import BoundingBox
from documents.draft.whole_page_reading import PageReading
from documents.errors import IngestError
from documents.values import OcrMode, Reading

FIGURE_TABLE = "chart"  # the kind of a figure whose table is read
READERS: Mapping[str, str] = {"table": "table", "isolate_formula": "formula", FIGURE_TABLE: "figure"}
"""Names in `ocr.readers`, by kind of region; what is printed in a figure is text, its `chart` a table."""
WHOLE_PAGE = "page"  # the kind of a crop that is a page, for a model whose profile has that unit


class PictureTooLarge(IngestError):
    """A picture whose tokens do not fit the model's context, or the pool of KV blocks; the message has both numbers."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "picture_too_large"


class RegionUnread(IngestError):
    """A crop that cannot be cut into lines, or that the model or its processor cannot take; other regions are read."""

    code = "region_unread"


class ColorUnavailable(IngestError):
    """The checkpoint does not support colour frames."""

    code = "color_unavailable"


class PatchesUnavailable(IngestError):
    """The checkpoint does not read a picture in patches."""

    code = "patches_unavailable"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """How one crop is to be read."""

    mode: OcrMode = "plain"
    box: tuple[float, float, float, float] | None = None  # read this part: x0, y0, x1, y1 in pixels of the crop
    color: str | None = None  # read what is framed in it: red, green or blue
    crop_to_patches: bool = False  # read tiles of the crop and the whole of it, for dense pages
    max_patches: int = 12  # maximum tiles, the whole not counted
    lines: tuple[BoundingBox, ...] | None = None  # read these alone; in shares of the crop's width and height
    max_tokens: int | None = None  # of the whole crop: no further sequence is read once so many are there
    # of the region that the crop is, where it is one; `chart`: the table of a figure; WHOLE_PAGE
    kind: str | None = None


PLAIN_OPTIONS = ReadOptions()


@dataclass(frozen=True, slots=True)
class CropRead:
    """What became of one crop of several, by its index among them."""

    index: int
    size: tuple[int, int]  # width and height in pixels
    result: Reading | PageReading | IngestError
