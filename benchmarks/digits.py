"""Digits changed in what models wrote: how many are caught or marked, and how many right ones are marked without need.

`python -m benchmarks.digits tests/pages [--planted 100] [--json benchmarks/results/digits.json]`
Pages of PDFs are drawn as scans, every second one worn, and read by our own checkpoints. In the lines that were read,
in tables and whole pages as a model would write them (the truth, as HTML and blocks), in extracted values and in
answers one digit is changed; further looks, lines and passages are as they are. A change is `caught` if its string is
delivered without a mark no more often than before. `false_marks`: of the strings that the page does print.
"""

from __future__ import annotations

import functools
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pymupdf

from benchmarks.harness import report
from benchmarks.harness.library import read, source_of
from benchmarks.harness.library_ocr import ScannedPage, ScanReader
from benchmarks.harness.options import parser_of
from benchmarks.harness.page_networks import PageNetworks
from benchmarks.harness.table_scans import write_scan
from benchmarks.truths.changed_digits import Outcome, changed
from benchmarks.truths.written_values import in_answers, in_extractions
from configs.settings import Settings
from deployments.ocr.digit_looks import page_with_looks, with_looks
from documents.boxes import BoundingBox
from documents.draft.page_draft import RegionDraft, ink_draft
from documents.draft.whole_page_reading import PageBlock, PageReading
from documents.ocr_input.line_strips import cut
from documents.page.build_page import compose_page
from documents.region_values import Region, TableCell, table_in
from documents.sandbox.renderer_pool import RendererPool
from documents.tables.written.table_markup import to_html
from documents.text.digit_strings import counted
from documents.values import Document, Page, Reading, ReadLine, Source

SEED = 11
MIN_STRINGS = 8  # of a page, to be drawn
PLANTED_AT_ONCE = 8  # in one reading
SOURCES = ("lines", "tables", "pages")


@dataclass(slots=True)
class Sheet:
    """A page as a scan, what is truly printed on it, and what our text layer makes of it."""

    name: str
    wear: str  # clean or worn
    source: Source
    truth: Counter[str]
    page: Page
    scanned: ScannedPage


@dataclass(slots=True)
class Tally:
    """What became of the digits of one source."""

    outcome: Outcome = field(default_factory=Outcome)

    def judge(self, before: Page, truth: Counter[str]) -> None:
        """Marks on a page in which nothing was changed, and what is delivered without a mark and not printed."""
        bare, whole = delivered(before)
        right = whole & truth
        self.outcome.num_right += right.total()
        self.outcome.num_false_marks += (right - bare).total()
        self.outcome.num_wrong += (whole - truth).total()
        self.outcome.num_wrong_unmarked += (bare - truth).total()

    def plant(self, before: Page, after: Page, values: Sequence[str]) -> None:
        """Changed digits on a page, by the strings that they made."""
        old, new = delivered(before)[0], delivered(after)[0]
        self.outcome.num_planted += len(values)
        self.outcome.num_caught += sum(new[value] <= old[value] for value in values)


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--planted", type=int, default=100, help="changes per source")
    options = parser.parse_args()
    rng = random.Random(SEED)
    reader = ScanReader()
    tallies = {(name, wear): Tally() for name in SOURCES for wear in ("clean", "worn")}
    documents: list[Document] = []
    try:
        with tempfile.TemporaryDirectory() as folder:
            for sheet in sheets(options.folder, Path(folder), reader, documents):
                for name, work in (("lines", _lines), ("tables", _tables), ("pages", _pages)):
                    done = sum(tally.outcome.num_planted for key, tally in tallies.items() if key[0] == name)
                    if done < options.planted:
                        reader.run(work(reader, sheet, tallies[name, sheet.wear], rng))
                print(sheet.name, sheet.wear, flush=True)
    finally:
        reader.close()
    outcomes = {f"{name}_{wear}": tally.outcome for (name, wear), tally in tallies.items()}
    outcomes["extraction"] = in_extractions(documents, options.planted, rng)
    outcomes["answers"] = in_answers(documents, options.planted, rng)
    rows = [{"source": name, **outcome.figures()} for name, outcome in outcomes.items()]
    whole = sum(outcomes.values(), Outcome())
    rows.append({"source": "all", **whole.figures()})
    print(report.table(rows))
    if options.out:
        figures = {f"{key}_{row['source']}": value for row in rows for key, value in row.items() if key != "source"}
        report.record(options.out, "digits", figures)  # pyright: ignore[reportArgumentType] # no row's name is left
    return 0


def sheets(folder: Path, scans: Path, reader: ScanReader, documents: list[Document]) -> Iterator[Sheet]:
    """The first pages of PDFs with enough digits, as scans; `documents` are filled with what the files say."""
    networks = PageNetworks.of(Settings())
    pool = RendererPool(1)
    try:
        for number, path in enumerate(sorted(folder.glob("*.pdf"))):
            document, _ = reader.run(read(source_of(path), path.stem, pool, networks))
            with pymupdf.open(path) as pdf:
                truth = counted([pdf[0].get_text()])  # pyright: ignore[reportArgumentType, reportUnknownMemberType]
            is_read = any(region.text_source == "ocr" for page in document.pages for region in page.regions)
            if truth.total() < MIN_STRINGS or not document.pages or is_read:
                continue
            documents.append(document)
            target = scans / path.name
            wear = "worn" if number % 2 else "clean"
            write_scan(path, [1], target, is_worn=wear == "worn")
            source = source_of(target)
            yield Sheet(path.name, wear, source, truth, document.pages[0], reader.run(reader.scanned(source, 1)))
    finally:
        reader.run(pool.close())


