"""Bodies that nobody sends on purpose, to the running server: they are refused, and held nowhere."""

from __future__ import annotations

import concurrent.futures
import contextlib
import json
import select
import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx
import psutil
import pytest

from benchmarks.harness.server import Running
from tests.serve.files import pdf

pytestmark = pytest.mark.serve

MOST_SENT = 200_000_000  # bytes of one attack
INLINE_LIMIT = 67_000_000  # of JSON with files in it: 50 MB in base64
MOST_KEPT = 64_000_000  # by which proxy and Ingress may have grown after all of them
PIECE = b"10000\r\n" + b" " * 0x10000 + b"\r\n"  # of a chunked body
FORM = "multipart/form-data; boundary=x"
ATTACKS = [
    ("POST /v1/query HTTP/1.1", f"content-type: {FORM}", 415),
    ("POST /v1/query HTTP/1.1", "content-type: application/json", 413),
    ("POST /inference HTTP/1.1", "content-type: application/json", 413),
    ("GET /v1/jobs/none?wait=60 HTTP/1.1", "accept: */*", 400),
    ("DELETE /v1/jobs/none HTTP/1.1", "accept: */*", 400),
    ("POST /v1/documents HTTP/1.1", f"content-type: {FORM}", 400),  # it is no form, as its first bytes show
    ("GET /livez HTTP/1.1", "accept: */*", 400),
]


@pytest.fixture
def address(running: Running) -> tuple[str, int]:
    parts = urlsplit(running.url)
    assert parts.hostname is not None
    assert parts.port is not None
    return parts.hostname, parts.port


@pytest.fixture
def receivers(running: Running, replicas: dict[str, psutil.Process]) -> list[psutil.Process]:
    """The processes that a body goes through."""
    below = psutil.Process(running.pid).children(recursive=True)
    return [replicas["Ingress"], *(process for process in below if "ProxyActor" in " ".join(process.cmdline()))]


def test_endless_bodies_are_refused_by_name_and_fill_no_memory(
    address: tuple[str, int], receivers: list[psutil.Process], client: httpx.Client
) -> None:
    """Guards against one request that fills the memory of proxy and Ingress, past every limit on bodies."""
    client.get("/livez")
    assert len(receivers) == 2
    before = sum(process.memory_info().rss for process in receivers)
    answers = {}
    for request, header, _ in ATTACKS:
        num_sent, answer = attack(address, request, header)
        assert num_sent < MOST_SENT, f"{request}: taken to the end"
        answers[request, header] = answer
    assert answers == {(request, header): status for request, header, status in ATTACKS}
    grown = [process.memory_info().rss for process in receivers]
    assert sum(grown) - before < MOST_KEPT, f"grown from {before / 1e6:.0f} MB to {[size / 1e6 for size in grown]}"


def test_json_with_files_in_it_is_held_to_twice_its_limit(
    address: tuple[str, int], receivers: list[psutil.Process], client: httpx.Client
) -> None:
    """Guards against a body of files, which is parsed as a whole, that is kept several times over."""
    client.get("/livez")
    before = sum(process.memory_info().rss for process in receivers)
    num_sent, answer = attack(address, "POST /v1/convert/source HTTP/1.1", "content-type: application/json")
    assert (num_sent < MOST_SENT, answer) == (True, 413)
    grown = sum(process.memory_info().rss for process in receivers) - before
    assert grown < MOST_KEPT + 2 * INLINE_LIMIT, f"grown by {grown / 1e6:.0f} MB"


def test_a_body_that_is_not_read_yet_stays_with_the_client(address: tuple[str, int], client: httpx.Client) -> None:
    """Guards against a proxy that reads ahead whatever the application does."""
    with contextlib.ExitStack() as stack:
        for _ in range(16):  # all places for uploads
            begun = stack.enter_context(connection(address))
            begun.sendall(head("POST /v1/documents HTTP/1.1", f"content-type: {FORM}") + b"5\r\n--x\r\n\r\n")
        for _ in range(50):  # until Ingress reads those
            if waiting_bytes(address) < MOST_KEPT / 2:
                break
        else:
            pytest.fail("the server takes a body that it has no place for")
    assert client.get("/livez").status_code == 200


def waiting_bytes(address: tuple[str, int]) -> int:
    """How much of one more upload goes out before nothing moves for a second."""
    with connection(address) as late:
        late.settimeout(1.0)
        late.sendall(head("POST /v1/documents HTTP/1.1", f"content-type: {FORM}"))
        num_sent = 0
        with contextlib.suppress(OSError):
            while num_sent < MOST_KEPT:
                num_sent += late.send(PIECE)
        return num_sent


def attack(address: tuple[str, int], request: str, header: str) -> tuple[int, int | None]:
    """How many bytes of an endless body were taken, and with which status it was refused."""
    with connection(address) as attacker:
        attacker.sendall(head(request, header))
        num_sent, received = 0, b""
        with contextlib.suppress(OSError):
            while num_sent < MOST_SENT and not select.select([attacker], [], [], 0)[0]:
                attacker.sendall(PIECE)
                num_sent += len(PIECE)
            received = attacker.recv(1 << 16)
    return num_sent, int(received.split()[1]) if received else None


def head(request: str, header: str) -> bytes:
    return f"{request}\r\nhost: localhost\r\n{header}\r\ntransfer-encoding: chunked\r\n\r\n".encode()


@contextlib.contextmanager
def connection(address: tuple[str, int]) -> Iterator[socket.socket]:
    with socket.create_connection(address, timeout=30) as end:
        yield end


def test_a_burst_of_small_calls_waits_for_places_and_ends_well(client: httpx.Client) -> None:
    """Guards against 84 of 100 small calls that are refused at once, as an older server took them all."""
    content = pdf(1, title="One of a hundred")

    def post(_: int) -> int:
        return client.post("/doc_layout", files={"file": ("a.pdf", content)}, timeout=900).status_code

    with concurrent.futures.ThreadPoolExecutor(100) as threads:
        statuses = list(threads.map(post, range(100)))
    assert statuses == [200] * 100, json.dumps(statuses)
