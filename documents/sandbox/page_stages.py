"""A page between two calls of child processes: where it is, inspected, drafted, then read.

Only children read its content: a page of 20,000 lines would hold an event loop for seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pydantic import PositiveFloat

from documents.boxes import BoundingBox, Value
from documents.draft.page_draft import RegionDraft
from documents.draft.rule import RuleFailure
from documents.draft.whole_page_reading import PageReading
from documents.inspection import Inspection
from documents.page.picture_need import PictureEvidence
from documents.rotated_boxes import rotate_back
from documents.segments.blocks import SegmentBlock
from documents.straighten.pose import Pose
from documents.values import Detection, PageWarning, Reading, Source


class Crop(Value):
    """What is drawn of a page: the part in `box` (points of the page as it is seen), or all of it.

    Its scale is that of `RendererPool.picture`.
    """

    box: BoundingBox | None = None
    angle: int = 0  # degrees clockwise by which the picture is turned back
    dpi: float | None = None
    long_side: int | None = None  # pixels


class PageView(Value):
    """Which page of which file, and how it is seen: as the file shows it, or straightened by `pose`."""

    source: Source
    number: int  # counts from 1
    size: tuple[PositiveFloat, PositiveFloat]  # width and height of the upright, cropped page in points
    pose: Pose | None = None
    turn: int = 0  # degrees clockwise that its text is turned: the layout network gets the picture turned back

    @property
    def width(self) -> float:
        """Points of the page as it is seen; so is the height."""
        return self.size[0] if self.pose is None else self.pose.size[0]

    @property
    def height(self) -> float:
        return self.size[1] if self.pose is None else self.pose.size[1]

    @property
    def picture_size(self) -> tuple[float, float]:
        """Width and height of the page turned back, in points."""
        return (self.width, self.height) if self.turn % 180 == 0 else (self.height, self.width)

    @property
    def view(self) -> PageView:
        """Without the page's content, for calls that draw."""
        return PageView(source=self.source, number=self.number, size=self.size, pose=self.pose, turn=self.turn)

    def straightened(self, pose: Pose) -> PageView:
        """The page as `pose` shows it."""
        return PageView(source=self.source, number=self.number, size=self.size, pose=pose)

    def turned(self, angle: int) -> PageView:
        """The straightened page once it is known that it still stands turned clockwise by `angle` (quarters)."""
        assert self.pose is not None
        return self.straightened(self.pose.turned(angle))

    def on_page(self, detections: Iterable[Detection]) -> list[Detection]:
        """Where detections of the picture turned back lie on the page."""
        if not self.turn:
            return list(detections)
        size = self.width, self.height
        return [d.model_copy(update={"box": rotate_back(d.box, self.turn, *size)}) for d in detections]


class InspectedPage(PageView):
    """What a page's file says of it."""

    must_stand_straight: bool = False  # for the text source that the inspection was made for
    features: bytes = b""  # of its segments, for the structure network (`packed_features`); none without visible text
    picture: PictureEvidence = PictureEvidence()  # of a straightened page nothing is known
    content: bytes  # an Inspection as JSON

    def inspection(self) -> Inspection:
        """The whole, for who reads pages in a process of their own; raises ValueError if it is none."""
        return Inspection.model_validate_json(self.content)


class DraftedPage(PageView):
    """A page whose regions are found and not yet read."""

    drafts: tuple[RegionDraft, ...]  # without their lines
    printed_lines: Mapping[int, tuple[BoundingBox, ...]] = {}  # what is to be read of a draft, as in `ReadingPlan`
    failures: tuple[RuleFailure, ...] = ()  # rules that failed over it
    content: bytes  # the inspection and the drafts with their lines, as JSON


class PageReadings(Value):
    """What was read of a drafted page, by the index of its drafts."""

    readings: Mapping[int, Reading] = {}
    sizes: Mapping[int, tuple[int, int]] = {}  # width and height of the crops in pixels
    charts: Mapping[int, Reading] = {}
    page: PageReading | None = None  # by a model that reads it as a whole
    warnings: tuple[PageWarning, ...] = ()


class ComposeCall(Value):
    """All that a finished page is made of; regions are in points of the page as the file shows it."""

    page: DraftedPage
    readings: PageReadings
    blocks: tuple[SegmentBlock, ...] = ()  # of the page's lines once OCR has read some of them
    low_confidence: float
