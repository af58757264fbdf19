"""The Triton kernel: the same as plain attention, by Triton's interpreter on a CPU and compiled on a GPU."""

import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
import torch

CASES = Path(__file__).parents[2] / "kernel_cases.py"
ROOT = Path(__file__).parents[4]


def _differences(device: str, **environment: str) -> dict[str, float]:
    ran = subprocess.run(
        [sys.executable, str(CASES), device],
        env=os.environ | {"PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout.splitlines()[-1])


def _assert_equal(differences: dict[str, float]) -> None:
    assert len(differences) == 17
    for name, apart in differences.items():
        assert 0 <= apart <= (2e-2 if "bfloat16" in name else 1e-5), (name, apart)


@pytest.mark.skipif(
    version("triton").startswith("3.6.") and tuple(map(int, version("numpy").split(".")[:2])) >= (2, 5),
    reason="the interpreter of Triton 3.6 takes one-element arrays for numbers, which NumPy 2.5 refuses",
)
def test_the_kernel_computes_plain_attention_and_never_looks_at_slots_beyond_the_context():
    """Interpreted, so that the kernel's logic is tested where no GPU is; masked slots hold NaN."""
    _assert_equal(_differences("cpu", TRITON_INTERPRET="1", CUDA_VISIBLE_DEVICES=""))


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_the_compiled_kernel_computes_plain_attention():
    _assert_equal(_differences("cuda"))
