"""CPU time goes to the stage that used it, whichever process that was."""

from __future__ import annotations

import subprocess
import sys
import time

from benchmarks.harness.stage_clock import StageClock

WORK = "import time\nwhile time.process_time() < 0.3: pass\nprint('done', flush=True)\ninput()"


def test_the_time_of_a_child_is_in_the_stage_in_which_it_worked():
    """Guards against counting children only once they have ended, as the system's own sum does."""
    clock = StageClock()
    with subprocess.Popen([sys.executable, "-c", WORK], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        clock.lap("child")
        clock.lap("nothing")
        child.communicate(b"\n")
    assert 0.25 < clock.seconds["child"] < 3
    assert clock.seconds["nothing"] < 0.1


def test_own_time_is_counted_and_laps_of_one_stage_add_up():
    clock = StageClock()
    for _ in range(2):
        until = time.process_time() + 0.1
        while time.process_time() < until:
            pass
        clock.lap("work")
    assert 0.19 < clock.seconds["work"] < 2


def test_a_child_that_ends_takes_nothing_from_a_stage():
    """Guards against time that runs backwards when a child is replaced."""
    clock = StageClock()
    with subprocess.Popen([sys.executable, "-c", WORK], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        clock.lap("child")
        child.communicate(b"\n")
    clock.lap("after")
    assert clock.seconds["after"] >= 0
