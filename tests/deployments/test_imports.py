"""What each deployment imports: looked at in processes of their own."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
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
        ("deployments.search.deployment", []),  # loads LanceDB, which starts threads, when it opens the index
        ("deployments.embedder.deployment", []),  # the replicas of models load torch when they are made
        ("deployments.layout.deployment", []),
        ("deployments.ocr.deployment", []),
        ("deployments.shared_models.deployment", []),
        ("deployments.lm.deployment", []),
        ("deployments.app", []),
        ("deployments.replicas.model_imports", ["torch", "transformers"]),
    ],
)
def test_a_deployment_imports_no_large_library_that_it_does_not_use(module: str, expected: list[str]) -> None:
    """Guards against the 290 MB that torch takes in each process, and LanceDB where a filter is only written."""
    assert last_line("from ray import serve", f"import {module}", MODULES) == expected


@pytest.mark.parametrize("module", ["deployments.app", "deployments.replicas.model_imports", "retrieval.index.index"])
def test_what_a_server_imports_loads_no_library_of_plots_or_data_frames(module: str) -> None:
    """Guards against 30 MB per process for each, which the layout package, Serve and LanceDB load by themselves."""
    absent = ("pandas", "matplotlib", "albumentations", "sklearn", "polars")
    packages = "{name.partition('.')[0] for name, module in sys.modules.items() if module}"
    loaded = f"print(json.dumps(sorted({packages} & {set(absent)!r})))"
    start = "import json, sys; from deployments.library_internals.worker_start import import_serve, without_pandas"
    around = "with without_pandas():" if module.startswith("retrieval") else "if True:"
    assert last_line(start, "import_serve()", around, f"    import {module}", loaded) == []


@pytest.mark.parametrize("module", ["deployments.app", "deployments.replicas.model_imports"])
def test_what_workers_are_forked_with_starts_no_thread(module: str) -> None:
    """Guards against a library that starts one while it is imported: such a process is not forked."""
    threads = "import json, os; print(json.dumps(len(os.listdir('/proc/self/task'))))"
    start = "import os; os.environ |= {'OMP_NUM_THREADS': '1', 'OPENBLAS_NUM_THREADS': '1'}"
    serve = "from deployments.library_internals.worker_start import import_serve; import_serve()"
    assert last_line(start, serve, f"import {module}", threads) == 1


@pytest.mark.parametrize("room", ["ingress", "jobs", "pipeline"])
def test_a_room_that_passes_pixels_on_never_has_them(room: str) -> None:
    """Guards against pictures of megabytes that pass through every process between Renderer and who looks at them."""
    modules = {
        path.relative_to(ROOT).as_posix(): {
            name.name.partition(".")[0]
            for node in ast.walk(ast.parse(path.read_bytes()))
            if isinstance(node, ast.Import)
            for name in node.names
        }
        | {
            (node.module or "").partition(".")[0]
            for node in ast.walk(ast.parse(path.read_bytes()))
            if isinstance(node, ast.ImportFrom)
        }
        for path in (ROOT / "deployments" / room).rglob("*.py")
    }
    assert len(modules) > 5
    assert [path for path, names in modules.items() if names & {"numpy", "PIL", "cv2"}] == []
