"""Who may call what."""

import pytest

from deployments.ingress.callers import Caller


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/v1/query"), ("POST", "/inference"), ("GET", "/stats"), ("GET", "/v1/documents")]
)
def test_what_reads_or_asks_a_model_needs_the_role_query(method, path):
    """Guards against a language model that the key of an ingesting job may use up, or a reader's may not."""
    assert Caller(roles=frozenset({"query"})).may(method, path)
    assert Caller(roles=frozenset({"ingest"})).may(method, path) == (path == "/v1/documents")
