"""`deployments.ingress.uploads` under bodies that nobody sends on purpose."""

from __future__ import annotations

import asyncio

import httpx
from fastapi import FastAPI, Request
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deployments.ingress import problems
from deployments.ingress.documents import FormFields
from deployments.ingress.uploads import FormReader
from tests.deployments.ingress.form_readers import form_reader

EDGE = b"edge"
WHOLE = (
    b'--edge\r\nContent-Disposition: form-data; name="options"\r\n\r\n{}\r\n'
    b'--edge\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\nContent-Type: application/pdf\r\n\r\n'
    b"%PDF-1.4 body\r\n--edge--\r\n"
)
REFUSED = {400, 413, 415, 422}


def app_of(forms: FormReader) -> FastAPI:
    app = FastAPI()

    @app.post("/")
    async def take(request: Request) -> dict[str, object]:
        async with forms.read(request, files=("file",), fields=FormFields) as form:
            return {
                "names": [upload.name for upload in form.uploads],
                "sizes": [len(u.content.read()) for u in form.uploads],
            }

    problems.install(app)
    return app


def sent(body: bytes, kind: str = "multipart/form-data; boundary=edge", max_bytes: int = 1000) -> httpx.Response:
    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(app_of(form_reader(max_bytes, 2)), raise_app_exceptions=True)
        async with httpx.AsyncClient(transport=transport, base_url="http://forms") as client:
            return await client.post("/", content=body, headers={"content-type": kind})

    return asyncio.run(send())


@given(
    st.binary(max_size=2000),
    st.sampled_from(["multipart/form-data; boundary=edge", "multipart/form-data", "text/plain"]),
)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_body_is_refused_by_name(body: bytes, kind: str) -> None:
    """Guards against a parser's error that escapes as one of ours."""
    assert sent(body, kind).status_code in REFUSED


@given(st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.binary(max_size=6), st.integers(0, 20)), max_size=4))
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_form_with_a_few_bytes_changed_is_taken_or_refused(changes: list[tuple[int, bytes, int]]) -> None:
    """Guards against a form that is nearly right and breaks the forms."""
    body = WHOLE
    for at, inserted, cut in changes:
        body = body[:at] + inserted + body[at + cut :]
    answer = sent(body)
    assert answer.status_code in {200, *REFUSED}
    if answer.status_code == 200:
        assert all(name.isprintable() and len(name) <= 255 for name in answer.json()["names"])


@given(st.text(max_size=400))
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_name_is_shown_without_control_characters(name: str) -> None:
    """Guards against a name that breaks a header, a log line or a terminal."""
    answer = sent(WHOLE.replace(b"a.pdf", name.encode("utf-8", "ignore")))
    assert answer.status_code in {200, *REFUSED}
    if answer.status_code == 200:
        (name_shown,) = answer.json()["names"]
        assert name_shown.isprintable()


def test_a_file_that_is_too_large_is_refused() -> None:
    """Guards against a limit that only the declared length is held to."""
    assert sent(WHOLE.replace(b"body", b"x" * 1001)).status_code == 413


def test_a_form_of_endless_fields_is_refused() -> None:
    """Guards against memory that fields take, which nobody counts."""
    part = b'--edge\r\nContent-Disposition: form-data; name="options"\r\n\r\n%s\r\n'
    assert sent(part % b"{}" * 101 + WHOLE).status_code == 400
    assert sent(part % (b"x" * 70_000) + WHOLE, max_bytes=100_000).status_code == 400
