"""What the trainings of page structure share: options, how a network begins, the run, the files of a checkpoint."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from training.structure.loop import Batch, Log, Network, Sample, made_ahead, trained

HEAD_WIDTH = 32  # numbers per head of attention
WEIGHTS_FILE, CONFIG_FILE, LOG_FILE = "model.safetensors", "config.json", "training.json"


class HasFeatureScale(Protocol):
    """A network that takes features as deviations from their mean."""

    mean: Tensor
    scale: Tensor


class HasSize(Protocol):
    """The sizes of a network that are options of its training."""

    @property
    def width(self) -> int: ...
    @property
    def num_layers(self) -> int: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingOptions:
    """The options that every training has; `rate` is of the usual learning rate."""

    out: Path
    minutes: float
    device: str
    begin_from: Path | None  # checkpoint
    rate: float
    width: int
    num_layers: int
    seed: int

    @classmethod
    def of(cls, args: argparse.Namespace) -> TrainingOptions:
        return cls(**{name: getattr(args, name) for name in cls.__dataclass_fields__})

    @property
    def num_heads(self) -> int:
        return self.width // HEAD_WIDTH


def training_parser(description: str | None, usual: HasSize, *, minutes: float) -> argparse.ArgumentParser:
    """The options of `TrainingOptions`; a training adds where its samples are."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=minutes)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--from", dest="begin_from", type=Path, help="checkpoint to begin with")
    parser.add_argument("--rate", type=float, default=1.0, help="of the usual learning rate")
    parser.add_argument("--width", type=int, default=usual.width)
    parser.add_argument("--layers", dest="num_layers", type=int, default=usual.num_layers)
    parser.add_argument("--seed", type=int, default=1)
    return parser


def prepare(options: TrainingOptions) -> None:
    """Make the folder of the run, and what is drawn at random the same in each run of a seed."""
    torch.manual_seed(options.seed)
    torch.set_float32_matmul_precision("high")
    options.out.mkdir(parents=True, exist_ok=True)


def measure_features(network: HasFeatureScale, numbers: Sequence[np.ndarray], *, min_scale: float) -> None:
    """Give a network the mean and deviation of its features, of all tokens of samples: (tokens, features) each."""
    tokens = torch.from_numpy(np.concatenate(numbers).astype(np.float32))
    network.mean.copy_(tokens.mean(0))
    network.scale.copy_(tokens.std(0).clamp(min=min_scale))


def train_network(
    options: TrainingOptions,
    network: Network,
    samples: Sequence[Sample],
    *,
    batch_of: Callable[[Sequence[Sample], str], Batch],
    pairs_per_batch: Mapping[str, int],
    losses: Callable[[Network, Batch], Mapping[str, Tensor]],
    weights: Mapping[str, float],
    evaluate: Callable[[Network], dict[str, float]],
    write: Callable[[Network, Path], None],
    read: Callable[[Path], Mapping[str, Tensor]] | None = None,
) -> Log:
    """Train a network on samples, from its own beginning or the checkpoint of the options, and write the run's log.

    `pairs_per_batch` is by the type of the device; `losses`, `weights` and `evaluate` are those of `loop.trained`;
    `read` gives the weights of a checkpoint, default those that `write_checkpoint` wrote.
    """
    pairs = pairs_per_batch.get(torch.device(options.device).type, pairs_per_batch["cuda"])
    if options.begin_from:
        network.load_state_dict((read or read_checkpoint)(options.begin_from))
    network.to(options.device)
    log = trained(
        network,
        made_ahead(samples, pairs, options.seed, lambda group: batch_of(group, options.device)),
        losses,
        weights,
        evaluate,
        lambda mean: write(mean, options.out),
        seconds=60 * options.minutes,
        device=options.device,
        rate=options.rate,
    )
    (options.out / LOG_FILE).write_text(json.dumps(log, indent=1) + "\n", encoding="utf-8")
    return log


def read_checkpoint(folder: Path) -> Mapping[str, Tensor]:
    """The weights that `write_checkpoint` wrote."""
    return load_file(folder / WEIGHTS_FILE)


def write_checkpoint(network: nn.Module, config: Mapping[str, object], out: Path) -> dict[str, Tensor]:
    """Write the weights in single precision and what the network is; the weights."""
    weights = {name: value.detach().float().cpu().contiguous() for name, value in network.state_dict().items()}
    save_file(weights, out / WEIGHTS_FILE)
    (out / CONFIG_FILE).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    return weights
