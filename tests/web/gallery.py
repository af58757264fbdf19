"""Every state of the web page as a picture, in both themes, wide and narrow: `python -m tests.web.gallery [STATE ...]`.

The pictures are written to `build/web/`; axe looks at each state, too.
"""

from __future__ import annotations

import io
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from documents import values
from documents.values import BoundingBox, PageWarning
from tests.deployments.ingress.scripted_model import Script, scripted_model
from tests.web.house import House, house

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "build" / "web"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
WIDTHS = {"wide": (1440, 900), "narrow": (360, 780)}
THEMES = ("light", "dark")
GRAVE = ("serious", "critical")
SCHEMA = {
    "type": "object",
    "properties": {
        "seller": {"type": "string"},
        "date": {"type": "string", "format": "date"},
        "total": {"type": "number"},
        "currency": {"type": "string"},
    },
    "required": ["seller", "total"],
}
LINES = ("Harbour Supplies Ltd", "Invoice date: 3 March 2024", "2 lamps 620.25", "Total: 1,240.50 EUR")
VALUES = {"seller": "Harbour Supplies Ltd", "date": "2024-03-03", "total": 1240.5, "currency": "NOK"}
ANSWER = "Lamps cost 620.25 for two [1], and the whole invoice is 1,240.50 [1]."


def invoice(heading: str = "Invoice") -> bytes:
    """A page whose four values a model is asked for."""
    document = pymupdf.open()
    page = document.new_page(width=595, height=842)
    page.insert_text((72, 90), heading, fontsize=20, fontname="hebo")
    for at, text in enumerate(LINES):
        page.insert_text((72, 150 + 60 * at), text, fontsize=11)
    return document.tobytes(no_new_id=True)


def region_page() -> values.Page:
    """A page with a region of every kind, and words that OCR doubts."""

    def box(top: float, height: float = 50) -> BoundingBox:
        return BoundingBox(x0=60, y0=top, x1=535, y1=top + height)

    cells = [("Berth", 0, 0), ("Ships", 0, 1), ("Depth", 0, 2), ("North", 1, 0), ("12", 1, 1), ("8.5 m", 1, 2)]
    table = values.Table(
        num_rows=2,
        num_columns=3,
        num_header_rows=1,
        cells=tuple(values.TableCell(row=r, column=c, text=t, box=box(300)) for t, r, c in cells),
    )
    words = "Lamps burn untl the mornirg, and boats go out."
    sure = (0.99, 0.98, 0.61, 0.99, 0.72, 0.99, 0.99, 0.99, 0.99)
    span = values.Span(text=words, box=box(160), source="ocr", word_confidences=sure)
    guess = values.UnreadableLine(guess="l0st w1th", box=box(190, 12), confidence=0.3)
    ocr: dict[str, Any] = {"score": 0.9, "text_source": "ocr"}
    regions = [
        values.region_of(kind="abandon", box=box(20, 20), score=0.9, text="Harbour log · page 1"),
        values.region_of(kind="title", level=1, box=box(60, 40), score=0.9, text="The harbour at night"),
        values.region_of(kind="plain text", box=box(120, 90), text=words, spans=(span,), unreadable=(guess,), **ocr),
        values.region_of(kind="plain text", box=box(225, 40), score=0.9, text="• Ropes\n• Lamps\n• Logs"),
        values.region_of(kind="table", box=box(300, 80), score=0.9, text="Berth Ships Depth", table=table),
        values.region_of(kind="table_caption", box=box(385, 16), score=0.9, text="Table 1: berths and depths"),
        values.region_of(kind="isolate_formula", box=box(420, 50), text="h", latex=FORMULA, **ocr),
        values.region_of(kind="figure", box=box(490, 160), score=0.9, text="", alt="The harbour from the sea"),
        values.region_of(kind="figure_caption", box=box(655, 16), score=0.9, text="Figure 1: the harbour"),
        values.region_of(kind="plain text", note="foot", box=box(760, 30), score=0.9, text="1 By the log of 1843."),
    ]
    ordered = tuple(region.model_copy(update={"order": order}) for order, region in enumerate(regions))
    return values.Page(number=1, size=(595, 842), regions=ordered)


FORMULA = r"h(t) = \frac{1}{2\pi}\int_0^T \sqrt{\alpha^2 + \beta_i^2}\,dt + \sum_{k=1}^{n} a_k \cos(\omega_k t)"
HTML = (ROOT / "deployments" / "ingress" / "static" / "samples" / "harbour.html").read_bytes()


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


def slides() -> bytes:
    """Two shapes and a table on a slide."""
    from pptx import Presentation
    from pptx.util import Inches

    deck: Any = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Harbour dues"
    slide.placeholders[1].text = "By length, per day\nWaived in a storm"
    table = slide.shapes.add_table(2, 2, Inches(1), Inches(4.5), Inches(6), Inches(1)).table
    for at, text in enumerate(("Length", "Per day", "up to 8 m", "12.00")):
        table.cell(at // 2, at % 2).text = text
    file = io.BytesIO()
    deck.save(file)
    return file.getvalue()


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
    served.let_pages(1)
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
