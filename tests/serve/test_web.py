"""The web page in Chromium over the running graph: a scan is read, shown, read again and found."""

from __future__ import annotations

import shutil
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect, sync_playwright

from benchmarks.harness.server import Running

pytestmark = [pytest.mark.serve, pytest.mark.slow]
ROOT = Path(__file__).parents[2]
CHROMIUM = shutil.which("chromium")
NEAR = 1.5  # pixels
PICTURE = ROOT / "build" / "web" / "served.png"


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed here")
def test_a_scan_is_read_shown_and_found(running: Running, client: httpx.Client) -> None:
    """Guards against a page that fits the routes of a test and not those of the server, its proxy and its streams."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1360, "height": 1000})
        expect.set_options(timeout=120_000)
        page.goto(running.url)
        page.set_input_files("#files", ROOT / "tests" / "data" / "scan.png")
        expect(page.locator(".top-of-job .chip")).to_have_text("succeeded")
        expect(page.locator(".region .chip.ocr").first).to_be_visible()
        job_id = page.url.rsplit("/", 1)[-1]
        (page_facts,) = client.get(f"/v1/jobs/{job_id}/result?format=json").json()["pages"]
        expect(page.locator(".box")).to_have_count(len(page_facts["regions"]))
        expect(page.locator(".paper img")).to_be_visible()
        paper = page.locator(".paper img").bounding_box()
        assert paper is not None
        for region in page_facts["regions"]:
            bounds = page.locator(f".box[data-order='{region['order']}']").bounding_box()
            assert bounds is not None
            scale = paper["width"] / page_facts["size"][0]
            assert bounds["x"] - paper["x"] == pytest.approx(region["box"]["x0"] * scale, abs=NEAR)
            assert bounds["y"] - paper["y"] == pytest.approx(region["box"]["y0"] * scale, abs=NEAR)
        read = max(page_facts["regions"], key=lambda region: len(region["text"]))
        page.get_by_role("button", name=f"Read region {read['order'] + 1} of page 1 again").click()
        expect(page.locator(f".region[data-order='{read['order']}'] .again")).to_contain_text("tokens in")
        again = page.locator(f".region[data-order='{read['order']}'] output").inner_text()
        assert len(set(again.split()) & set(read["text"].split())) > len(set(read["text"].split())) / 2
        PICTURE.parent.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=PICTURE)
        page.get_by_role("searchbox", name="Search all").fill(" ".join(read["text"].split()[:6]))
        page.get_by_role("button", name="Search").click()
        page.locator(".passage", has_text="scan.png").first.click()
        expect(page.locator(".hit").first).to_be_in_viewport()
        browser.close()
