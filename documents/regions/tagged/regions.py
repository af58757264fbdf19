"""Makes regions of a tagged PDF's structure tree where it agrees with what is seen of the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, islice, pairwise
from statistics import median

from documents.boxes import BoundingBox
from documents.draft.page_draft import NO_DETECTOR_SCORE, TAG_ORIGIN, PageDraft, Part, RegionDraft
from documents.draft.text_source import Layer
from documents.inspection import TextLine
from documents.page_index import PageIndex
from documents.region_values import FigureRegion, Region, RegionKind, TitleRegion
from documents.regions.region_text import with_table
from documents.regions.tagged.order import num_torn, reordered, share_reversed
from documents.regions.tagged.table import tagged_table, words_by_node
from documents.segments.blocks import SegmentBlock
from documents.segments.roles import Role
from documents.tags.tagged_agreement import Agreement, agreement
from documents.tags.tagged_blocks import AuthorTree, TreeLimits, cut_line
from documents.text.languages import caption_kind
from documents.values import Detection

# detected regions of these kinds stay, whatever the tags say of single words
STABLE_KINDS: tuple[RegionKind, ...] = ("table", "figure")
MIN_FIGURE, MAX_FIGURE = 400.0, 0.8  # square points; of the page: smaller ones are ornaments, larger ones grounds
MIN_HEADING_SIZE = 1.15  # minimum type size of a heading, in type sizes of the body
MAX_FIGURES = 200  # maximum number of figures per page
MAX_NEIGHBOURS = 8  # maximum number of lines at the height of another that are compared with it
MIN_FIGURE_OVERLAP = 0.5  # minimum overlap of two boxes of one figure, as a share of the smaller one


def take_author_tree(page: PageDraft, limits: TreeLimits) -> PageDraft:
    """Lines that stand in several blocks of the tree are cut between them."""
    agreed = agreement(page.inspection, limits)
    if agreed is None:
        return page
    cuts = [cut_line(line, agreed.tree) for line in page.inspection.lines]
    inspection = page.inspection.model_copy(update={"lines": tuple(part for cut in cuts for part in cut)})
    blocks = _of_cut_lines(page.blocks, [len(cut) for cut in cuts if cut[0].hidden is None])
    return replace(page, inspection=inspection, layer=Layer(inspection), agreed=agreed, blocks=blocks)


def _of_cut_lines(blocks: Sequence[SegmentBlock], num_parts: Sequence[int]) -> tuple[SegmentBlock, ...]:
    """The blocks of visible lines, each of which is now cut into so many."""
    ends = [*accumulate(num_parts)]
    parts = [tuple(range(end - count, end)) for count, end in zip(num_parts, ends, strict=True)]
    return tuple(
        block.model_copy(update={"segments": tuple(part for k in block.segments for part in parts[k])})
        for block in blocks
    )


def part_by_tags(page: PageDraft, limits: TreeLimits) -> PageDraft:
    """Lines of one block of the tree are one part; what it does not name stays as it was found."""
    if page.agreed is None or not page.layer.sound:
        return page
    tags = _Tags(page, page.agreed, limits)
    parts = [replace(part, lines=tags.left_in(part)) for part in page.parts]
    parts = [new for new, old in zip(parts, page.parts, strict=True) if new.lines or not old.lines]
    return replace(page, parts=(*parts, *tags.parts()))


class _Tags:
    """The blocks of a page, each with its lines and the parts that these were in."""

    def __init__(self, page: PageDraft, agreed: Agreement, limits: TreeLimits) -> None:
        self._page = page
        self._agreed = agreed
        self._limits = limits
        self._lines: dict[int, list[TextLine]] = {}
        self._kinds: dict[int, Counter[RegionKind]] = {}
        self._roles: dict[int, Counter[Role | None]] = {}
        self._scores: dict[int, float] = {}
        self._furniture: list[TextLine] = []
        self._taken: set[int] = set()
        self._homes: dict[int, int] = {}  # the block of each line, by its identity
        lines = page.layer.lines
        self._places = {id(lines[k]): place for place, block in enumerate(page.blocks) for k in block.segments}
        self._has_headings = agreed.headings and any(block.level for block in agreed.tree.blocks)
        for part in page.parts:
            for line in part.lines:
                self._place(line, part)
            self._place_beside(part)

    def left_in(self, part: Part) -> tuple[TextLine, ...]:
        """The lines of a part that no block takes."""
        return tuple(line for line in part.lines if id(line) not in self._taken)

    def parts(self) -> list[Part]:
        parts = [
            self._part(block, lines)
            for block, own in sorted(self._lines.items())
            for lines in ([own] if self._agreed.tree.blocks[block].role == "Table" else _by_column(own))
        ]
        return [*parts, *(_of_kind("abandon", [line], NO_DETECTOR_SCORE) for line in self._furniture), *self._figures()]

    def _place(self, line: TextLine, part: Part) -> None:
        tree, limits = self._agreed.tree, self._limits
        block = block_of_line(tree, line)
        if block is None:
            is_furniture = self._agreed.furniture and all(tree.is_furniture(w.box, limits) for w in line.words)
            if is_furniture and line.words and part.kind not in STABLE_KINDS:
                self._taken.add(id(line))
                self._furniture.append(line)
            return
        role = tree.blocks[block].role
        if role == "Figure" or (part.kind in STABLE_KINDS and role != "Table"):
            return
        self._taken.add(id(line))
        self._homes[id(line)] = block
        self._lines.setdefault(block, []).append(line)
        self._kinds.setdefault(block, Counter())[part.kind] += len(line.text)
        self._roles.setdefault(block, Counter())[part.role] += len(line.text)
        self._scores[block] = max(self._scores.get(block, 0.0), part.detection.score)

    def _place_beside(self, part: Part) -> None:
        """A line of a part that no block holds goes with what stands level with it there: the number of a line, say."""
        placed = [line for line in part.lines if id(line) in self._homes]
        index = PageIndex(line.box for line in placed)
        for line in part.lines:
            near = list(index.level_with(line.box.center[1], line.box.center[1], MAX_NEIGHBOURS))
            if id(line) not in self._taken and near:
                self._taken.add(id(line))
                self._lines[self._homes[id(placed[near[0]])]].append(line)

    def _part(self, block: int, lines: Sequence[TextLine]) -> Part:
        part = _of_kind(self._kind(block, lines), lines, self._scores[block])
        order = min((self._places[id(line)] for line in lines if id(line) in self._places), default=None)
        return replace(part, role=self._roles[block].most_common(1)[0][0], order=order)

    def _kind(self, block: int, lines: Sequence[TextLine]) -> RegionKind:
        role = self._agreed.tree.blocks[block].role
        kind = self._kinds[block].most_common(1)[0][0]
        if self._agreed.tree.blocks[block].level and self._agreed.headings and self._is_short(lines):
            return "title"
        if role == "Table":
            return "table"
        if role == "Formula":
            return "isolate_formula"
        if role == "Caption":
            return caption_kind(" ".join(line.text for line in lines)) or "figure_caption"
        if kind == "title" and (role == "LI" or (self._has_headings and not self._is_large(lines))):
            return "plain text"
        return kind

    def _is_large(self, lines: Sequence[TextLine]) -> bool:
        """Whether it is set in larger type: word processors tag a document's own title as a paragraph."""
        return median(line.font_size for line in lines) > MIN_HEADING_SIZE * self._page.layer.body

    def _is_short(self, lines: Sequence[TextLine]) -> bool:
        return sum(len(line.words) for line in lines) <= self._limits.max_heading_words

    def _figures(self) -> list[Part]:
        """Figures of the tree that were not found."""
        sheet, layer = self._page.inspection.box, self._page.layer
        figure_boxes = [part.detection.box for part in self._page.parts if part.kind in STABLE_KINDS][:MAX_FIGURES]
        figures: list[Part] = []
        for _, whole in _figures_of(self._agreed.tree):
            box = whole.clipped(sheet)
            if not MIN_FIGURE <= box.area <= MAX_FIGURE * sheet.area or not layer.ink_in(box):
                continue
            if not any(_same_figure(box, other) for other in figure_boxes):
                figure_boxes.append(box)
                detection = Detection(kind="figure", box=box, score=NO_DETECTOR_SCORE)
                figures.append(Part(detection=detection, kind="figure", origin=TAG_ORIGIN))
        return figures


