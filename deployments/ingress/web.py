"""The web page at `/`: files of this package and nothing else, read once; no script or style stands in the page."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.resources import files
from typing import Annotated

from fastapi import APIRouter, Header, HTTPException
from starlette.responses import Response

FOLDER = "static"
PAGE = "index.html"
KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob:",  # pictures of pages are fetched with the key, so they come as blobs
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",  # nobody writes innerHTML, and the browser sees to it
        "trusted-types 'none'",
    )
)


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A file as it is answered."""

    content: bytes
    media_type: str
    etag: str


def router(_services: object = None) -> APIRouter:
    """The routes / and /static/{name}; they need no key: the page asks for one."""
    routes = APIRouter(include_in_schema=False)
    found = _read()

    @routes.get("/")
    async def page(if_none_match: Annotated[str | None, Header()] = None) -> Response:
        """The page itself."""
        return _answer(found[PAGE], if_none_match)

    @routes.get("/static/{name}")
    async def static(name: str, if_none_match: Annotated[str | None, Header()] = None) -> Response:
        """A script, a style sheet or a picture of the page; only what is in the table, whatever the name says."""
        if name not in found:
            raise HTTPException(404, f"no file {name}")
        return _answer(found[name], if_none_match)

    return routes


def _read() -> dict[str, StaticFile]:
    told: dict[str, StaticFile] = {}
    for file in files("deployments.ingress").joinpath(FOLDER).iterdir():
        suffix = "." + file.name.rsplit(".", 1)[-1]
        if suffix in KINDS:
            content = file.read_bytes()
            told[file.name] = StaticFile(content, KINDS[suffix], f'"{hashlib.sha256(content).hexdigest()[:32]}"')
    return told


def _answer(file: StaticFile, known: str | None) -> Response:
    headers = {"ETag": file.etag, "Cache-Control": "no-cache", "Content-Security-Policy": POLICY}
    if known is not None and file.etag in known:
        return Response(status_code=304, headers=headers)
    return Response(file.content, media_type=file.media_type, headers=headers)
