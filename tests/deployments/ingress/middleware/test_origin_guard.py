"""`deployments.ingress.middleware.origin_guard`: a page of another site gets nothing by its reader's browser."""

from __future__ import annotations

import pytest

from deployments.ingress.middleware.origin_guard import OriginGuard
from tests.deployments.ingress.small_app import SmallApp, key, responses_to

LOOPBACK = OriginGuard(frozenset({"localhost", "127.0.0.1", "::1"}))


@pytest.mark.parametrize(
    ("origins", "headers", "status"),
    [
        (LOOPBACK, {"host": "localhost:8000"}, 200),
        (LOOPBACK, {"host": "[::1]:8000", "origin": "http://[::1]:8000", "sec-fetch-site": "same-origin"}, 200),
        (LOOPBACK, {"host": "evil.example"}, 403),  # its name points here by now
        (LOOPBACK, {"host": "localhost.evil.example"}, 403),
        (LOOPBACK, {"host": "[::1"}, 403),
        (LOOPBACK, {"host": "localhost:8000", "origin": "http://evil.example"}, 403),
        (LOOPBACK, {"host": "localhost:8000", "origin": "null"}, 403),
        (LOOPBACK, {"host": "localhost:8000", "origin": "http://localhost:3000"}, 403),
        (LOOPBACK, {"host": "localhost:8000", "sec-fetch-site": "cross-site"}, 403),
        (OriginGuard(None), {"host": "docs.example", "origin": "https://elsewhere.example"}, 200),
        (OriginGuard(None), {"host": "docs.example", "sec-fetch-site": "cross-site"}, 403),
    ],
)
@pytest.mark.parametrize("call", [("GET", "/v1/jobs"), ("POST", "/v1/query")])
def test_a_page_of_another_site_may_not_use_its_readers_browser(
    origins: OriginGuard, headers: dict, status: int, call
) -> None:
    """Guards against a page that reads or fills the index of whoever looks at it."""
    (answer,) = responses_to(SmallApp(keys=False, origins=origins), (*call, {"headers": headers}))
    assert answer.status_code == status


def test_where_keys_are_asked_for_a_browser_tells_nothing() -> None:
    """Guards against a server behind a proxy of another name that refuses its own users."""
    app = SmallApp(origins=LOOPBACK)
    headers = {"Host": "docs.example", **key("reader")["headers"]}
    assert responses_to(app, ("GET", "/v1/jobs", {"headers": headers}))[0].status_code == 200
