"""How the page looks and reads, in both themes, wide and narrow; its pictures are left in build/web/ for a person."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web import gallery
from tests.web.house import House

pytestmark = pytest.mark.slow


def test_everybody_can_use_it(browser: Browser) -> None:
    """Guards against contrast, names and roles that leave people out, and against a page wider than its window."""
    assert gallery.write(browser, []) == []


def test_everything_is_reached_by_keyboard(web: Page, served: House, send_file: Callable[..., Path]) -> None:
    """Guards against what only a mouse can do: skip link, regions and reading again are stops of the tab key."""
    send_file(1)
    served.let_pages(1)
    expect(web.locator(".region").first).to_be_visible()
    web.evaluate("document.activeElement.blur()")
    stops = []
    for _ in range(60):
        web.keyboard.press("Tab")
        stops.append(
            web.evaluate("(a => a.className + '|' + a.id + '|' + (a.ariaLabel ?? ''))(document.activeElement)")
        )
    assert stops[0].startswith("skip|")
    for target in (
        "query",
        "theme",
        "files",
        "filter",
        "Region 1, ",
        "Copy region 1 of page 1",
        "Read region 1 of page 1 again",
    ):
        assert any(target in stop for stop in stops), (target, stops)
