"""What a worker process of our Ray does before its work: Ray Serve is imported without pandas.

Serve looks for pandas to write data frames as JSON, which no answer of ours is; with pyarrow it takes 35 MB in each
process. What needs pandas in a worker, as a job of Ray Data, imports it as ever.
"""

from __future__ import annotations

import importlib
import sys


def import_serve() -> None:
    """Import Ray Serve as if pandas were not installed; nothing, where one of them is imported already."""
    if "pandas" in sys.modules or "ray.serve" in sys.modules:
        return
    sys.modules["pandas"] = None  # pyright: ignore[reportArgumentType]  an import of it raises ImportError
    try:
        importlib.import_module("ray.serve")
    finally:
        del sys.modules["pandas"]
