"""Finds ruled lines and grids that a PDF page draws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any

import pymupdf
from pymupdf import table as finder

from documents.boxes import BoundingBox
from documents.inspection import Grid, Ruling, TextLine
from documents.pdf.graphics.seen_shades import with_seen_edges

MAX_CELL_MARGIN = 12.0  # maximum margin of a cell at the left and right of shades in it, in points
MAX_FILLED_BOXES = 1000  # filled boxes of a page whose shades are compared
MAX_SPANS = 200  # maximum number of spans of a grid's cells from left to right
MIN_CELL_AREA = 0.97  # minimum share of a grid's area that its cells cover; with less, cells are missing
MAX_RULE_THICKNESS = 3.0  # a filled box of at most this thickness is a rule, in points
MIN_RULE_LENGTH = 6.0  # points
MAX_BAR_HEIGHT = 1.5  # maximum height of a fraction bar, in points
MIN_BAR_WIDTH = 2.0  # minimum width of a fraction bar, in points
MAX_PATHS = 3000  # beyond, a page is a drawing rather than a form
MAX_RULES = 2000
MAX_CELLS = 5000  # maximum number of cells per page

_Edges = tuple[float, float, float, float]


def drawn_paths(page: pymupdf.Page) -> list[dict[str, Any]]:
    """The paths that a page draws."""
    return page.get_cdrawings() or []


def paths_of_a_form(paths: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The paths, of which some may be rules and bullets; none of a page that is a drawing."""
    return paths if len(paths) <= MAX_PATHS else []


def rules(page: pymupdf.Page, paths: Sequence[dict[str, Any]]) -> tuple[Ruling, ...]:
    """Level and upright lines of the upright page, edges of drawn boxes too."""
    by_edges: dict[tuple[float, ...], Ruling] = {}
    upright, sheet = page.rotation_matrix, pymupdf.Rect(-1, -1, page.rect.width + 1, page.rect.height + 1)
    for path in paths:
        for rect in _edges(path):
            turned = pymupdf.Rect(rect) * upright & sheet
            if (
                max(turned.width, turned.height) < MIN_RULE_LENGTH
                or min(turned.width, turned.height) > MAX_RULE_THICKNESS
            ):
                continue
            box = BoundingBox(x0=turned.x0, y0=turned.y0, x1=turned.x1, y1=turned.y1)
            by_edges[tuple(round(edge) for edge in turned)] = Ruling(box=box)
            if len(by_edges) > MAX_RULES:
                return ()
    return tuple(by_edges.values())


def level_bars(page: pymupdf.Page, paths: Sequence[dict[str, Any]]) -> tuple[BoundingBox, ...]:
    """Level strokes, the short ones of fractions too, drawn as paths or as pictures of one colour; the page is upright.

    The first `MAX_RULES` of them.
    """
    pictures = (image["bbox"] for image in page.get_image_info())
    edges = chain((rect for path in paths for rect in _edges(path)), pictures)
    bars = (_box(rect) for rect in edges if rect[3] - rect[1] <= MAX_BAR_HEIGHT and rect[2] - rect[0] >= MIN_BAR_WIDTH)
    return tuple(islice(bars, MAX_RULES))


def grids(
    page: pymupdf.Page, rulings: Sequence[Ruling], lines: Sequence[TextLine], paths: Sequence[dict[str, Any]]
) -> tuple[Grid, ...]:
    """Tables whose cells are ruled on all sides and hold words of `lines`; looked for only where rules cross."""
    level = sum(rule.level for rule in rulings)
    if level < 2 or len(rulings) - level < 2:
        return ()
    words = [word.box for line in lines for word in line.words]
    try:
        tables = _tables(page, words, paths)
        lines_alone = [path for path in paths if not _is_shade(path)]
        num_boxes = sum(item[0] == "re" for path in paths if path.get("fill") for item in path["items"])
        if tables and len(lines_alone) < len(paths) and num_boxes <= MAX_FILLED_BOXES:
            tables = _with_drawn_rows(page, words, tables, paths, lines_alone)
    except Exception:  # whatever the finder raises on odd drawings is no reason to lose the page
        return ()
    return tuple(_grid(cells, page) for cells in tables if 2 <= len(cells) <= MAX_CELLS)


def _with_drawn_rows(
    page: pymupdf.Page,
    words: Sequence[BoundingBox],
    tables: Sequence[list[_Edges]],
    paths: Sequence[dict[str, Any]],
    lines_alone: Sequence[dict[str, Any]],
) -> list[list[_Edges]]:
    """The tables, without the level edges between equal shades where lines draw the same frame and columns."""
    first = 1 if page.rotation % 180 else 0
    drawn = _tables(page, words, lines_alone)
    shaded = [any(_is_coarser(one, cells, first) for one in drawn) for cells in tables]
    if not any(shaded):
        return list(tables)
    shades = [path for path in paths if _is_shade(path)]
    with_seen = _tables(page, words, [*lines_alone, *with_seen_edges(page, shades, paths)])
    return [
        next((one for one in with_seen if is_shaded and _is_coarser(one, cells, first)), cells)
        for cells, is_shaded in zip(tables, shaded, strict=True)
    ]


