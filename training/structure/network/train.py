"""Trains the structure network on drawn pages.

    python -m training.structure.network.train OUT --pages PAGES --held HELD --minutes 60
    python -m training.structure.network.train OUT --pages PAGES --held HELD --minutes 5 --device cuda

The learning rate follows the clock. OUT gets `model.safetensors` and `config.json`, the running mean of the weights,
and `training.json`: how often each head was right on the held pages, as the run went on.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from documents.layout.structure.structure_network import NetworkShape, PageBatch, StructureNetwork, batch_of
from documents.segments.features import GROUPS, PageFeatures, features
from documents.segments.roles import ROLES
from training.structure.network.examples import load
from training.structure.network.losses import WEIGHTS, Counts, Targets, Truth, judged, losses, targets_of
from training.structure.network.retyped import retyped
from training.structure.network.wear import worn
from training.structure.training_run import (
    TrainingOptions,
    measure_features,
    prepare,
    read_checkpoint,
    train_network,
    training_parser,
    write_checkpoint,
)
from training.workers import num_drawers

DROPOUT = 0.1
PAIRS_PER_BATCH = {"cpu": 24_000, "cuda": 300_000}  # n * n of all pages of a batch
RETYPED = 0.8  # share of the pages that are learnt once more with other type
WORN = 0.6  # share of the pages that are learnt once more as OCR reads a scan of them
WORDLESS = 0.5  # share of the pages that are read without their words: layout alone must do
NOISE = 0.02  # of the features
MEASURED = 2000  # pages by which features are scaled
MIN_SCALE = 1e-3  # of a feature
UNKNOWN = 0.08  # probability that a group of features says nothing of a page


@dataclass(frozen=True, slots=True)
class Sample:
    """One page ready to be learnt."""

    features: PageFeatures
    truth: Truth

    def __len__(self) -> int:
        return len(self.features.kind)


@dataclass(frozen=True, slots=True)
class _Batch:
    pages: PageBatch
    targets: Targets

    def __len__(self) -> int:
        return len(self.pages.kind)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = training_parser(__doc__, NetworkShape(), minutes=60)
    parser.add_argument("--pages", type=Path, required=True, help="folder that draw_pages wrote")
    parser.add_argument("--held", type=Path, required=True, help="the same with another seed, to judge by")
    parser.add_argument("--max-pages", type=int, help="for a learning curve")
    parser.add_argument(
        "--table-alone", action="store_true", help="which segments are of one table, and no more, on top of --from"
    )
    args = parser.parse_args(arguments)
    if args.table_alone and not args.begin_from:
        parser.error("--table-alone needs --from: what it is learnt on top of")
    options = TrainingOptions.of(args)
    prepare(options)
    samples = read_samples(args.pages, args.max_pages, changed=True)
    held = read_samples(args.held)
    print(f"{len(samples)} pages, {len(held)} held", flush=True)
    shape = NetworkShape(width=options.width, num_layers=options.num_layers, num_heads=options.num_heads)
    network = StructureNetwork(shape, DROPOUT)
    measure_features(network, [sample.features.numbers for sample in samples[:MEASURED]], min_scale=MIN_SCALE)
    if args.table_alone:
        network.requires_grad_(requires_grad=False)
        network.table.requires_grad_()
    train_network(
        options,
        network,
        samples,
        batch_of=_batch_of,
        pairs_per_batch=PAIRS_PER_BATCH,
        losses=_disturbed_losses,
        weights={"table": WEIGHTS["table"]} if args.table_alone else WEIGHTS,
        read=partial(_with_own_table, network) if args.table_alone else None,
        evaluate=partial(evaluate, held=held, device=options.device),
        write=write,
    )
    return 0


def _with_own_table(network: StructureNetwork, folder: Path) -> Mapping[str, Tensor]:
    """The weights of a checkpoint, which may know nothing of tables yet."""
    return {**network.state_dict(), **read_checkpoint(folder)}


def read_samples(folder: Path, max_pages: int | None = None, *, changed: bool = False) -> list[Sample]:
    """All pages of a folder with their features, which take several processes; many of them `changed` beside it."""
    files = sorted(folder.rglob("*.pages"))
    with ProcessPoolExecutor(num_drawers() + 1) as pool:
        samples = [sample for several in pool.map(_samples, files, [changed] * len(files)) for sample in several]
    return samples[:max_pages]


def _samples(file: Path, changed: bool) -> list[Sample]:
    """The pages of a file; if `changed`, some of them again with other type and as a scan."""
    chance = random.Random(file.name)
    samples: list[Sample] = []
    for example in load(file):
        variants = [example]
        variants += [
            change(example, chance.randrange(1 << 30))
            for change, share in ((retyped, RETYPED), (worn, WORN))
            if changed and chance.random() < share
        ]
        samples += [Sample(_small(features(variant.tokens)), Truth.of(variant)) for variant in variants]
    return samples


def _small(page: PageFeatures) -> PageFeatures:
    return replace(page, numbers=page.numbers.astype(np.float16))


def _batch_of(samples: Sequence[Sample], device: str) -> _Batch:
    batch = batch_of([sample.features for sample in samples], device)
    return _Batch(batch, targets_of([sample.truth for sample in samples], batch.kind.shape[1], device))


def _disturbed_losses(network: StructureNetwork, batch: _Batch) -> dict[str, Tensor]:
    return losses(network(_disturbed(batch.pages, network.mean)), batch.targets)


def _disturbed(batch: PageBatch, mean: Tensor) -> PageBatch:
    """The pages with a little noise; some without their words, some without a group of features."""
    pages, device = len(batch.kind), batch.kind.device
    numbers = batch.numbers * (1 + NOISE * torch.randn_like(batch.numbers))
    for columns in list(GROUPS.values())[1:]:  # where it stands is always known
        is_lost = torch.rand(pages, 1, 1, device=device) < UNKNOWN
        numbers[:, :, columns] = torch.where(is_lost, mean[columns], numbers[:, :, columns])
    keeps_words = torch.rand(pages, 1, 1, device=device) > WORDLESS
    return replace(batch, hashes=batch.hashes * keeps_words, numbers=numbers)


@torch.no_grad()
def evaluate(network: StructureNetwork, held: Sequence[Sample], device: str) -> dict[str, float]:
    """How often each head is right on pages that were not learnt, and the F1 of headings by segment."""
    network.eval()
    counts: dict[str, Counts] = {}
    headings = [0, 0, 0]
    heading = torch.tensor([ROLES.index("heading"), ROLES.index("title")], device=device)
    by_length = sorted(held, key=len)
    for begin in range(0, len(by_length), 8):
        group = by_length[begin : begin + 8]
        batch = batch_of([sample.features for sample in group], device)
        targets = targets_of([sample.truth for sample in group], batch.kind.shape[1], device)
        scores = network(batch)
        for name, right in judged(scores, targets).items():
            counts[name] = counts.get(name, Counts()).and_of(right)
        predicted = torch.isin(scores.role.argmax(-1), heading) & (targets.role >= 0)
        true = torch.isin(targets.role, heading)
        for index, hits in enumerate((predicted & true, predicted & ~true, ~predicted & true)):
            headings[index] += int(hits.sum())
    network.train()
    hit, extra, missed = headings
    f1 = 2 * hit / max(1, 2 * hit + extra + missed)
    return {name: round(count.share, 4) for name, count in counts.items()} | {"heading_f1": round(f1, 4)}


def write(network: StructureNetwork, out: Path) -> None:
    """The checkpoint as `documents.layout.structure.structure_reader` loads it."""
    write_checkpoint(network, {"architecture": "structure", "roles": list(ROLES), **asdict(network.shape)}, out)


if __name__ == "__main__":
    sys.exit(main())
