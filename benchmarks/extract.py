"""Values to boxes on receipts that people labelled: by the matcher alone, and through a server from the pictures.

python -m benchmarks.extract --matcher --receipts FOLDER --json benchmarks/results/extract.json
python -m benchmarks.extract --server --limit 50 --receipts FOLDER --json benchmarks/results/extract_server.json

The second reads the pictures (`img/N.jpg`) by OCR; a scripted model behind `answers.url` says the people's values, so
that reading, matching and HTTP are judged, and no model. One that OCR did not read has no box: it counts as missing.

FOLDER is the data of SROIE (zzzDavid/ICDAR-2019-SROIE on GitHub): `box/N.csv` has the lines of a receipt with their
places, `key/N.json` its company, date, address and total, both written by people. What stands on a page, and where, is
decided here by rules of this file on the people's text, not by the matcher's. Receipts below `--judged-from` were seen
while rules were made.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import json
import re
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from benchmarks.harness.report import origin
from documents.matching.lines import PrintedLine
from documents.matching.matcher import Leaf, Match, Matcher
from documents.values import BoundingBox

FIELDS = ("company", "date", "address", "total")
DATE = re.compile(r"\d{1,4}[-/. ]+(?:\d{1,2}|[A-Za-z]{3,9})[-/. ]+\d{2,4}")
DATE_FORMS = ("%d %m %Y", "%d %m %y", "%Y %m %d", "%d %b %Y", "%d %b %y", "%d %B %Y")
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


def receipt(folder: Path, name: str) -> tuple[list[PrintedLine], dict[str, str]]:
    """The lines of a receipt as people wrote them, in the file's order, and its fields."""
    lines: list[PrintedLine] = []
    for row in (folder / "box" / f"{name}.csv").read_text(encoding="utf-8", errors="replace").splitlines():
        *corners, text = row.split(",", 8)
        if len(corners) == 8 and text.strip():
            xs, ys = [float(value) for value in corners[::2]], [float(value) for value in corners[1::2]]
            box = BoundingBox(x0=min(xs), y0=min(ys), x1=max(xs), y1=max(ys))
            lines.append(PrintedLine(page=1, text=text, box=box))
    return lines, json.loads((folder / "key" / f"{name}.json").read_text(encoding="utf-8"))


def true_lines(field: str, value: str, lines: list[PrintedLine]) -> list[set[int]]:
    """Each run of lines that a person would point at for a value; none: it does not stand on the page."""
    if field == "total":
        true_amount = _amount(value)
        return [{at} for at, line in enumerate(lines) if true_amount is not None and true_amount in _amounts(line.text)]
    if field == "date":
        days = _days(value)
        same = [bool(days & _days(line.text)) or _letters(value) in _letters(line.text) for line in lines]
        return [{at} for at, holds in enumerate(same) if holds]
    return list(_runs(_letters(value), [_letters(line.text) for line in lines]))


def _runs(true_text: str, texts: list[str]) -> Iterator[set[int]]:
    """Lines that follow each other whose letters and digits, joined, hold those of a value."""
    for first in range(len(texts)):
        run_text = ""
        for last in range(first, len(texts)):
            run_text += texts[last]
            at = run_text.find(true_text)
            if at >= 0 and at < len(texts[first]):
                yield set(range(first, last + 1))
                break
            if len(run_text) > len(true_text) + len(texts[first]):
                break


def _letters(text: str) -> str:
    return "".join(re.findall(r"[^\W_]", text.casefold()))


def _days(text: str) -> set[date]:
    """By every form that the receipts have, the day first, as in Malaysia."""
    days: set[date] = set()
    for printed in DATE.findall(text):
        for form in DATE_FORMS:
            with contextlib.suppress(ValueError):
                days.add(datetime.strptime(re.sub(r"[-/. ]+", " ", printed), form).date())  # noqa: DTZ007
    return days


def _amount(text: str) -> Decimal | None:
    numbers = NUMBER.findall(text)
    return Decimal(numbers[0].replace(",", "")) if len(numbers) == 1 else None


def _amounts(text: str) -> set[Decimal]:
    return {Decimal(number.replace(",", "")) for number in NUMBER.findall(text)}


