"""A server of our own for a benchmark or a test: the one that `pagemill ingest --local` starts."""

from __future__ import annotations

from configs.settings import HOME as ROOT
from pagemill.ingesting.local_server import DidNotStart, Running, free_port
from pagemill.ingesting.local_server import local_server as server

__all__ = ["ROOT", "DidNotStart", "Running", "free_port", "server"]
