"""What each deployment imports: looked at in processes of their own."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

LARGE = ("torch", "transformers", "lancedb")
MODULES = f"import json, sys; print(json.dumps([name for name in {LARGE!r} if name in sys.modules]))"


def last_line(*lines: str) -> object:
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("deployments.ingress.app", []),
        ("deployments.jobs.deployment", []),
        ("deployments.pipeline.deployment", []),
        ("deployments.renderer.deployment", []),
        ("deployments.search.deployment", ["lancedb"]),
        ("deployments.embedder.deployment", []),  # the replicas of models load torch when they are made
        ("deployments.layout.deployment", []),
        ("deployments.ocr.deployment", []),
        ("deployments.shared_models.deployment", []),
        ("deployments.lm.deployment", []),
    ],
)
def test_a_deployment_imports_no_large_library_that_it_does_not_use(module: str, expected: list[str]) -> None:
    """Guards against the 290 MB that torch takes in each process, and LanceDB where a filter is only written."""
    assert last_line("from ray import serve", f"import {module}", MODULES) == expected
