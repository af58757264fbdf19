"""Trains the judge of cells on samples of tables.

    python -m training.structure.cells.train OUT --samples FOLDER --minutes 4 --device cuda

FOLDER holds files of samples, and in `held` such as judge. The learning rate follows the clock. OUT gets
`model.safetensors` and `config.json`, the running mean of the weights, `cells.npz`, the same in half precision as it is
shipped, and `training.json`: how often each head was right on the held tables, as the run went on.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import zlib
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, replace
from functools import partial
from itertools import repeat
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file

from documents.tables.judged.roles import MARKS, RELATIONS
from training.structure.cells.examples import MAX_PIECES, CellExample, example_of
from training.structure.cells.losses import WEIGHTS, CellBatch, batch_of, evaluated, losses
from training.structure.cells.network import CellNetwork, JudgeShape
from training.structure.cells.samples import TableSample, load, with_narrow_groups
from training.structure.cells.wear import cut_out, worn
from training.structure.loop import made_ahead, trained
from training.workers import num_drawers

PAIRS_PER_BATCH = {"cpu": 40_000, "cuda": 400_000}
DROPOUT = 0.1
NOISE = 0.02  # of the features
VARIANTS = 3  # of a table that is learnt
MAX_PER_FILE = 40  # tables that one process makes examples of at once


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--samples", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=4)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--from", dest="begin_from", type=Path, help="checkpoint to begin with")
    parser.add_argument("--rate", type=float, default=1.0, help="of the usual learning rate")
    parser.add_argument("--variants", type=int, default=VARIANTS, help="other looks of each table that are learnt")
    parser.add_argument("--max-tables", type=int, help="for a learning curve")
    parser.add_argument("--width", type=int, default=JudgeShape().width)
    parser.add_argument("--layers", type=int, default=JudgeShape().num_layers)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(arguments)
    begun = time.monotonic()
    torch.manual_seed(args.seed)
    torch.set_float32_matmul_precision("high")
    args.out.mkdir(parents=True, exist_ok=True)
    files = sorted(path for path in args.samples.rglob("*.tables") if "held" not in path.parts)
    samples = [with_narrow_groups(sample) for file in files for sample in load(file)][: args.max_tables]
    judging = sorted(args.samples.glob("held/**/*.tables"))
    held = [with_narrow_groups(sample) for file in judging for sample in load(file)]
    examples = examples_of(samples, args.variants, args.seed)
    judges = examples_of(held, 0, 0)
    print(
        f"{len(samples)} tables, {len(examples)} looks, {len(judges)} held; {time.monotonic() - begun:.0f} s",
        flush=True,
    )
    network = CellNetwork(JudgeShape(width=args.width, num_layers=args.layers, num_heads=args.width // 32), DROPOUT)
    measure_features(network, examples[:3000])
    if args.begin_from:
        network.load_state_dict(load_file(args.begin_from / "model.safetensors"))
    network.to(args.device)
    pairs = PAIRS_PER_BATCH.get(args.device, PAIRS_PER_BATCH["cuda"])
    log = trained(
        network,
        made_ahead(examples, pairs, args.seed, partial(batch_of, device=args.device), threads=4),
        _disturbed_losses,
        WEIGHTS,
        partial(evaluated, held=judges, device=args.device),
        partial(write, out=args.out),
        seconds=60 * args.minutes,
        device=args.device,
        rate=args.rate,
    )
    (args.out / "training.json").write_text(json.dumps(log, indent=1) + "\n", encoding="utf-8")
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


def measure_features(network: CellNetwork, examples: Sequence[CellExample]) -> None:
    """Mean and deviation of the features, of all pieces."""
    numbers = torch.from_numpy(np.concatenate([example.numbers for example in examples]).astype(np.float32))
    network.mean.copy_(numbers.mean(0))
    network.scale.copy_(numbers.std(0).clamp(min=1e-2))


def _disturbed_losses(network: CellNetwork, batch: CellBatch) -> dict[str, torch.Tensor]:
    noise = 1 + NOISE * torch.randn_like(batch.numbers)
    return losses(network, replace(batch, numbers=batch.numbers * noise))


def write(network: CellNetwork, out: Path) -> None:
    """The checkpoint, and its weights in half precision as `documents.tables.judged.weights` reads them."""
    weights = {name: value.detach().float().cpu().contiguous() for name, value in network.state_dict().items()}
    save_file(weights, out / "model.safetensors")
    np.savez(out / "cells.npz", **{name: value.numpy().astype(np.float16) for name, value in weights.items()})
    config = {"architecture": "cells", "relations": list(RELATIONS), "marks": list(MARKS), **asdict(network.shape)}
    (out / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
