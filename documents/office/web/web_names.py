"""Which HTML elements are hidden and which begin a new block."""

from __future__ import annotations

_INVISIBLE_NAMES = """
    script style template head noscript iframe object embed applet select datalist audio video canvas svg map meta
    link base title param source track area
"""
_BLOCK_NAMES = """
    html body address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure
    footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol p pre search section summary
    table tbody td tfoot th thead tr ul caption
"""
INVISIBLE_ELEMENTS = frozenset(_INVISIBLE_NAMES.split())
BLOCK_ELEMENTS = frozenset(_BLOCK_NAMES.split())
