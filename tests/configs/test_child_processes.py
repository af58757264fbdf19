"""`configs.child_processes`, as the graph's own process uses it."""

from __future__ import annotations

import subprocess
import sys

import psutil
import pytest

GRAPH = """
import subprocess, sys
from deployments.library_internals import own_ray
own_ray.cli = lambda: print(subprocess.check_output(["sh", "-c", "sleep 600 > /dev/null & echo $!"], text=True))
own_ray.main()
"""


def test_a_graph_leaves_no_process_whose_parent_ended_before_it() -> None:
    """Guards against Ray's agents, which outlived a killed server by more than a minute."""
    output = subprocess.check_output([sys.executable, "-c", GRAPH], text=True, timeout=120)
    assert not psutil.pid_exists(int(output))


@pytest.mark.parametrize(("ending", "code"), [("", 0), ("4", 4), ("'no such file'", 1)])
def test_a_graph_ends_with_the_code_of_serve(ending: str, code: int) -> None:
    """Guards against a start that failed and looks like one that was stopped."""
    program = "import sys\nfrom deployments.library_internals import own_ray\n"
    program += f"own_ray.cli = lambda: sys.exit({ending})\nown_ray.main()"
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == code
    assert ("no such file" in done.stderr) == (code == 1)
