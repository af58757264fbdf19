"""Runs of a bulk ingestion that kill themselves, as processes of their own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

from tests.examples import killed_bulk_ingest

ROOT = Path(__file__).parents[2]


def killed(source: str, out: str, log: Path, at: int, when: str, **variables: str) -> dict[str, int] | None:
    """The counts of a run; None: it killed itself."""
    command = [sys.executable, killed_bulk_ingest.__file__, source, out, str(log), str(at), when]
    environment = os.environ | {"PYTHONPATH": str(ROOT)} | variables
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if ended.returncode == -signal.SIGKILL:
        return None
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def check_repetitions(log: Path, num_kills: int, counts: dict[str, int]) -> None:
    """Done again is at most what was on its way at a kill."""
    times = Counter(log.read_text().splitlines())
    assert len(times) == counts["found"]
    in_flight = killed_bulk_ingest.MAX_BLOCKS * killed_bulk_ingest.ROWS_PER_FILE
    assert sum(times.values()) - len(times) <= num_kills * in_flight
