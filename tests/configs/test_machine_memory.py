"""`configs.machine_memory`: the kernel's own counts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.harness.memory_cgroup import ROOT, MemoryCgroup
from configs.machine_memory import PROC, cgroup_used_share, num_oom_kills, num_own_oom_kills

STARVED = """
import os, subprocess, sys
from configs.machine_memory import num_own_oom_kills
before = num_own_oom_kills()
child = subprocess.run([sys.executable, "-c", "import pathlib; "
    "pathlib.Path('/proc/self/oom_score_adj').write_text('1000'); b'x' * (1 << 29)"])
print(child.returncode, num_own_oom_kills() - before)
"""


def machine(folder: Path, files: dict[str, str]) -> dict[str, Path]:
    """`/proc` and `/sys/fs/cgroup` of a machine, as arguments."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return {"proc": folder / "proc", "cgroups": folder / "cgroups"}


def test_the_count_is_the_kernel_s(tmp_path: Path) -> None:
    """Guards against a line of the file that only begins alike."""
    places = machine(tmp_path, {"proc/vmstat": "oom_kill_disabled 9\npgfault 3\noom_kill 4\n"})
    assert num_oom_kills(places["proc"]) == 4
    assert num_oom_kills(tmp_path / "none") == 0


def test_this_kernel_counts() -> None:
    assert "\noom_kill " in (PROC / "vmstat").read_text()


@pytest.mark.parametrize(
    "files",
    [
        {"proc/self/cgroup": "0::/\n", "cgroups/memory.events": "oom 7\noom_kill 2\noom_group_kill 0\n"},
        {"proc/self/cgroup": "0::/a/b\n", "cgroups/a/b/memory.events": "oom 7\noom_kill 2\n"},
        {"proc/self/cgroup": "4:memory:/a\n1:cpu:/b\n0::/\n", "cgroups/memory/a/memory.oom_control": "oom_kill 2\n"},
        {"proc/self/cgroup": "4:memory:/docker/1\n", "cgroups/memory/memory.oom_control": "under_oom 0\noom_kill 2\n"},
        {"proc/self/cgroup": "0::/\n", "proc/vmstat": "oom_kill 2\n"},
    ],
)
def test_a_container_counts_its_own(tmp_path: Path, files: dict[str, str]) -> None:
    """Guards against a shortage of another container that is told as ours."""
    assert num_own_oom_kills(**machine(tmp_path, {"proc/vmstat": "oom_kill 99\n"} | files)) == 2


@pytest.mark.parametrize(
    ("files", "share"),
    [
        ({"proc/self/cgroup": "0::/\n", "cgroups/memory.max": "max\n", "cgroups/memory.current": "5\n"}, 0.0),
        (
            {
                "proc/self/cgroup": "0::/\n",
                "cgroups/memory.max": "1000\n",
                "cgroups/memory.current": "900\n",
                "cgroups/memory.stat": "anon 600\ninactive_file 200\n",
            },
            0.7,
        ),
        (
            {
                "proc/self/cgroup": "4:memory:/a\n",
                "cgroups/memory/a/memory.limit_in_bytes": "1000\n",
                "cgroups/memory/a/memory.usage_in_bytes": "900\n",
                "cgroups/memory/a/memory.stat": "inactive_file 1\ntotal_inactive_file 200\n",
            },
            0.7,
        ),
        ({}, 0.0),
    ],
)
def test_a_container_is_full_by_its_own_limit(tmp_path: Path, files: dict[str, str], share: float) -> None:
    """Guards against a container at its limit on a machine that has room, and against files that count as used."""
    assert cgroup_used_share(**machine(tmp_path, files)) == pytest.approx(share)


@pytest.mark.skipif(os.geteuid() != 0 or not os.access(ROOT, os.W_OK), reason="a memory cgroup needs root")
def test_what_the_kernel_ends_in_our_cgroup_is_counted() -> None:
    """Guards against a file of the kernel that is read by a wrong name."""
    with MemoryCgroup(f"pagemill-test-{os.getpid()}") as group:
        (group._folder / group._limit).write_text(str(128 << 20))
        with group.joined():
            child = subprocess.Popen([sys.executable, "-c", STARVED], stdout=subprocess.PIPE, text=True)
        output, _ = child.communicate(timeout=120)
    assert output.split() == ["-9", "1"]
