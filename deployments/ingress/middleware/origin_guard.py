"""CSRF and DNS-rebinding protection for servers without API keys: checks Origin, Host and Sec-Fetch-Site of browsers.

A page of another site can send forms to this server, or have its own name point here; a browser's headers show both.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from configs.settings import Settings
from deployments.ingress.errors import Forbidden

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class OriginGuard:
    """The names that this server is called by; None: any, for whoever put it behind a name of their own."""

    def __init__(self, names: frozenset[str] | None) -> None:
        self._names = names

    @classmethod
    def of(cls, settings: Settings) -> OriginGuard:
        """Loopback and the host that is set; any where the server was made public without keys."""
        return cls(None if settings.public_without_keys else LOOPBACK | {settings.host.strip("[]").lower()})

    def check(self, headers: Mapping[str, str]) -> None:
        """Raises Forbidden where the call comes from a page of another site."""
        host = headers.get("host", "").lower()
        if self._names is not None and _name(host) not in self._names:
            raise Forbidden("this server does not accept that host name; set `host`, or keys")
        if headers.get("sec-fetch-site") == "cross-site" or self._is_foreign(headers.get("origin"), host):
            raise Forbidden("pages of other sites may not call this server")

    def _is_foreign(self, origin: str | None, host: str) -> bool:
        """By its origin; behind a name that we do not know it tells nothing."""
        return self._names is not None and origin is not None and urlsplit(origin).netloc.lower() != host


def _name(host: str) -> str:
    """The host without its port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
