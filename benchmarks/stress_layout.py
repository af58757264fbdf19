"""A hundred users send a 15-page paper to /doc_layout: ten more each second, 60 s, with dynamic batching and without.

Locust plays the users. A 503 that says when to come again is a refusal and no failure; its user comes again then.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import tempfile
from pathlib import Path

from benchmarks.papers import paper
from benchmarks.report import record, table
from benchmarks.stress import NEEDS, Stress, stressed

MODES = {"dynamic": (), "one_by_one": ("--layout-batch-size", "1")}


def main() -> int:
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="20 users for 20 s, a paper of two pages")
    parser.add_argument("--pages", type=int, help="of the paper")
    parser.add_argument("--json", type=Path, dest="out", help="write the figures here")
    args = parser.parse_args()
    if importlib.util.find_spec("locust") is None:
        parser.error(NEEDS)
    with tempfile.TemporaryDirectory(prefix="pagemill-stress-") as folder:
        file = paper(Path(folder) / "paper.pdf", args.pages or (2 if args.quick else 15))
        users, seconds = (20, 20) if args.quick else (100, 60)
        stress = Stress(route="/doc_layout", field="file", file=file, users=users, rate=10, seconds=seconds)
        runs = [stressed(stress, mode, options) for mode, options in MODES.items()]
    figures = {name: value for figures, _ in runs for name, value in figures.items()}
    print(table([{"figure": name, "value": value} for name, value in figures.items()]))
    if args.out:
        record(args.out, "stress_layout", figures, [row for _, rows in runs for row in rows])
    return 0 if not any(figures[f"failed_{mode}"] for mode in MODES) else 1


if __name__ == "__main__":
    sys.exit(main())
