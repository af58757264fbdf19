"""`scripts/check_docs.py`: the docs say what the code says."""

import subprocess
import sys
from pathlib import Path

from configs.settings_table import settings_table

ROOT = Path(__file__).resolve().parents[2]


def test_the_docs_list_every_setting_as_it_is() -> None:
    """Guards against a setting that nobody can find, or a default that has moved."""
    assert settings_table() in (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")


def test_links_codes_and_lengths_are_right() -> None:
    """Guards against docs that lie."""
    command = [sys.executable, str(ROOT / "scripts" / "check_docs.py")]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
