"""The page between two rules: facts of the file and the network, and its regions so far; a rule makes a new one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from documents.boxes import BoundingBox, Value
from documents.draft.text_source import Decision, Layer, Wanted
from documents.draft.whole_page_reading import PageReading
from documents.inspection import Inspection, TextLine
from documents.region_values import Region, RegionKind, RegionOrigin, SourceReason, TextSource
from documents.segments.blocks import SegmentBlock
from documents.segments.roles import Role
from documents.tags.tagged_agreement import Agreement
from documents.values import Detection, Reading

DETECTOR_ORIGIN: RegionOrigin = "found by the layout network"
LINES_ORIGIN: RegionOrigin = "lines of the text layer that no found region holds"
INK_ORIGIN: RegionOrigin = "ink that no found region holds"
BLOCK_ORIGIN: RegionOrigin = "a block that the structure network reads as one"
TABLE_REST_ORIGIN: RegionOrigin = "lines of a table that none of its cells holds"
TAG_ORIGIN: RegionOrigin = "tagged by the file's author"
WATERMARK_ORIGIN: RegionOrigin = "a watermark of the page"
RESTORED_ORIGIN: RegionOrigin = "words that a rule lost"

# regions of these kinds contain the lines that lie inside them
AREA_KINDS: tuple[RegionKind, ...] = ("table", "figure")
NO_DETECTOR_SCORE = 0.0  # the score of a region that does not come from the detector


class RegionDraft(Value):
    """A region with its source decided; `lines` are empty where OCR is to read `crop_box`."""

    index: int
    kind: RegionKind
    box: BoundingBox
    score: float
    lines: tuple[TextLine, ...] = ()
    layer_lines: tuple[TextLine, ...] = ()  # of the text layer, where OCR is to read what they say
    text_source: TextSource
    reason: SourceReason
    origin: RegionOrigin = DETECTOR_ORIGIN
    crop_box: BoundingBox  # points: the box, widened for OCR
    angle: int = 0  # degrees clockwise that the text is turned; its crop is drawn turned back by as much
    role: Role | None = None  # as the structure network reads it
    heading: float | None = None  # 0..1: how likely the network takes it for a heading
    furniture: float | None = None  # 0..1: how likely the network takes it for no part of the text
    order: int | None = None  # its place in the order of the network's blocks; None: it has no words
    begins: tuple[int, ...] = ()  # its lines with which a block of the network begins
    rules: tuple[str, ...] = ()  # names of the rules that made it or changed its kind
    words_of: int | None = None  # the region of which it is only words that OCR is to read, by its index

    @property
    def crop_size(self) -> tuple[float, float]:
        """Width and height of the crop as it is drawn, in points."""
        width, height = self.crop_box.width, self.crop_box.height
        return (height, width) if self.angle % 180 else (width, height)

    def as_kind(self, kind: RegionKind) -> RegionDraft:
        return RegionDraft(**{**dict(self), "kind": kind})


def ink_draft(index: int, kind: RegionKind, box: BoundingBox) -> RegionDraft:
    """A region of a page without a text layer that no network found: what OCR reads in its box is its text."""
    return RegionDraft(
        index=index,
        kind=kind,
        box=box,
        score=NO_DETECTOR_SCORE,
        text_source="ocr",
        reason="no text layer",
        origin=INK_ORIGIN,
        crop_box=box,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A region before the source of its text is chosen; its kind may differ from the detection's."""

    detection: Detection
    kind: RegionKind
    lines: tuple[TextLine, ...] = ()
    decision: Decision | None = None
    rules: tuple[str, ...] = ()
    origin: RegionOrigin | None = None  # None: as its detection tells
    role: Role | None = None  # as the structure network reads it
    heading: float | None = None  # 0..1: how likely the network takes it for a heading
    furniture: float | None = None  # 0..1: how likely the network takes it for no part of the text
    order: int | None = None  # its place in the order of the network's blocks; None: it has no words
    begins: tuple[int, ...] = ()  # its lines with which a block of the network begins

    @classmethod
    def of(cls, detection: Detection, lines: tuple[TextLine, ...] = (), rules: tuple[str, ...] = ()) -> Part:
        return cls(detection=detection, kind=detection.kind, lines=lines, rules=rules)


@dataclass(frozen=True, slots=True)
class Relations:
    """How regions stand to one another, by their indices."""

    foot_notes: frozenset[int] = frozenset()
    side_notes: frozenset[int] = frozenset()
    captions: Mapping[int, int] = field(default_factory=dict)  # to what each describes
    labels: Mapping[int, int] = field(default_factory=dict)  # to the figure whose part each names
    order: tuple[int, ...] = ()  # as they are read, labels left out


@dataclass(frozen=True, slots=True, kw_only=True)
class PageDraft:
    """All that rules know and make, from the detections to the order of the regions."""

    inspection: Inspection
    layer: Layer
    text_source: Wanted = "auto"
    crop_margin: tuple[float, float] = (0.0, 0.0)  # shares of the page's long side by which crops are wider
    detections: tuple[Detection, ...] = ()  # all that were seen, tables as their rules show them
    kept: tuple[Detection, ...] = ()  # those that are no duplicates
    blocks: tuple[SegmentBlock, ...] = ()  # of the visible lines, in reading order
    parts: tuple[Part, ...] = ()
    drafts: tuple[RegionDraft, ...] = ()
    readings: Mapping[int, Reading] = field(default_factory=dict)  # of the drafts that OCR read, by index
    crop_sizes: Mapping[int, tuple[int, int]] = field(default_factory=dict)  # (width, height) in pixels
    page_reading: PageReading | None = None  # where a model read the page as a whole
    homes: Mapping[int, int] = field(default_factory=dict)  # by the numbers of its blocks: drafts, by index
    charts: Mapping[int, Reading] = field(default_factory=dict)  # of figures, by index: tables of what they draw
    agreed: Agreement | None = None  # the structure tree of a tagged PDF, where it agrees with what is seen
    words: frozenset[str] = frozenset()  # of the page, in small letters
    regions: Mapping[int, Region] = field(default_factory=dict)  # by the draft's index
    relations: Relations = Relations()