def is_right(match: Match, runs: list[set[int]], lines: list[PrintedLine]) -> bool:
    """Whether the centres of the boxes lie in the lines of one run, one box in each."""
    lines_of_boxes = [{at for at, line in enumerate(lines) if line.box.contains(*box.center)} for box in match.boxes]
    return any(len(lines_of_boxes) == len(run) and all(box & run for box in lines_of_boxes) for run in runs)


def figures(folder: Path, names: list[str]) -> dict[str, Any]:
    """Of values that stand on their page, the share with the right box; of strangers' that do not, those with boxes."""
    counts: collections.Counter[str] = collections.Counter()
    wrong: list[str] = []
    receipts = {name: receipt(folder, name) for name in names}
    for at, (name, (lines, fields)) in enumerate(receipts.items()):
        matcher = Matcher(lines)
        others = receipts[names[(at + 1) % len(names)]][1]
        for field in FIELDS:
            value = fields.get(field, "")
            runs = true_lines(field, value, lines) if value else []
            if runs:
                (match,) = matcher.match([Leaf(path=(field,), value=value)])
                counts[f"{field}_stands"] += 1
                right = is_right(match, runs, lines)
                counts[f"{field}_right"] += right
                counts[f"match_{match.match}"] += 1
                if not right:
                    wrong.append(f"{name} {field} {value!r}: {match.match} {match.source_text!r}")
                if field == "total":
                    _count_total_line(match, value, lines, counts)
            elif value:
                counts[f"{field}_absent_in_key"] += 1
            stranger = others.get(field, "")
            if stranger and not true_lines(field, stranger, lines):
                counts["strangers"] += 1
                (match,) = matcher.match([Leaf(path=(field,), value=stranger)])
                if match.boxes:
                    counts["strangers_with_boxes"] += 1
                    wrong.append(f"{name} STRANGER {field} {stranger!r}: {match.match} {match.source_text!r}")
    stands = sum(counts[f"{field}_stands"] for field in FIELDS)
    right = sum(counts[f"{field}_right"] for field in FIELDS)
    return {
        "num_receipts": len(names),
        "right": round(right / stands, 4),
        **dict(sorted(counts.items())),
        "wrong": wrong,
    }


def _count_total_line(match: Match, value: str, lines: list[PrintedLine], counts: collections.Counter[str]) -> None:
    """Of totals that stand beside the word total and elsewhere, too: whether the one beside it was taken."""
    true_amount = _amount(value)
    holding = [line for line in lines if true_amount in _amounts(line.text)]
    named = [
        line for line in holding if any(_same_height(line, other) for other in lines if "total" in other.text.lower())
    ]
    if named and len(named) < len(holding) and match.boxes:
        counts["total_ambiguous"] += 1
        counts["total_beside_its_word"] += any(line.box.contains(*match.boxes[0].center) for line in named)


def _same_height(line: PrintedLine, other: PrintedLine) -> bool:
    return other.box.y0 <= line.box.center[1] <= other.box.y1


def main() -> None:
    """Print, and write, the figures."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--receipts", type=Path, required=True)
    options.add_argument("--judged-from", type=int, default=250)
    options.add_argument("--wrong", action="store_true", help="print the values that went wrong")
    options.add_argument("--matcher", action="store_true", help="the matcher alone, on the people's text")
    options.add_argument("--server", action="store_true", help="from pictures, by a server that is started here")
    options.add_argument("--limit", type=int, default=50, help="receipts that the server reads")
    options.add_argument("--json", type=Path)
    args = options.parse_args()
    names = sorted(path.stem for path in (args.receipts / "key").glob("*.json"))
    halves = {
        "looked_at": [name for name in names if int(name) < args.judged_from],
        "judged": [name for name in names if int(name) >= args.judged_from],
    }
    result = origin("extract")
    if args.server:
        from benchmarks.harness.extract_server import through_server

        result["through_server"] = through_server(args.receipts, halves["judged"][: args.limit])
    for half, some in halves.items() if args.matcher else ():
        result[half] = figures(args.receipts, some)
        wrong = result[half].pop("wrong")
        if args.wrong and half == "looked_at":
            print("\n".join(wrong))
    text = json.dumps(result, indent=1)
    print(text)
    if args.json:
        args.json.write_text(text + "\n")


if __name__ == "__main__":
    main()
