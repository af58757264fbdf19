"""Do the words of charts, diagrams and drawings stay with their figures? Ours beside pymupdf4llm, on the same pages.

`python -m benchmarks.figures SOURCES [--peer PYTHON] [--part tuned|judged] [--json FILE]`
SOURCES holds clones by their names, as for `benchmarks.table_sets`. A person looked at each page and boxed its figures
(`truths/figures.py`); some pages have none. Every word of the file's text layer lies in a figure, outside of all, or
where nobody counts it. Per page: `as_text`, the share of the figures' words that are delivered as anything but a
figure's own; `swallowed`, the share of the other words that are delivered as a figure's, and `lost`, as nothing;
`false_tables`, how many tables are delivered that lie for the most part where there is none. Less is better in all.
Every second document is judged: rules are tuned on the others. The peer gives boxes of what it delivered, its layout
network included; `bash benchmarks/peers/table_peers.sh` makes its Python. Text layers alone are read, without OCR.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import pymupdf

from benchmarks.harness import report
from benchmarks.harness.options import parser_of
from benchmarks.harness.page_networks import PageNetworks
from benchmarks.harness.rule_replay import facts_of
from benchmarks.harness.server import ROOT
from benchmarks.truths.figures import PAGES, Box, FigurePage
from configs.settings import Settings
from documents.region_values import table_in
from documents.sandbox.renderer_pool import RendererPool
from documents.values import Page

PARTS = ("tuned", "judged")  # that the documents go to in turn
OURS, PEER = "ours", "pymupdf4llm"
SCORES = ("as_text", "swallowed", "lost", "false_tables")
SERIES = re.compile(r"^\D{12,}")  # names that begin alike up to their first number are of one document
MOST = 0.5  # of a table's area


@dataclass(frozen=True, slots=True)
class Delivered:
    """A region as it was delivered: its kind, the box of all and those of its words or lines."""

    kind: str
    box: Box
    parts: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a side made of a page."""

    regions: tuple[Delivered, ...]
    seconds: float


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("sources", type=Path)
    parser.add_argument("--peer", help="a Python that has pymupdf4llm; without it, ours alone")
    parser.add_argument("--part", choices=PARTS, help="only this part of the pages")
    args = parser.parse_args()
    parts = part_by_path(PAGES)
    pages = [page for page in PAGES if (args.sources / page.path).exists() and args.part in (None, parts[page.path])]
    answers = {OURS: asyncio.run(ours(args.sources, pages))}
    if args.peer:
        answers[PEER] = peer(args.peer, args.sources, pages)
    rows = [
        {"file": page.path, "page": page.page, "part": parts[page.path]}
        | {f"{side}_{name}": value for side in answers for name, value in scores(page, words, answers[side][k]).items()}
        for k, (page, words) in enumerate((page, words_of(args.sources / page.path, page.page)) for page in pages)
    ]
    figures = means(rows)
    columns = ("file", "page", "part", *(f"{side}_{name}" for side in answers for name in SCORES))
    print(report.table([{name: row.get(name) for name in columns} for row in rows]))
    print(report.table([{"figure": name, "value": value} for name, value in figures.items()]))
    if args.out:
        report.record(args.out, "figures", figures, rows, {"commit": report.commit(), "cpu": report.cpu_model()})
    return 0


def part_by_path(pages: Sequence[FigurePage]) -> dict[str, str]:
    """The part of each file; documents whose truth names none go to the parts in turn, in the order of their hash."""
    names = {_document(page.path) for page in pages if page.part is None}
    order = sorted(names, key=lambda name: hashlib.sha256(name.encode()).hexdigest())
    return {page.path: page.part or PARTS[order.index(_document(page.path)) % 2] for page in pages}


def words_of(path: Path, number: int) -> list[Box]:
    """The places of the words that a page shows of its text layer, by another reader than ours."""
    with pymupdf.open(path) as document:
        page = document[number - 1]
        boxes = [pymupdf.Rect(word[:4]) * page.rotation_matrix for word in page.get_text("words")]
        return [(box.x0, box.y0, box.x1, box.y1) for box in boxes if box in page.rect]


