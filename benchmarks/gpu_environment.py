"""The GPU machine's environment: versions, what is not installed, and whether Triton can compile here.

Triton makes its launcher with a C compiler and Python's own headers; without them `graphs` cannot run, however well the
GPU does. The results are written before the exit status says that something is missing.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.harness.report import record, table

PACKAGES = ("torch", "transformers", "triton", "numpy", "safetensors", "Pillow", "pytest", "opencv-python-headless")
OPTIONAL = {
    "doclayout_yolo": "layout",
    "pydantic": "layout and training of page structure",
    "fontTools": "OCR training",
    "cv2": "training",
}
SOURCE = """
#include <Python.h>
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "compiled", NULL, -1, NULL};
PyMODINIT_FUNC PyInit_compiled(void) { return PyModule_Create(&module); }
"""


def main() -> int:
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, dest="out", help="write the figures here")
    options = parser.parse_args()
    error = compile_error()
    runs_kernel = not error and bool(_gpu())
    kernel_error = _kernel_error() if runs_kernel else ""
    rows = [{"what": "Python", "is": platform.python_version()}]
    rows += [{"what": name, "is": _version(name)} for name in PACKAGES]
    rows += [{"what": name, "is": _presence(name, use)} for name, use in OPTIONAL.items()]
    rows += [{"what": "C compiler and Python.h", "is": error or "a module was compiled and loaded"}]
    rows += [{"what": "Triton's kernel", "is": kernel_error or ("as plain torch" if runs_kernel else "not run")}]
    rows += [{"what": "GPU", "is": _gpu() or "none"}]
    print(table(rows))
    if options.out:
        figures = {"compiles": float(not error)}
        if runs_kernel:
            figures["kernel_runs"] = float(not kernel_error)
        record(options.out, "gpu_environment", figures, rows, machine={"gpu": _gpu() or "none"})
    return int(bool(error or kernel_error))


def compile_error() -> str:
    """Why a module of C cannot be compiled and loaded as Triton would, or nothing if it can."""
    compiler = os.environ.get("CC") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return "Triton cannot compile: no C compiler (gcc, clang or CC); on Debian: apt-get install gcc"
    scheme = sysconfig.get_default_scheme().replace("posix_local", "posix_prefix")
    include = Path(sysconfig.get_path("include", scheme=scheme))
    if not (include / "Python.h").is_file():
        return f"Triton cannot compile: no Python.h in {include}; on Debian: apt-get install python3-dev"
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "compiled.c")
        source.write_text(SOURCE)
        target = source.with_suffix(".so")
        command = [*compiler.split(), "-shared", "-fPIC", f"-I{include}", str(source), "-o", str(target)]
        try:
            ran = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            return f"Triton cannot compile: {error}"
        if ran.returncode:
            return f"Triton cannot compile: {compiler} ended with {ran.returncode}: {ran.stderr.strip()[-300:]}"
        load = "import sys; sys.path.insert(0, sys.argv[1]); import compiled"
        loaded = subprocess.run([sys.executable, "-c", load, folder], capture_output=True, text=True, check=False)
        return f"Triton cannot load what it compiles: {loaded.stderr.strip()[-300:]}" if loaded.returncode else ""


def _kernel_error() -> str:
    """What is wrong with our kernel compiled for the GPU of this machine, or nothing if it computes plain attention."""
    import torch

    from batching.kv.kv_rows import KvRows
    from batching.routes.torch.paged_attention_kernel import paged_attention as compiled
    from benchmarks.plain_paged_attention import paged_attention as plain

    torch.manual_seed(0)
    queries = torch.randn(2, 2, 16, device="cuda")
    pool = KvRows(3, 8, (2, 16), torch.float32, torch.device("cuda"))
    pool.numbers.normal_()
    tables = torch.tensor([[1], [2]], dtype=torch.int32, device="cuda")
    lengths = torch.tensor([8, 5], dtype=torch.int32, device="cuda")
    try:
        computed = compiled(queries, pool, pool, tables, lengths, 0.25)
        expected = plain(queries, pool, pool, tables, lengths, 0.25)
        difference = float((computed - expected).abs().max())
        torch.cuda.synchronize()  # an error of a kernel is raised here at the latest, not in a later step
    except Exception as error:  # of Triton, its compiler or the driver: whatever it is, it is what is to be said
        return f"Triton failed: {type(error).__name__}: {str(error)[-300:]}"
    return "" if difference < 1e-4 else f"the compiled kernel is {difference:g} off plain torch"


def _gpu() -> str:
    import torch

    return torch.cuda.get_device_name() if torch.cuda.is_available() else ""


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _presence(module: str, use: str) -> str:
    return "installed" if importlib.util.find_spec(module) else f"not installed: no {use}"


if __name__ == "__main__":
    sys.exit(main())
