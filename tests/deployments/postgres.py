"""A real PostgreSQL for one test session: its own folder, a Unix socket, gone afterwards."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

AS_POSTGRES = ("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups")


def programs() -> Path | None:
    """The folder of initdb and pg_ctl, where PostgreSQL is installed."""
    if (path := shutil.which("initdb")) is not None:
        return Path(path).parent
    return max(Path("/usr/lib/postgresql").glob("*/bin"), default=None)


@contextlib.contextmanager
def database(address: str = "") -> Iterator[str]:
    """The SQLAlchemy URL of an empty database; root runs it as `postgres`, which is not let run as root.

    `address`: of this machine, at which the machines of its network reach it; without one it has a socket alone.

    Its folder lies beside pytest's own: those are closed to other users whenever another run of pytest begins.
    """
    binaries = programs()
    assert binaries is not None
    with tempfile.TemporaryDirectory(prefix="pg-") as folder:  # a socket's path is short
        if os.getuid() == 0:
            os.chown(folder, pwd.getpwnam("postgres").pw_uid, -1)

        def run(program: str, *arguments: str) -> None:
            command = [*(AS_POSTGRES if os.getuid() == 0 else ()), str(binaries / program), "-D", f"{folder}/cluster"]
            subprocess.run([*command, *arguments], check=True, stdout=subprocess.DEVNULL, cwd=folder)

        run("initdb", "-U", "jobs", "-A", "trust", "-E", "UTF8")
        if address:
            with Path(folder, "cluster", "pg_hba.conf").open("a") as rules:
                rules.write("host all all samenet trust\n")
        run("pg_ctl", "-o", f"-c listen_addresses='{address}' -c unix_socket_directories={folder}", "-w", "start")
        try:
            yield f"postgresql+psycopg://jobs@/postgres?host={address or folder}"
        finally:
            run("pg_ctl", "-m", "immediate", "-w", "stop")