def delivered(page: Page) -> tuple[Counter[str], Counter[str]]:
    """The digit strings of all texts and cells of a page: those without a mark, and all."""
    parts = [part for region in page.regions for part in _parts(region)]
    marked = counted(part.text[digits.start : digits.end] for part in parts for digits in part.unproved)
    whole = counted(part.text for part in parts)
    return whole - marked, whole


def _parts(region: Region) -> Sequence[Region | TableCell]:
    table = table_in(region)
    return [region] if table is None else table.cells


async def _lines(reader: ScanReader, sheet: Sheet, tally: Tally, rng: random.Random) -> None:
    """Lines that our checkpoint read."""
    scanned = sheet.scanned
    crops = {
        draft.index: await reader.crop(sheet.source, 1, draft, scanned.pose)
        for draft in scanned.plan.drafts
        if draft.text_source == "ocr"
    }
    readings = {index: await reader.reader.read(crop) for index, crop in crops.items()}
    sizes = {index: (crop.shape[1], crop.shape[0]) for index, crop in crops.items()}
    before = reader.composed(scanned, dict(readings), sizes)
    tally.judge(before, sheet.truth)
    places = [(index, k) for index, one in readings.items() for k, line in enumerate(one.lines) if counted([line.text])]
    rng.shuffle(places)
    values: list[str] = []
    for index, k in places[:PLANTED_AT_ONCE]:
        lines = list(readings[index].lines)
        text, value = changed(lines[k].text, rng)
        lines[k] = lines[k].model_copy(update={"text": text})
        values.append(value)
        readings[index] = readings[index].with_lines(lines, readings[index].unreadable)
    for index in {index for index, _ in places[:PLANTED_AT_ONCE]}:
        printed = [strip.box for strip in cut(crops[index])]
        bare = readings[index].model_copy(update={"looks": (), "unproved": ()})
        readings[index] = await with_looks(bare, crops[index], reader.reader, printed=printed, label="")
    tally.plant(before, reader.composed(scanned, readings, sizes), values)


async def _tables(reader: ScanReader, sheet: Sheet, tally: Tally, rng: random.Random) -> None:
    """Tables as markup, which tells no places of cells."""
    for region in sheet.page.regions:
        table = table_in(region)
        if table is None or not counted(cell.text for cell in table.cells):
            continue
        draft = ink_draft(0, "table", region.box)
        crop = await reader.crop(sheet.source, 1, draft, None)
        truth = counted(cell.text for cell in table.cells)
        page_of = functools.partial(_table_page, reader, sheet, draft, crop)
        await _plant_in([to_html(table)], page_of, truth, tally, rng)


async def _table_page(
    reader: ScanReader, sheet: Sheet, draft: RegionDraft, crop: np.ndarray, texts: Sequence[str]
) -> Page:
    size = crop.shape[1], crop.shape[0]
    line = ReadLine(text=texts[0], box=BoundingBox(x0=0, y0=0, x1=size[0], y1=size[1]), confidence=1.0)
    answer = Reading(text=texts[0], lines=(line,), confidence=1.0, reader="a model")
    reading = await with_looks(answer, crop, reader.reader, printed=None, label="")
    return compose_page(sheet.scanned.inspection, [draft], {0: reading}, {0: size})


async def _pages(reader: ScanReader, sheet: Sheet, tally: Tally, rng: random.Random) -> None:
    """Whole pages, blocks without places."""
    regions = [region for region in sheet.page.regions if region.text.strip()]
    picture = await reader.whole(sheet.source, 1, sheet.scanned.pose)

    async def page_of(texts: Sequence[str]) -> Page:
        blocks = tuple(PageBlock(kind=region.kind, text=text) for region, text in zip(regions, texts, strict=True))
        answer = PageReading(blocks=blocks, confidence=1.0, reader="a model")
        looked = await page_with_looks(answer, picture, reader.reader, label="")
        return reader.composed(sheet.scanned, {}, {}, page_reading=looked)

    texts = [region.text if (table := table_in(region)) is None else to_html(table) for region in regions]
    await _plant_in(texts, page_of, sheet.truth, tally, rng)


async def _plant_in(
    texts: Sequence[str],
    page_of: Callable[[Sequence[str]], Awaitable[Page]],
    truth: Counter[str],
    tally: Tally,
    rng: random.Random,
) -> None:
    before = await page_of(texts)
    tally.judge(before, truth)
    values: list[str] = []
    written = list(texts)
    places = [k for k, text in enumerate(texts) if counted([text])]
    for _ in range(min(PLANTED_AT_ONCE, 1 + counted(texts).total() // 6)):
        k = rng.choice(places)
        written[k], value = changed(written[k], rng)
        values.append(value)
    tally.plant(before, await page_of(written), values)


if __name__ == "__main__":
    sys.exit(main())
