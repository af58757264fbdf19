"""Makes parts of the blocks that the structure network reads; tables, figures and formulas keep their lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from documents.boxes import BoundingBox
from documents.draft.page_draft import AREA_KINDS, BLOCK_ORIGIN, NO_DETECTOR_SCORE, PageDraft, Part, RegionDraft
from documents.draft.text_source import Layer
from documents.inspection import TextLine
from documents.region_values import RegionKind
from documents.regions.line_assignment import assign_lines, group_lines
from documents.segments.blocks import SegmentBlock
from documents.segments.roles import Role
from documents.text.languages import caption_kind
from documents.values import Detection

KINDS: Mapping[Role, RegionKind] = {
    "title": "title",
    "heading": "title",
    "formula": "isolate_formula",
    "page_header": "abandon",
    "page_footer": "abandon",
    "page_number": "abandon",
    "stamp": "abandon",
}  # of all others: plain text; of captions: what they describe
JOINED_ROLES: tuple[Role, ...] = ("list_item", "contents", "code")  # consecutive blocks of these roles make one region
UNCLAIMED_ROLES: Mapping[RegionKind, tuple[Role, ...]] = {
    "table": ("stamp",),
    "figure": ("title", "heading", "text", "list_item", "footnote", "caption"),
}  # roles of lines that a table or a figure does not keep


@dataclass(frozen=True, slots=True)
class BlockLimits:
    """When the network is believed against a figure's box."""

    free_score: float = 0.6  # of a block in a table or figure, from which on it is none of its words
    held: float = 0.5  # of a line's area, that lies in its table or figure


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    """A block, with the lines that no table and no figure holds, and its place in the reading order."""

    role: Role
    score: float
    heading: float | None
    furniture: float | None
    place: int
    lines: tuple[TextLine, ...]


def take_blocks(page: PageDraft, limits: BlockLimits) -> PageDraft:
    """Each line in the part of its table or figure, else in that of its block; found regions without lines stay.

    Lines of no block, as all are where no network has read the page, make paragraphs with those that they touch.
    """
    lines = page.layer.lines
    places = {id(lines[k]): place for place, block in enumerate(page.blocks) for k in block.segments}
    areas = [part for part in page.parts if part.kind in AREA_KINDS]
    formulas = [part for part in page.parts if part.kind == "isolate_formula" and part.lines]
    set_apart = {id(line): line for part in formulas for line in part.lines}
    others = [line for line in lines if id(line) not in set_apart]
    held, free = assign_lines(others, [part.detection for part in areas], limits.held)
    parts: list[Part] = [*formulas]
    for part, own in zip(areas, held, strict=True):
        kept = [line for line in own if not _is_free(page.blocks, places.get(id(line)), part.kind, limits)]
        kept_ids = {id(line) for line in kept}
        free += [line for line in own if id(line) not in kept_ids]
        if part.kind == "table" and not kept and any(_holds(part, line) for line in set_apart.values()):
            continue  # all of it is a formula
        order = min((places[id(line)] for line in kept if id(line) in places), default=None)
        parts.append(replace(part, lines=tuple(kept), order=order))
    free_ids = {id(line) for line in free}
    blocks = [
        _Block(
            role=block.role,
            score=block.score,
            heading=block.heading,
            furniture=block.furniture,
            place=place,
            lines=column,
        )
        for place, block in enumerate(page.blocks)
        for column in _columns([lines[k] for k in block.segments if id(lines[k]) in free_ids], page.layer)
    ]
    parts += [_part(group, areas) for group in _regions(_with_values(blocks, page.layer), page.layer)]
    parts += [_part_without_block(group) for group in group_lines([line for line in free if id(line) not in places])]
    without_lines = (part for part in page.parts if part.kind not in AREA_KINDS and not part.lines)
    parts += [part for part in without_lines if not _holds_any(part.detection.box, lines)]
    return replace(page, parts=tuple(parts))


def _holds(part: Part, line: TextLine) -> bool:
    return part.detection.box.contains(*line.box.center)


def _columns(lines: Sequence[TextLine], layer: Layer) -> Iterator[tuple[TextLine, ...]]:
    """The lines of a block, those that go on at the head of another column apart."""
    column: list[TextLine] = []
    for line in lines:
        if column and layer.along_lines(line.box).y1 <= layer.along_lines(column[-1].box).y0:
            yield tuple(column)
            column = []
        column.append(line)
    if column:
        yield tuple(column)


