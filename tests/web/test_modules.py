"""Modules of the web page in Chromium without a server: the files come from their folder, all else from the test."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Request, Route, expect

import deployments.ingress

pytestmark = pytest.mark.slow
STATIC = Path(deployments.ingress.__file__).parent / "page" / "static"
ORIGIN = "http://pagemill.test"
TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}


class Answers:
    """Answers to the page's calls by path; a call to a path in `held` stays open until `release`."""

    def __init__(self) -> None:
        self.bodies: dict[str, Any] = {}
        self.held: dict[str, Route | None] = {}
        self.requests: list[Request] = []

    def answer(self, route: Route) -> None:
        path = route.request.url.removeprefix(ORIGIN).split("?")[0]
        file = STATIC / ("index.html" if path == "/" else path.removeprefix("/static/"))
        if file.is_file() and (path == "/" or path.startswith("/static/")):
            route.fulfill(body=file.read_bytes(), content_type=TYPES.get(file.suffix, "application/octet-stream"))
            return
        self.requests.append(route.request)
        if path in self.held:
            self.held[path] = route
            return
        self._fulfill(route, self.bodies.get(path))
        if route.request.method == "DELETE":
            self._forget(path.removeprefix("/v1/documents/"))

    def release(self, path: str, body: Any) -> None:
        route = self.held.pop(path)
        assert route is not None
        self._fulfill(route, body)

    def paths(self, method: str = "GET") -> list[str]:
        return [request.url.removeprefix(ORIGIN) for request in self.requests if request.method == method]

    def _forget(self, document_id: str) -> None:
        """Leave a deleted document out of the list from now on: the page asks for it again at once."""
        listed = self.bodies["/v1/jobs"]["jobs"]
        self.bodies["/v1/jobs"] = {"jobs": [job for job in listed if job["document_id"] != document_id]}

    def _fulfill(self, route: Route, body: Any) -> None:
        status = 404 if body is None else 200
        route.fulfill(status=status, body=json.dumps(body or {"detail": "not here"}), content_type="application/json")


@pytest.fixture
def answers() -> Answers:
    return Answers()


@pytest.fixture
def window(browser: Browser, answers: Answers) -> Iterator[Page]:
    """A window that has loaded nothing yet; no script in it may fail."""
    page, errors = browser.new_page(), list[str]()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.set_default_timeout(60_000)
    page.route("**/*", answers.answer)
    yield page
    page.close()
    assert errors == []


@pytest.fixture
def modules(window: Page) -> Callable[..., Any]:
    """Evaluates a script where modules can be imported, without the page itself."""
    window.goto(f"{ORIGIN}/static/look.css")
    return window.evaluate


def job(job_id: str, document_id: str, status: str) -> dict[str, Any]:
    about = {"file_name": f"{job_id}.pdf", "created_at": f"2026-01-01T00:00:00.{job_id[-1]}Z", "pages": []}
    about |= {"warnings": [], "num_pages": 0, "page_counts": {}}
    return {"id": job_id, "document_id": document_id, "status": status, "media_type": "application/pdf"} | about


def test_clear_keeps_documents_with_a_job_that_the_list_does_not_show(window: Page, answers: Answers) -> None:
    """Guards against a filter for failed jobs by which documents go that were read the second time."""
    answers.bodies["/v1/jobs"] = {
        "jobs": [
            job("job_1", "read-again", "failed"),
            job("job_2", "read-again", "succeeded"),
            job("job_3", "failed-twice", "failed"),
            job("job_4", "failed-twice", "failed"),
            job("job_5", "reading-again", "failed"),
            job("job_6", "reading-again", "running"),
        ]
    }
    answers.bodies["/v1/documents/failed-twice"] = answers.bodies["/v1/documents/read-again"] = {"deleted": True}
    window.goto(ORIGIN)
    window.locator("#filter-status").select_option("failed")
    window.locator("#clear").click()
    assert "Delete 1 document of" in window.locator("#confirm-question").inner_text()
    window.locator("#confirm-yes").click()
    expect(window.locator("#jobs li")).to_have_count(2)
    assert answers.paths("DELETE") == ["/v1/documents/failed-twice"]


@pytest.mark.parametrize("citation", [{"job_id": "job_1"}, None], ids=["answered", "refused"])
def test_a_slow_citation_does_not_cover_what_was_opened_after_it(
    window: Page, answers: Answers, citation: dict[str, str] | None
) -> None:
    """Guards against a document that jumps away under its reader."""
    page = "/v1/documents/slow/pages/1"
    answers.held[page] = None
    answers.bodies["/v1/jobs"] = {"jobs": []}
    answers.bodies |= {f"/v1/jobs/{name}": job(name, "any", "succeeded") for name in ("job_1", "job_2")}
    with window.expect_request(f"**{page}"):
        window.goto(f"{ORIGIN}/#{page.removeprefix('/v1')}")
    window.evaluate("location.hash = '#/jobs/job_2'")
    expect(window.locator(".top-of-job")).to_contain_text("job_2.pdf", timeout=20_000)
    with window.expect_response(f"**{page}"):
        answers.release(page, citation)
    window.evaluate("fetch('/v1/jobs/job_2').then((answer) => answer.json())")  # what the answer led to has begun
    assert "job_2.pdf" in window.locator("#document").inner_text()
    assert "/v1/jobs/job_1" not in answers.paths()


