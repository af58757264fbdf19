"""`python -m batching.native`: builds the C++ library ahead, for this CPU or all (`--all`)."""

from __future__ import annotations

import logging
import sys

from batching.native.library import build_all, library

logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
if "--all" in sys.argv[1:]:
    build_all()
else:
    _ = library()
