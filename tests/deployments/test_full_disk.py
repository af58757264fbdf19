"""`Jobs.forget` on a disk that is full to its last byte: a file system of its own, in a namespace of mounts."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import ray

from configs import Settings
from deployments.jobs import deployment
from deployments.storage.disk import RESERVE_BYTES
from tests.deployments.gated_work import GatedWork

ROOT = Path(__file__).resolve().parents[2]
SIZE_MB = 64
DOCUMENT_BYTES = 4 << 20
MOUNT = ["unshare", "--mount", "--map-root-user"]


def fill(folder: Path) -> None:
    """Not a byte is left."""
    with (folder / "filler").open("wb", buffering=0) as file:
        piece = b"x" * (1 << 20)
        while piece:
            try:
                file.write(piece)
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise
                piece = piece[: len(piece) // 2]


class NoMeters:
    def left(self, **_: int) -> None:
        pass


def jobs_without_ray(folder: Path, work: GatedWork) -> deployment.Jobs:
    """The deployment's class with its own store, blobs and reserve; what it calls and tells is replaced."""
    deployment.GraphWork = lambda *_, **__: work  # type: ignore[assignment, misc]
    deployment.JobMetrics = NoMeters  # type: ignore[assignment, misc]
    deployment.Jobs._write_server_file = lambda _: None  # type: ignore[method-assign]
    jobs = deployment.Jobs(Settings(data_dir=folder), None)  # type: ignore[arg-type]
    assert not ray.is_initialized(), "asking for Ray's address has started one"
    return jobs


async def scenario(folder: Path) -> dict[str, Any]:
    """Two documents, a disk without a byte, and both deleted."""
    jobs = jobs_without_ray(folder, GatedWork(2))
    await jobs.check_health()
    for name in ("first", "second"):
        content = b"%PDF-1.7\n" + os.urandom(DOCUMENT_BYTES)
        job = await jobs.submit(content, {"document_id": name}, file_name=name)
        assert (await jobs.wait(job.id, 60)).status == "succeeded"
    await asyncio.to_thread(fill, folder)
    report: dict[str, Any] = {"free_when_full": shutil.disk_usage(folder).free, "disk": (await jobs.about())["disk"]}
    try:
        await jobs.submit(b"%PDF-1.7\n" + os.urandom(DOCUMENT_BYTES))
    except Exception as error:
        report["upload"] = type(error).__name__
    for name in ("first", "second"):
        await jobs.forget(name)
    report["left"] = [job.document_id for job in await jobs.jobs("default")]
    report["blobs"] = len([file for file in (folder / "blobs").rglob("*") if file.is_file()])
    reserve = folder / "reserve"
    report["room_after"] = shutil.disk_usage(folder).free + (reserve.stat().st_size if reserve.exists() else 0)
    await jobs.__del__()
    return report


def test_documents_are_deleted_on_a_disk_without_a_byte_and_their_room_comes_back(tmp_path: Path) -> None:
    """Guards against a full disk that nobody can empty: a deletion writes before it frees."""
    script = f'mount -t tmpfs -o size={SIZE_MB}m tmpfs "$1" && exec "$2" "$3" "$1"'
    if shutil.which("unshare") is None:
        pytest.skip("no unshare here")
    probe = subprocess.run([*MOUNT, "mount", "-t", "tmpfs", "tmpfs", str(tmp_path)], check=False, capture_output=True)
    if probe.returncode:
        pytest.skip(f"no file system may be mounted here: {probe.stderr.decode().strip()}")
    command = [*MOUNT, "bash", "-c", script, "bash", str(tmp_path), sys.executable, __file__]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment, timeout=180)
    assert done.returncode == 0, done.stderr[-3000:]
    report = json.loads(done.stdout.splitlines()[-1])
    assert (report["free_when_full"], report["disk"], report["upload"]) == (0, "full", "DiskFull")
    assert (report["left"], report["blobs"]) == ([], 0)
    assert report["room_after"] > RESERVE_BYTES + 2 * DOCUMENT_BYTES - (1 << 20), "of both documents, but for some rows"


if __name__ == "__main__":
    print(json.dumps(asyncio.run(scenario(Path(sys.argv[1])))))  # noqa: T201  for the test, in its namespace
