"""Links that open the web page at a place of a document, as `page/static/base/page_links.js` reads them."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from urllib.parse import quote

from configs import Settings
from retrieval.search.passage import PassageBox


def public_address(settings: Settings, host: str) -> str:
    """Where browsers reach this server: as it is set, else the `host` (with its port) that a request named.

    This server speaks http; whoever puts it behind TLS sets `public_url`, since headers of proxies are not trusted.
    """
    return settings.public_url or f"http://{host}"


def page_link(address: str, document_id: str, revision: int, page: int, boxes: Sequence[PassageBox] = ()) -> str:
    """Of a page, which counts from 1; with those of the boxes that are on it, the web page highlights them."""
    targets = [target for span in boxes if span.page == page and (target := _target(span)) is not None]
    query = "&".join([f"revision={revision}", *targets])
    return f"{address}/#/documents/{quote(document_id, safe='')}/pages/{page}?{query}"


def _target(span: PassageBox) -> str | None:
    if span.box is not None and span.box.x1 > span.box.x0:
        return "box=" + ",".join(map(_rounded, (span.box.x0, span.box.y0, span.box.x1, span.box.y1)))
    if span.place is None:
        return None
    place = json.dumps(span.model_dump(mode="json")["place"], ensure_ascii=False, separators=(",", ":"))
    return f"place={quote(place, safe='')}"


def _rounded(edge: float) -> str:
    """To a tenth of a point; halves go up, as in JavaScript."""
    return str(math.floor(edge * 10 + 0.5) / 10).removesuffix(".0")
