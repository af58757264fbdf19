"""A document of 500 pages: the list holds what is near the view, and scrolling stays smooth."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.web.house import House

pytestmark = pytest.mark.slow
NUM_PAGES = 500
MAX_FILLED = 14  # pages that have contents at once
MAX_LATE_S = 0.5  # between two frames, on a machine that may be busy; half of them come in a tenth of it

SCROLL = """async () => {
  const late = [];
  let most = 0;
  let last = performance.now();
  const height = document.documentElement.scrollHeight;
  for (let step = 0; step < 240; step += 1) {
    if (step < 120) window.scrollBy(0, 200); // as a wheel does
    else window.scrollTo(0, (height * (step - 120)) / 120); // as the bar does, over all of it
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    late.push((now - last) / 1000);
    last = now;
    most = Math.max(most, document.querySelectorAll("article.page > .body > *").length / 2);
  }
  return { late: late.sort((a, b) => a - b), most };
}"""


def test_a_document_of_500_pages_stays_smooth(
    web: Page, served: House, sent: Callable[..., Path], record_property: Callable[[str, object], None]
) -> None:
    """Guards against a page that draws all of a book at once, or never lets go of what it drew."""
    served.parts.all_alike = True
    served.let_pages(NUM_PAGES)
    sent(NUM_PAGES)
    expect(web.locator("article.page")).to_have_count(NUM_PAGES)
    expect(web.locator(".top-of-job .chip")).to_have_text("succeeded", timeout=240_000)
    told = web.evaluate(SCROLL)
    record_property("frames", told)
    assert told["most"] <= MAX_FILLED
    assert told["late"][120] < MAX_LATE_S / 10
    assert told["late"][-1] < MAX_LATE_S
    web.get_by_role("spinbutton", name="Page").fill("437")
    web.get_by_role("button", name="Go to page").click()
    expect(web.locator("#page-437 .region").first).to_contain_text("Harbour Rules")
    expect(web.locator("#page-437")).to_be_in_viewport()
    expect(web.locator("#page-3 .region")).to_have_count(0)
