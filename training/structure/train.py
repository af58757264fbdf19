"""Trains the structure network or the judge of cells from one folder of samples, as steps of `gpu_queue.sh` do.

    python -m training.structure.train structure OUT --samples runs/structure --minutes 7 --device cuda
    python -m training.structure.train cells OUT --tiny --minutes 0.3

Samples are drawn where PyMuPDF, Typst and Chromium are installed: `benchmarks/GPU.md` says how. `--tiny` makes a few
plain ones. Further options are those of `training.structure.network.train` and `training.structure.cells.train`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

TINY_SIZES = range(4, 12)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", choices=("structure", "cells"))
    parser.add_argument("out")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--samples", type=Path, help="structure: a folder with `pages` and `held`; cells: with `held`")
    source.add_argument("--tiny", action="store_true", help="plain samples that are made here")
    options, training_options = parser.parse_known_args(arguments)
    train = _train_structure if options.network == "structure" else _train_cells
    if options.samples:
        return train([options.out, *training_options], options.samples, is_tiny=False)
    with tempfile.TemporaryDirectory() as folder:
        return train([options.out, *training_options], Path(folder), is_tiny=True)


def _train_structure(arguments: list[str], samples: Path, *, is_tiny: bool) -> int:
    from training.structure.network.examples import save  # imported here: pages need pydantic, tables do not
    from training.structure.network.plain_pages import plain_page
    from training.structure.network.train import main as train

    pages, held = samples / "pages", samples / "held"
    if is_tiny:
        for seed, folder in enumerate((pages, held)):
            folder.mkdir()
            save((plain_page(2 * size, seed=100 * seed + size) for size in TINY_SIZES), folder / "plain.pages")
    return train([*arguments, "--pages", str(pages), "--held", str(held)])


def _train_cells(arguments: list[str], samples: Path, *, is_tiny: bool) -> int:
    from training.structure.cells.plain_tables import plain_table
    from training.structure.cells.samples import save
    from training.structure.cells.train import main as train

    if is_tiny:
        (samples / "held").mkdir()
        for folder in (samples, samples / "held"):
            save((plain_table(size, size // 2) for size in TINY_SIZES), folder / "plain.tables")
    return train([*arguments, "--samples", str(samples)])


if __name__ == "__main__":
    sys.exit(main())
