"""Tables that authors tagged, as samples to learn cells from.

    python -m training.structure.cells.tagged_tables runs/tables/tagged FOLDER... [--but FOLDER...]

Of the documents in the folders, those of the half that is tuned on; `--but`: none whose name a PDF in these folders
has (of sets that judge). A table is left out whose cells do not stand in rows and columns.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pymupdf

from documents.errors import IngestError
from documents.inspection import Inspection
from documents.page_tree import PageTree
from documents.pdf.pdf_file import PdfFile
from documents.pdf.structure_tree import TaggedPdf
from documents.regions.tagged.table import cut_by_tags
from documents.render_limits import RenderLimits
from documents.rotated_boxes import usual_angle
from documents.tables.cells import Cut, PlacedWord, placed_words
from documents.tags.tagged_blocks import AuthorTree
from documents.text.text_direction import runs_backwards
from documents.values import Source
from training.structure.cells.page_samples import TrueCell, sample_of
from training.structure.cells.samples import TableSample, save
from training.structure.tagged.pages import chosen_files

MAX_PAGES_LOOKED_AT, MAX_PAGES = 60, 10  # of a document; the second: with tables
MIN_CELLS = 4
PER_FILE = 300
PAGE_OF = re.compile(r"-p\d+$")
NUMBERS = re.compile(r"\bv?\d+|[\W_]+")
MAX_NAME = 24


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--but", nargs="*", type=Path, default=[])
    parser.add_argument("--processes", type=int, default=1)
    args = parser.parse_args(arguments)
    args.out.mkdir(parents=True, exist_ok=True)
    judged = {_plain(path.stem) for folder in args.but for path in folder.rglob("*.pdf")}
    files = [path for path in chosen_files(args.folders, {".pdf"}) if _plain(path.stem) not in judged]
    print(f"{len(files)} documents", flush=True)
    samples: list[TableSample] = []
    num_written = 0
    with ProcessPoolExecutor(args.processes) as pool:
        for own in pool.map(samples_of, files, chunksize=1):
            samples += own
            while len(samples) >= PER_FILE:
                num_written += save(samples[:PER_FILE], args.out / f"tagged-{num_written:06}.tables")
                samples = samples[PER_FILE:]
                print(num_written, flush=True)
    num_written += save(samples, args.out / f"tagged-{num_written:06}.tables")
    print(f"{num_written} tables of {len(files)} documents")
    return 0


def _plain(stem: str) -> str:
    """What names of copies and versions of one document have in common."""
    return NUMBERS.sub("", PAGE_OF.sub("", stem).lower())[:MAX_NAME]


def samples_of(path: Path) -> list[TableSample]:
    try:
        return list(_samples(path))
    except (IngestError, RuntimeError, ValueError):
        return []


def _samples(path: Path) -> Iterator[TableSample]:
    with pymupdf.open(path) as document:
        if not document.is_pdf or document.xref_get_key(document.pdf_catalog(), "StructTreeRoot")[0] == "null":
            return
        numbers = range(1, min(len(document), MAX_PAGES_LOOKED_AT) + 1)
    pdf = PdfFile(Source(path=str(path), media_type="application/pdf"), RenderLimits())
    pdf.opened()
    tagged = TaggedPdf(memoryview(path.read_bytes()), None)
    num_pages = 0
    for number in numbers:
        tree = tagged.page_tree(number, pymupdf.Matrix())
        if tree is None or sum(node.role in ("TD", "TH") for node in tree.nodes) < MIN_CELLS:
            continue
        try:
            inspection = pdf.inspect(number)
        except IngestError:
            continue
        own = list(samples_of_page(inspection))
        num_pages += bool(own)
        yield from own
        if num_pages == MAX_PAGES:
            break
    tagged.close()
    pdf.close()


def samples_of_page(inspection: Inspection) -> Iterator[TableSample]:
    """The tables of a page that its tree tells and that stand in rows and columns."""
    if inspection.tree is None:
        return
    tree = AuthorTree(inspection.tree, inspection.box)
    lines = [line for line in inspection.lines if line.hidden is None]
    angle = usual_angle(lines)
    words = placed_words(lines, angle)
    nodes = [tree.node_of(one.word.box) for one in words]
    tables = _tables(inspection.tree)
    by_node: dict[int, list[PlacedWord]] = {}
    for one, node in zip(words, nodes, strict=True):
        if node is not None:
            by_node.setdefault(node, []).append(one)
    number = {id(one): k for k, one in enumerate(words)}
    cuts = {table: cut_by_tags(inspection.tree, table, by_node) for table in tables}
    taken = frozenset(number[id(one)] for cut in cuts.values() if cut for slot in cut.slots for one in slot.words)
    for cut in cuts.values():
        if cut is not None:
            sample = sample_of(inspection, words, angle, _cells(cut, number), taken)
            if sample is not None:
                yield sample


def _tables(tree: PageTree) -> list[int]:
    """The nodes that are tables and neither hold one nor stand in one."""
    outer: dict[int, int] = {}  # the table that a node stands in
    holds: set[int] = set()
    tables: list[int] = []
    for k, node in enumerate(tree.nodes):
        above = outer.get(node.parent, -1) if 0 <= node.parent < k else -1
        outer[k] = above
        if node.role == "Table":
            tables.append(k)
            outer[k] = k
            if above >= 0:
                holds |= {above, k}
    return [k for k in tables if k not in holds]


def _cells(cut: Cut, number: Mapping[int, int]) -> dict[int, TrueCell]:
    headers = cut.num_header_rows
    text = "".join(one.word.text for slot in cut.slots for one in slot.words)
    turned = runs_backwards(text)
    cells: dict[int, TrueCell] = {}
    for slot in cut.slots:
        column = cut.num_columns - slot.column - slot.num_columns if turned else slot.column
        is_header = None if headers is None else slot.row < headers
        place = TrueCell(slot.row, column, slot.num_rows, slot.num_columns, is_header)
        cells |= {number[id(one)]: place for one in slot.words}
    return cells


if __name__ == "__main__":
    sys.exit(main())
