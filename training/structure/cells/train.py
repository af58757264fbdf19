"""Trains the judge of cells on samples of tables.

    python -m training.structure.cells.train OUT --samples FOLDER --minutes 4 --device cuda

FOLDER holds files of samples, and in `held` such as judge. The learning rate follows the clock. OUT gets
`model.safetensors` and `config.json`, the running mean of the weights, `cells.npz`, the same in half precision as it is
shipped and as `--from` reads it, and `training.json`: how often each head was right on the held tables, as the run
went on.
"""

from __future__ import annotations

import sys
import time
import zlib
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, replace
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from documents.tables.judged.roles import MARKS, RELATIONS
from training.structure.cells.examples import MAX_PIECES, CellExample, example_of
from training.structure.cells.losses import WEIGHTS, CellBatch, batch_of, evaluated, losses
from training.structure.cells.network import CellNetwork, JudgeShape
from training.structure.cells.samples import TableSample, load, with_narrow_groups
from training.structure.cells.wear import cut_out, worn
from training.structure.training_run import (
    TrainingOptions,
    measure_features,
    prepare,
    train_network,
    training_parser,
    write_checkpoint,
)
from training.workers import num_drawers

SHIPPED_FILE = "cells.npz"
PAIRS_PER_BATCH = {"cpu": 40_000, "cuda": 400_000}
DROPOUT = 0.1
NOISE = 0.02  # of the features
VARIANTS = 3  # of a table that is learnt
MEASURED = 3000  # looks by which features are scaled
MIN_SCALE = 1e-2  # of a feature
MAX_PER_FILE = 40  # tables that one process makes examples of at once


def main(arguments: Sequence[str] | None = None) -> int:
    parser = training_parser(__doc__, JudgeShape(), minutes=4)
    parser.add_argument("--samples", type=Path, required=True)
    parser.add_argument("--variants", type=int, default=VARIANTS, help="other looks of each table that are learnt")
    parser.add_argument("--max-tables", type=int, help="for a learning curve")
    args = parser.parse_args(arguments)
    options = TrainingOptions.of(args)
    prepare(options)
    begun = time.monotonic()
    files = sorted(path for path in args.samples.rglob("*.tables") if "held" not in path.parts)
    samples = [with_narrow_groups(sample) for file in files for sample in load(file)][: args.max_tables]
    held = [
        with_narrow_groups(sample) for file in sorted(args.samples.glob("held/**/*.tables")) for sample in load(file)
    ]
    examples = examples_of(samples, args.variants, options.seed)
    held_examples = examples_of(held, 0, 0)
    print(
        f"{len(samples)} tables, {len(examples)} looks, {len(held_examples)} held; {time.monotonic() - begun:.0f} s",
        flush=True,
    )
    shape = JudgeShape(width=options.width, num_layers=options.num_layers, num_heads=options.num_heads)
    network = CellNetwork(shape, DROPOUT)
    measure_features(network, [example.numbers for example in examples[:MEASURED]], min_scale=MIN_SCALE)
    train_network(
        options,
        network,
        examples,
        batch_of=batch_of,
        pairs_per_batch=PAIRS_PER_BATCH,
        losses=_disturbed_losses,
        weights=WEIGHTS,
        evaluate=partial(evaluated, held=held_examples, device=options.device),
        write=write,
        read=read,
    )
    return 0


def examples_of(samples: Sequence[TableSample], variants: int, seed: int) -> list[CellExample]:
    """Of each table `variants` looks, or the table alone as it is; made in several processes."""
    parts = [samples[start : start + MAX_PER_FILE] for start in range(0, len(samples), MAX_PER_FILE)]
    with ProcessPoolExecutor(num_drawers() + 1) as pool:
        made = pool.map(_examples, parts, repeat(variants), (seed + zlib.crc32(b"%d" % k) for k in range(len(parts))))
        return [example for several in made for example in several]


def _examples(samples: Sequence[TableSample], variants: int, seed: int) -> list[CellExample]:
    chance = np.random.default_rng(seed)
    examples: list[CellExample | None] = []
    for sample in samples:
        if not variants:
            examples.append(example_of(sample.chosen(np.flatnonzero(sample.row >= 0))))
        for number in range(variants):
            look = cut_out(sample, chance, MAX_PIECES)
            if len(look.row):
                examples.append(example_of(worn(look, chance) if number else look))
    return [example for example in examples if example is not None]


def _disturbed_losses(network: CellNetwork, batch: CellBatch) -> dict[str, Tensor]:
    noise = 1 + NOISE * torch.randn_like(batch.numbers)
    return losses(network, replace(batch, numbers=batch.numbers * noise))


def write(network: CellNetwork, out: Path) -> None:
    """The checkpoint, and its weights in half precision as `documents.tables.judged.weights` reads them."""
    config = {"architecture": "cells", "relations": list(RELATIONS), "marks": list(MARKS), **asdict(network.shape)}
    weights = write_checkpoint(network, config, out)
    halves: dict[str, Any] = {name: value.numpy().astype(np.float16) for name, value in weights.items()}
    np.savez(out / SHIPPED_FILE, **halves)


def read(folder: Path) -> dict[str, Tensor]:
    """The weights of a checkpoint as they are shipped: beside them `model.safetensors` may be of another network."""
    with np.load(folder / SHIPPED_FILE) as halves:
        return {name: torch.from_numpy(halves[name].astype(np.float32)) for name in halves.files}


if __name__ == "__main__":
    sys.exit(main())