def finish_tagged(page: PageDraft, limits: TreeLimits) -> PageDraft:
    """Levels, tables and the words for pictures as the tree has them, and its order."""
    agreed = agreement(page.inspection, limits)
    if agreed is None or not any(draft.origin == TAG_ORIGIN for draft in page.drafts):
        return page
    figures = _figures_of(agreed.tree)
    places = {draft.index: _place_of(draft, agreed.tree, figures) for draft in page.drafts}
    regions = dict(page.regions)
    for draft in page.drafts:
        place = places[draft.index]
        if place is not None:
            regions[draft.index] = _finished(page, draft, regions[draft.index], agreed.tree, place)
    page = replace(page, regions=regions)
    if not agreed.order:
        return page
    known_places = {index: place for index, place in places.items() if place is not None}
    order = reordered(page, known_places)
    if share_reversed(page.relations.order, order) > limits.max_reversed:
        return page
    if num_torn(page, order) > num_torn(page, page.relations.order):
        return page
    return replace(page, relations=replace(page.relations, order=order))


def _finished(page: PageDraft, draft: RegionDraft, region: Region, tree: AuthorTree, place: int) -> Region:
    block = tree.blocks[place]
    if isinstance(region, FigureRegion):
        return region.model_copy(update={"alt": block.alt}) if block.role == "Figure" else region
    if draft.origin != TAG_ORIGIN:
        return region
    if isinstance(region, TitleRegion):
        return region.model_copy(update={"level": block.level})
    if block.role == "Table":
        nodes = [tree.node_of(word.box) for line in draft.lines if line.angle == draft.angle for word in line.words]
        table = tagged_table(tree.page_tree, block.node, words_by_node(draft.lines, nodes), page.words)
        if table is not None:
            return with_table(region, table, region.spans)
    return region