PICTURES = """async ({ steps }) => {
  const { PagePicture } = await import("/static/viewer/page_picture.js");
  const held = new Map(), live = new Set();
  const dpiOf = (path) => Number(/dpi=(\\d+)/.exec(path)[1]);
  window.fetch = (path) => new Promise((resolve, reject) => held.set(dpiOf(path), { resolve, reject }));
  URL.createObjectURL = (blob) => { live.add(blob.type); return blob.type; };
  URL.revokeObjectURL = (address) => live.delete(address);
  const picture = new PagePicture("job_1", 1);
  const { signal } = new AbortController();
  const loads = new Map();
  for (const [step, dpi] of steps) {
    if (step === "load") {
      picture.size = [(72 * 600) / dpi, 800]; // as if it were shown that large
      loads.set(dpi, picture.load(signal).catch(() => {}));
      continue;
    }
    if (step === "arrive") held.get(dpi).resolve(new Response(new Blob(["x"], { type: `image/${dpi}` })));
    if (step === "fail") held.get(dpi).reject(new TypeError("no network"));
    held.delete(dpi);
    await loads.get(dpi);
  }
  const shown = picture.paper.querySelector("img")?.getAttribute("src") ?? null;
  return { shown, live: [...live], open: [...held.keys()] };
}"""


def test_a_page_picture_is_fetched_again_after_a_failed_fetch(modules: Callable[..., Any]) -> None:
    """Guards against a page without a picture until it is left and entered again."""
    steps = [["load", 96], ["fail", 96], ["load", 96]]
    assert modules(PICTURES, {"steps": steps}) == {"shown": None, "live": [], "open": [96]}


def test_a_coarser_page_picture_that_comes_late_does_not_replace_the_finer(modules: Callable[..., Any]) -> None:
    """Guards against a page that turns blurred after a zoom."""
    steps = [["load", 96], ["load", 192], ["arrive", 192], ["arrive", 96]]
    assert modules(PICTURES, {"steps": steps}) == {"shown": "image/192", "live": ["image/192"], "open": []}


def test_a_page_picture_stays_where_a_finer_one_failed(modules: Callable[..., Any]) -> None:
    """Guards against a failed zoom that takes the picture away, or fetches the same one twice."""
    steps = [["load", 96], ["load", 192], ["fail", 192], ["arrive", 96], ["load", 96]]
    assert modules(PICTURES, {"steps": steps}) == {"shown": "image/96", "live": ["image/96"], "open": []}


FIGURE = """async () => {
  const { PageText } = await import("/static/viewer/page_text.js");
  const live = new Set();
  let arrive = null;
  window.fetch = () => new Promise((resolve) => (arrive = resolve));
  URL.createObjectURL = () => { live.add("address"); return "address"; };
  URL.revokeObjectURL = (address) => live.delete(address);
  const region = { kind: "figure", order: 0, box: { x0: 0, y0: 0, x1: 9, y1: 9 }, text: "", spans: [], unreadable: [] };
  const page = { number: 1, form: "print", regions: [region] };
  const text = new PageText({ job_id: "job_1", page, markdown: [""] }, "document", new AbortController().signal);
  text.elements();
  text.stop();
  arrive(new Response(new Blob(["x"])));
  await new Promise((resolve) => setTimeout(resolve, 100)); // the blob is read by another process
  return live.size;
}"""


def test_a_figure_that_arrives_after_its_page_was_left_is_released(modules: Callable[..., Any]) -> None:
    """Guards against pictures that stay in memory until the window is closed."""
    assert modules(FIGURE) == 0


PLACES = """async ([outer, inner]) => (await import("/static/viewer/place_names.js")).standsIn(outer, inner)"""


@pytest.mark.parametrize(
    "place",
    [{"kind": "document"}, {"kind": "document", "path": 7}, {"kind": "sheet", "sheet": "A", "range": 7}],
    ids=["no path", "a number as path", "a number as range"],
)
def test_a_place_in_an_address_that_is_none_stands_nowhere(modules: Callable[..., Any], place: dict[str, Any]) -> None:
    """Guards against a page that stays empty for an address written by hand."""
    whole = {"document": {"path": "body/p[1]"}, "sheet": {"sheet": "A", "range": "A1:B2"}}[place["kind"]]
    region = {"kind": place["kind"]} | whole
    assert modules(PLACES, [region, place]) is False
    assert modules(PLACES, [place, region]) is False


FORMULA = """async (latex) => {
  const { formula } = await import("/static/text/math.js");
  const written = (element) => element.children.length === 0
    ? `${element.localName}(${element.textContent})`
    : `${element.localName}[${[...element.children].map(written).join(" ")}]`;
  const math = formula(latex);
  return math && written(math.firstElementChild.firstElementChild);
}"""


@pytest.mark.parametrize(
    "latex",
    [r"\constructor x", r"\toString x", r"\begin{constructor}x\end{constructor}", r"\begin{toString}x\end{toString}"],
)
def test_a_command_named_as_a_member_of_every_object_is_not_known(modules: Callable[..., Any], latex: str) -> None:
    """Guards against a page that stays empty because of one formula."""
    assert modules(FORMULA, latex) is None


@pytest.mark.parametrize(
    ("latex", "written"),
    [
        (r"\frac12", "mfrac[mn(1) mn(2)]"),
        (r"\frac123", "mrow[mfrac[mn(1) mn(2)] mn(3)]"),
        (r"\sqrt12", "mrow[msqrt[mn(1)] mn(2)]"),
        ("x^12", "mrow[msup[mi(x) mn(1)] mn(2)]"),
        ("x_1,2", "mrow[msub[mi(x) mn(1)] mo(,) mn(2)]"),
        ("x^{12}+1.5", "mrow[msup[mi(x) mn(12)] mo(+) mn(1.5)]"),
    ],
)
def test_an_argument_without_braces_is_one_digit(modules: Callable[..., Any], latex: str, written: str) -> None:
    r"""Guards against `\frac12`, which was refused, and against `x^12` with both digits raised."""
    assert modules(FORMULA, latex) == written
