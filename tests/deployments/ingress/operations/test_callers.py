"""Who may call what."""

import base64

import pytest

from configs.api_keys import KeyEntry, new_key
from deployments.ingress.operations.callers import Caller, KeyRing


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


KEY, KEY_HASH = new_key()
RING = KeyRing([KeyEntry(name="rag", sha256=KEY_HASH)])


def basic(name: str, password: str) -> str:
    return f"Basic {base64.b64encode(f'{name}:{password}'.encode()).decode()}"


@pytest.mark.parametrize(
    ("headers", "known"),
    [
        ({"authorization": basic("anyone", KEY)}, True),
        ({"authorization": basic("", KEY).replace("Basic", "basic")}, True),
        ({"authorization": basic(KEY, "")}, False),
        ({"authorization": basic("anyone", f"{KEY}:")}, False),
        ({"authorization": f"Basic {KEY}"}, False),
        ({"authorization": "Basic /w=="}, False),  # no UTF-8
        ({"authorization": "Basic"}, False),
        ({"authorization": basic("of a proxy", "secret"), "x-api-key": KEY}, True),
        ({"authorization": basic("anyone", KEY), "x-api-key": "wrong"}, False),
        ({"authorization": f"Bearer {KEY}"}, True),
        ({"authorization": f"Digest {KEY}"}, False),
        ({}, False),
    ],
)
def test_a_key_may_be_the_password_of_an_address(headers: dict[str, str], known: bool):
    """RAGFlow can be given nothing but an address: `http://rag:KEY@host` makes its library send Basic."""
    caller = RING.caller(headers)
    assert (caller is not None and caller.name == "rag") == known
