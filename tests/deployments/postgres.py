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
    if (found := shutil.which("initdb")) is not None:
        return Path(found).parent
    return max(Path("/usr/lib/postgresql").glob("*/bin"), default=None)


@contextlib.contextmanager
def database(folder: Path) -> Iterator[str]:
    """The SQLAlchemy URL of an empty database; root runs it as `postgres`, which is not let run as root."""
    found = programs()
    assert found is not None
    with tempfile.TemporaryDirectory(prefix="pg-") as sockets:  # a socket's path is short
        if os.getuid() == 0:
            _hand_over(folder, Path(sockets))

        def run(program: str, *arguments: str) -> None:
            command = [*(AS_POSTGRES if os.getuid() == 0 else ()), str(found / program), "-D", str(folder / "cluster")]
            subprocess.run([*command, *arguments], check=True, stdout=subprocess.DEVNULL, cwd=sockets)

        run("initdb", "-U", "jobs", "-A", "trust", "-E", "UTF8")
        run("pg_ctl", "-o", f"-c listen_addresses='' -c unix_socket_directories={sockets}", "-w", "start")
        try:
            yield f"postgresql+psycopg://jobs@/postgres?host={sockets}"
        finally:
            run("pg_ctl", "-m", "immediate", "-w", "stop")


def _hand_over(*folders: Path) -> None:
    """Give folders to the user `postgres`, and let it pass through those above them."""
    for folder in folders:
        os.chown(folder, pwd.getpwnam("postgres").pw_uid, -1)
        for above in folder.parents:
            if above.stat().st_uid == 0 and above != Path("/"):
                above.chmod(above.stat().st_mode | 0o001)
