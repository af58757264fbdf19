"""Which HTML elements are hidden and which begin a new block."""

from __future__ import annotations

_UNSEEN = """
    script style template head noscript iframe object embed applet select datalist audio video canvas svg map meta
    link base title param source track area
"""
_BLOCKS = """
    html body address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure
    footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol p pre search section summary
    table tbody td tfoot th thead tr ul caption
"""
UNSEEN = frozenset(_UNSEEN.split())
BLOCKS = frozenset(_BLOCKS.split())
