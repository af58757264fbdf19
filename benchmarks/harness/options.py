"""The options that benchmarks have in common."""

from __future__ import annotations

import argparse
from pathlib import Path


def parser_of(description: str | None, *, quick: str | None = None) -> argparse.ArgumentParser:
    """A benchmark's parser: its module's docstring is the help; `--json OUT` and, with what it does less, `--quick`."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    if quick is not None:
        parser.add_argument("--quick", action="store_true", help=quick)
    parser.add_argument("--json", type=Path, dest="out", help="write the figures here")
    return parser