def _figures_of(tree: AuthorTree) -> list[tuple[int, BoundingBox]]:
    """The number and the box of each picture that is tagged as a figure."""
    numbered = ((k, block) for k, block in enumerate(tree.blocks) if block.role == "Figure" and block.pictures)
    return [(k, BoundingBox.around([*block.pictures])) for k, block in islice(numbered, MAX_FIGURES)]


def _place_of(draft: RegionDraft, tree: AuthorTree, figures: Sequence[tuple[int, BoundingBox]]) -> int | None:
    """The number of the block that a draft is of."""
    if draft.kind == "figure":
        return next((k for k, box in figures if _same_figure(box, draft.box)), None)
    return next((block for line in draft.lines if (block := block_of_line(tree, line)) is not None), None)


def block_of_line(tree: AuthorTree, line: TextLine) -> int | None:
    """The block of most of its words."""
    blocks = Counter(block for word in line.words if (block := tree.block_of(word.box)) is not None)
    return blocks.most_common(1)[0][0] if blocks else None


def _by_column(lines: Sequence[TextLine]) -> list[list[TextLine]]:
    """The lines of a paragraph, those apart with which it goes on at the head of the next column."""
    columns: list[list[TextLine]] = []
    for line in sorted(lines, key=lambda line: line.box.x0):
        if columns and line.box.x0 <= max(other.box.x1 for other in columns[-1]):
            columns[-1].append(line)
        else:
            columns.append([line])
    boxes = [BoundingBox.around([line.box for line in column]) for column in columns]
    rises = all(right.y1 <= left.y0 for left, right in pairwise(boxes))
    return columns if rises else [list(lines)]


def _of_kind(kind: RegionKind, lines: Sequence[TextLine], score: float) -> Part:
    box = BoundingBox.around([line.box for line in lines])
    detection = Detection(kind=kind, box=box, score=score)
    return Part(detection=detection, kind=kind, lines=tuple(lines), origin=TAG_ORIGIN)


def _same_figure(a: BoundingBox, b: BoundingBox) -> bool:
    return a.intersection(b) > MIN_FIGURE_OVERLAP * min(a.area, b.area)
