"""`deployments.ingress.page.web`: the page's files, and the policy that comes with them."""

from __future__ import annotations

import re

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from deployments.ingress.operations.callers import is_open
from deployments.ingress.page import web


@pytest.fixture(scope="module")
def client() -> TestClient:
    app = FastAPI()
    app.include_router(web.router())
    return TestClient(app)


def test_the_page_may_run_only_scripts_that_are_files_of_ours(client: TestClient) -> None:
    """Guards against a policy that is loosened, and against a page that needs it loose."""
    answer = client.get("/")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"<style|style=|\son\w+=|<script(?![^>]*src=)", answer.text)


def test_every_file_that_is_named_is_there_and_none_is_of_somebody_else(client: TestClient) -> None:
    """Guards against a module that was renamed, and against any request that leaves the server."""
    visited, waiting = set(), ["/"]
    while waiting:
        path = waiting.pop()
        answer = client.get(path)
        assert answer.status_code == 200, path
        assert is_open(path), path
        assert not re.search(r"(?:src|href)=\"(?:https?:)?//|@import|from \"http|url\(", answer.text), path
        links = re.findall(r"(?:src|href)=\"(/static/[\w.]+)\"", answer.text)
        links += [f"/static/{name}" for name in re.findall(r"from \"\./([\w.]+)\"", answer.text)]
        visited.add(path)
        waiting += set(links) - visited - set(waiting)
    scripts = [file.name for file in web.FOLDER.glob("*.js")]
    assert {f"/static/{name}" for name in scripts} <= visited, "no file is left over"


def test_no_text_becomes_markup(client: TestClient) -> None:
    """Guards against a document's text that is parsed: the browser would refuse it, too (trusted types)."""
    for file in web.FOLDER.glob("*.*"):
        assert not re.search(rb"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", file.read_bytes()), file
    assert "require-trusted-types-for 'script'" in client.get("/").headers["content-security-policy"]


def test_a_file_outside_of_the_table_is_not_there(client: TestClient) -> None:
    """Guards against names that lead out of the folder."""
    for name in ("nothing.js", "..%2fapp.py", "%2e%2e/app.py"):
        assert client.get(f"/static/{name}").status_code in (404, 405)


def test_a_copy_that_is_right_is_not_sent_again(client: TestClient) -> None:
    """Guards against a page that is fetched again at each look, and against an old one after an upgrade."""
    first = client.get("/static/main.js")
    assert first.headers["cache-control"] == "no-cache"
    again = client.get("/static/main.js", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
