"""`python -m batching.native`: build the library for this processor, at set-up; never fails."""

from __future__ import annotations

import logging
import sys

from batching.native.library import library

logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
_ = library()
