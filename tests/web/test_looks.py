"""How the page looks and reads, in both themes, wide and narrow; pictures of it are left in build/web/ for a person."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from documents.values import PageWarning
from tests.web.house import House

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
CORPUS_LIKE = ROOT / "tests" / "data" / "columns.pdf"
PICTURES = ROOT / "build" / "web"
WIDTHS = {"wide": (1360, 900), "narrow": (360, 780)}
GRAVE = ("serious", "critical")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_everybody_can_use_it(browser: Browser, served: House, theme: str, width: str) -> None:
    """Guards against contrast, names and roles that leave people out, and against a page wider than its window."""
    context = browser.new_context(
        viewport={"width": WIDTHS[width][0], "height": WIDTHS[width][1]},
        color_scheme="dark" if theme == "dark" else "light",
        reduced_motion="reduce",
        bypass_csp=True,  # for axe's own script alone
    )
    page = context.new_page()
    page.goto(served.url)
    expect(page.locator(".slot").first).to_be_visible()
    looked_at(page, f"{theme}-{width}-empty")
    served.parts.warnings = (PageWarning(code="low_confidence", message="OCR is unsure of this region (0.41)", page=1),)
    served.parts.engine |= {"num_running": 11, "num_waiting": 4, "num_free_blocks": 20, "num_steps": 900}
    page.set_input_files("#files", CORPUS_LIKE)
    served.let_pages(1)
    expect(page.locator("article.page .region").first).to_be_visible()
    looked_at(page, f"{theme}-{width}-running")
    engine, document = (page.locator(name).bounding_box() for name in ("#engine", "#document"))
    assert engine is not None
    assert document is not None
    assert width == "wide" or engine["y"] < document["y"], "not below 500 pages"
    served.let_pages(1)
    expect(page.locator(".top-of-job .chip")).to_have_text("succeeded")
    page.get_by_role("searchbox").fill("reading order")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".passage").first).to_be_visible()
    page.locator(".warnings summary").first.click()
    page.locator(".region").nth(1).hover()
    looked_at(page, f"{theme}-{width}-done", whole=True)
    page.locator(".passage").first.click()
    expect(page.locator(".hit").first).to_be_in_viewport()
    looked_at(page, f"{theme}-{width}-hit")
    page.get_by_role("button", name="Key", exact=True).click()
    looked_at(page, f"{theme}-{width}-key")
    context.close()


def test_everything_is_reached_by_keyboard(web: Page, served: House, sent: Callable[..., Path]) -> None:
    """Guards against what only a mouse can do: skip link, regions and reading again are stops of the tab key."""
    sent(1)
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
    for wanted in ("query", "theme", "files", "Region 1, ", "Read region 1 of page 1 again"):
        assert any(wanted in stop for stop in stops), (wanted, stops)


def looked_at(page: Page, name: str, *, whole: bool = False) -> None:
    """A picture, no grave findings of axe, and nothing to scroll to the side."""
    page.wait_for_function("[...document.images].every(image => image.complete)")
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}.png", full_page=whole)
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    found = [each for each in Axe().run(page).response["violations"] if each["impact"] in GRAVE]
    assert [(each["id"], [node["html"][:200] for node in each["nodes"]]) for each in found] == []
