"""Drawn tables as samples to learn cells from.

    python -m training.structure.cells.drawn_tables runs/tables/cells --tables 6000 --seed 1
    python -m training.structure.cells.drawn_tables runs/tables/cells --tables 1500 --seed 1 --typesetter typst

One process draws; more with other seeds fill the same folder. The cell of a word is read back from its colour.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import get_args

import pymupdf

from documents.errors import IngestError
from documents.inspection import Inspection
from documents.pdf.pdf_file import PdfFile
from documents.region_values import Span
from documents.render_limits import RenderLimits
from documents.rotated_boxes import usual_angle
from documents.tables.cells import placed_words
from documents.values import Source
from training.structure.cells.page_samples import TrueCell, sample_of
from training.structure.cells.samples import TableSample, save
from training.structure.drawings.drawn_document import DrawnBlock
from training.structure.drawings.truth import colours_of
from training.structure.drawings.typesetters import Typesetter, drawn_documents

LIMITS = RenderLimits(structure_trees=False)
KINDS: Mapping[Typesetter, str] = {"web": "tables", "typst": "table pages"}
SEEDS = 10_000_000  # of one run
TABLES_PER_FILE = 300


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--tables", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--typesetter", choices=get_args(Typesetter), default="web")
    args = parser.parse_args(arguments)
    args.out.mkdir(parents=True, exist_ok=True)
    drawings = drawn_documents(args.seed * SEEDS, args.typesetter, KINDS[args.typesetter])
    tables = (sample for drawing in drawings for sample in samples_of_drawing(drawing.content, drawing.blocks))
    num_written = 0
    while num_written < args.tables:
        file = args.out / f"{args.typesetter}-{args.seed}-{num_written:06}.tables"
        num_written += save(islice(tables, min(TABLES_PER_FILE, args.tables - num_written)), file)
        print(f"{num_written} tables", flush=True)
    return 0


def samples_of_drawing(content: bytes, blocks: Mapping[int, DrawnBlock]) -> Iterator[TableSample]:
    if not any(block.cell for block in blocks.values()):
        return
    with tempfile.NamedTemporaryFile(suffix=".pdf") as file:
        file.write(content)
        file.flush()
        inspected = PdfFile(Source(path=file.name, media_type="application/pdf"), LIMITS)
        with pymupdf.open(file.name) as pdf:
            for number in range(pdf.page_count):
                try:
                    yield from samples_of_page(inspected.inspect(number + 1), pdf[number], blocks)
                except IngestError:
                    continue
        inspected.close()


def samples_of_page(
    inspection: Inspection, page: pymupdf.Page, blocks: Mapping[int, DrawnBlock]
) -> Iterator[TableSample]:
    """The tables of one page; words that are of no known block are of no table."""
    lines = [line for line in inspection.lines if line.hidden is None]
    angle = usual_angle(lines)
    words = placed_words(lines, angle)
    spans = [Span(text=one.word.text, box=one.word.box, source="text_layer") for one in words]
    tables: dict[int, dict[int, TrueCell]] = {}
    for index, colour in enumerate(colours_of(page, spans, blocks)):
        cell = None if colour is None else blocks[colour].cell
        if cell is not None:
            true = TrueCell(cell.row, cell.column, cell.num_rows, cell.num_columns, cell.is_header)
            tables.setdefault(cell.table, {})[index] = true
    taken = frozenset(index for own in tables.values() for index in own)
    for own in tables.values():
        sample = sample_of(inspection, words, angle, own, taken)
        if sample is not None:
            yield sample


if __name__ == "__main__":
    sys.exit(main())
