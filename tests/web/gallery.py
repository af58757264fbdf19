"""Every state of the web page as a picture, in both themes, wide and narrow: `python -m tests.web.gallery [STATE ...]`.

The pictures are written to `build/web/`; axe looks at each state, too.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pymupdf
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from documents.values import PageWarning
from tests.deployments.ingress.scripted_model import Script, scripted_model
from tests.web.gallery_documents import ANSWER, HTML, SCHEMA, VALUES, invoice, region_page, slides
from tests.web.house import House, house

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "build" / "web"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
WIDTHS = {"wide": (1440, 900), "narrow": (360, 780)}
THEMES = ("light", "dark")
GRAVE = ("serious", "critical")


class Gallery:
    """One server and one window that are led from state to state."""

    def __init__(self, page: Page, served: House, folder: Path, names: list[str]) -> None:
        self.page, self.served, self.folder, self.wanted = page, served, folder, names
        self.findings: list[str] = []

    def picture(self, name: str, *, whole: bool = False, prepare: Callable[[], None] = lambda: None) -> None:
        """The state as it is now, in all four forms."""
        if self.wanted and name not in self.wanted:
            return
        for width, (x, y) in WIDTHS.items():
            self.page.set_viewport_size({"width": x, "height": y})
            for theme in THEMES:
                self.page.emulate_media(color_scheme=theme, reduced_motion="reduce")
                prepare()
                self.page.wait_for_function("[...document.images].every(image => image.complete)")
                self.page.wait_for_timeout(150)
                file = f"{name}-{theme}-{width}"
                self.page.screenshot(path=PICTURES / f"{file}.png", full_page=whole)
                self._check(file)
        self.page.set_viewport_size({"width": WIDTHS["wide"][0], "height": WIDTHS["wide"][1]})

    def _check(self, file: str) -> None:
        too_wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        if self.page.evaluate(too_wide) != 0:
            self.findings.append(f"{file}: wider than its window")
        for violation in Axe().run(self.page).response["violations"]:
            if violation["impact"] in GRAVE:
                nodes = [node["html"][:160] for node in violation["nodes"]]
                self.findings.append(f"{file}: {violation['id']}: {nodes[:3]}")

    def send(self, name: str, content: bytes, num_pages: int = 1) -> None:
        """A document, read to its end."""
        (self.folder / name).write_bytes(content)
        self.page.set_input_files("#files", self.folder / name)
        self.served.let_pages(num_pages)
        expect(self.page.locator(".top-of-job h2")).to_contain_text(name)
        expect(self.page.locator(".top-of-job .chip")).to_have_text("succeeded")

    def mode(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()


def states(gallery: Gallery) -> None:
    """All states, in the order in which a person could meet them."""
    page, served = gallery.page, gallery.served
    expect(page.locator(".sample").first).to_be_visible()
    gallery.picture("empty")
    page.locator(".options summary").click()
    gallery.picture("options", whole=True)
    page.locator(".options summary").click()
    served.parts.warnings = (PageWarning(code="low_confidence", message="OCR is unsure of this region (0.41)", page=1),)
    served.parts.engine |= {"num_running": 11, "num_waiting": 4, "num_free_blocks": 20, "num_steps": 900}
    page.set_input_files("#files", ROOT / "tests" / "data" / "columns.pdf")
    served.let_pages(1)
    expect(page.locator("article.page .region").first).to_be_visible()
    page.locator("#engine summary").click()
    gallery.picture("running")
    page.locator("#engine summary").click()
    served.let_pages(1)
    expect(page.locator(".top-of-job .chip")).to_have_text("succeeded")
    page.locator(".warnings summary").first.click()
    page.locator(".region").nth(1).hover()
    gallery.picture("regions", whole=True)
    for name in ("Document", "Markdown", "JSON"):
        gallery.mode(name)
        gallery.picture(name.lower())
    gallery.mode("Regions")
    page.get_by_role("searchbox", name="Search all").fill("reading order")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".passage").first).to_be_visible()
    gallery.picture("search")
    page.locator(".passage").first.click()
    expect(page.locator(".hit").first).to_be_visible()
    page.get_by_role("button", name="Close").click()
    gallery.picture(
        "citation", prepare=lambda: page.evaluate("document.querySelector('.hit').scrollIntoView({block: 'center'})")
    )
    page.get_by_role("button", name="Zoom in").click()
    page.get_by_role("button", name="Zoom in").click()
    gallery.picture("zoomed")
    page.get_by_role("button", name="Whole page").click()
    gallery.picture("whole-page")
    served.parts.warnings = ()
    served.parts.all_alike, served.parts._first = True, region_page()
    gallery.send("kinds.pdf", invoice("Harbour log"))
    gallery.picture("kinds", whole=True)
    gallery.mode("Document")
    gallery.picture("kinds-document", whole=True)
    served.parts.all_alike, served.parts._first = False, None
    written(gallery)
    models(gallery)
    problems(gallery)


def written(gallery: Gallery) -> None:
    """Documents without printed pages: HTML, slides."""
    page = gallery.page
    gallery.send("harbour.html", HTML)
    gallery.picture("html")
    job = page.evaluate("location.hash.split('/').pop()")
    facts = page.evaluate(f"fetch('/v1/jobs/{job}/pages/1').then((answer) => answer.json())")
    place = json.dumps(facts["page"]["regions"][1]["place"])
    page.evaluate(
        f"location.hash = '#/documents/{facts['document_id']}/pages/1?place=' + encodeURIComponent({json.dumps(place)})"
    )
    expect(page.locator(".cited").first).to_be_visible()
    gallery.mode("Document")
    gallery.picture("html-citation")
    gallery.send("deck.pptx", slides())
    expect(page.locator(".shape").first).to_be_visible()
    gallery.picture("slides")


def models(gallery: Gallery) -> None:
    """What a language model writes: values with their places, answers with citations."""
    page = gallery.page
    gallery.send("invoice.pdf", invoice())
    gallery.mode("Extract")
    gallery.picture("extract-form")
    page.locator(".extraction form button").click()
    expect(page.locator(".field").first).to_be_visible()
    page.locator(".field").nth(2).focus()
    expect(page.locator(".value").first).to_be_visible()
    gallery.picture("extract")
    gallery.mode("Regions")
    page.get_by_role("searchbox", name="Search all").fill("lamps")
    page.get_by_role("button", name="Ask").click()
    expect(page.locator(".citation").first).to_be_visible()
    gallery.picture("answer")
    page.get_by_role("button", name="Close").click()


def problems(gallery: Gallery) -> None:
    """Refusals, failures, cancelled jobs, questions."""
    page, served = gallery.page, gallery.served
    gallery.send("invoice.pdf", invoice())
    (gallery.folder / "program.pdf").write_bytes(b"\x7fELF\x00\x01\x02")
    page.set_input_files("#files", gallery.folder / "program.pdf")
    expect(page.locator("#uploads .refused")).to_be_visible()
    gallery.picture("uploads")
    document = pymupdf.open()
    for number in range(3):
        document.new_page().insert_text((72, 90), f"Part {number}", fontsize=20)
    (gallery.folder / "long.pdf").write_bytes(document.tobytes(no_new_id=True))
    page.set_input_files("#files", gallery.folder / "long.pdf")
    expect(page.locator(".top-of-job h2")).to_contain_text("long.pdf")  # the one before has a page that succeeded, too
    served.let_pages(1)
    expect(page.locator(".top-of-job .progress")).to_contain_text("1 of 3 pages")
    expect(page.locator("article.page[data-status=succeeded]")).to_have_count(1)
    page.get_by_role("button", name="Cancel", exact=True).click()
    expect(page.locator(".top-of-job .chip")).to_have_text("cancelled")
    gallery.picture("cancelled")
    (gallery.folder / "broken.pdf").write_bytes(b"%PDF-1.4\n%%EOF")
    page.set_input_files("#files", gallery.folder / "broken.pdf")
    expect(page.locator(".top-of-job .chip")).to_have_text("failed")
    gallery.picture("failed")
    page.get_by_role("button", name="Delete", exact=True).click()
    gallery.picture("delete")
    page.get_by_role("button", name="Keep").click()
    page.get_by_role("button", name="Key", exact=True).click()
    gallery.picture("key")


def report(message: ConsoleMessage) -> None:
    """What the console says of errors, for a person."""
    if message.type == "error":
        print("console:", message.text)  # noqa: T201


def write(browser: Browser, names: list[str]) -> list[str]:
    """All pictures, or those that are named; what axe found, and what was too wide."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as name,
        scripted_model(
            Script(lambda request: ANSWER if "response_format" not in request else json.dumps(VALUES))
        ) as script,
    ):
        folder = Path(name)
        (folder / "schemas").mkdir()
        (folder / "schemas" / "invoice.json").write_text(json.dumps(SCHEMA))
        answers, extract = {"url": script.url, "model": "scripted"}, {"schemas": str(folder / "schemas")}
        with house(folder / "data", answers=answers, extract=extract) as served:
            context = browser.new_context(viewport={"width": 1440, "height": 900}, bypass_csp=True)  # for axe's script
            page = context.new_page()
            page.on("console", report)
            page.on("pageerror", lambda error: print("error:", error.stack))  # noqa: T201
            page.set_default_timeout(60_000)
            page.goto(served.url)
            gallery = Gallery(page, served, folder, names)
            try:
                states(gallery)
            except Exception:
                page.screenshot(path=PICTURES / "stopped.png")
                raise
            finally:
                context.close()
    return gallery.findings


if __name__ == "__main__":
    expect.set_options(timeout=60_000)
    with sync_playwright() as playwright:
        window = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)
        for finding in write(window, sys.argv[1:]):
            print(finding)  # noqa: T201  a command for a person
        window.close()
