"""`benchmarks.starved`: what passes, and that what takes the memory lets go of it again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.harness import memory_cgroup
from benchmarks.harness.memory_cgroup import MemoryCgroup
from benchmarks.starved import HOG, passed
from configs.machine_memory import num_oom_kills

GOOD = {
    "jobs": 9.0,
    "finished": 9.0,
    "losses": 0.0,
    "duplicates": 0.0,
    "failed_for_good": 0.0,
    "bare_answers": 0.0,
    "back_s": 40.0,
}
GROWING = """
import sys
held = b"x" * (60 << 20)
print("there", flush=True)
sys.stdin.readline()
held += b"y" * (200 << 20)
print("grown", flush=True)
"""


def test_a_run_in_which_nothing_was_lost_passes() -> None:
    assert passed(GOOD)


@pytest.mark.parametrize(
    "worse",
    [
        {"losses": 1.0},
        {"duplicates": 1.0},
        {"failed_for_good": 1.0},
        {"bare_answers": 1.0},
        {"finished": 8.0},
        {"jobs": 0.0, "finished": 0.0},
        {"back_s": 61.0},
    ],
)
def test_any_loss_failure_bare_answer_or_late_return_fails(worse: dict[str, float]) -> None:
    """Guards against a figure that nobody looks at."""
    assert not passed(GOOD | worse)


def test_the_hog_takes_nothing_where_less_is_available_than_it_shall_leave_and_ends_by_itself() -> None:
    """Guards against a machine that stays full when the benchmark is killed."""
    hog = subprocess.run([sys.executable, "-c", HOG, str(1 << 30), "0.2"], check=False, timeout=60)
    assert hog.returncode == 0


@pytest.mark.skipif(
    os.geteuid() != 0 or not os.access(memory_cgroup.ROOT, os.W_OK), reason="a memory cgroup needs root"
)
@pytest.mark.parametrize("squeezed", [True, False])
def test_the_kernel_ends_what_grows_in_a_squeezed_group_alone(squeezed: bool) -> None:
    """Guards against a shortage that is none."""
    before = num_oom_kills()
    with MemoryCgroup(f"pagemill-test-{os.getpid()}") as group:
        with group.joined():
            grower = subprocess.Popen(
                [sys.executable, "-c", GROWING], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        assert grower.stdout is not None
        assert grower.stdout.readline() == "there\n"
        if squeezed:
            with group.squeezed(leave_mb=8):
                out, _ = grower.communicate("go\n", timeout=60)
        else:
            out, _ = grower.communicate("go\n", timeout=60)
        folder: Path = group._folder
    assert (grower.returncode, out) == ((-9, "") if squeezed else (0, "grown\n"))
    assert num_oom_kills() > before or not squeezed
    assert not folder.exists()
