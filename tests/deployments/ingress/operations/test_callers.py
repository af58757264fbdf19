"""Who may call what."""

import pytest

from deployments.ingress.operations.callers import Caller


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1/query"),
        ("POST", "/inference"),
        ("GET", "/stats"),
        ("GET", "/v1/documents"),
        ("POST", "/retrieval"),
    ],
)
def test_what_reads_or_asks_a_model_needs_the_role_query(method, path):
    """Guards against a language model that the key of an ingesting job may use up, or a reader's may not."""
    assert Caller(roles=frozenset({"query"})).may(method, path)
    assert Caller(roles=frozenset({"ingest"})).may(method, path) == (path == "/v1/documents")


@pytest.mark.parametrize("path", ["/v1/index", "/v1/index/rebuild", "/metrics"])
def test_what_counts_all_namespaces_is_for_admins(path):
    """Guards against a tenant that sees how much the others have."""
    assert not Caller(roles=frozenset({"ingest", "query"})).may("GET", path)
    assert Caller(roles=frozenset({"admin"})).may("GET", path)


def test_a_file_that_open_webui_sends_needs_the_role_ingest():
    """Guards against a reader's key that fills the store: the path begins with no version."""
    assert Caller(roles=frozenset({"ingest"})).may("PUT", "/process")
    assert not Caller(roles=frozenset({"query"})).may("PUT", "/process")
