"""Pages of tagged PDFs as training pages: what the author calls a heading, a list, a table or a figure, with its box.

`python -m benchmarks.tagged_pages FOLDER... --out PAGES [--half tuned]` keeps the pages whose trees agree with what is
drawn: PAGES/NAME.jpg and, beside it, rows of class, x0, y0, x1, y1 in its pixels.
"""

from __future__ import annotations

import argparse
import math
import re
import xml.etree.ElementTree as Xml
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, get_args

import cv2
import numpy as np
import pymupdf

from benchmarks.truths.headings import HALVES, tagged_documents
from benchmarks.truths.tagged_pdf import CAPTION, DRAW, FLAGS, HEADING, page_truth, split_by_marks
from documents.region_values import RegionKind

LONG_SIDE = 1120  # pixels
MAX_PAGES = 30  # of a document
PAINT = frozenset((*DRAW, b"S", b"s", b"f", b"F", b"f*", b"B", b"B*", b"b", b"b*", b"sh", b"EI"))
ALL = FLAGS | pymupdf.TEXT_PRESERVE_IMAGES | pymupdf.TEXT_COLLECT_VECTORS
TOUCHING = 5.4  # points: items of lists that are nearer are one region
MARGIN = 0.12  # of a page's height, above and below: what no tree names there is header or footer
MIN_PICTURE, MAX_PICTURE = 0.004, 0.6  # of a page's area: a smaller one is an ornament, a larger one a background
MAX_LOOSE_VECTORS = 60  # that stand in no tree: more may be a chart that nobody tagged
NEAR = 12.0  # points above and below the words of a table or a figure, in which its rules lie
MAX_OVERLAP = 0.25  # of the smaller of two regions
NAMED = re.compile(r"(?:Figure|Fig\.|Table|Exhibit|Chart)\s+[A-Z]?[-.\d]*\d\s*[:.–—]", re.I)  # a caption in a paragraph
Rect = tuple[float, float, float, float]  # x0, y0, x1, y1
Labelled = tuple[RegionKind, Rect]
KINDS: tuple[RegionKind, ...] = get_args(RegionKind)


class LabelledPage(NamedTuple):
    """A page's picture and its regions, in pixels."""

    jpeg: bytes
    regions: tuple[Labelled, ...]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--half", choices=HALVES, help="this one alone")
    parser.add_argument("--corpus", type=Path, required=True, help="the evaluation corpus, whose files are left out")
    args = parser.parse_args()
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    args.out.mkdir(parents=True, exist_ok=True)
    count = 0
    for document in tagged_documents(args.folders, args.corpus):
        if args.half not in (None, document.half):
            continue
        for page in labelled_pages(document.path):
            write_page(args.out / f"{count:05d}", page)
            count += 1
    print(f"{count} pages")


def write_page(stem: Path, page: LabelledPage) -> None:
    stem.with_suffix(".jpg").write_bytes(page.jpeg)
    rows = [f"{KINDS.index(kind)} {' '.join(f'{edge:.1f}' for edge in box)}\n" for kind, box in page.regions]
    stem.with_suffix(".txt").write_text("".join(rows), encoding="ascii")


def labelled_pages(path: Path) -> Iterator[LabelledPage]:
    """Pages from all over a document, whose trees hold nearly all of their words in a plausible order."""
    with pymupdf.open(path) as document:
        step = max(1.0, document.page_count / MAX_PAGES)
        numbers = [int(k * step) for k in range(min(MAX_PAGES, document.page_count))]
    for number in numbers:
        with pymupdf.open(path) as document:
            truth = page_truth(document[number], number + 1)
        if truth is None or not {"order", "heads"} <= truth.scores:
            continue
        with pymupdf.open(path) as document:
            try:
                page = labelled_page(document[number])
            except (RuntimeError, ValueError, IndexError, Xml.ParseError):  # what MuPDF and the parser raise
                continue
        if page is not None:
            yield page


