"""Straightens a scanned page: rotation, skew, perspective, light."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import cv2
import numpy as np

from documents.boxes import BoundingBox
from documents.errors import PageFailed
from documents.ink import PIXELS, in_colour, ink_cells, turned_back
from documents.inspection import InkGrid, Inspection, TextLine
from documents.ocr_input.line_scale import lines_of
from documents.ocr_input.text_ink import percentiles
from documents.render_limits import MAX_DRAWN_PIXELS
from documents.straighten.paper_outline import find_paper, sides_of
from documents.straighten.pose import Point, Pose, moved, moved_within
from documents.straighten.printed_rules import printed_rules
from documents.straighten.skew import find_lean, letter_points, small_lean
from documents.straighten.uneven_light import evened, is_uneven, paper_light

SEARCH_PIXELS = 1200  # long side of the picture in which sheet and lines are searched
MIN_SKEW = 0.1  # degrees
MIN_CONVERGENCE = 0.3  # degrees by which the lines of two parts of a page differ, in perspective
INK_MARGIN = 6.0  # points kept around ink at the edge of a skewed page
RULES_DPI = 144  # resolution of the picture in which rules are searched
SUPERSAMPLING = 1.3  # the page is drawn at this factor of the requested resolution before it is straightened
MIN_INK_POINTS = 1500  # minimum number of ink points in half a page whose lines are judged


class WholePage(NamedTuple):
    """A page as the file shows it: `draw` takes pixels a point and gives a picture of these, or of fewer.

    It is uint8, grey (height, width) or RGB (height, width, 3).
    """

    width: float  # points
    height: float
    draw: Callable[[float], np.ndarray]


class Drawing(NamedTuple):
    """A page, uint8, grey (height, width) or RGB (height, width, 3), and the colour of its paper."""

    picture: np.ndarray
    paper: tuple[int, ...]


def find_pose(page: WholePage) -> Pose:
    """How a page must be straightened; which end of it is up is not known yet."""
    width, height, draw = page
    picture = draw(SEARCH_PIXELS / max(width, height))
    x, y = width / picture.shape[1], height / picture.shape[0]
    grey = _grey(picture)
    pose = Pose.of_page(width, height)
    sheet = find_paper(grey)
    if sheet is not None:
        a, b, c, d = ((u * x, v * y) for u, v in sheet)
        pose = _of_sheet((a, b, c, d), max(width, height))
    warped = _warped(grey, pose, x, y)
    pose = pose.model_copy(update={"uneven": is_uneven(paper_light(warped))})
    leaned = _leaned(pose, warped)
    if leaned == pose:
        return pose
    return _leaned(leaned, _warped(grey, leaned, x, y))  # from what the first time left over


class StraightPage:
    """A page as its pose shows it; its finest drawing and the last one are kept for the next crop."""

    def __init__(self, page: WholePage, pose: Pose, max_pixels: int) -> None:
        self._page = page
        self.pose = pose
        self._max_pixels = min(MAX_DRAWN_PIXELS, max_pixels)  # a page that is drawn coarser is not enlarged again
        self._drawn: dict[float, Drawing] = {}  # by pixels per point

    @property
    def same(self) -> bool:
        """Whether it is the page as the file shows it, which need not be drawn again."""
        return self.pose.shows(self._page.width, self._page.height)

    @property
    def _sheet(self) -> BoundingBox:
        width, height = self.pose.size
        return BoundingBox(x0=0, y0=0, x1=width, y1=height)

    def picture(self, long_side: int | None, dpi: float | None, box: BoundingBox | None, angle: int) -> np.ndarray:
        """As `RendererPool.picture`, `box` in points of the straightened page."""
        box = box.clipped(self._sheet) if box else self._sheet
        if not box.area:
            raise PageFailed("the requested part is outside the page")
        zoom = long_side / max(box.width, box.height) if long_side else (dpi or 144.0) / 72
        return turned_back(in_colour(self._part(min(zoom, math.sqrt(self._max_pixels / box.area)), box)), angle)

    def _part(self, zoom: float, box: BoundingBox) -> np.ndarray:
        source, paper = self._source(zoom)
        size = max(1, round(box.width * zoom)), max(1, round(box.height * zoom))
        to_points = np.array([[box.width / size[0], 0, box.x0], [0, box.height / size[1], box.y0], [0, 0, 1]])
        if self.same and box == self._sheet and np.abs(np.subtract(source.shape[1::-1], size)).max() <= 1:
            return source  # a drawing may end in a part of a pixel
        x, y = source.shape[1] / self._page.width, source.shape[0] / self._page.height
        back = _centred(np.diag([x, y, 1.0]) @ self.pose.to_page() @ to_points)
        how = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
        return cv2.warpPerspective(source, back, size, flags=how, borderMode=cv2.BORDER_CONSTANT, borderValue=paper)

    def inspection(self, inspection: Inspection) -> Inspection:
        """What the page tells of itself, in points of the straightened page."""
        (width, height), cell = self.pose.size, inspection.ink.cell
        whole = self._sheet
        page_picture = self._part(PIXELS / cell, whole)
        back = np.linalg.inv(self.pose.to_page())
        zoom = min(RULES_DPI / 72, math.sqrt(MAX_DRAWN_PIXELS / SUPERSAMPLING**2 / whole.area))
        grey = _grey(self._part(zoom, whole))
        rules, grids = printed_rules(grey, zoom)
        lines = _printed_lines(grey, zoom)
        return inspection.model_copy(
            update={
                "width": width,
                "height": height,
                "lines": tuple(_line(line, back, self.pose.angle) for line in inspection.lines),
                "watermarks": tuple(_line(line, back, self.pose.angle) for line in inspection.watermarks),
                "images": tuple(moved(image, back) for image in inspection.images),
                "warnings": tuple(moved_within(warning, back) for warning in inspection.warnings),
                "fields": tuple(moved_within(field, back) for field in inspection.fields),
                "annotations": tuple(moved_within(comment, back) for comment in inspection.annotations),
                "rules": rules,
                "grids": grids,
                "tree": None,
                "ink": InkGrid.of(ink_cells(page_picture), cell),
                "printed_lines": lines,
            }
        )

    def _source(self, zoom: float) -> Drawing:
        """The whole page: at `zoom` if it stands straight, else finer, because straightening blurs."""
        width, height, draw = self._page
        shrunk = sum(sides_of(self.pose.corners)) / sum(self.pose.size)  # points of the page a straightened one
        finer = min(
            zoom if self.same else SUPERSAMPLING * zoom / shrunk,
            math.sqrt(self._max_pixels / (width * height)),
        )
        if finer not in self._drawn:
            finest = max(self._drawn, default=0.0)
            self._drawn = {zoom: drawing for zoom, drawing in self._drawn.items() if zoom == finest}
            picture = _without_colour(draw(finer))
            if self.pose.uneven:
                picture = evened(picture, paper_light(_grey(picture)))
            few = picture[:: max(1, picture.shape[0] // 200), :: max(1, picture.shape[1] // 200)]
            paper = np.atleast_1d(np.median(few, axis=(0, 1))).astype(int)
            picture.flags.writeable = False
            self._drawn[finer] = Drawing(picture, tuple(paper.tolist()))
        return self._drawn[finer]


def _grey(picture: np.ndarray) -> np.ndarray:
    return picture if picture.ndim == 2 else np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), np.uint8)


def _without_colour(picture: np.ndarray) -> np.ndarray:
    """The picture, grey if it has no colour: it takes a third of the time."""
    if picture.ndim == 2:
        return picture
    red, green, blue = (np.asarray(channel, np.uint8) for channel in cv2.split(picture))
    return red if np.array_equal(red, green) and np.array_equal(red, blue) else picture


def _printed_lines(grey: np.ndarray, zoom: float) -> tuple[BoundingBox, ...]:
    """The boxes of printed lines, in points, of a page uint8 (height, width) at `zoom` pixels per point."""
    return tuple(BoundingBox(x0=x0, y0=y0, x1=x1, y1=y1) for x0, y0, x1, y1 in (lines_of(grey).boxes() / zoom).tolist())


def _warped(grey: np.ndarray, pose: Pose, x: float, y: float) -> np.ndarray:
    """The straightened page, SEARCH_PIXELS pixels long, from a picture with `x` and `y` points a pixel."""
    width, height = pose.size
    zoom = SEARCH_PIXELS / max(width, height)
    back = np.diag([1 / x, 1 / y, 1.0]) @ pose.to_page() @ np.diag([1 / zoom, 1 / zoom, 1.0])
    size = max(1, round(width * zoom)), max(1, round(height * zoom))
    how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    paper = int(percentiles(grey, (50,))[0])
    return cv2.warpPerspective(grey, _centred(back), size, flags=how, borderMode=cv2.BORDER_CONSTANT, borderValue=paper)


def _centred(matrix: np.ndarray) -> np.ndarray:
    """A homography between places, as one between the indices of pixels: a pixel's place is its middle."""
    half = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
    return np.linalg.inv(half) @ matrix @ half


