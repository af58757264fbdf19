"""Tables whose truth is Markdown beside a PDF, as samples: each cell's text is looked for among the page's words.

    python -m training.structure.cells.matched_tables runs/tables/matched FOLDER... --part tuned --part read

The folders are those of `benchmarks.tables`, whose parts that are tuned on may teach. A cell whose text stands in
several places is the one that lies between the cells before and after it; a table with a doubt left is left out.
"""

from __future__ import annotations

import argparse
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.harness.server import ROOT
from benchmarks.tables import Material, listed
from benchmarks.truths.rules import corpus_module
from documents.boxes import BoundingBox
from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.rotated_boxes import usual_angle
from documents.tables.cells import PlacedWord, baselines, placed_words
from documents.text.text_direction import runs_backwards
from documents.values import Source
from training.structure.cells.page_samples import TrueCell, sample_of
from training.structure.cells.samples import TableSample, save

MAY_TEACH = ("tuned", "read", "tagged")
MAX_PLACES = 60  # of one text
MAX_STEPS = 4000  # of the search for one text
MIN_PLACED = 0.97  # of a table's cells with a text
SLACK = 3.0  # points by which cells of neighbouring rows or columns may reach into one another


@dataclass(slots=True)
class _Cell:
    """A cell of the truth, where its text may stand (sets of words), and where it does."""

    place: TrueCell
    text: str
    places: list[tuple[int, ...]] = field(default_factory=list[tuple[int, ...]])
    words: tuple[int, ...] | None = None
    box: BoundingBox | None = None


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--part", action="append", choices=MAY_TEACH, required=True)
    parser.add_argument("--corpus", type=Path, default=ROOT.parent / "shared" / "corpus", help="where score.py is")
    args = parser.parse_args(arguments)
    corpus = corpus_module(args.corpus)
    materials = [material for material in listed(args.folders) if material.part in args.part]
    args.out.mkdir(parents=True, exist_ok=True)
    samples = [sample for material in materials for sample in samples_of(material, corpus)]
    total = sum(len(corpus.tables(material.truth)) for material in materials)
    print(f"{save(samples, args.out / 'matched.tables')} of {total} tables")
    return 0


def samples_of(material: Material, corpus: Any) -> Iterator[TableSample]:
    """The tables of a file that are matched on its pages, each on the first that has it whole."""
    tables = [placed_cells(table) for table in corpus.tables(material.truth)]
    pdf = PdfFile(Source(path=str(material.path), media_type="application/pdf"), RenderLimits(structure_trees=False))
    numbers = material.pages or range(1, min(pdf.opened().num_pages, 6) + 1)
    for number in numbers:
        inspection = pdf.inspect(number)
        lines = [line for line in inspection.lines if line.hidden is None]
        angle = usual_angle(lines)
        words = placed_words(lines, angle)
        own = [(k, matched) for k, table in enumerate(tables) if (matched := words_of_cells(table, words)) is not None]
        taken = frozenset(word for _, matched in own for word in matched)
        for _, matched in own:
            sample = sample_of(inspection, words, angle, matched, taken)
            if sample is not None:
                yield sample
        tables = [table for k, table in enumerate(tables) if k not in {k for k, _ in own}]
    pdf.close()


def placed_cells(table: Sequence[Sequence[Any]]) -> list[_Cell]:
    """The cells with a text, each at the first free place of its row."""
    taken: set[tuple[int, int]] = set()
    cells: list[_Cell] = []
    for row, entries in enumerate(table):
        column = 0
        for entry in entries:
            while (row, column) in taken:
                column += 1
            taken |= {(row + i, column + j) for i in range(entry.rows) for j in range(entry.cols)}
            if _plain(entry.text):
                cells.append(_Cell(TrueCell(row, column, entry.rows, entry.cols), _plain(entry.text)))
            column += entry.cols
    return cells


def words_of_cells(cells: Sequence[_Cell], words: Sequence[PlacedWord]) -> dict[int, TrueCell] | None:
    """The cell of each word; None where texts are not matched, or stand in several places that nothing tells apart."""
    if len(cells) < 4:
        return None
    page = _Page(words)
    for cell in cells:
        cell.places, cell.words, cell.box = list(page.places(cell.text)), None, None
    if sum(bool(cell.places) for cell in cells) < MIN_PLACED * len(cells):
        return None
    backwards = runs_backwards("".join(cell.text for cell in cells))
    while _settle(cells, page, backwards=backwards):
        pass
    placed = [cell for cell in cells if cell.words is not None]
    if len(placed) < MIN_PLACED * len(cells):
        return None
    return {word: cell.place for cell in placed for word in cell.words or ()}


