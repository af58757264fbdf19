"""The data of e-invoices compared with their pages, as they are and with a digit changed.

`python -m benchmarks.invoices FOLDER [--letters A-M] [--planted 200] [--json benchmarks/results/invoices.json]`
FOLDER holds PDFs with embedded XML, as ZUGFeRD/corpus does; only files whose name begins with one of the letters are
opened. Pages are read by the text layer, without OCR. A value is `found` where it is printed. The changed digits are of
values that were found: each must become a contradiction (`caught`), and no other field may. Contradictions of files as
they are are its rows, for a person to look at: some samples carry the XML of another invoice.
"""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from benchmarks.harness import report
from benchmarks.harness.library import read, source_of
from benchmarks.harness.options import parser_of
from benchmarks.harness.page_networks import PageNetworks
from configs.settings import Settings
from documents.invoice_values import Invoice, InvoiceField
from documents.matching.invoice_check import checked_invoice
from documents.sandbox.renderer_pool import RendererPool
from documents.values import Page

SEED = 7
DATES = ("date", "due_date")
HEADER = ("number", *DATES, "net", "tax", "total", "due")  # fields whose digits are changed in the first round
PARTIES = ("seller", "buyer")
LINES = ("line_quantity", "line_price", "line_net")  # and in the second


@dataclass(frozen=True, slots=True)
class Read:
    """One file: its pages and its invoice, compared with them."""

    name: str
    pages: tuple[Page, ...]
    invoice: Invoice
    seconds: float


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--letters", default="A-M", help="first letters of the files, from-to")
    parser.add_argument("--planted", type=int, default=200, help="digits that are changed per round")
    options = parser.parse_args()
    first, _, last = options.letters.upper().partition("-")
    paths = sorted(p for p in options.folder.rglob("*.pdf") if first <= p.name[0].upper() <= (last or first))
    documents, num_without = asyncio.run(read_all(paths))
    rng = random.Random(SEED)
    figures: dict[str, float] = {"files": len(documents), "files_without_invoice": num_without}
    figures |= found_figures(documents)
    for name, fields in (("header", HEADER), ("lines", LINES)):
        figures |= {f"{name}_{key}": value for key, value in planted(documents, fields, options.planted, rng).items()}
    figures["seconds_per_file"] = round(sum(one.seconds for one in documents) / max(1, len(documents)), 3)
    rows = [
        {"file": one.name, "field": field.name, "line": field.line, "data": field.value, "page": field.printed}
        for one in documents
        for field in one.invoice.fields
        if field.status == "contradiction"
    ]
    print(report.table(rows))
    print(report.table([{"figure": name, "value": value} for name, value in figures.items()]))
    if options.out:
        report.record(options.out, "invoices", figures, rows)
    return 0


async def read_all(paths: Sequence[Path]) -> tuple[list[Read], int]:
    """The files with an invoice and a text layer, and the number of the others."""
    networks = PageNetworks.of(Settings())
    pool = RendererPool(1)
    documents: list[Read] = []
    try:
        for path in paths:
            begun = time.perf_counter()
            source = source_of(path).model_copy(update={"attachments": "documents"})
            document, _ = await read(source, path.stem, pool, networks)
            if document.invoice is None or not any(region.text for page in document.pages for region in page.regions):
                continue
            invoice = checked_invoice(document.invoice, document.pages)
            documents.append(Read(path.name, document.pages, invoice, time.perf_counter() - begun))
    finally:
        await pool.close()
    return documents, len(paths) - len(documents)


def found_figures(documents: Sequence[Read]) -> dict[str, float]:
    """Of each field how many there are, how many are found with a box, and how many the page contradicts.

    `f1` counts a value that is found with a box as right, and one that is reported in a box instead of it as wrong.
    """
    totals, num_printed, contradicted = Counter[str](), Counter[str](), Counter[str]()
    for field in (field for one in documents for field in one.invoice.fields):
        totals[field.name] += 1
        num_printed[field.name] += field.status == "found" and bool(field.boxes)
        contradicted[field.name] += field.status == "contradiction" and bool(field.boxes)
    return {
        "fields": sum(totals.values()),
        **{f"{name}_of": total for name, total in totals.items()},
        **{f"{name}_found": round(num_printed[name] / total, 4) for name, total in totals.items()},
        **{f"{name}_contradicted": contradicted[name] for name in totals},
        **{f"{name}_precision": precision_of(num_printed[name], contradicted[name]) for name in totals},
        **{f"{name}_f1": f1_of(num_printed[name], contradicted[name], total) for name, total in totals.items()},
        **{
            f"{part}_f1": f1_of(
                *(sum(counts[name] for name in names) for counts in (num_printed, contradicted, totals))
            )
            for part, names in (("header", (*HEADER, *PARTIES)), ("lines", (*LINES, "line_name")))
        },
    }


def precision_of(num_right: int, num_wrong: int) -> float:
    return round(num_right / max(1, num_right + num_wrong), 4)


def f1_of(num_right: int, num_wrong: int, num_expected: int) -> float:
    """Of values of which so many are right, so many wrong, and so many are to be reported."""
    return round(2 * num_right / max(1, num_right + num_wrong + num_expected), 4)


def planted(documents: Sequence[Read], names: Sequence[str], count: int, rng: random.Random) -> dict[str, float]:
    """What becomes of values in whose data a digit is changed."""
    places = [
        (one, index)
        for one in documents
        for index, field in enumerate(one.invoice.fields)
        if field.name in names and field.status == "found" and any(letter.isdigit() for letter in field.value)
    ]
    outcomes, others = Counter[str](), 0
    num_done = num_unchanged = 0
    while places and num_done < count:
        one, index = rng.choice(places)
        field = one.invoice.fields[index]
        value = changed(field, rng)
        if value is None:
            continue
        num_done += 1
        fields = list(one.invoice.fields)
        fields[index] = field.model_copy(update={"value": value})
        checked = checked_invoice(one.invoice.model_copy(update={"fields": tuple(fields)}), one.pages).fields
        outcomes[checked[index].status] += 1
        for k, (before, after) in enumerate(zip(one.invoice.fields, checked, strict=True)):
            if k != index and before.status != "contradiction":
                num_unchanged += 1
                others += after.status == "contradiction"
    return {
        "planted": num_done,
        "caught": round(outcomes["contradiction"] / max(1, num_done), 4),
        "taken_for_printed": outcomes["found"],
        "false_alarms": round(others / max(1, num_unchanged), 4),
    }


def changed(field: InvoiceField, rng: random.Random) -> str | None:
    """The value with another digit in one place; None where that is no other value of its kind."""
    digits = [k for k, letter in enumerate(field.value) if letter.isdigit()]
    place = rng.choice(digits)
    value = field.value[:place] + rng.choice("0123456789") + field.value[place + 1 :]
    if value == field.value or (place == digits[0] and value[place] == "0"):
        return None
    if field.name in DATES:
        try:
            date.fromisoformat(value)
        except ValueError:
            return None
    return value


if __name__ == "__main__":
    sys.exit(main())