async def ours(sources: Path, pages: Sequence[FigurePage]) -> list[Answer]:
    """By the library's way: inspection, layout network, rules of page structure."""
    networks = PageNetworks.of(Settings())
    pool = RendererPool(1)
    answers: list[Answer] = []
    try:
        for page in pages:
            begun = time.perf_counter()
            _, facts = await facts_of(sources / page.path, [page.page], pool, networks)
            regions = delivered(facts[0].page()) if facts else ()
            answers.append(Answer(regions, time.perf_counter() - begun))
    finally:
        await pool.close()
    return answers


def delivered(page: Page) -> tuple[Delivered, ...]:
    """Our regions, each with the boxes of its lines; what was taken for a table and has no cells is text."""
    return tuple(
        Delivered(
            "plain text" if region.kind == "table" and table_in(region) is None else region.kind,
            _edges(region.box),
            tuple(_edges(span.box) for span in region.spans),
        )
        for region in page.regions
    )


def peer(python: str, sources: Path, pages: Sequence[FigurePage]) -> list[Answer]:
    """The boxes that the peer's layout network and rules made, by a process of its own."""
    tasks = "".join(json.dumps({"path": str((sources / p.path).resolve()), "page": p.page}) + "\n" for p in pages)
    command = [python, str(ROOT / "benchmarks" / "peers" / "figure_boxes.py")]
    run = subprocess.run(command, input=tasks, capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]  # it may print, too
    return [
        Answer(tuple(Delivered(kind, tuple(box), (tuple(box),)) for kind, box in line["boxes"]), line["seconds"])
        for line in lines
    ]


def scores(page: FigurePage, words: Sequence[Box], answer: Answer) -> dict[str, float]:
    """The shares of one page; a page without words of a kind has no share of them."""
    kinds_in: list[str | None] = []
    kinds_out: list[str | None] = []
    for word in words:
        if _holds(page.figures, word):
            kinds_in.append(_kind_of(word, answer.regions))
        elif not _holds(page.either, word):
            kinds_out.append(_kind_of(word, answer.regions))
    result = {"s": round(answer.seconds, 3)}
    if kinds_in:
        result["as_text"] = _share(kinds_in, lambda kind: kind not in (None, "figure"))
    if kinds_out:
        result["swallowed"] = _share(kinds_out, lambda kind: kind == "figure")
        result["lost"] = _share(kinds_out, lambda kind: kind is None)
    tables = [region.box for region in answer.regions if region.kind == "table"]
    return result | {"false_tables": sum(not _lies_in(table, page.tables) for table in tables)}


def means(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Means per page by side, score and part."""
    groups: dict[str, list[float]] = {}
    for row in rows:
        for name, value in _figures_of(row).items():
            groups.setdefault(f"{name}_{row['part']}", []).append(value)
    return {name: round(fmean(values), 4) for name, values in sorted(groups.items())}


def _figures_of(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in ("file", "page", "part")}


def _kind_of(word: Box, regions: Sequence[Delivered]) -> str | None:
    """The kind of what a word was delivered with: that of the smallest line or region around it."""
    around = [(part, region.kind) for region in regions for part in region.parts if _holds([part], word)]
    around = around or [(region.box, region.kind) for region in regions if _holds([region.box], word)]
    return min(around, key=lambda one: _area(one[0]))[1] if around else None


def _share(kinds: Sequence[str | None], wrong: Any) -> float:
    return round(sum(map(wrong, kinds)) / len(kinds), 4)


def _holds(boxes: Sequence[Box], word: Box) -> bool:
    x, y = (word[0] + word[2]) / 2, (word[1] + word[3]) / 2
    return any(box[0] <= x <= box[2] and box[1] <= y <= box[3] for box in boxes)


def _lies_in(table: Box, areas: Sequence[Box]) -> bool:
    return any(_area(_both(table, area)) > MOST * _area(table) for area in areas)


def _both(a: Box, b: Box) -> Box:
    return max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])


def _area(box: Box) -> float:
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def _edges(box: Any) -> Box:
    return box.x0, box.y0, box.x1, box.y1


def _document(path: str) -> str:
    folder, _, name = path.rpartition("/")
    series = SERIES.match(name)
    return f"{folder}/{series[0] if series else name}"


if __name__ == "__main__":
    sys.exit(main())
