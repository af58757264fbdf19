"""Opens image files (PNG, JPEG, TIFF ...): frames as pages, orientation, resolution."""

from __future__ import annotations

import hashlib
import math
import warnings
from typing import BinaryIO, NamedTuple

import numpy as np
from PIL import ExifTags, Image, ImageOps, TiffImagePlugin, WebPImagePlugin

from documents.boxes import BoundingBox
from documents.errors import ImageTooLarge, PageFailed, TooManyPages, UnreadableDocument
from documents.ink import PIXELS, in_colour, ink_cells, turned_back
from documents.inspection import InkGrid, Inspection
from documents.pdf.pdf_file import CELL, MAX_CELLS
from documents.render_limits import MAX_DRAWN_PIXELS, RenderLimits
from documents.straighten.straight_page import WholePage
from documents.values import Opened, PageWarning, Source

CODECS = (TiffImagePlugin, WebPImagePlugin)  # loaded here: behind the child's walls no library can be loaded
FORMATS = {"image/png": "PNG", "image/jpeg": "JPEG", "image/tiff": "TIFF", "image/webp": "WEBP"}
PLAUSIBLE_DPI = (50.0, 1200.0)
USUAL_LONG_SIDE = 11.7  # inches, of a sheet of A4: what an image is taken for that does not tell its scale
FIRST_SIDEWAYS_ORIENTATION = 5  # Exif's orientations from this one on swap width and height
MAX_AXIS_RATIO = 4.0  # maximum ratio of the resolutions of both axes; faxes have 204 x 98 dots per inch


class Dpi(NamedTuple):
    """Dots per inch along each axis."""

    x: float
    y: float

    @property
    def finer(self) -> float:
        return max(self)


class ImageFile:
    """One image document, read from `file`, which it closes; only a multi-page TIFF has more than one page."""

    def __init__(self, source: Source, limits: RenderLimits, file: BinaryIO) -> None:
        Image.MAX_IMAGE_PIXELS = None  # judged below, by our own limit
        if source.media_type not in FORMATS:
            raise UnreadableDocument(f"{source.media_type} is not a supported image format")
        self._limits = limits
        self._bytes = file
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._image = Image.open(file, formats=[FORMATS[source.media_type]])
        self._check_size()
        self._num_pages = getattr(self._image, "n_frames", 1) if source.media_type == "image/tiff" else 1
        if self._num_pages > limits.max_pages:
            raise TooManyPages(f"{self._num_pages} pages; {limits.max_pages} are allowed")
        self._drawn: tuple[int, np.ndarray, Dpi] | None = None
        try:
            self._page(1)
        except (OSError, SyntaxError, ValueError, PageFailed) as error:
            raise UnreadableDocument("the image is damaged") from error

    def opened(self) -> Opened:
        picture, dpi = self._page(1)
        height, width = picture.shape[:2]
        return Opened(
            num_pages=self._num_pages,
            pixel_size=(width, height),
            picture_size=_scaled_size(picture, dpi, min(1.0, self._max_zoom(picture, dpi))),
            warnings=self._unread(),
        )

    def inspect(self, number: int) -> Inspection:
        picture, dpi = self._page(number)
        width, height = _points(picture, dpi)
        cell = CELL * max(1.0, math.ceil(max(width, height) / CELL / MAX_CELLS))
        rows, columns = math.ceil(height / cell), math.ceil(width / cell)
        size = (max(1, round(width / cell * PIXELS)), max(1, round(height / cell * PIXELS)))
        small = np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.BILINEAR))
        return Inspection(
            number=number,
            width=width,
            height=height,
            ink=InkGrid.of(ink_cells(small)[:rows, :columns], cell),
            images=(BoundingBox(x0=0, y0=0, x1=width, y1=height),),
        )

    def picture(
        self, number: int, long_side: int | None, dpi: float | None, box: BoundingBox | None, angle: int
    ) -> np.ndarray:
        whole, own = self._page(number)
        height, width = whole.shape[:2]
        part = whole
        if box is not None:
            pixels = box.scaled(own.x / 72, own.y / 72)
            x0, y0 = max(0, math.floor(pixels.x0)), max(0, math.floor(pixels.y0))
            part = whole[y0 : min(height, math.ceil(pixels.y1)), x0 : min(width, math.ceil(pixels.x1))]
        if part.size == 0:
            raise PageFailed("the requested part is outside the page")
        zoom = long_side / max(_even_size(part, own)) if long_side else (dpi or own.finer) / own.finer
        return turned_back(in_colour(_scaled(part, own, min(zoom, self._max_zoom(part, own)))), angle)

    def fingerprint(self, number: int) -> str:
        """A digest of a frame's pixels and resolution."""
        picture, dpi = self._page(number)
        picture = np.ascontiguousarray(in_colour(picture))
        digest = hashlib.blake2b(picture.data, digest_size=20)
        digest.update(repr((picture.shape, tuple(dpi))).encode())
        return digest.hexdigest()

    def whole(self, number: int) -> WholePage:
        picture, dpi = self._page(number)
        most = self._max_zoom(picture, dpi)
        return WholePage(
            *_points(picture, dpi), lambda zoom: _scaled(picture, dpi, min(1.0, most, zoom * 72 / dpi.finer))
        )

    def close(self) -> None:
        self._drawn = None
        self._image.close()
        self._bytes.close()

    def _page(self, number: int) -> tuple[np.ndarray, Dpi]:
        """The frame upright, grey (height, width) or RGB (height, width, 3), and its dots per inch."""
        if not 1 <= number <= self._num_pages:
            raise PageFailed(f"there is no page {number}")
        if self._drawn is None or self._drawn[0] != number:
            self._drawn = None
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._image.seek(number - 1)
                self._check_size()
                dpi = _dpi(self._image)
                self._drawn = number, np.asarray(_opaque(ImageOps.exif_transpose(self._image))), dpi
        return self._drawn[1], self._drawn[2]

    def _unread(self) -> tuple[PageWarning, ...]:
        num_frames = getattr(self._image, "n_frames", 1)
        if num_frames <= self._num_pages:
            return ()
        message = f"of the {num_frames} pictures of this animation only the first is read"
        return (PageWarning(code="frames_ignored", message=message),)

    def _max_zoom(self, picture: np.ndarray, dpi: Dpi) -> float:
        """A picture is enlarged to `MAX_DRAWN_PIXELS`; one that has more keeps its size."""
        num_pixels = math.prod(_even_size(picture, dpi))
        return math.sqrt(min(self._limits.max_pixels, max(num_pixels, MAX_DRAWN_PIXELS)) / num_pixels)

    def _check_size(self) -> None:
        width, height = self._image.size
        if width * height > self._limits.max_pixels:
            raise ImageTooLarge(f"{width} x {height} pixels; {self._limits.max_pixels} are allowed")


