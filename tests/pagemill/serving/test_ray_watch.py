"""`pagemill.serving.ray_watch`: a graph without its Ray is ended, no other."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from pagemill.serving.ray_watch import NUM_CHECKS, RayWatch, programs_below

BOTH = {"raylet", "gcs_server", "python"}
OWN_NAME = "not-a-raylet"  # a real one may run below this process: other tests start it
NAMED = f"import ctypes, sys; ctypes.CDLL(None).prctl(15, b'{OWN_NAME}', 0, 0, 0); print(flush=True); sys.stdin.read()"


class Graph:
    """A process that counts how often it is killed."""

    kills = 0

    def kill(self) -> None:
        self.kills += 1


def watched(looks: list[set[str]], *, stopping: bool = False) -> tuple[str | None, int]:
    """What was lost after these looks, and how often the graph was killed."""
    graph, programs = Graph(), iter(looks)
    watch = RayWatch(graph, lambda: stopping, programs=lambda: next(programs))  # type: ignore[arg-type]
    for _ in looks:
        watch.look()
    return watch.lost, graph.kills


@pytest.mark.parametrize("lost", ["raylet", "gcs_server"])
def test_a_graph_that_lost_its_ray_is_ended_once(lost: str) -> None:
    """Guards against a server that hangs: 26 to 31 of its processes were there a minute after such an end."""
    assert watched([BOTH, *[BOTH - {lost}] * (NUM_CHECKS + 2)]) == (lost, 1)


def test_a_graph_that_starts_or_ends_by_itself_is_left_alone() -> None:
    """Guards against a graph that is killed before its Ray is up, or while it takes it down."""
    assert watched([{"python"}] * 9 + [BOTH] * 3) == (None, 0)
    assert watched([BOTH, *[{"python"}] * (NUM_CHECKS - 1), BOTH, {"python"}]) == (None, 0)
    assert watched([BOTH, *[{"python"}] * 9], stopping=True) == (None, 0)


def test_programs_are_those_that_run() -> None:
    """Guards against a dead one that counts until somebody waits for it."""
    with subprocess.Popen([sys.executable, "-c", NAMED], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        assert OWN_NAME in programs_below()
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and nobody has waited for it
        assert OWN_NAME not in programs_below()
