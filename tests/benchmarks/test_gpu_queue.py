"""The GPU queue: it runs with what a GPU machine has, goes on after a failure, and is what GPU.md says it is."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import gpu_queue
from benchmarks.gpu_environment import compile_error
from benchmarks.gpu_queue import STEPS, Step, arguments_of, main, numbers

ROOT = Path(__file__).parents[2]
ABSENT = (
    "ray doclayout_yolo pymupdf fitz pydantic pydantic_core fastapi starlette lancedb sqlalchemy albumentations xdist"
)
AS_ON_A_GPU_MACHINE = f"""
import os, sys

class Without:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        package = name.partition(".")[0]
        absent = package in {ABSENT.split()!r} and package not in os.environ.get("FROM_WHEELS", "").split()
        return None if absent else self.finder.find_spec(name, path, target)

    def __getattr__(self, name):
        return getattr(self.finder, name)

sys.meta_path[:] = [Without(finder) for finder in sys.meta_path]
"""


def run_without(code: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The code in a Python that finds none of what a GPU machine lacks."""
    return subprocess.run(
        [sys.executable, "-c", AS_ON_A_GPU_MACHINE + code, *arguments],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "CUDA_VISIBLE_DEVICES": "", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_queue_runs_with_what_a_gpu_machine_has() -> None:
    """Guards against a check that imports pydantic only when it runs: the strips came from a module that needs it."""
    modules = [step.command[1] for step in STEPS if not step.needs and step.command[1] != "pytest"]
    assert "benchmarks.gpu_check" in modules
    assert "training.ocr.train" in modules
    code = f"""
import importlib
for name in {[*modules, "benchmarks.gpu_queue"]!r}:
    importlib.import_module(name)
from benchmarks import gpu_check
figures = {{}}
for known in gpu_check.reads_alike(gpu_check.REHEARSED):
    figures |= known
assert figures["ocr_torch_tokens_equal"] == 1, figures
assert list(gpu_check.detects_alike(gpu_check.REHEARSED)) == []
from training.ocr.batches import StripBatches
next(iter(StripBatches(1, 4, 8)))
print("ran to the end")
"""
    ran = run_without(code)
    assert ran.stdout.endswith("layout: skipped, doclayout_yolo and pydantic not installed\nran to the end\n"), (
        ran.stderr
    )


@pytest.mark.parametrize(("network", "from_wheels"), [("structure", "pydantic pydantic_core"), ("cells", "")])
def test_page_structure_is_trained_with_what_a_gpu_machine_has(network: str, from_wheels: str, tmp_path: Path) -> None:
    """Guards against a training that needs PyMuPDF, as the drawing of its samples does."""
    (step,) = [step for step in STEPS if step.name == network]
    assert step.needs == tuple(from_wheels.split()[:1])
    arguments = arguments_of(step, tmp_path, minutes=0, rehearse=True)[2:]
    arguments[arguments.index("--minutes") + 1] = "0.02"
    code = "from training.structure.train import main; sys.exit(main(sys.argv[1:]))"
    ran = run_without(code, *arguments, FROM_WHEELS=from_wheels)
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / network / "training.json").is_file()


def test_a_training_without_its_samples_is_skipped_by_name(tmp_path, monkeypatch) -> None:
    """Guards against a lease on which a training fails since nobody carried what it learns from."""
    monkeypatch.setattr(gpu_queue, "ROOT", tmp_path)
    monkeypatch.setattr(gpu_queue, "no_gpu", lambda: "")
    number = 1 + [step.name for step in STEPS].index("cells")
    assert main([str(tmp_path / "out"), "--step", str(number), "--minutes", "1"]) == 0
    (noted,) = json.loads((tmp_path / "out" / "queue.json").read_text())
    assert noted["state"] == "skipped"
    assert "runs/tables/cells" in noted["reason"]