def _with_values(blocks: Sequence[_Block], layer: Layer) -> list[_Block]:
    """Blocks, in which a label and the value that is read next, on its level, are one value."""
    together: list[_Block] = []
    for block in blocks:
        last = together[-1] if together else None
        if last is not None and (last.role, block.role) == ("label", "value") and _is_level(last, block, layer):
            together[-1] = replace(
                last, role="value", score=min(last.score, block.score), lines=(*last.lines, *block.lines)
            )
        else:
            together.append(block)
    return together


def _is_level(label: _Block, value: _Block, layer: Layer) -> bool:
    """Whether the middle of a value's line is in the height of the last line of its label."""
    box = layer.along_lines(label.lines[-1].box)
    return box.y0 <= layer.along_lines(value.lines[0].box).center[1] <= box.y1


def _is_free(blocks: Sequence[SegmentBlock], place: int | None, kind: RegionKind, limits: BlockLimits) -> bool:
    return (
        place is not None and blocks[place].role in UNCLAIMED_ROLES[kind] and blocks[place].score >= limits.free_score
    )


def _regions(blocks: Sequence[_Block], layer: Layer) -> list[list[_Block]]:
    """Blocks that make one region: items one below the other, entries of a list of contents; others are for themselves.

    Those that go on at the head of another column are another region.
    """
    regions: list[list[_Block]] = []
    for block in blocks:
        last = regions[-1][-1] if regions else None
        if (
            last is not None
            and last.role == block.role
            and block.role in JOINED_ROLES
            and _is_below(block, last, layer)
        ):
            regions[-1].append(block)
        else:
            regions.append([block])
    return regions


def _is_below(block: _Block, other: _Block, layer: Layer) -> bool:
    return layer.along_lines(block.lines[0].box).y1 > layer.along_lines(other.lines[-1].box).y0


def _part(blocks: Sequence[_Block], areas: Sequence[Part]) -> Part:
    first = blocks[0]
    lines = tuple(line for block in blocks for line in block.lines)
    box = BoundingBox.around([line.box for line in lines])
    kind = kind_of(first.role, lines, box, [part.detection for part in areas])
    score = min(block.score for block in blocks)
    detection = Detection(kind=kind, box=box, score=score)
    begins = tuple(accumulate((len(block.lines) for block in blocks[:-1]), initial=0))
    return Part(
        detection=detection,
        kind=kind,
        lines=lines,
        origin=BLOCK_ORIGIN,
        role=first.role,
        heading=first.heading,
        furniture=mean_furniture((block.furniture, sum(len(line.text) for line in block.lines)) for block in blocks),
        order=first.place,
        begins=begins,
    )


def mean_furniture(shares: Iterable[tuple[float | None, int]]) -> float | None:
    """Of probabilities and the letters that each is of; None if none is known."""
    known = [(probability, letters) for probability, letters in shares if probability is not None]
    total = sum(letters for _, letters in known)
    return sum(probability * letters for probability, letters in known) / total if total else None


def _part_without_block(lines: Sequence[TextLine]) -> Part:
    box = BoundingBox.around([line.box for line in lines])
    return Part.of(Detection(kind="plain text", box=box, score=NO_DETECTOR_SCORE), tuple(lines))


def kind_of(
    role: Role, lines: Sequence[TextLine], box: BoundingBox, others: Sequence[Detection | RegionDraft]
) -> RegionKind:
    """The kind of region of a role; a caption's is what its words name, else what stands nearest."""
    if role != "caption":
        return KINDS.get(role, "plain text")
    named = caption_kind(" ".join(line.text for line in lines))
    if named is not None:
        return named
    areas = (other for other in others if other.kind in AREA_KINDS)
    nearest = min(areas, key=lambda other: _gap(box, other.box), default=None)
    return "table_caption" if nearest is not None and nearest.kind == "table" else "figure_caption"


def _gap(a: BoundingBox, b: BoundingBox) -> float:
    return max(0.0, -a.overlap_x(b)) + max(0.0, -a.overlap_y(b))


def _holds_any(box: BoundingBox, lines: Sequence[TextLine]) -> bool:
    return any(box.contains(*line.box.center) for line in lines)
