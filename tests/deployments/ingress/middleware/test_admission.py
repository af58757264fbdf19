"""`deployments.ingress.middleware.admission`: who is let in, and the response to those who are not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from deployments.calls.slots import FairLimiter
from deployments.ingress.middleware.admission import Admission, TokenBucket
from deployments.ingress.operations.callers import KeyRing
from tests.deployments.ingress.small_app import ENTRIES, KEYS, SmallApp, key, responses_to


@pytest.mark.parametrize("headers", [{}, {"X-API-Key": "pmk_wrong"}, {"Authorization": "Basic abc"}])
def test_without_a_known_key_nothing_but_health_is_answered(headers: dict[str, str]) -> None:
    """Guards against a path that was forgotten when keys were added."""
    calls = [("GET", path, {"headers": headers}) for path in ("/v1/jobs", "/metrics", "/docs-of-mine", "/livez")]
    answers = responses_to(SmallApp(), *calls)
    assert [answer.status_code for answer in answers] == [401, 401, 401, 200]
    assert answers[0].headers["www-authenticate"] == "Bearer"
    assert answers[0].json()["code"] == "unauthorized"


@pytest.mark.parametrize(
    ("name", "statuses"), [("reader", [200, 200, 403, 403]), ("writer", [200, 403, 200, 403]), ("boss", [200] * 4)]
)
def test_a_role_allows_its_calls_and_no_others(name: str, statuses: list[int]) -> None:
    """Guards against a key for searching that can upload or delete, or look into the server."""
    app = SmallApp()
    app.gate.set()
    calls = (("GET", "/v1/jobs"), ("POST", "/v1/query"), ("POST", "/v1/documents"), ("GET", "/metrics"))
    assert [answer.status_code for answer in responses_to(app, *((*call, key(name)) for call in calls))] == statuses


def test_a_key_speaks_for_its_namespace() -> None:
    """Guards against tenants who see each other's documents."""
    answers = responses_to(SmallApp(), ("GET", "/v1/jobs", key("reader")), ("GET", "/v1/jobs", key("writer")))
    assert [answer.json()["namespace"] for answer in answers] == ["a", "b"]


def test_a_key_that_calls_too_often_is_told_when_to_come_again() -> None:
    """Guards against one tenant who takes the whole server."""
    answers = responses_to(SmallApp(), *[("POST", "/v1/query", key("slow"))] * 3, ("POST", "/v1/query", key("reader")))
    assert [answer.status_code for answer in answers] == [200, 200, 429, 200]
    assert int(answers[2].headers["retry-after"]) > 0


