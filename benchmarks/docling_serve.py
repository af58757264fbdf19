"""docling-serve's own end-to-end tests against our server: `python -m benchmarks.docling_serve CHECKOUT PAPER`.

CHECKOUT is a folder with its repository, whose tests run unchanged. They reach a server at localhost:5001, or take an
application from `docling_serve.app`; our stand-in for that package passes every request on to the server. Tests of
docling-serve's inner parts, and those that read arxiv.org, are left out. PAPER stands for `2206.01062v1.pdf` and
`2408.09869v5.pdf` where CHECKOUT lacks them; tests look for the title of the first. The exit code is 0 if all passed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

from benchmarks.harness.options import parser_of
from benchmarks.harness.report import record, table
from benchmarks.harness.server import ROOT
from pagemill.ingesting.local_server import local_server

PORT = 5001  # of its tests
PYTHON = ROOT / ".venv-docling" / "bin" / "python"  # scripts/setup_long.sh makes it
PAPERS = ("2206.01062v1.pdf", "2408.09869v5.pdf")
TESTS = (
    "test_1-file-all-outputs.py",
    "test_1-file-async.py",
    "test_1-url-async-ws.py",
    "test_2-files-all-outputs.py",
    "test_fastapi_endpoints.py",
    "test_file_opts.py",
    "test_health_probes.py::test_health",
    "test_health_probes.py::test_ready",
    "test_health_probes.py::test_readyz_alias",
    "test_health_probes.py::test_livez_alias",
    "test_results_clear.py::test_clear_results",
)
LOOPS = ("-o", "asyncio_default_fixture_loop_scope=session", "-o", "asyncio_default_test_loop_scope=session")
STAND_IN = Path(__file__).with_name("peers") / "docling_serve_app.py"
NAMES_OF_OTHERS = "def __getattr__(name):\n    return type(name, (), {})\n"  # imported by tests that are left out


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("paper", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = _prepared(args.checkout, args.paper, Path(scratch) / "docling-serve")
        with local_server(Path(scratch) / "data", port=PORT):
            rows = _run(folder)
    print(table(rows))
    passed = sum(row["outcome"] == "passed" for row in rows)
    if args.out:
        record(args.out, "docling_serve", {"num_tests": len(rows), "num_passed": passed}, rows)
    return int(not rows or passed < len(rows))


def _prepared(checkout: Path, paper: Path, folder: Path) -> Path:
    """The tests with their papers, beside the stand-in for the package that they import."""
    shutil.copytree(checkout / "tests", folder / "tests")
    shutil.copy(checkout / "pyproject.toml", folder)  # pytest's settings
    for name in PAPERS:
        if not (folder / "tests" / name).exists():
            shutil.copy(paper, folder / "tests" / name)
    package = folder / "docling_serve"
    (package / "datamodel").mkdir(parents=True)
    shutil.copy(STAND_IN, package / "app.py")
    settings = f"class docling_serve_settings:\n    api_key = ''\n    load_models_at_boot = True\n\n{NAMES_OF_OTHERS}"
    (package / "settings.py").write_text(settings, encoding="utf-8")
    (package / "datamodel" / "responses.py").write_text(NAMES_OF_OTHERS, encoding="utf-8")
    return folder


def _run(folder: Path) -> list[dict[str, str]]:
    report = folder / "report.xml"
    tests = [f"tests/{test}" for test in TESTS]
    command = [str(PYTHON), "-m", "pytest", "-q", f"--junit-xml={report}", *LOOPS, "--maxfail=99", *tests]
    environment = {**os.environ, "PYTHONPATH": str(folder), "PAGEMILL_URL": f"http://127.0.0.1:{PORT}"}
    done = subprocess.run(command, cwd=folder, env=environment, check=False, stdout=sys.stderr)
    if done.returncode not in (0, 1):  # tests passed or failed; else pytest could not run them all
        raise SystemExit(f"pytest ended with {done.returncode}")
    return rows_of(report)


def rows_of(report: Path) -> list[dict[str, str]]:
    """A row per test of pytest's JUnit report: name, outcome (`passed`, or what pytest says instead), and why."""
    rows: list[dict[str, str]] = []
    for case in ET.parse(report).iter("testcase"):
        wrong = next((child for child in case if child.tag in {"failure", "error", "skipped"}), None)
        name = f"{case.get('classname', '').removeprefix('tests.')}::{case.get('name')}"
        outcome = "passed" if wrong is None else wrong.tag
        why = "" if wrong is None else (wrong.get("message") or "").split("\n")[0][:160]
        rows.append({"test": name, "outcome": outcome, "why": why})
    return rows


if __name__ == "__main__":
    sys.exit(main())