def test_the_gpu_tests_are_collected_without_xdist() -> None:
    """Guards against a conftest that needs a plugin which only spreads tests over workers."""
    code = "import pytest; sys.exit(pytest.main(sys.argv[1:]))"
    choice = (
        "-q",
        "--collect-only",
        "-p",
        "no:cacheprovider",
        "-m",
        "gpu",
        "tests/batching/routes/torch/test_paged_attention_kernel.py",
    )
    ran = run_without(code, *choice, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "test_the_compiled_kernel_computes_plain_attention" in ran.stdout


def test_a_step_that_fails_or_hangs_is_noted_and_the_next_one_runs(tmp_path, monkeypatch, capfd) -> None:
    """Guards against a lease that is spent on the first thing that goes wrong."""
    left = "import subprocess; subprocess.run(['cat'])"  # its child holds the output open
    steps = (
        Step("fails", 1, ("-c", "import sys; sys.exit('no such kernel')")),
        Step("hangs", 1, ("-c", f"import os; os.dup2(os.pipe()[0], 0); {left}")),
        Step("lacks", 1, ("-c", "raise AssertionError"), needs=("no_such_module",)),
        Step("trains", 1, ("-c", "raise AssertionError"), on_gpu=("MINUTES",)),
        Step("works", 1, ("-c", "import pathlib, sys; pathlib.Path(sys.argv[1]).write_text('{}')", "OUT/works.json")),
    )
    monkeypatch.setattr(gpu_queue, "STEPS", steps)
    monkeypatch.setattr(gpu_queue, "LIMIT_S", 3)
    monkeypatch.setattr(gpu_queue, "no_gpu", lambda: "")
    assert main([str(tmp_path), "--step", "1-5"]) == 1
    noted = json.loads((tmp_path / "queue.json").read_text())
    assert [(item["name"], item["state"]) for item in noted] == [
        ("fails", "failed"),
        ("hangs", "out of time"),
        ("lacks", "skipped"),
        ("trains", "skipped"),
        ("works", "passed"),
    ]
    assert "no_such_module" in noted[2]["reason"]
    assert (tmp_path / "works.json").is_file()
    assert "no such kernel" in (tmp_path / "queue.log").read_text()
    assert main([str(tmp_path), "--step", "5"]) == 0, "one step alone"
    assert len(json.loads((tmp_path / "queue.json").read_text())) == 5, "what was noted before stays"


def test_without_a_gpu_nothing_is_run_and_said(tmp_path, monkeypatch, capsys) -> None:
    """Guards against figures of a CPU that look like a GPU's."""
    monkeypatch.setattr(gpu_queue, "no_gpu", lambda: "torch sees no CUDA device here")
    assert main([str(tmp_path / "out")]) == 0
    assert "no CUDA device" in capsys.readouterr().out
    assert not (tmp_path / "out").exists()


def test_a_python_without_torch_is_an_error(tmp_path, monkeypatch, capsys) -> None:
    """Guards against a lease on which nothing ran and that looks as if it had no GPU."""
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho \"ModuleNotFoundError: No module named 'torch'\" >&2\nexit 1\n")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    assert main([str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert f"{python} cannot use torch" in error
    assert "No module named 'torch'" in error
    assert not (tmp_path / "out").exists()


def test_an_interrupted_step_leaves_no_process(tmp_path) -> None:
    """Guards against a step that holds the GPU after the queue was interrupted: it is in a session of its own."""

    class Interrupted(io.StringIO):
        def write(self, text: str) -> int:
            if text.isdecimal():
                (tmp_path / "pid").write_text(text)
                raise KeyboardInterrupt
            return super().write(text)

    command = [sys.executable, "-c", "import os, signal; print(os.getpid()); signal.pause()"]
    with pytest.raises(KeyboardInterrupt):
        gpu_queue.run(command, Interrupted(), heading="== 1", limit_s=60)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_steps_are_chosen_by_number_and_range() -> None:
    """Guards against a range that leaves out its end."""
    assert numbers(["4", "1-2"], last=5) == [1, 2, 4]
    assert numbers(None, last=3) == [1, 2, 3]
    for wrong in ("0", "6", "2-1", "1-", "one", "1-9", "-"):
        with pytest.raises(ValueError, match="between 1 and 5"):
            numbers([wrong], last=5)


def test_every_step_stands_in_the_page_with_its_number_and_minutes() -> None:
    """Guards against a page that plans a lease for another queue."""
    page = (ROOT / "benchmarks" / "GPU.md").read_text()
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \| (\d+)( \+ M)? \|", page, re.MULTILINE)
    assert rows == [
        (str(number), step.name, str(step.minutes), " + M" if step.trains else "")
        for number, step in enumerate(STEPS, 1)
    ]
    assert all(60 * step.minutes < gpu_queue.LIMIT_S for step in STEPS)


def test_a_rehearsal_never_names_the_gpu() -> None:
    """Guards against a rehearsal that is skipped for want of a GPU."""
    for step in STEPS:
        rehearsed = arguments_of(step, Path("/out"), minutes=0, rehearse=True)
        assert "cuda" not in rehearsed
        assert "MINUTES" not in rehearsed
        assert not any(item.startswith("OUT") for item in rehearsed)


def test_a_machine_on_which_triton_cannot_compile_is_told_apart(tmp_path, monkeypatch) -> None:
    """Guards against a queue whose graphs all fail for want of a compiler, or that blames a compiler that works."""
    (tmp_path / "Python.h").touch()  # this machine may have none, which would be the error of every case
    monkeypatch.setattr("sysconfig.get_path", lambda *_, **__: str(tmp_path))
    monkeypatch.setenv("CC", "/nonexistent/cc")
    assert "/nonexistent/cc" in compile_error()
    monkeypatch.setenv("CC", "false")
    assert "false ended with 1" in compile_error()
    monkeypatch.delenv("CC")
    monkeypatch.setenv("PATH", "/nonexistent")
    assert "no C compiler" in compile_error()
    monkeypatch.setenv("CC", "cc")
    monkeypatch.setattr("sysconfig.get_path", lambda *_, **__: "/nonexistent")
    assert "no Python.h" in compile_error()


def test_where_nothing_can_be_installed_make_names_the_queue(tmp_path) -> None:
    """Guards against an error of pip where the queue needs no installation."""
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "setup.sh").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "scripts" / "setup.sh").chmod(0o755)
    ran = subprocess.run(["make", "gpu-check"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode != 0
    assert "run with the Python that has torch: PYTHON=python3 bash benchmarks/gpu_queue.sh OUT" in ran.stderr


@pytest.mark.slow
def test_the_whole_queue_runs_in_an_environment_like_a_gpu_machines(tmp_path) -> None:
    """Guards against what differs there: Python, transformers, Triton, and packages that are not installed."""
    script = ["bash", "benchmarks/rehearse_gpu_queue.sh", str(tmp_path)]
    ran = subprocess.run(script, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if ran.returncode == 77:
        pytest.skip(f"the environment cannot be made here: {ran.stdout[-300:]}")
    assert ran.returncode == 0, ran.stdout[-5000:]
