"""Imports Ray Serve and LanceDB without pandas, which saves 35 MB per process.

Serve looks for pandas to write data frames as JSON, which none of our answers contain, and pyarrow, for LanceDB, to
convert its tables; with pyarrow, pandas takes 35 MB in each process that runs no model. Code that needs pandas in a
worker, such as a Ray Data job, imports it as usual.

Checked with: ray 2.60.0
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Iterator, Sequence


class _NoPandas:
    """A finder that knows of no pandas."""

    def find_spec(self, name: str, _path: Sequence[str] | None = None, _target: object = None) -> None:
        if name.partition(".")[0] == "pandas":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@contextlib.contextmanager
def without_pandas() -> Iterator[None]:
    """Imports find no pandas in the block, unless it is imported already."""
    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


def import_serve() -> None:
    """Import Ray Serve as if pandas were not installed."""
    with without_pandas():
        importlib.import_module("ray.serve")
