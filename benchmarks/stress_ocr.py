"""Fifty users send the picture of a table to /ocr: five more each second, 60 s; their lines share decode steps.

Locust plays the users. A 503 that says when to come again is a refusal and no failure; its user comes again then.
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from pathlib import Path

from benchmarks.harness.options import parser_of
from benchmarks.harness.report import record, table
from benchmarks.harness.stress import NEEDS, Stress, stressed
from benchmarks.loads.papers import table_picture


def main() -> int:
    parser = parser_of(__doc__, quick="10 users for 20 s")
    args = parser.parse_args()
    if importlib.util.find_spec("locust") is None:
        parser.error(NEEDS)
    with tempfile.TemporaryDirectory(prefix="pagemill-stress-") as folder:
        file = Path(folder) / "table.png"
        file.write_bytes(table_picture())
        users, seconds = (10, 20) if args.quick else (50, 60)
        stress = Stress(route="/ocr", field="image", file=file, users=users, rate=5, seconds=seconds)
        figures, rows = stressed(stress, "continuous", ())
    print(table([{"figure": name, "value": value} for name, value in figures.items()]))
    if args.out:
        record(args.out, "stress_ocr", figures, rows)
    return 0 if figures["answered_continuous"] and not figures["failed_continuous"] else 1


if __name__ == "__main__":
    sys.exit(main())