def _points(picture: np.ndarray, dpi: Dpi) -> tuple[float, float]:
    """Width and height of a page that is this picture."""
    return picture.shape[1] * 72 / dpi.x, picture.shape[0] * 72 / dpi.y


def _even_size(picture: np.ndarray, dpi: Dpi) -> tuple[float, float]:
    """Width and height in pixels as fine along both axes as the picture is along its finer one."""
    return picture.shape[1] * (dpi.finer / dpi.x), picture.shape[0] * (dpi.finer / dpi.y)


def _scaled_size(picture: np.ndarray, dpi: Dpi, zoom: float) -> tuple[int, int]:
    """Width and height with square pixels; `zoom` 1 keeps those of the finer axis."""
    width, height = _even_size(picture, dpi)
    return max(1, round(width * zoom)), max(1, round(height * zoom))


def _scaled(picture: np.ndarray, dpi: Dpi, zoom: float) -> np.ndarray:
    size = _scaled_size(picture, dpi, zoom)
    if size == picture.shape[1::-1]:
        return picture
    gap = 3.0 if zoom < 1 / 3 else None  # a cheap first step when much is thrown away
    image = Image.fromarray(np.ascontiguousarray(picture))
    return np.asarray(image.resize(size, Image.Resampling.BICUBIC, reducing_gap=gap))


def _dpi(image: Image.Image) -> Dpi:
    """As the file says, along the axes of the upright picture; one for both where it says nonsense of one."""
    x, y = (_sane(image, axis) for axis in (0, 1))
    low, high = PLAUSIBLE_DPI
    usual = min(high, max(low, max(image.size) / USUAL_LONG_SIDE))
    if x is None:
        return Dpi(usual, usual)
    if y is None or max(x, y) > MAX_AXIS_RATIO * min(x, y):
        return Dpi(x, x)
    is_lying = image.getexif().get(ExifTags.Base.Orientation, 1) >= FIRST_SIDEWAYS_ORIENTATION
    return Dpi(y, x) if is_lying else Dpi(x, y)


def _sane(image: Image.Image, axis: int) -> float | None:
    """Dots per inch along an axis of the stored picture; None where the file has none that can be."""
    try:
        dpi = float(image.info.get("dpi", (0, 0))[axis])
    except (TypeError, ValueError, IndexError, ZeroDivisionError):
        return None
    return dpi if PLAUSIBLE_DPI[0] <= dpi <= PLAUSIBLE_DPI[1] else None


def _opaque(image: Image.Image) -> Image.Image:
    """8-bit grey or RGB on white, whatever the mode; 16-bit and float grey are scaled, not clipped."""
    if image.mode.startswith("I") or image.mode == "F":
        values = np.asarray(image).astype(np.float32)
        top = 65535.0 if image.mode.startswith("I;16") or values.max(initial=0) > 255 else 255.0
        return Image.fromarray(np.clip(values * (255.0 / top), 0, 255).astype(np.uint8))
    if image.mode in ("LA", "PA", "RGBA", "RGBa", "La") or "transparency" in image.info:
        layered = image.convert("RGBA")
        paper = Image.new("RGB", layered.size, (255, 255, 255))
        paper.paste(layered, mask=layered.getchannel("A"))
        return paper
    return image.convert("L" if image.mode in ("1", "L") else "RGB")