def labelled_page(page: pymupdf.Page) -> LabelledPage | None:
    """One page with a box for each region of its tree; None where the tree does not say all of what is seen.

    The page's content is written again on the way.
    """
    pixmap = page.get_pixmap(dpi=round(72 * LONG_SIDE / max(page.rect.width, page.rect.height)))
    image = np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.h, pixmap.w, pixmap.n)[..., :3]
    scale = pixmap.w / page.rect.width
    outside, inside = split_by_marks(page, ALL, PAINT)
    joined = _joined([region for tree in inside if tree.tag == "struct" for region in _regions(tree)])
    regions: list[Labelled] = [(kind, _with_rules(box, outside) if kind == "table" else box) for kind, box in joined]
    loose = _loose_regions(outside, page.rect, regions)
    if loose is None or not regions or _overlap_much([box for _, box in regions]):
        return None
    inked: list[Labelled] = []
    for kind, region in (*regions, *loose):
        box = _tight(tuple(edge * scale for edge in region), image, kind)
        if box is not None:
            inked.append((kind, box))
    if not inked:
        return None
    _, jpeg = cv2.imencode(".jpg", image[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 90])
    return LabelledPage(jpeg.tobytes(), tuple(inked))


def _regions(tree: Xml.Element, *, item: bool = False) -> Iterator[tuple[RegionKind, Rect, bool]]:
    """Class, box and whether it is an item of a list, of each block of a tree."""
    kind = tree.get("std", "")
    box = _box(tree, pictures=kind in ("Figure", "Formula", "Table"))
    if box is None:
        return
    text = " ".join(line.get("text", "") for line in tree.iter("line")).strip()
    parts = [part for part in tree if part.tag == "struct"]
    if kind == "Table" and _num_columns(tree) > 1:
        yield "table", box, False
    elif kind == "Figure":
        yield "figure", box, False
    elif kind in ("Formula", "Form", "Link", "Annot"):
        return
    elif HEADING.fullmatch(kind):
        yield _caption(text) if CAPTION.match(text) else "title", box, False
    elif kind == "Caption" or (kind == "P" and NAMED.match(text) and len(text.split()) < 30):
        yield _caption(text), box, False
    elif kind in ("Note", "FENote"):
        yield "abandon", box, False
    elif kind in ("LI", "TOCI") and not any(part.get("std") in ("L", "TOC", "Table") for part in tree.iter("struct")):
        yield "plain text", box, True
    elif parts and any(part.get("std") not in ("Span", "Link", "Reference", "Lbl", "Annot") for part in parts):
        own = _around([_edges(line) for block in tree.findall("block") for line in block.iter("line")])
        if own is not None:
            yield "plain text", own, item
        for part in parts:
            yield from _regions(part, item=item or kind in ("LI", "TOCI"))
    elif text:
        yield "plain text", box, item


def _caption(text: str) -> RegionKind:
    return "table_caption" if text.lower().startswith("table") else "figure_caption"


def _num_columns(table: Xml.Element) -> int:
    """The most cells in a row: a table of one cell is a frame around text."""
    rows = (row for row in table.iter("struct") if row.get("std") == "TR")
    return max((sum(cell.get("std") in ("TH", "TD") for cell in row) for row in rows), default=0)


def _joined(regions: Sequence[tuple[RegionKind, Rect, bool]]) -> list[Labelled]:
    """Items of a list that nearly touch are one region, as the drawn pages have them."""
    joined: list[tuple[RegionKind, Rect, bool]] = []
    for cls, box, item in regions:
        if item and joined and joined[-1][2]:
            above = joined[-1][1]
            gap = box[1] - above[3]
            if -2 < gap < TOUCHING and min(above[2], box[2]) > max(above[0], box[0]):
                union = min(above[0], box[0]), above[1], max(above[2], box[2]), box[3]
                joined[-1] = (cls, union, True)
                continue
        joined.append((cls, box, item))
    return [(cls, box) for cls, box, _ in joined]


