"""Makes a drawing one figure with all words in it and right beside it, whatever the layout network saw of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from documents.boxes import BoundingBox
from documents.draft.near_lines import NearLines
from documents.draft.page_draft import PageDraft
from documents.figures.axes import Axes, frames_axis, has_axes
from documents.figures.figure_words import FigureWords, with_words_beside
from documents.inspection import Drawing, Grid, TextLine
from documents.text.languages import caption_kind
from documents.text.word_count import num_words
from documents.values import Detection


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnFigures:
    """What is a figure by its drawing. Lengths are in points."""

    min_side: float = 40.0
    min_slanted: int = 2  # paths aslant: rules and shades of tables, and boxes around text, have none
    slanted_share: float = 0.15  # of its area, that those are drawn over: a table may hold small icons
    min_arrows: int = 2  # that make a figure of boxes, too
    score: float = 0.5  # of a figure that only its drawing shows
    detected: float = 0.3  # of its area, where the network saw figures or tables
    same: float = 0.5  # of the smaller one's area, that a detected figure and a drawing share
    sure: float = 0.5  # the score of a heading that is one even where a figure was seen
    inside: float = 0.7  # of a detection's area in a figure: it is a part of it
    sentence: int = 5  # words of a line that is a part of a sentence
    num_words: int = 20  # of sentences, that are text beside a figure or on a shaded ground
    prose: float = 0.5  # of the words in a drawing, in sentences: it is a ground for text
    covered: float = 0.8  # of a detected figure's ink, by letters: it is text
    framed: float = 0.9  # of a plot, that its frame holds
    plot: float = 0.25  # of its frame's area
    ruled: float = 0.7  # of a drawing's area, that a grid with words in its first row and column takes
    labelled: float = 0.7  # of the cells of that row or column, that hold words: corners and joined rows may be empty
    same_edge: float = 3.0  # by which the edges of cells that begin together differ
    min_rows: int = 3  # of such a grid, and as many cells in its first row: two boxes side by side may be a diagram
    axes: Axes = field(default_factory=Axes)
    words: FigureWords = field(default_factory=FigureWords)


def drawn_figures(page: PageDraft, limits: DrawnFigures) -> PageDraft:
    lines = NearLines(page.layer.lines)
    drawn = [
        drawing.box
        for drawing in page.inspection.drawings
        if not _is_ruled_table(drawing.box, page.inspection.grids, lines, limits)
        and (
            (_is_figure(drawing, lines, limits) and _is_seen(drawing.box, page.kept, limits))
            or has_axes(drawing.box, lines, limits.axes)
            or _is_frame(drawing.box, page.kept, lines, limits)
        )
    ]
    others = [d for d in page.kept if d.kind != "figure"]
    if not drawn and len(others) == len(page.kept):
        return page
    detected = [d for d in page.kept if d.kind == "figure" and not _is_text_alone(d, page, lines, limits)]
    figures = list(_merged(detected, drawn, limits))
    text = _Text(others, page.layer.lines, lines, figures, limits)
    grown = [
        figure.as_kind("figure", with_words_beside(figure.box, lines, text.free, page.layer, limits.words))
        for figure in figures
    ]
    sure = [figure for figure in grown if any(box.share_inside(figure.box) >= limits.inside for box in drawn)]
    return replace(page, kept=(*(d for d in others if not _is_part(d, grown, sure, text, limits)), *grown))


def _is_figure(drawing: Drawing, lines: NearLines, limits: DrawnFigures) -> bool:
    box = drawing.box
    if min(box.width, box.height) < limits.min_side:
        return False
    aslant = drawing.num_slanted >= limits.min_slanted and drawing.slanted_share >= limits.slanted_share
    if not aslant and drawing.num_arrows < limits.min_arrows:
        return False
    return _is_no_ground(box, lines, limits)


def _is_no_ground(box: BoundingBox, lines: NearLines, limits: DrawnFigures) -> bool:
    """Whether a drawing has few sentences in it: else it is a ground for text."""
    counts = [num_words(line.text) for line in lines.with_middle_in(box)]
    in_sentences = sum(count for count in counts if count >= limits.sentence)
    return in_sentences < limits.num_words or in_sentences <= limits.prose * sum(counts)


def _is_frame(box: BoundingBox, detections: Sequence[Detection], lines: NearLines, limits: DrawnFigures) -> bool:
    """Whether a drawing is a frame around a chart, of which the network saw the plot: its axis stands in the frame."""
    plots = (d.box for d in detections if d.kind == "figure" and d.box.share_inside(box) >= limits.framed)
    if not any(plot.area >= limits.plot * box.area for plot in plots):
        return False
    return frames_axis(lines.with_middle_in(box), limits.axes) and _is_no_ground(box, lines, limits)


def _is_ruled_table(box: BoundingBox, grids: Sequence[Grid], lines: NearLines, limits: DrawnFigures) -> bool:
    """Whether a drawing is the rules of a table: icons may be drawn in its cells, but names head rows and columns."""
    for grid in grids:
        if grid.box.intersection(box) < limits.ruled * max(box.area, grid.box.area):
            continue
        top, left = min(cell.y0 for cell in grid.cells), min(cell.x0 for cell in grid.cells)
        heads = (
            [cell for cell in grid.cells if cell.y0 - top <= limits.same_edge],
            [cell for cell in grid.cells if cell.x0 - left <= limits.same_edge],
        )
        if all(
            len(cells) >= limits.min_rows
            and sum(bool(lines.with_middle_in(cell)) for cell in cells) >= limits.labelled * len(cells)
            for cells in heads
        ):
            return True
    return False


def _is_seen(box: BoundingBox, detections: Sequence[Detection], limits: DrawnFigures) -> bool:
    """Whether the network saw a figure where a drawing is, or took it for a table: others are ornaments of the page."""
    shares = (d.box.intersection(box) for d in detections if d.kind in ("figure", "table"))
    return sum(shares) >= limits.detected * box.area


def _is_text_alone(figure: Detection, page: PageDraft, lines: NearLines, limits: DrawnFigures) -> bool:
    """Whether letters are all the ink that a detected figure has."""
    if not page.layer.sound or any(image.intersection(figure.box) > 0 for image in page.inspection.images):
        return False
    if not lines.with_middle_in(figure.box):
        return False
    return page.layer.share_covered(figure.box) >= limits.covered


def _merged(detected: Sequence[Detection], drawn: Sequence[BoundingBox], limits: DrawnFigures) -> Iterator[Detection]:
    """A figure for each drawing and each detected figure; those that share most of one another are one."""
    figures = [*detected, *(Detection(kind="figure", box=box, score=limits.score) for box in drawn)]
    while figures:
        figure = figures.pop(0)
        others: list[Detection] = []
        for other in figures:
            smaller = min(figure.box.area, other.box.area)
            if figure.box.intersection(other.box) > limits.same * smaller:
                box = figure.box.union(other.box)
                figure = figure.model_copy(update={"box": box, "score": max(figure.score, other.score)})
            else:
                others.append(other)
        if len(others) == len(figures):
            yield figure
        else:
            others.insert(0, figure)  # it is larger now
        figures = others


class _Text:
    """Which lines of a page stand in running text or in tables, by what was seen of it."""

    def __init__(
        self,
        detections: Sequence[Detection],
        lines: Sequence[TextLine],
        near: NearLines,
        figures: Sequence[Detection],
        limits: DrawnFigures,
    ) -> None:
        self._limits = limits
        self._figures = figures
        self._lines_by_detection = {id(d): near.with_middle_in(d.box) for d in detections}
        bound = {id(line) for d in detections if d.kind == "table" or self.is_text(d) for line in self.lines_of(d)}
        self.free = {id(line) for line in lines if id(line) not in bound and caption_kind(line.text) is None}

    def lines_of(self, d: Detection) -> list[TextLine]:
        return self._lines_by_detection[id(d)]

    def is_text(self, d: Detection) -> bool:
        """Whether a detection holds sentences, is a caption by its words, or a heading more surely than a figure."""
        if d.kind == "title" and d.score >= self._limits.sure:
            return all(d.score > f.score or d.box.share_inside(f.box) < self._limits.inside for f in self._figures)
        lines = self.lines_of(d)
        if lines and caption_kind(lines[0].text) is not None:
            return True
        counts = [num_words(line.text) for line in lines]
        return sum(count for count in counts if count >= self._limits.sentence) >= self._limits.num_words


def _is_part(
    d: Detection, figures: Sequence[Detection], drawn: Sequence[Detection], text: _Text, limits: DrawnFigures
) -> bool:
    """Whether a detection is a part of figures: a table only where these are drawn, text only where it is no surer."""
    if d.kind == "table":
        boxes = [figure.box for figure in drawn]
    elif text.is_text(d):
        return False
    else:
        boxes = [figure.box for figure in figures if figure.score > d.score or figure in drawn]
    lines = text.lines_of(d)
    if lines and all(any(line.box.share_inside(box) >= limits.inside for box in boxes) for line in lines):
        return True
    return sum(d.box.share_inside(box) for box in boxes) >= limits.inside