def _settle(cells: Sequence[_Cell], page: _Page, *, backwards: bool) -> bool:
    """Place the cells of which one place is left; else one that is clearly the nearest."""
    used = {word for cell in cells for word in cell.words or ()}
    open_cells: list[tuple[_Cell, list[tuple[int, ...]]]] = []
    changed = False
    for cell in cells:
        if cell.words is not None or not cell.places:
            continue
        fitting = [
            place
            for place in cell.places
            if used.isdisjoint(place) and _fits(cell, page.box(place), cells, backwards=backwards)
        ]
        if len(fitting) == 1:
            cell.words, cell.box = fitting[0], page.box(fitting[0])
            used.update(fitting[0])
            changed = True
        elif fitting:
            open_cells.append((cell, fitting))
    if changed:
        return True
    for cell, fitting in open_cells:
        best = _nearest(cell, fitting, cells, page)
        if best is not None:
            cell.words, cell.box = best, page.box(best)
            return True
    return False


def _fits(cell: _Cell, box: BoundingBox, cells: Sequence[_Cell], *, backwards: bool) -> bool:
    """Whether it lies below the rows before, above those after, and as well between the columns."""
    x, y = box.center
    own = cell.place
    for other in cells:
        if other.box is None:
            continue
        at = other.place
        if at.row + at.num_rows <= own.row and other.box.y0 + SLACK > box.y1:
            return False
        if own.row + own.num_rows <= at.row and other.box.y1 - SLACK < box.y0:
            return False
        if (at.row + at.num_rows <= own.row and y < other.box.center[1]) or (
            own.row + own.num_rows <= at.row and y > other.box.center[1]
        ):
            return False
        before = at.column + at.num_columns <= own.column
        after = own.column + own.num_columns <= at.column
        if backwards:
            before, after = after, before
        if (before and x < other.box.center[0]) or (after and x > other.box.center[0]):
            return False
    return True


def _nearest(
    cell: _Cell, fitting: Sequence[tuple[int, ...]], cells: Sequence[_Cell], page: _Page
) -> tuple[int, ...] | None:
    """The place that is level with its row and upright under its column, clearly more than the next."""
    level = [other.box for other in cells if other.box is not None and other.place.row == cell.place.row]
    below = [other.box for other in cells if other.box is not None and other.place.column == cell.place.column]
    if not level or not below:
        return None

    def distance(place: tuple[int, ...]) -> float:
        x, y = page.box(place).center
        return min(abs(y - box.center[1]) for box in level) + 0.5 * min(abs(x - box.center[0]) for box in below)

    ranked = sorted(fitting, key=distance)
    return ranked[0] if distance(ranked[1]) > 2 * distance(ranked[0]) + 4 else None


class _Page:
    """The words of a page in their lines."""

    def __init__(self, words: Sequence[PlacedWord]) -> None:
        self._words = words
        self._texts = [_plain(one.word.text) for one in words]
        number = {id(one): k for k, one in enumerate(words)}
        self._lines = [[number[id(one)] for one in line] for line in baselines(words)]
        self._where = {word: (k, i) for k, line in enumerate(self._lines) for i, word in enumerate(line)}

    def box(self, place: Sequence[int]) -> BoundingBox:
        return BoundingBox.around([self._words[word].box for word in place])

    def places(self, text: str) -> Iterator[tuple[int, ...]]:
        """Runs of words, over lines too, whose characters are the text."""
        self._steps, matched = 0, 0
        for word, own in enumerate(self._texts):
            if own and text.startswith(own):
                for place in self._continued((word,), text[len(own) :]):
                    yield place
                    matched += 1
                    if matched == MAX_PLACES:
                        return

    def _continued(self, run: tuple[int, ...], rest: str) -> Iterator[tuple[int, ...]]:
        if not rest:
            yield run
            return
        self._steps += 1
        if self._steps > MAX_STEPS:
            return
        for word in self._next(run):
            own = self._texts[word]
            if own and rest.startswith(own):
                yield from self._continued((*run, word), rest[len(own) :])
            elif not own:
                yield from self._continued((*run, word), rest)

    def _next(self, run: tuple[int, ...]) -> Iterator[int]:
        """The next word of the line, and of the next lines those that stand below the run."""
        line, index = self._where[run[-1]]
        if index + 1 < len(self._lines[line]):
            yield self._lines[line][index + 1]
        box = self.box(run)
        for below in self._lines[line + 1 : line + 4]:
            for word in below:
                own = self._words[word].box
                if own.x0 < box.x1 + 2 and own.x1 > box.x0 - 30 and own.y0 - box.y1 < 1.5 * own.height:
                    yield word


def _plain(text: str) -> str:
    """Letters and digits; of what has none, its other characters."""
    folded = unicodedata.normalize("NFKC", text).lower()
    letters = "".join(sign for sign in folded if sign.isalnum())
    dashes = "".join("-" if sign in "‐‑‒–—−" else sign for sign in folded if not sign.isspace())
    return letters or dashes


if __name__ == "__main__":
    sys.exit(main())
