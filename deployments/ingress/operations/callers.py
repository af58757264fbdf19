"""Who may call what: the table of roles by method and path, which paths need no key, and the API keys of
`keys_file`.
"""

from __future__ import annotations

import base64
import binascii
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from configs.api_keys import KeyEntry, Role, hash_of

ALL_ROLES: frozenset[Role] = frozenset({"ingest", "query", "admin"})
OPEN_PATHS = (
    "/livez",
    "/readyz",
    "/ready",
    "/health",
    "/version",
    "/docs",
    "/openapi.json",
    "/static-offline-docs",
    "/static",
)
RULES: tuple[tuple[str, str, frozenset[Role]], ...] = (  # method or *, beginning of the path, any of these roles
    ("*", "/metrics", frozenset({"admin"})),
    ("*", "/v1/index", frozenset({"admin"})),  # it counts what all namespaces hold
    ("POST", "/v1/query", frozenset({"query"})),
    ("POST", "/retrieval", frozenset({"query"})),
    ("PUT", "/process", frozenset({"ingest"})),
    ("POST", "/v1/chat/completions", frozenset({"query"})),
    ("POST", "/v1/completions", frozenset({"query"})),
    ("POST", "/v1/embeddings", frozenset({"query"})),
    ("POST", "/v1/extract", frozenset({"query"})),
    ("DELETE", "/v1/extractions", frozenset({"query"})),
    ("POST", "/inference", frozenset({"query"})),
    ("GET", "/stats", frozenset({"query"})),
    ("*", "/v1/clear/", frozenset({"ingest"})),  # removes by GET, as docling-serve does
    ("GET", "/v1/", frozenset({"ingest", "query"})),
    ("GET", "/v1alpha/", frozenset({"ingest", "query"})),
    ("*", "/mcp", frozenset({"ingest", "query"})),  # each tool then needs the role of its own call
    ("*", "/", frozenset({"ingest"})),
)


@dataclass(frozen=True, slots=True)
class Caller:
    """On whose behalf a request is done."""

    name: str = "anyone"
    namespace: str = "default"
    roles: frozenset[Role] = field(default=ALL_ROLES)
    max_unfinished_jobs: int | None = None
    requests_per_minute: int | None = None

    def may(self, method: str, path: str) -> bool:
        """Whether one of the roles allows this; an admin may do everything."""
        return "admin" in self.roles or not self.roles.isdisjoint(needed(method, path))


ANONYMOUS_CALLER = Caller()  # every caller where no keys are set


def is_open(path: str) -> bool:
    """Whether a path needs no key: health, and the description of the calls."""
    return path == "/" or any(path == prefix or path.startswith(f"{prefix}/") for prefix in OPEN_PATHS)


def needed(method: str, path: str) -> frozenset[Role]:
    """The roles of which one is needed; what no rule names needs `ingest`."""
    rule_method = "GET" if method == "HEAD" else method
    return next(roles for rule, start, roles in RULES if rule in ("*", rule_method) and path.startswith(start))


class KeyRing:
    """The keys that are known, by their hashes."""

    def __init__(self, entries: Sequence[KeyEntry]) -> None:
        names = ("name", "namespace", "roles", "max_unfinished_jobs", "requests_per_minute")
        self._known = [(entry.sha256, Caller(**{name: getattr(entry, name) for name in names})) for entry in entries]

    def caller(self, headers: Mapping[str, str]) -> Caller | None:
        """Whose key is in `Authorization: Bearer`, in `X-API-Key`, or the password of `Authorization: Basic`; every
        hash is compared, in constant time."""
        sent_hash, match = hash_of(_key_in(headers)), None
        for sha256, caller in self._known:
            if hmac.compare_digest(sent_hash, sha256):
                match = caller
        return match


def _key_in(headers: Mapping[str, str]) -> str:
    """The key that a request sends; empty if it sends none.

    Clients that can be given nothing but an address send the password in `http://user:KEY@host` as Basic. A proxy's
    own Basic login does not hide a key in `X-API-Key`.
    """
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return token.strip()
    key = headers.get("x-api-key", "")
    return _password(token) if not key and scheme.lower() == "basic" else key


def _password(token: str) -> str:
    """The password in a token of Basic; empty if there is none."""
    try:
        return base64.b64decode(token.strip(), validate=True).decode().partition(":")[2]
    except (binascii.Error, ValueError):
        return ""
