"""The examples that call the graph by handles, as jobs of the running server's own cluster."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pyarrow import parquet

from benchmarks.harness.server import ROOT, Running
from tests.serve.files import pdf

pytestmark = [pytest.mark.serve, pytest.mark.slow]
TIMEOUT_S = 240


def ran(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(argument) for argument in command],
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
    )


def test_a_submitted_job_reads_ingests_and_gives_up(running: Running, data_dir: Path) -> None:
    """Guards against an address or a token that a shell cannot know, and a `python` that lacks our packages."""
    exports = ran(sys.executable, "-m", "pagemill", "where", "--data-dir", data_dir)
    assert exports.returncode == 0, exports.stderr
    ray = Path(sys.executable).with_name("ray")
    submitted = ran("sh", "-c", f"{exports.stdout}\nexec {ray} job submit -- python examples/ray_job.py")
    assert submitted.returncode == 0, submitted.stdout + submitted.stderr
    report = json.loads(next(line for line in submitted.stdout.splitlines() if line.startswith("{")))
    assert any("lamps" in text.lower() for text in report["read"])
    assert (report["ingested"]["status"], report["ingested"]["pages"]) == ("succeeded", 2)
    assert report["given_up"]["status"] == "cancelled"
    assert 1 <= report["given_up"]["read"] < report["given_up"]["pages"]


def test_bulk_ingestion_goes_on_where_it_was_and_skips_nothing(
    running: Running, data_dir: Path, tmp_path: Path
) -> None:
    """Guards against documents done twice, rows that a killed run cut off, and one bad file that ends all."""
    folder, out = tmp_path / "in", tmp_path / "out"
    (folder / "deep").mkdir(parents=True)
    for number, name in enumerate(("a", "b", "deep/c")):
        (folder / f"{name}.pdf").write_bytes(pdf(2, title=f"In bulk, volume {number}"))
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing else")
    command = (
        sys.executable,
        "examples/bulk_ingest.py",
        folder,
        out,
        "--data-dir",
        data_dir,
        "--window",
        "2",
        "--rows",
        "2",
    )
    first = ran(*command)
    assert first.returncode == 0, first.stderr
    counts = {"found": 4, "done": 0, "written": 4, "left": 0, "failed": 1}
    assert json.loads(first.stdout.splitlines()[-1]) == counts
    rows = {Path(row["path"]).name: row for row in parquet.read_table(out).to_pylist()}
    assert all("harbour master" in rows[name]["markdown"] for name in ("a.pdf", "b.pdf", "c.pdf"))
    assert (rows["broken.pdf"]["status"], rows["broken.pdf"]["markdown"]) == ("failed", None)
    assert rows["broken.pdf"]["error"].startswith("unreadable_document")
    check_failures(out)

    tables = out.glob("*.parquet")
    cut = next(table for table in tables if str(folder / "a.pdf") in parquet.read_table(table)["path"].to_pylist())
    cut.write_bytes(cut.read_bytes()[:-20])  # as a kill in the middle of writing leaves it
    shutil.copy(folder / "a.pdf", folder / "again.pdf")
    again = ran(*command)
    assert again.returncode == 0, again.stderr
    report = json.loads(again.stdout.splitlines()[-1])
    assert (report["found"], report["left"], report["done"] + report["written"]) == (5, 0, 5)
    assert 0 < report["written"] < 5
    check_failures(out)
    assert not cut.exists()
    jobs = {row["path"]: row["job_id"] for row in parquet.read_table(out).to_pylist()}
    assert all(jobs[path] == row["job_id"] for row in rows.values() if (path := row["path"]) in jobs)


def check_failures(out: Path) -> None:
    (line,) = (json.loads(line) for line in (out / "_failures.jsonl").read_text().splitlines())
    assert (Path(line["path"]).name, line["status"], line["is_final"]) == ("broken.pdf", "failed", True)
    assert line["error"].startswith("unreadable_document")