def test_a_full_house_answers_before_the_body_is_read_and_health_all_the_same() -> None:
    """Guards against uploads that are read to the end and then refused, and against a full server that looks dead."""
    app = SmallApp(keys=False, max_requests=1)

    async def scenario() -> tuple[int, int, list[int], str]:
        read = 0

        async def body() -> AsyncIterator[bytes]:
            nonlocal read
            for _ in range(5):
                read += 1
                yield b"x"

        transport = httpx.ASGITransport(app.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://app") as client:
            first = asyncio.create_task(client.post("/v1/documents"))
            await app.inside.wait()
            refused = await client.post("/v1/documents", content=body())
            alive = await client.get("/livez")
            app.gate.set()
            statuses = [(await first).status_code, alive.status_code, (await client.get("/v1/jobs")).status_code]
            return refused.status_code, read, statuses, refused.headers["retry-after"]

    status, read, others, again = asyncio.run(scenario())
    assert (status, others) == (503, [200, 200, 200])
    assert int(again) > 0
    assert read == 0 or app.bytes_read == 0


def test_pictures_have_a_room_of_their_own_that_can_be_full() -> None:
    """Guards against a memory full of pictures that wait for the reader, and pages of jobs behind them."""
    app = SmallApp(keys=False, max_pictures=1)

    async def scenario() -> list[int]:
        transport = httpx.ASGITransport(app.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://app") as client:
            first = asyncio.create_task(client.post("/v1/ocr"))
            await app.inside.wait()
            refused, other = await client.post("/ocr"), await client.get("/v1/jobs")
            app.gate.set()
            answers = [await first, refused, other, await client.post("/ocr")]
            return [answer.status_code for answer in answers]

    assert asyncio.run(scenario()) == [200, 503, 200, 200]


def test_long_headers_and_bodies_are_refused() -> None:
    """Guards against memory that a request takes before anything has looked at it."""
    app = SmallApp(keys=False)
    app.gate.set()
    calls = (
        ("GET", "/v1/jobs", {"headers": {"X-Long": "x" * 40_000}}),
        ("POST", "/v1/documents", {"content": b"x" * 101}),
        ("POST", "/v1/documents", {"content": b"x" * 100}),
    )
    assert [answer.status_code for answer in responses_to(app, *calls)] == [431, 413, 200]


def test_a_body_of_untold_length_is_cut_off() -> None:
    """Guards against a chunked body that tells no length and never ends."""

    async def body() -> AsyncIterator[bytes]:
        for _ in range(1000):
            yield b"x" * 10

    app = SmallApp(keys=False)
    app.gate.set()
    assert responses_to(app, ("POST", "/v1/documents", {"content": body()}))[0].status_code == 413
    assert app.bytes_read <= 100


def test_every_answer_carries_the_headers_of_security_and_none_of_cors() -> None:
    """Guards against results that a browser runs as a page, and against pages of others that read them."""
    for answer in responses_to(
        SmallApp(), ("GET", "/v1/jobs", key("reader")), ("GET", "/v1/jobs", {}), ("GET", "/livez", {})
    ):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert "default-src" in answer.headers["content-security-policy"]
        assert "access-control-allow-origin" not in answer.headers


def test_a_bucket_fills_up_with_time() -> None:
    """Guards against a quota that is never given back, or all at once."""
    bucket = TokenBucket(2)
    assert [bucket.take(now) for now in (1.0, 1.0, 1.0, 31.0, 31.0, 1000.0, 1000.0, 1000.0)] == [
        *(True, True, False),
        *(True, False),
        *(True, True, False),
    ]


def test_json_with_files_in_it_has_a_limit_of_its_own():
    """Guards against files in base64 that are refused as if they were options, and against endless ones."""
    app = SmallApp(keys=False)
    app.app.post("/v1/convert/source")(app.upload)
    app.gate.set()
    path = "/v1/convert/source"
    larger, endless, other = responses_to(
        app,
        ("POST", path, {"content": b"x" * 500}),
        ("POST", path, {"content": b"x" * 1001}),
        ("POST", "/v1/documents", {"content": b"x" * 500}),
    )
    assert [answer.status_code for answer in (larger, endless, other)] == [200, 413, 413]


@pytest.mark.parametrize(
    ("headers", "query", "closed"),
    [
        ({}, b"", True),
        ({}, b"api_key=wrong", True),
        ({"x-api-key": KEYS["reader"][0]}, b"", False),
        ({}, f"api_key={KEYS['writer'][0]}".encode(), False),
    ],
    ids=["none", "wrong", "in a header", "in the address"],
)
def test_a_websocket_without_a_key_is_closed_before_it_is_open(headers: dict, query: bytes, closed: bool):
    """Guards against a way around the keys."""
    events: list[str] = []

    async def inside(scope, receive, send) -> None:
        events.append(scope["pagemill.caller"].name)

    async def receive() -> dict:
        return {"type": "websocket.connect"}

    async def send(message: dict) -> None:
        events.append(message["type"])

    pictures = FairLimiter(1, wait_s=0, what="pictures")
    admission = Admission(inside, keys=KeyRing(ENTRIES), max_requests=1, pictures=pictures)
    raw_headers = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "websocket", "path": "/v1/status/ws/x", "query_string": query, "headers": raw_headers}
    asyncio.run(admission(scope, receive, send))
    assert (events == ["websocket.close"]) is closed
    assert closed or events[0] in ("reader", "writer")


def test_a_form_is_taken_by_routes_of_forms_alone_and_never_read_elsewhere():
    """Guards against a content type that lifts the limit: 600 MB as a form to /v1/query were read into memory."""
    app = SmallApp(keys=False)
    app.gate.set()
    kind = {"headers": {"content-type": "Multipart/Form-Data; boundary=x"}}
    accepted, refused, too_long = responses_to(
        app,
        ("POST", "/v1/ocr", {"content": b"x" * 5000, **kind}),
        ("POST", "/v1/query", {"content": b"x" * 10, **kind}),
        ("POST", "/v1/ocr", {"content": b"x" * 5001, **kind}),
    )
    assert [accepted.status_code, refused.status_code, too_long.status_code] == [200, 415, 413]
    assert app.bytes_read == 5000
    assert refused.json()["code"] == "unsupported_media_type"


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_a_call_that_takes_no_body_refuses_one(method):
    """Guards against an endless chunked body of a GET, which nobody ever looked at and all kept."""

    async def body() -> AsyncIterator[bytes]:
        yield b"x"

    chunked, declared, none = responses_to(
        SmallApp(keys=False),
        (method, "/v1/jobs", {"content": body()}),
        (method, "/v1/jobs", {"content": b"x"}),
        (method, "/v1/jobs", {}),
    )
    assert [chunked.status_code, declared.status_code] == [400, 400]
    assert none.status_code != 400


def test_json_that_is_too_long_is_413_however_its_length_is_said():
    """Guards against FastAPI's 400 for everything that a body raises while it is parsed."""
    app = SmallApp(keys=False)

    @app.app.post("/v1/parsed")
    async def parsed(body: dict[str, Any]) -> None: ...

    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b" " * 50

    kind = {"content-type": "application/json"}
    (answer,) = responses_to(app, ("POST", "/v1/parsed", {"content": endless(), "headers": kind}))
    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")


def test_an_error_of_ours_has_the_headers_of_every_answer() -> None:
    """Guards against a 500 that is cached or framed: it is answered outside of the middlewares."""
    app = SmallApp(keys=False)

    @app.app.get("/broken")
    async def broken() -> None:
        raise RuntimeError("ours")

    (answer,) = responses_to(app, ("GET", "/broken", {}))
    assert answer.status_code == 500
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-frame-options"] == "DENY"
