"""Modules that tests of segments share lie in this folder."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # with importlib mode no folder of tests is on the path
