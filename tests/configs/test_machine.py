"""`configs.machine`: the kernel's own count."""

from __future__ import annotations

from pathlib import Path

from configs.machine import VMSTAT, num_oom_kills


def test_the_count_is_the_kernel_s(tmp_path: Path) -> None:
    """Guards against a line of the file that only begins alike."""
    file = tmp_path / "vmstat"
    file.write_text("oom_kill_disabled 9\npgfault 3\noom_kill 4\n")
    assert num_oom_kills(file) == 4
    assert num_oom_kills(tmp_path / "none") == 0


def test_this_kernel_counts() -> None:
    assert "\noom_kill " in VMSTAT.read_text()