def _of_sheet(corners: tuple[Point, Point, Point, Point], long_side: float) -> Pose:
    """A sheet as long as the page that shows it: its own size is not known."""
    width, height = sides_of(corners)
    scale = long_side / max(width, height)
    return Pose(size=(width * scale, height * scale), corners=corners)


def _leaned(pose: Pose, grey: np.ndarray) -> Pose:
    """The pose, its lines set along it: `grey` is the page as the pose shows it, SEARCH_PIXELS pixels long."""
    points = letter_points(grey)
    if points is None:
        return pose
    zoom = SEARCH_PIXELS / max(pose.size)
    lean = find_lean(points)
    points = points / zoom
    if lean.upended:
        points = np.stack([points[:, 1], pose.size[0] - points[:, 0]], axis=1)
        pose = pose.turned(90)
    if abs(lean.degrees) >= MIN_SKEW:
        pose, points = _rotated(pose, points, lean.degrees)
    return _parallel(pose, points, zoom)


def _rotated(pose: Pose, points: np.ndarray, degrees: float) -> tuple[Pose, np.ndarray]:
    """The pose turned by its lean; the sheet stays as large as it was, but for letters that would be cut off."""
    radians = math.radians(degrees)
    turn = np.array([[math.cos(radians), -math.sin(radians)], [math.sin(radians), math.cos(radians)]])
    size = np.array(pose.size)
    straight = (points - size / 2) @ turn + size / 2
    low = np.clip(straight.min(axis=0) - INK_MARGIN, -np.inf, 0)
    high = np.clip(straight.max(axis=0) + INK_MARGIN, size, np.inf)
    frame = np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]])
    corners = (frame - size / 2) @ turn.T + size / 2
    return _at(pose, corners, (high[0] - low[0], high[1] - low[1])), straight - low


