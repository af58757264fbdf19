"""What all trainings of page structure share: options, the checkpoint that one begins with, the files it writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from training.structure.cells.network import JudgeShape
from training.structure.training_run import (
    TrainingOptions,
    measure_features,
    train_network,
    training_parser,
    write_checkpoint,
)


class Line(nn.Module):
    """Scaled features to one number."""

    def __init__(self) -> None:
        super().__init__()
        self.mean: Tensor
        self.scale: Tensor
        self.register_buffer("mean", torch.zeros(2))
        self.register_buffer("scale", torch.ones(2))
        self.weights = nn.Linear(2, 1)


def batch_of(samples: Sequence[np.ndarray], device: str) -> Tensor:
    return torch.from_numpy(np.stack(samples)).float().to(device)


def losses(network: Line, batch: Tensor) -> dict[str, Tensor]:
    return {"line": network.weights((batch - network.mean) / network.scale).square().mean()}


def write(network: Line, out: Path) -> None:
    write_checkpoint(network, {"architecture": "line"}, out)


def run(options: TrainingOptions) -> None:
    options.out.mkdir(parents=True, exist_ok=True)
    train_network(
        options,
        Line(),
        [np.array([1.0, 2.0]), np.array([3.0, 4.0])],
        batch_of=batch_of,
        pairs_per_batch={"cpu": 8, "cuda": 8},
        losses=losses,
        weights={"line": 1.0},
        evaluate=lambda network: {"norm": float(network.weights.weight.detach().norm())},
        write=write,
    )


@pytest.fixture
def options(tmp_path: Path) -> TrainingOptions:
    parser = training_parser("", JudgeShape(), minutes=0)
    return TrainingOptions.of(parser.parse_args([str(tmp_path / "first")]))


def test_options_have_the_usual_sizes_of_the_network(options: TrainingOptions) -> None:
    assert (options.width, options.num_layers, options.num_heads) == (128, 4, 4)
    assert options.begin_from is None


def test_a_run_of_no_time_writes_the_weights_that_it_begins_with(tmp_path: Path, options: TrainingOptions) -> None:
    run(options)
    run(replace(options, out=tmp_path / "second", begin_from=options.out))
    first, second = (load_file(tmp_path / name / "model.safetensors") for name in ("first", "second"))
    assert first.keys() == second.keys()
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_a_run_learns(tmp_path: Path, options: TrainingOptions) -> None:
    run(options)
    run(replace(options, out=tmp_path / "second", begin_from=options.out, minutes=0.02))
    batch = batch_of([np.array([1.0, 2.0]), np.array([3.0, 4.0])], "cpu")

    def loss(name: str) -> float:
        network = Line()
        network.load_state_dict(load_file(tmp_path / name / "model.safetensors"))
        return float(losses(network, batch)["line"].detach())

    assert loss("second") < loss("first")


def test_a_feature_that_never_changes_is_not_blown_up() -> None:
    network = Line()
    measure = partial(measure_features, min_scale=0.01)
    measure(network, [np.array([[1.0, 5.0], [2.0, 5.0]]), np.array([[3.0, 5.0]])])
    assert network.mean.tolist() == [2.0, 5.0]
    assert network.scale.tolist() == pytest.approx([1.0, 0.01])
