"""A document of 500 pages: the list holds what is near the view, and scrolling costs little.

What a frame costs is counted in the processor's time of the page's thread, which does not grow on a busy machine.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.web.house import House

pytestmark = pytest.mark.slow
NUM_PAGES = 500
MAX_FILLED = 14  # pages that have contents at once
MAX_THUMBNAILS = 40  # small pictures that are held at once
NUM_FRAMES = 240
MAX_FRAME_S = 0.03  # of work a frame in the mean, of a slow machine; two frames of a screen

SCROLL = """async () => {
  let most = 0;
  const height = document.documentElement.scrollHeight;
  for (let step = 0; step < 240; step += 1) {
    if (step < 120) window.scrollBy(0, 200); // as a wheel does
    else window.scrollTo(0, (height * (step - 120)) / 120); // as the bar does, over all of it
    await new Promise(requestAnimationFrame);
    most = Math.max(most, document.querySelectorAll("article.page > .body > *").length / 2);
  }
  return most;
}"""


def test_a_document_of_500_pages_stays_smooth(web: Page, served: House, send_file: Callable[..., Path]) -> None:
    """Guards against a page that draws all of a book at once, or never lets go of what it drew."""
    served.parts.all_alike = True
    served.let_pages(NUM_PAGES)
    send_file(NUM_PAGES)
    expect(web.locator("article.page")).to_have_count(NUM_PAGES)
    expect(web.locator(".top-of-job .chip")).to_have_text("succeeded", timeout=240_000)
    before = worked_s(web)
    assert web.evaluate(SCROLL) <= MAX_FILLED
    frame_s = (worked_s(web) - before) / NUM_FRAMES
    assert frame_s < MAX_FRAME_S, frame_s
    web.get_by_role("spinbutton", name="Page", exact=True).fill("437")
    web.keyboard.press("Enter")
    expect(web.locator("#page-437 .region").first).to_contain_text("Harbour Rules")
    expect(web.locator("#page-437")).to_be_in_viewport()
    expect(web.locator("#page-3 .region")).to_have_count(0)
    assert web.locator(".leaf img").count() < MAX_THUMBNAILS


def worked_s(web: Page) -> float:
    """Seconds of processor time that the page's thread has spent on scripts, style, layout and painting."""
    session = web.context.new_cdp_session(web)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    metrics = {metric["name"]: metric["value"] for metric in session.send("Performance.getMetrics")["metrics"]}
    session.detach()
    return metrics["TaskDuration"]
