"""`documents.layout.doclayout.network_runner`: what a pass gives does not depend on how it is run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from documents.layout.batch_runner import RunnerConfig
from documents.layout.doclayout.network import LayoutNetwork, load_network, read_config
from documents.layout.doclayout.network_runner import NetworkRunner
from documents.layout.errors import LayoutCheckpointError

COMPACT = Path(__file__).parents[4] / "checkpoints" / "layout-compact"


def runner(**how):
    return NetworkRunner(load_network(COMPACT, read_config(COMPACT)), 640, RunnerConfig(**how))


@pytest.fixture(scope="module")
def squares():
    page = np.full((640, 640, 3), 255, np.uint8)
    page[100:400:14, 80:560] = 0
    return [page, np.zeros_like(page), page[::-1].copy()]


@pytest.fixture(scope="module")
def exact():
    return runner(num_threads=1)


def test_layout_rows_are_the_same_bits_with_any_number_of_threads(exact, squares):
    """Guards against results that depend on the machine's cores or on the order of pages."""
    alone = [exact.rows([square])[0] for square in squares]
    for num_threads in (1, 3):
        together = runner(num_threads=num_threads).rows([*squares[::-1], squares[0]])
        assert all(torch.equal(a, b) for a, b in zip(together, [*alone[::-1], alone[0]], strict=True))


def test_a_pass_that_fails_for_one_square_fails_that_square_alone(exact, squares, monkeypatch):
    """Guards against a batch that is lost because one of its pages was too much for the device."""
    whole = exact.step

    def scarce(group):
        if group[0] is squares[1]:
            raise torch.OutOfMemoryError("tried to allocate 20 GiB")
        return whole(group)

    monkeypatch.setattr(exact, "step", scarce)
    first, second, third = exact.rows(squares)
    assert second is None
    assert first.shape == third.shape == (300, 6)


def test_layout_in_bfloat16_finds_the_same_regions_roughly(exact, squares):
    """Guards against coordinates that are decoded in bfloat16, where a pixel beyond 256 is no number."""
    (sure,), (rough,) = (network.rows([squares[0]]) for network in (exact, runner(precision="bfloat16")))
    assert rough.dtype == torch.float32
    assert abs(float(rough[0, 4] - sure[0, 4])) < 0.05
    assert (rough[0, :4] - sure[0, :4]).abs().max() < 3


def test_graphs_without_a_gpu_are_refused():
    """Guards against a setting that is silently dropped."""
    with pytest.raises(LayoutCheckpointError, match="needs a GPU"):
        runner(acceleration="cuda_graph")


@pytest.mark.slow
def test_layout_compiled_gives_the_same_rows(exact, squares):
    """Guards against a compiled network that means another one."""
    (plain,), (compiled,) = (network.rows([squares[0]]) for network in (exact, runner(acceleration="compile")))
    sure = plain[:, 4] > 0.05
    assert torch.allclose(plain[sure, 4], compiled[sure, 4], atol=1e-3)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
@pytest.mark.parametrize("acceleration", ["none", "compile", "cuda_graph"])
def test_layout_on_a_gpu_gives_the_rows_of_the_cpu(exact, squares, acceleration):
    """Guards against graphs that read what a later batch wrote; five squares fill up to eight."""
    gpu_rows = runner(device="cuda", acceleration=acceleration).rows([*squares, *squares[:2]])
    for on_cpu, on_gpu in zip(exact.rows([*squares, *squares[:2]]), gpu_rows, strict=True):
        sure = on_cpu[:, 4] > 0.3
        assert torch.allclose(on_cpu[sure], on_gpu.cpu()[sure], atol=0.5)


def test_a_network_that_does_not_run_here_is_refused_at_once(monkeypatch):
    """Guards against a replica that is healthy and fails every page."""

    def forward(_, __):
        raise RuntimeError("no such kernel")

    monkeypatch.setattr(LayoutNetwork, "forward", forward)
    with pytest.raises(LayoutCheckpointError, match="no such kernel"):
        runner(num_threads=1)
