"""`deployments.library_internals.worker_start`: what a worker of our Ray imports, and what it does not."""

from __future__ import annotations

import subprocess
import sys

LOADED = "import sys; print(*(name for name in ('ray.serve', 'pandas', 'pyarrow') if sys.modules.get(name)))"


def loaded(code: str) -> list[str]:
    """Which of the three a fresh process has after `code`."""
    command = [sys.executable, "-c", f"{code}\n{LOADED}"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def test_a_worker_has_serve_without_pandas() -> None:
    """Guards against 35 MB in each process for data frames that no answer is."""
    assert loaded("import ray.serve") == ["ray.serve", "pandas", "pyarrow"], "what Serve does by itself"
    assert loaded("from deployments.library_internals.worker_start import import_serve; import_serve()") == [
        "ray.serve"
    ]


def test_pandas_can_be_imported_afterwards() -> None:
    """Guards against a Ray job whose data frames are gone."""
    start = "from deployments.library_internals.worker_start import import_serve; import_serve()"
    assert loaded(f"{start}; import pandas; pandas.DataFrame") == ["ray.serve", "pandas", "pyarrow"]
    assert loaded(f"import pandas; {start}") == ["ray.serve", "pandas", "pyarrow"]


def test_the_index_opens_without_pandas() -> None:
    """Guards against 25 MB of pandas, which pyarrow imports for LanceDB."""
    start = "from deployments.library_internals.worker_start import without_pandas as without"
    assert loaded(f"{start}\nwith without():\n    import retrieval.index.index\nimport sys") == ["pyarrow"]
