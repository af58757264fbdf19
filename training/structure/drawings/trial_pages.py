"""Draws the pages on which rules of page structure are tried, each PDF with its truth beside it.

    python -m training.structure.drawings.trial_pages FOLDER [--rounds 2]

Each round draws one document or more (`MORE`) of each kind of both typesetters, of seeds that no training uses
(`FIRST_SEED`); its first pages are kept. The first round is printed, each third of Typst's documents with its structure
tree; in later ones each fourth document becomes a picture that OCR reads by lines, and another fourth pictures that a
model reads page by page. The benchmark of rules starts this as a process of its own: no benchmark imports training.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pymupdf

from benchmarks.truths.drawn_truth import (
    DrawnTruth,
    Form,
    TrueCaption,
    TrueCell,
    TrueLine,
    TruePage,
    TrueWord,
    truth_file,
)
from documents.inspection import Inspection
from documents.pdf.pdf_file import PdfFile
from documents.region_values import Span
from documents.render_limits import RenderLimits
from documents.segments.roles import ROLES
from documents.values import Source
from training.structure.drawings.drawn_document import DrawnBlock, DrawnDocument
from training.structure.drawings.texts import installed_texts
from training.structure.drawings.truth import colours_of, example_of
from training.structure.drawings.typesetters import Typesetter
from training.structure.drawings.typst.documents import KINDS as TYPST_KINDS
from training.structure.drawings.typst.documents import draw
from training.structure.drawings.web.documents import KINDS as WEB_KINDS
from training.structure.drawings.web.documents import draw_web
from training.structure.drawings.web.press import Press
from training.structure.network.examples import NO_RANK

FIRST_SEED = 987_000_000  # trainings draw from small numbers and multiples of 10,000,000 on
ROUND = 100_000  # seeds per round
MAX_PAGES = 4  # of a document: its first ones, for running heads come back on neighbours
MORE: Mapping[str, int] = {  # documents per round of kinds with many figures, captions, notes and tables
    "paper": 5, "marginal": 3, "table pages": 3, "book": 3, "bands": 2, "asides": 2,
    "tables": 7, "extract": 4, "magazine": 3, "statistics": 3, "web_page": 3, "encyclopedia": 3, "dashboard": 2,
    "poster": 2,
}  # fmt: skip
DPI = 150  # of a page as a picture
LIMITS = RenderLimits(structure_trees=False)
SCANS: Sequence[Form] = ("printed", "scanned", "printed", "read whole")


@dataclass(frozen=True, slots=True)
class Trial:
    """One document to draw."""

    typesetter: Typesetter
    kind: str
    seed: int
    form: Form


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--rounds", type=int, default=2)
    args = parser.parse_args(arguments)
    args.out.mkdir(parents=True, exist_ok=True)
    for number, (trial, document) in enumerate(drawn(trials(args.rounds))):
        write(trial, document, args.out / f"{number:04}.pdf")
    return 0


def trials(rounds: int) -> Iterator[Trial]:
    """What is drawn: the same list on every machine; texts and faces are those that are installed."""
    kinds_by_typesetter: dict[Typesetter, Sequence[str]] = {"typst": [*TYPST_KINDS], "web": [*WEB_KINDS]}
    kinds: list[tuple[Typesetter, str]] = [
        (typesetter, kind)
        for typesetter, names in kinds_by_typesetter.items()
        for kind in names
        for _ in range(MORE.get(kind, 1))
    ]
    for number in range(rounds):
        for index, (typesetter, kind) in enumerate(kinds):
            tagged: Form = "tagged" if typesetter == "typst" and index % 3 == 0 else "printed"
            form = tagged if number == 0 else SCANS[(index + number) % len(SCANS)]
            yield Trial(typesetter, kind, FIRST_SEED + number * ROUND + index, form)


def drawn(wanted_trials: Iterator[Trial]) -> Iterator[tuple[Trial, DrawnDocument]]:
    texts = installed_texts()
    with Press() as press:
        for trial in wanted_trials:
            if trial.typesetter == "web":
                yield trial, draw_web(trial.seed, press, trial.kind)
            else:
                yield trial, draw(trial.seed, texts, trial.kind)


def write(trial: Trial, document: DrawnDocument, path: Path) -> None:
    """The PDF and its truth; nothing of a document of which no page has a truth."""
    path.write_bytes(document.content)
    truth = DrawnTruth(name=f"{trial.typesetter} {trial.kind}", form=trial.form, pages=tuple(_pages(path, document)))
    if not truth.pages:
        path.unlink()
        return
    if trial.form in ("scanned", "read whole"):
        as_picture(path)
    truth_file(path).write_text(truth.model_dump_json(exclude_defaults=True), encoding="utf-8")


def as_picture(path: Path) -> None:
    """Each of the first pages as its picture alone, in the same size."""
    with pymupdf.open(path) as pdf, pymupdf.open() as scan:
        for number in range(min(MAX_PAGES, pdf.page_count)):
            page = pdf[number]
            picture = page.get_pixmap(dpi=DPI, colorspace=pymupdf.csGRAY)
            sheet = scan.new_page(width=page.rect.width, height=page.rect.height)
            sheet.insert_image(sheet.rect, stream=picture.tobytes("jpeg"))
        content = scan.tobytes()
    path.write_bytes(content)


def _pages(path: Path, document: DrawnDocument) -> Iterator[TruePage]:
    inspected = PdfFile(Source(path=str(path), media_type="application/pdf"), LIMITS)
    captions = _captions(document.blocks)
    with pymupdf.open(path) as pdf:
        for number in range(1, min(MAX_PAGES, pdf.page_count) + 1):
            page = true_page(inspected.inspect(number), pdf[number - 1], document.blocks, captions)
            if page is not None:
                yield page
    inspected.close()


def true_page(
    inspection: Inspection,
    page: pymupdf.Page,
    blocks: Mapping[int, DrawnBlock],
    captions: Mapping[int, TrueCaption],
) -> TruePage | None:
    """What is true of an inspected page; None where too little is known, as of training pages."""
    example = example_of(inspection, page, blocks)
    if example is None:
        return None
    lines = [line for line in inspection.lines if line.hidden is None]
    true_lines: list[TrueLine] = []
    for k, line in enumerate(lines):
        role, colour, rank = int(example.role[k]), int(example.block[k]), float(example.rank[k])
        cell = blocks[colour].cell if colour >= 0 else None
        true_lines.append(
            TrueLine(
                text=line.text,
                box=line.box,
                words=tuple(TrueWord(text=word.text, box=word.box) for word in line.words),
                role=ROLES[role] if role >= 0 else None,
                block=colour,
                rank=rank if rank > NO_RANK else None,
                table=cell.table if cell else None,
            )
        )
    on_page = {line.block for line in true_lines}
    return TruePage(
        number=inspection.number,
        lines=tuple(true_lines),
        cells=_cells(inspection, page, blocks),
        captions=tuple(caption for block, caption in captions.items() if block in on_page),
    )


def _cells(inspection: Inspection, page: pymupdf.Page, blocks: Mapping[int, DrawnBlock]) -> tuple[TrueCell, ...]:
    """The cells of the tables of a page, counted from the first row and column that the page has of each."""
    words = [word for line in inspection.lines if line.hidden is None for word in line.words]
    spans = [Span(text=word.text, box=word.box, source="text_layer") for word in words]
    texts: dict[tuple[int, int, int, int, int], list[str]] = defaultdict(list)
    for word, colour in zip(words, colours_of(page, spans, blocks), strict=True):
        cell = blocks[colour].cell if colour is not None else None
        if cell is not None:
            texts[cell.table, cell.row, cell.column, cell.num_rows, cell.num_columns].append(word.text)
    return tuple(
        TrueCell(table=table, row=row, column=column, num_rows=num_rows, num_columns=num_columns, text="".join(parts))
        for (table, row, column, num_rows, num_columns), parts in texts.items()
    )


def _captions(blocks: Mapping[int, DrawnBlock]) -> dict[int, TrueCaption]:
    """What each caption stands right before or behind in the drawing, where that is one table, or figures alone."""
    ordered = sorted(blocks, key=lambda colour: blocks[colour].order)
    captions: dict[int, TrueCaption] = {}
    for place, colour in enumerate(ordered):
        if blocks[colour].role != "caption":
            continue
        neighbours = [blocks[ordered[k]] for k in (place - 1, place + 1) if 0 <= k < len(ordered)]
        tables = {block.cell.table for block in neighbours if block.cell is not None}
        has_figure = any(block.role == "figure_text" for block in neighbours)
        if len(tables) + has_figure == 1:
            captions[colour] = TrueCaption(block=colour, table=tables.pop() if tables else None)
    return captions


if __name__ == "__main__":
    sys.exit(main())
