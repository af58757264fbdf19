"""An S3 server on loopback for one test session, where moto is installed."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
OPTIONS = {"allow_http": "true", "region": "us-east-1", "aws_access_key_id": "me", "aws_secret_access_key": "secret"}


def program() -> str | None:
    """moto's server, in the environment that `make test-long` makes for it, or on the path."""
    own = ROOT / ".venv-s3" / "bin" / "moto_server"
    return str(own) if own.exists() else shutil.which("moto_server")


@contextlib.contextmanager
def serving() -> Iterator[dict[str, str]]:
    """The storage options of a server with the bucket `shelf`."""
    import httpx

    executable = program()
    assert executable is not None
    with subprocess.Popen(
        [executable, "-H", "127.0.0.1", "-p", "0"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        try:
            url = next(line.split()[-1] for line in process.stderr if "Running on http" in line)
            rest = threading.Thread(target=process.stderr.read)  # a full pipe would stop the server
            rest.start()
            httpx.put(f"{url}/shelf", timeout=30, trust_env=False).raise_for_status()
            yield OPTIONS | {"endpoint": url}
        finally:
            process.terminate()
            process.wait()
            rest.join()