def _with_rules(table: Rect, outside: Xml.Element) -> Rect:
    """A table's box around rules and shades, too, that no tree names: cells may be far wider than what they say."""
    reach = -math.inf, table[1] - NEAR, math.inf, table[3] + NEAR
    rules = [box for box in map(_edges, outside.iter("vector")) if _holds(reach, box) and _meet(box, table)]
    return _around([table, *rules]) or table


def _loose_regions(outside: Xml.Element, page: pymupdf.Rect, regions: Sequence[Labelled]) -> list[Labelled] | None:
    """Headers, footers and pictures that no tree names; None where there is more."""
    loose: list[Labelled] = []
    for line in outside.iter("line"):
        box = _edges(line)
        if not line.get("text", "").strip():
            continue
        if MARGIN * page.height < (box[1] + box[3]) / 2 < (1 - MARGIN) * page.height:
            return None
        loose.append(("abandon", box))
    for picture in outside.iter("image"):
        box = _edges(picture)
        area = (box[2] - box[0]) * (box[3] - box[1]) / (page.width * page.height)
        if MIN_PICTURE < area < MAX_PICTURE and not any(_meet(box, other) for _, other in regions):
            loose.append(("figure", box))
    return loose if sum(1 for _ in outside.iter("vector")) <= MAX_LOOSE_VECTORS else None


def _tight(box: tuple[float, ...], image: np.ndarray, kind: RegionKind) -> Rect | None:
    """The box around what differs from the paper within it, in pixels; None if nothing does."""
    h, w = image.shape[:2]
    x0, y0, x1, y1 = box
    left, top, right, bottom = max(0, int(x0)), max(0, int(y0)), min(w, int(x1) + 1), min(h, int(y1) + 1)
    part = image[top:bottom, left:right]
    if part.size == 0:
        return None
    paper = np.median(part.reshape(-1, 3), axis=0) if kind != "figure" else np.array((255, 255, 255))
    inked = abs(part.astype(int) - paper).max(2) > 40
    ys, xs = np.flatnonzero(inked.any(1)), np.flatnonzero(inked.any(0))
    if len(ys) < 3 or len(xs) < 3:
        return None
    return float(left + xs[0]), float(top + ys[0]), float(left + xs[-1] + 1), float(top + ys[-1] + 1)


def _box(tree: Xml.Element, *, pictures: bool) -> Rect | None:
    """Around its lines; if wanted, around its pictures and drawings, too, near its lines where it has some."""
    lines = [_edges(line) for line in tree.iter("line") if line.get("text", "").strip()]
    drawn = [_edges(part) for tag in ("image", "vector") for part in tree.iter(tag)] if pictures else []
    if not lines:
        return _around(drawn)
    _, y0, _, y1 = _around(lines) or lines[0]
    near = -math.inf, y0 - NEAR, math.inf, y1 + NEAR  # cells may be far wider than what they say
    return _around([*lines, *(box for box in drawn if _holds(near, box))])


def _around(boxes: Sequence[Rect]) -> Rect | None:
    if not boxes:
        return None
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def _holds(outer: Rect, inner: Rect) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and inner[2] <= outer[2] and inner[3] <= outer[3]


def _overlap_much(boxes: Sequence[Rect]) -> bool:
    """Whether two regions lie on one another: a paragraph that goes on in the next column has a box around both."""
    for k, a in enumerate(boxes):
        for b in boxes[:k]:
            wide, high = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
            smaller = min((box[2] - box[0]) * (box[3] - box[1]) for box in (a, b))
            if wide > 0 and high > 0 and wide * high > MAX_OVERLAP * smaller:
                return True
    return False


def _edges(part: Xml.Element) -> Rect:
    x0, y0, x1, y1 = (float(edge) for edge in part.get("bbox", "0 0 0 0").split())
    return x0, y0, x1, y1


def _meet(a: Rect, b: Rect) -> bool:
    return min(a[2], b[2]) > max(a[0], b[0]) and min(a[3], b[3]) > max(a[1], b[1])


if __name__ == "__main__":
    main()
