"""`deployments.lean_imports`, and what each deployment may import: looked at in processes of their own."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

LARGE = ("torch", "transformers", "pandas", "lancedb", "pyarrow", "matplotlib")
MODULES = f"import json, sys; print(json.dumps([name for name in {LARGE!r} if name in sys.modules]))"
LEAN = "from deployments import lean_imports; lean_imports.install()"


def last_line(*lines: str) -> object:
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def test_serve_comes_without_pandas() -> None:
    assert last_line(LEAN, "from ray import serve", MODULES) == []


def test_everyone_else_has_pandas_afterwards() -> None:
    pytest.importorskip("pandas")
    table = "import pandas, json; print(json.dumps(int(pandas.DataFrame({'a': [1, 2]}).a.sum())))"
    assert last_line(LEAN, "from ray import serve", table) == 3


def test_a_pandas_that_is_there_already_stays() -> None:
    pytest.importorskip("pandas")
    check = "print(json.dumps(serve._private.utils.pd is pandas))"
    assert last_line("import json, pandas", LEAN, "from ray import serve", "import ray.serve._private.utils", check)


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("deployments.ingress.app", []),
        ("deployments.jobs.deployment", []),
        ("deployments.pipeline", []),
        ("deployments.renderer", []),
        ("deployments.search", ["pandas", "lancedb", "pyarrow"]),  # pyarrow.dataset brings pandas
        ("deployments.embedder", []),  # the replicas of models load torch when they are made
        ("deployments.layout", []),
        ("deployments.ocr", []),
    ],
)
def test_a_deployment_imports_no_large_library_that_it_does_not_use(module: str, expected: list[str]) -> None:
    """Guards against the 290 MB that torch takes in each process, and LanceDB where a filter is only written."""
    assert last_line(LEAN, "from ray import serve", f"import {module}", MODULES) == expected
