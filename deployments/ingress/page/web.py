"""Serves the web page at `/` and its files in `static/`, with a strict Content-Security-Policy."""

from __future__ import annotations

import mimetypes
import os
from pathlib import Path

from fastapi import APIRouter, Request
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

FOLDER = Path(__file__).with_name("static")
PAGE = "index.html"
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


class PageFiles(StaticFiles):
    """Files that a browser asks for again each time, and gets again when they have changed."""

    def file_response(
        self, full_path: os.PathLike[str] | str, stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        response = super().file_response(full_path, stat_result, scope, status_code)
        response.headers["Cache-Control"] = "no-cache"
        response.headers["Content-Security-Policy"] = POLICY
        return response


def router(_services: object = None) -> APIRouter:
    """The page at / and its files under /static; they need no key: the page asks for one."""
    mimetypes.init()  # reads files, which a request must not wait for
    routes = APIRouter(include_in_schema=False)
    page_files = PageFiles(directory=FOLDER)
    routes.mount("/static", page_files)

    @routes.get("/")
    @routes.head("/")
    async def page(request: Request) -> Response:
        """The page itself."""
        return await page_files.get_response(PAGE, request.scope)

    return routes
