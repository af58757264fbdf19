"""`pagemill.serving.memory_watch`: which process a shortage of memory ends first, and its report."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pagemill.ingesting.local_server import free_port
from pagemill.serving.memory_watch import NUM_CHECKS_AFTER_SHORTAGE, OOM_SCORES, MemoryWatch, Parts, set_oom_score
from pagemill.serving.ray_environment import ray_environment
from pagemill.serving.serve_config import compose

ROOT = Path(__file__).resolve().parents[3]


class Machine:
    """Processes that come and go, and a kernel that counts whom it ended."""

    def __init__(self, threshold: float | None = None) -> None:
        self.parts: Parts = {}
        self.kills, self.share = 0, 0.5
        self.lines: list[str] = []
        self.watch = MemoryWatch(
            self.lines.append,
            threshold,
            parts=lambda: dict(self.parts),
            oom_kills=lambda: self.kills,
            used_share=lambda: self.share,
        )


NO_PID = 1 << 30  # above every pid: nothing of it is written


def test_what_the_kernel_ended_is_said_once() -> None:
    """Guards against a server that stands still for minutes and nobody says why."""
    machine = Machine()
    machine.parts = {NO_PID: "Ocr", NO_PID + 1: "Layout", NO_PID + 2: "Jobs"}
    machine.watch.look()
    machine.parts, machine.kills = {NO_PID + 2: "Jobs"}, 2
    machine.watch.look()
    machine.watch.look()
    assert len(machine.lines) == 1
    assert machine.lines[0].startswith("Out of memory: Layout and Ocr were ended")
    assert "Serve restarts it" in machine.lines[0]


def test_a_process_that_is_slow_to_go_is_said_too() -> None:
    """Guards against a line that is lost: the kernel counts at once, but takes a large process apart for seconds."""
    machine = Machine()
    machine.parts = {NO_PID: "Ocr"}
    machine.watch.look()
    machine.kills = 1
    machine.watch.look()
    machine.watch.look()
    assert machine.lines == []
    machine.parts = {}
    machine.watch.look()
    assert len(machine.lines) == 1


def test_a_shortage_is_over_after_a_while() -> None:
    """Guards against a replica that is scaled away long after a shortage, and told as ended by it."""
    machine = Machine()
    machine.parts = {NO_PID: "Ocr"}
    machine.watch.look()
    machine.kills = 1
    for _ in range(NUM_CHECKS_AFTER_SHORTAGE + 1):
        machine.watch.look()
    machine.parts = {}
    machine.watch.look()
    assert machine.lines == []


def test_a_replica_that_is_scaled_away_is_no_shortage() -> None:
    machine = Machine()
    machine.parts = {NO_PID: "Ocr"}
    machine.watch.look()
    machine.parts = {}
    machine.watch.look()
    assert machine.lines == []


def test_what_ray_s_monitor_ended_is_said_too() -> None:
    """Guards against silence where a threshold is set: Ray's kills are not in the kernel's count."""
    machine = Machine(threshold=0.95)
    machine.parts, machine.share = {NO_PID: "Embedder"}, 0.96
    machine.watch.look()
    machine.parts, machine.share = {}, 0.7
    machine.watch.look()
    assert len(machine.lines) == 1
    assert "Embedder was ended" in machine.lines[0]


def test_a_model_is_ended_before_what_holds_the_server_together() -> None:
    """Guards against a kernel that takes the door or the jobs instead of what is large and starts again by itself."""
    sleeper = subprocess.Popen(["sleep", "600"])
    try:
        set_oom_score(sleeper.pid, OOM_SCORES["Ocr"])
        assert Path(f"/proc/{sleeper.pid}/oom_score_adj").read_text().strip() == str(OOM_SCORES["Ocr"])
        assert int(Path(f"/proc/{sleeper.pid}/oom_score").read_text()) > int(Path("/proc/self/oom_score").read_text())
    finally:
        sleeper.kill()
        sleeper.wait()
    assert not {"Ingress", "Jobs", "Pipeline", "Renderer", "Search"} & OOM_SCORES.keys()


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ({}, {"RAY_memory_monitor_refresh_ms": "0"}),
        ({"memory_threshold": "0.9"}, {"RAY_memory_usage_threshold": "0.9"}),
    ],
)
def test_the_memory_of_other_programs_ends_nothing_of_ours_unless_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: dict[str, str], expected: dict[str, str]
) -> None:
    """Guards against Ray's monitor: at 95 % of a machine that others filled it ended seven workers at once."""
    for name in ("RAY_memory_monitor_refresh_ms", "RAY_memory_usage_threshold", "RAY_worker_oom_score_adjustment"):
        monkeypatch.delenv(name, raising=False)
    places = {"data_dir": str(tmp_path), "port": str(free_port())}
    environment = ray_environment(compose(ROOT / "serve_config.yaml", places | option, {}).settings)
    chosen = {name: value for name, value in environment.items() if name.startswith("RAY_memory_")}
    assert chosen == expected
    assert environment["RAY_worker_oom_score_adjustment"] == "0"
