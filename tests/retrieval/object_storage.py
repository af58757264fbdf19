"""An S3 server on loopback for one test session, where moto is installed."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[2]
FILLED = Path(__file__).with_name("filled_bucket.py")
KEY_HEADERS = {"Authorization": "AWS4-HMAC-SHA256 Credential=me/20260101/us-east-1/s3/aws4_request"}
OPTIONS = {"allow_http": "true", "region": "us-east-1", "aws_access_key_id": "me", "aws_secret_access_key": "secret"}


def program() -> str | None:
    """moto's server, in the environment that `make test-long` makes for it, or on the path."""
    own = ROOT / ".venv-s3" / "bin" / "moto_server"
    return str(own) if own.exists() else shutil.which("moto_server")


def ask(method: str, url: str, content: bytes = b"", more_headers: Mapping[str, str] | None = None) -> bytes:
    """What the server answers; of keys it only wants to see some."""
    import httpx

    headers = KEY_HEADERS | dict(more_headers or {})
    answer = httpx.request(method, url, content=content, headers=headers, timeout=30, trust_env=False)
    return answer.raise_for_status().content


def names_in(url: str, prefix: str) -> list[str]:
    """The names of the files below a prefix of the bucket; what marks a folder is none."""
    listing = ElementTree.fromstring(ask("GET", f"{url}/shelf?list-type=2&prefix={prefix}/"))
    names = [key.text or "" for key in listing.iter("{http://s3.amazonaws.com/doc/2006-03-01/}Key")]
    return sorted(name.removeprefix(f"{prefix}/") for name in names if not name.endswith("/"))


@contextlib.contextmanager
def serving(num_keys: int = 0) -> Iterator[dict[str, str]]:
    """The storage options of a server with the bucket `shelf`, in which so many objects of one byte are."""
    executable = program()
    assert executable is not None
    command = [executable, "-H", "127.0.0.1", "-p", "0"]
    if num_keys:
        command = [str(Path(executable).with_name("python")), str(FILLED), str(num_keys)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            url = next(line.split()[-1] for line in process.stderr if "Running on http" in line)
            rest = threading.Thread(target=process.stderr.read)  # a full pipe would stop the server
            rest.start()
            if not num_keys:
                ask("PUT", f"{url}/shelf")
            yield OPTIONS | {"endpoint": url}
        finally:
            process.terminate()
            process.wait()
            rest.join()
