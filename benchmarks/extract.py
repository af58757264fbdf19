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
import json
from pathlib import Path
from typing import Any

from benchmarks.harness.report import origin
from benchmarks.truths.receipts import FIELDS, amount, amounts, receipt, true_lines
from documents.matching.lines import PrintedLine
from documents.matching.matcher import Leaf, Match, Matcher


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
    true_amount = amount(value)
    holding = [line for line in lines if true_amount in amounts(line.text)]
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
