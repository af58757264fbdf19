"""The wheel: what a checkout has and a server needs is in it, and a server starts from it anywhere."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from pagemill import Client
from pagemill.ingesting.local_server import free_port

ROOT = Path(__file__).resolve().parents[2]
ROOMS = (
    "batching",
    "benchmarks",
    "configs",
    "deployments",
    "documents",
    "pagemill",
    "retrieval",
    "training",
    "checkpoints",
)
LEFT_OUT = ("benchmarks/", "training/", "batching/native/build")  # of these rooms the code alone
PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
START_S, STOP_S = 300.0, 120.0


def files_of_checkout() -> list[str]:
    git = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    return subprocess.run(git, check=True, capture_output=True, text=True, cwd=ROOT).stdout.splitlines()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy of the checkout: nothing is left in it."""
    folder = tmp_path_factory.mktemp("copy")
    for name in files_of_checkout():
        of_room = name.startswith(tuple(f"{room}/" for room in ROOMS))
        if of_room or ("/" not in name and (ROOT / name).is_file()):  # a link to a folder is none
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    command = [*PIP, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", "out", "."]
    subprocess.run(command, check=True, capture_output=True, cwd=folder)
    (wheel,) = (folder / "out").glob("*.whl")
    return wheel


def test_every_file_that_a_server_needs_is_in_the_wheel(wheel: Path) -> None:
    """A package that the list of packages forgot was missing from the wheel, and no checkout could show it."""
    packed = set(zipfile.ZipFile(wheel).namelist())
    needed = {
        name
        for name in files_of_checkout()
        if name.startswith(tuple(f"{room}/" for room in ROOMS))
        and (name.endswith(".py") or not name.startswith(LEFT_OUT))
        and not name.endswith("README.md")
    }
    assert needed - packed == set()


@contextmanager
def serving(folder: Path, environment: dict[str, str]) -> Iterator[str]:
    """The address of `pagemill serve`, started in `folder`, once it says that it is ready."""
    port = free_port()
    command = [sys.executable, "-m", "pagemill", "serve", "--port", str(port), "--data-dir", str(folder / "data")]
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert process.stdout is not None
    try:
        lines: list[bytes] = []
        while not any(b"ready" in line for line in lines):
            lines.append(process.stdout.readline())
            assert lines[-1], b"".join(lines).decode()  # it has ended
        yield f"http://127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=STOP_S)


@pytest.mark.slow
@pytest.mark.serve
def test_an_installed_wheel_serves_from_any_folder(wheel: Path, tmp_path: Path) -> None:
    """Guards against a config, a checkpoint or a file of the page that only a checkout has."""
    site, elsewhere = tmp_path / "site", tmp_path / "elsewhere"
    elsewhere.mkdir()
    subprocess.run([*PIP, "install", "--no-deps", "--target", str(site), str(wheel)], check=True, capture_output=True)
    environment = os.environ | {"PYTHONPATH": str(site)}
    where = [sys.executable, "-c", "import configs, deployments; print(configs.__file__, deployments.__file__)"]
    places = subprocess.run(where, check=True, capture_output=True, text=True, cwd=elsewhere, env=environment).stdout
    assert places.count(str(site)) == 2, "not the checkout"
    with serving(elsewhere, environment) as url, Client(url) as client:
        page = httpx.get(url, timeout=60, trust_env=False)
        assert (page.status_code, "/static/main.js" in page.text) == (200, True)
        assert httpx.get(f"{url}/static/main.js", timeout=60, trust_env=False).status_code == 200
        job = client.ingest(ROOT / "tests" / "data" / "letter.pdf", wait_s=START_S)
        scan = client.ingest(ROOT / "tests" / "data" / "scan.png", wait_s=START_S)
        assert (job.status, scan.status) == ("succeeded", "succeeded")
        assert len(client.result(scan.id).text) > 100
        passages = client.query("harbour", k=1).passages
        assert passages, "the embedder and the index are there"
