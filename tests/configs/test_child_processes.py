"""`configs.child_processes`, as the graph's own process uses it."""

from __future__ import annotations

import subprocess
import sys

import psutil

GRAPH = """
import subprocess, sys
from deployments import own_ray
own_ray.cli = lambda: print(subprocess.check_output(["sh", "-c", "sleep 600 > /dev/null & echo $!"], text=True))
own_ray.main()
"""


def test_a_graph_leaves_no_process_whose_parent_ended_before_it() -> None:
    """Guards against Ray's agents, which outlived a killed server by more than a minute."""
    output = subprocess.check_output([sys.executable, "-c", GRAPH], text=True, timeout=120)
    assert not psutil.pid_exists(int(output))
