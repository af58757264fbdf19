"""Runs LibreOffice to print a file to PDF, sandboxed, with time and memory limits."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import sys
import tempfile
from asyncio.subprocess import DEVNULL
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import documents
from documents.errors import PageFailed, PageTimeout, RendererUnavailable
from documents.media_types import DOCX, ODP, ODT, PPTX
from documents.walls.libreoffice import EXIT_NO_WALLS

ENDINGS = {DOCX: "docx", ODT: "odt", PPTX: "pptx", ODP: "odp"}
PROGRAMS = ("/usr/lib/libreoffice/program/soffice.bin", "/usr/lib64/libreoffice/program/soffice.bin")
NEW_PROFILE = 81  # exit status of a first start, which only makes the profile
OPTIONS = ("--headless", "--nologo", "--norestore", "--nolockcheck", "--nodefault", "--convert-to", "pdf")
_ROOT = str(Path(documents.__file__).resolve().parent.parent)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintLimits:
    """What printing one file may take."""

    timeout_s: float = 60
    cpu_s: int = 60
    memory_bytes: int = 3_000_000_000  # of address space


def program() -> str | None:
    """Where LibreOffice is; None where it is not installed."""
    return next((path for path in PROGRAMS if Path(path).exists()), None)


class Printer:
    """Prints one file at a time; no process of it lives on after its call."""

    def __init__(self, limits: PrintLimits | None = None) -> None:
        self._limits = limits or PrintLimits()
        self._turn = asyncio.Lock()

    async def print(self, path: Path, media_type: str, pdf: Path) -> None:
        """Write the file's pages to `pdf`.

        Raises:
            RendererUnavailable: LibreOffice or the walls around it are not there.
            PageTimeout: it took too long.
            PageFailed: it printed nothing.
        """
        executable = program()
        if executable is None:
            raise RendererUnavailable("LibreOffice is not installed")
        async with self._turn:
            folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="pagemill-print-"))
            try:
                name = folder / f"file.{ENDINGS[media_type]}"
                await asyncio.to_thread(shutil.copyfile, path, name)
                await self._run(executable, folder, name)
                printed = folder / "out" / "file.pdf"
                if not await asyncio.to_thread(printed.is_file):
                    raise PageFailed("the file could not be printed")
                await asyncio.to_thread(shutil.move, printed, pdf)
            finally:
                await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    async def _run(self, executable: str, folder: Path, name: Path) -> None:
        try:
            async with asyncio.timeout(self._limits.timeout_s):
                status = await self._ended(executable, folder, name)
                if status == NEW_PROFILE:
                    status = await self._ended(executable, folder, name)
        except TimeoutError:
            raise PageTimeout(f"printing was stopped after {self._limits.timeout_s:g} s") from None
        if status == EXIT_NO_WALLS:
            raise RendererUnavailable("this machine cannot sandbox LibreOffice")
        if status:
            raise PageFailed(f"LibreOffice ended with status {status}")

    async def _ended(self, executable: str, folder: Path, name: Path) -> int:
        """The exit status of one run; its whole process group is gone then."""
        limits = self._limits
        walls = (str(folder), str(limits.memory_bytes), str(limits.cpu_s))
        profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "documents.walls.libreoffice", *walls),
            *(executable, profile, *OPTIONS, "--outdir", str(folder / "out"), str(name)),
            stdin=DEVNULL,
            stdout=DEVNULL,
            stderr=DEVNULL,
            cwd=folder,
            env=_environment(folder),
            start_new_session=True,
        )
        try:
            return await process.wait()
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await asyncio.shield(process.wait())
            await asyncio.to_thread(_remove_stale_sockets)  # the next run would take one for another LibreOffice


def _remove_stale_sockets() -> None:
    """Behind its walls LibreOffice can make its socket and not remove it; one that nobody listens on is nobody's."""
    for path in Path("/tmp").glob("OSL_PIPE_*SingleOfficeIPC_*"):  # noqa: S108  it has no other place for them
        with socket.socket(socket.AF_UNIX) as client:
            try:
                client.connect(str(path))
            except ConnectionRefusedError:
                path.unlink(missing_ok=True)
            except OSError:
                continue


def _environment(folder: Path) -> dict[str, str]:
    """Nothing of the parent's but where its modules are."""
    return {
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "PATH": os.defpath,
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": os.pathsep.join(path for path in (_ROOT, os.environ.get("PYTHONPATH", "")) if path),
        "PYTHONDONTWRITEBYTECODE": "1",
        "SAL_USE_VCLPLUGIN": "svp",
    }