def _is_shade(path: dict[str, Any]) -> bool:
    """Whether a path fills boxes that are no rules, and draws no line around them."""
    sizes = [(x1 - x0, y1 - y0) for item in path["items"] if item[0] == "re" for x0, y0, x1, y1 in [item[1]]]
    fills = path["type"] == "f" and len(sizes) == len(path["items"])
    return fills and all(min(map(abs, size)) > MAX_RULE_THICKNESS for size in sizes)


def _is_coarser(one: Sequence[_Edges], other: Sequence[_Edges], first: int) -> bool:
    """Whether a grid has the frame of the other, but joins some of its cells with such above, below or in margins.

    A cell begins with its left edge where it is seen, which is its number `first` on the unturned page.
    """
    if len(one) >= len(other) or any(
        abs(a - b) > MAX_RULE_THICKNESS for a, b in zip(_frame(one), _frame(other), strict=True)
    ):
        return False
    if _area(one) < MIN_CELL_AREA * _area(other):
        return False
    spans, other_spans = (  # margins of shades are narrow cells in one grid or in both, and say nothing of its columns
        {(cell[first], cell[first + 2]) for cell in cells if cell[first + 2] - cell[first] > MAX_CELL_MARGIN}
        for cells in (one, other)
    )
    if len(spans) * len(other_spans) > MAX_SPANS**2:
        return False
    return all(
        any(abs(a - x0) <= MAX_CELL_MARGIN and abs(b - x1) <= MAX_CELL_MARGIN for a, b in whole)
        for whole, parts in ((spans, other_spans), (other_spans, spans))
        for x0, x1 in parts
    )


def _area(cells: Sequence[_Edges]) -> float:
    return sum((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in cells)


def _frame(cells: Sequence[_Edges]) -> _Edges:
    x0, y0, x1, y1 = zip(*cells, strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def _tables(page: pymupdf.Page, words: Sequence[BoundingBox], paths: Sequence[dict[str, Any]]) -> list[list[_Edges]]:
    """The cells of each table on the unturned page, as the parts of PyMuPDF's finder tell them.

    Its whole reads all signs of the page again, draws the page around each table and works out heads: most of its time.
    """
    boxes: Sequence[Any] = words
    if page.rotation:  # asked for once: MuPDF looks it up each time
        back = page.derotation_matrix
        boxes = [pymupdf.Rect(box.x0, box.y0, box.x1, box.y1) * back for box in words]
    finder.CHARS.clear()
    finder.CHARS.extend(
        {"x0": box.x0, "x1": box.x1, "y0": box.y0, "y1": box.y1, "top": box.y0, "bottom": box.y1, "text": "x"}
        for box in boxes
    )
    finder.EDGES.clear()
    settings: Any = finder.TableSettings.resolve({})
    finder.make_edges(page, tset=settings, paths=[_with_points(path) for path in paths])
    edges = finder.merge_edges(
        [*finder.filter_edges(finder.EDGES, "v"), *finder.filter_edges(finder.EDGES, "h")],
        snap_x_tolerance=settings.snap_x_tolerance,
        snap_y_tolerance=settings.snap_y_tolerance,
        join_x_tolerance=settings.join_x_tolerance,
        join_y_tolerance=settings.join_y_tolerance,
    )
    long = finder.filter_edges(edges, min_length=settings.edge_min_length)
    crossings = finder.edges_to_intersections(
        long, settings.intersection_x_tolerance, settings.intersection_y_tolerance
    )
    return finder.cells_to_tables(page, finder.intersections_to_cells(crossings))


def _with_points(path: dict[str, Any]) -> dict[str, Any]:
    """A path as the finder takes it."""
    items: list[tuple[Any, ...]] = []
    for kind, *values in path["items"]:
        if kind == "re":
            items.append((kind, pymupdf.Rect(values[0]).normalize(), *values[1:]))
        elif kind == "qu":
            items.append((kind, pymupdf.Quad(values[0])))
        else:
            items.append((kind, *map(pymupdf.Point, values)))
    unset = {"closePath": None, "width": None, "color": None, "fill": None}
    return {**unset, **path, "rect": pymupdf.Rect(path["rect"]), "items": items}


def _grid(cells: Sequence[_Edges], page: pymupdf.Page) -> Grid:
    boxes = [_box(pymupdf.Rect(cell) * page.rotation_matrix if page.rotation else cell) for cell in cells]
    return Grid(box=BoundingBox.around(boxes), cells=tuple(boxes))


def _edges(path: dict[str, Any]) -> Iterator[_Edges]:
    for item in path["items"]:
        if item[0] == "l":
            (x0, y0), (x1, y1) = item[1], item[2]
            yield min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)
        elif item[0] == "re":
            x0, y0, x1, y1 = item[1]
            if min(x1 - x0, y1 - y0) <= MAX_RULE_THICKNESS:
                yield x0, y0, x1, y1
            else:
                yield from ((x0, y0, x1, y0), (x0, y1, x1, y1), (x0, y0, x0, y1), (x1, y0, x1, y1))


def _box(rect: Any) -> BoundingBox:
    x0, y0, x1, y1 = rect
    return BoundingBox(x0=x0, y0=y0, x1=x1, y1=y1)