def _parallel(pose: Pose, points: np.ndarray, zoom: float) -> Pose:
    """The pose, its upper and lower lines made parallel."""
    middle = float(np.median(points[:, 1]))
    halves = [points[points[:, 1] <= middle], points[points[:, 1] > middle]]
    if min(map(len, halves)) < MIN_INK_POINTS:
        return pose
    upper, lower = (small_lean(half * zoom) for half in halves)
    if upper is None or lower is None or abs(upper - lower) < MIN_CONVERGENCE:
        return pose
    y = [float(half[:, 1].mean()) for half in halves]
    slope, (width, height) = (lower - upper) / (y[1] - y[0]), pose.size
    rise = [width / 2 * math.tan(math.radians(upper + slope * (at - y[0]))) for at in (0.0, height)]
    corners = np.array([[0, -rise[0]], [width, rise[0]], [width, height + rise[1]], [0, height - rise[1]]])
    return _at(pose, corners, pose.size)


def _at(pose: Pose, corners: np.ndarray, size: tuple[float, float]) -> Pose:
    """The pose of a part of the straightened page, by its corners there."""
    x, y, scale = pose.to_page() @ np.vstack([corners.T, np.ones(4)])
    a, b, c, d = ((round(float(u), 3), round(float(v), 3)) for u, v in zip(x / scale, y / scale, strict=True))
    return Pose(size=(round(float(size[0]), 3), round(float(size[1]), 3)), corners=(a, b, c, d), uneven=pose.uneven)


def _line(line: TextLine, back: np.ndarray, angle: int) -> TextLine:
    return moved_within(line, back).model_copy(update={"angle": (line.angle - angle) % 360})
