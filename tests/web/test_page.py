"""The web page in Chromium: what a person does with it, and what they see."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from deployments.values.jobs import PartialPage, PartialRegion
from documents.boxes import BoundingBox
from tests.web.conftest import pdf
from tests.web.house import READ_AGAIN, House

pytestmark = pytest.mark.slow
NEAR = 1.5  # pixels that a border may be off


def test_pages_arrive_one_by_one_while_the_job_runs(web: Page, served: House, send_file: Callable[..., Path]) -> None:
    """Guards against a page that shows nothing until everything is read."""
    send_file(3)
    expect(web.locator("article.page")).to_have_count(3)
    served.let_pages(1)
    expect(web.locator("article.page[data-status=succeeded]")).to_have_count(1)
    expect(web.locator("article.page .region").first).to_contain_text("Harbour Rules")
    expect(web.locator(".top-of-job")).to_contain_text("1 of 3 pages")
    served.let_pages(2)
    expect(web.locator(".top-of-job .chip")).to_have_text("succeeded")
    expect(web.locator(".top-of-job .facts")).to_contain_text("3 pages")


def test_regions_appear_as_they_are_read(web: Page, served: House, send_file: Callable[..., Path]) -> None:
    """Guards against a scan of which nothing is seen until all of it is read."""
    send_file(1)
    article = web.locator("article.page[data-status=running]")
    expect(article).to_have_count(1)
    (job,) = httpx.get(f"{served.url}/v1/jobs").json()["jobs"]
    places = [BoundingBox(x0=60, y0=60 + 100 * n, x1=540, y1=140 + 100 * n) for n in range(2)]
    regions = [PartialRegion(kind="plain text", box=place) for place in places]
    served.show(job["id"], PartialPage(number=1, size=(595, 842), regions=tuple(regions), num_to_read=2))
    expect(article.locator(".box.unread")).to_have_count(2)
    expect(article.locator(".text")).to_contain_text("0 of 2 regions")
    regions[0] = regions[0].model_copy(update={"text": "Lamps burn <b>late</b>."})
    served.show(job["id"], PartialPage(number=1, size=(595, 842), regions=tuple(regions), num_to_read=2))
    expect(article.locator(".region")).to_have_text("Lamps burn <b>late</b>.")
    expect(article.locator(".box.unread")).to_have_count(1)
    served.let_pages(1)
    expect(web.locator("article.page .region").first).to_contain_text("Harbour Rules")
    expect(web.locator(".box.unread")).to_have_count(0)


def test_an_answer_that_comes_late_does_not_cover_a_newer_one(
    web: Page, served: House, send_file: Callable[..., Path]
) -> None:
    """Guards against a job that has ended and is shown as running for ever."""
    send_file(1)
    expect(web.locator("article.page")).to_have_count(1)
    routes = []
    web.route(
        "**/v1/jobs/job_*", lambda route: routes.append((route, route.fetch())) if not routes else route.continue_()
    )
    with web.expect_request("**/v1/jobs/job_*"):
        served.let_pages(1)  # `indexing` asks for the job as it is now, and then it ends
    expect(web.locator("article.page .region").first).to_be_visible()
    expect(web.locator("#jobs .chip.succeeded")).to_be_visible()  # the list has heard of it
    route, answer = routes[0]
    route.fulfill(response=answer, json=answer.json() | {"status": "running"})
    expect(web.locator(".top-of-job .chip")).to_have_text("succeeded")


def test_boxes_stand_on_the_picture_where_the_json_says(
    web: Page, served: House, send_file: Callable[..., Path]
) -> None:
    """Guards against an overlay that is shifted or scaled."""
    send_file(1)
    served.let_pages(1)
    expect(web.locator(".top-of-job .chip")).to_have_text("succeeded")
    expect(web.locator(".paper img")).to_be_visible()
    (page,) = result(web, served)["pages"]
    paper = web.locator(".paper img").bounding_box()
    assert paper is not None
    scale = paper["width"] / page["size"][0]
    assert len(page["regions"]) == web.locator(".box").count() > 1
    for region in page["regions"]:
        mark = web.locator(f".box[data-order='{region['order']}']")
        expect(mark).to_have_attribute("data-kind", region["kind"])
        expect(mark.locator(".number")).to_have_text(str(region["order"] + 1))
        box, bounds = region["box"], mark.bounding_box()
        assert bounds is not None
        assert bounds["x"] - paper["x"] == pytest.approx(box["x0"] * scale, abs=NEAR)
        assert bounds["y"] - paper["y"] == pytest.approx(box["y0"] * scale, abs=NEAR)
        assert bounds["width"] == pytest.approx((box["x1"] - box["x0"]) * scale, abs=NEAR)
        assert bounds["height"] == pytest.approx((box["y1"] - box["y0"]) * scale, abs=NEAR)


def test_the_picture_and_the_text_light_up_together(web: Page, served: House, send_file: Callable[..., Path]) -> None:
    """Guards against a link that works from one side only, or not by keyboard."""
    send_file(1)
    served.let_pages(1)
    box, text = web.locator(".box[data-order='1']"), web.locator(".region[data-order='1']")
    box.hover()
    expect(text).to_have_class(re.compile(r"\blit\b"))
    text.hover()
    expect(box).to_have_class(re.compile(r"\blit\b"))
    web.locator(".region[data-order='0']").focus()
    expect(web.locator(".box[data-order='0']")).to_have_class(re.compile(r"\blit\b"))


def test_a_running_job_is_cancelled_by_its_button(web: Page, served: House, send_file: Callable[..., Path]) -> None:
    """Guards against a button that only seems to cancel."""
    send_file(3)
    served.let_pages(1)
    expect(web.locator("article.page[data-status=succeeded]")).to_have_count(1)
    web.get_by_role("button", name="Cancel", exact=True).click()
    expect(web.locator(".top-of-job .chip")).to_have_text("cancelled")
    expect(web.get_by_role("button", name="Cancel", exact=True)).to_be_hidden()
    assert httpx.get(f"{served.url}/v1/jobs/{job_id(web)}").json()["status"] == "cancelled"


def test_a_reload_in_the_middle_goes_on(web: Page, served: House, send_file: Callable[..., Path]) -> None:
    """Guards against a job that is lost from sight with the window."""
    send_file(3)
    served.let_pages(1)
    expect(web.locator("article.page[data-status=succeeded]")).to_have_count(1)
    web.reload()
    expect(web.locator("article.page[data-status=succeeded]")).to_have_count(1)
    served.let_pages(2)
    expect(web.locator(".top-of-job .chip")).to_have_text("succeeded")
    expect(web.locator("article.page[data-status=succeeded]")).to_have_count(3)


def test_a_hit_leads_to_its_place_on_the_page(web: Page, served: House, send_file: Callable[..., Path]) -> None:
    """Guards against a search that names a page and leaves the person to look for it."""
    send_file(4)
    served.let_pages(4)
    expect(web.locator(".top-of-job .chip")).to_have_text("succeeded")
    web.get_by_role("searchbox", name="Search all").fill("Rules, part 4")
    web.get_by_role("button", name="Search").click()
    web.locator(".passage").first.click()
    hit = web.locator("#page-4 .hit").first
    expect(hit).to_be_in_viewport()
    tops = "['.hit', '.box'].map(it => document.querySelector(`#page-4 ${it}`).getBoundingClientRect().y)"
    top, title = web.evaluate(tops)  # at one moment: the view may still be on its way
    assert top == pytest.approx(title, abs=3)


def test_a_shared_place_comes_into_view_on_a_phone_below_a_long_list(
    web: Page, served: House, send_file: Callable[..., Path]
) -> None:
    """In one column the document stands below the list."""
    send_file(2)
    served.let_pages(2)
    expect(web.locator(".top-of-job .chip")).to_have_text("succeeded")
    web.locator("article.page .region").first.wait_for()
    places = {
        f"#/documents/{document_id(web, served)}/pages/2?box=72,60,500,120": "#page-2 .hit",
        f"#/jobs/{job_id(web)}": ".top-of-job",
    }
    for num_pages in range(3, 15):
        files = {"file": ("other.pdf", pdf(num_pages), "application/pdf")}
        httpx.post(f"{served.url}/v1/documents", files=files).raise_for_status()
    web.set_viewport_size({"width": 360, "height": 780})
    for address, selector in places.items():
        web.goto("about:blank")
        web.goto(f"{served.url}/{address}")
        expect(web.locator("#jobs li")).to_have_count(13)
        top = "selector => document.querySelector(selector)?.getBoundingClientRect().top"
        web.wait_for_function(f"selector => Math.abs(({top})(selector) - 250) < 250", arg=selector, timeout=20_000)


def test_a_region_is_read_again_token_by_token(web: Page, served: House, send_file: Callable[..., Path]) -> None:
    """Guards against a stream that is shown only when it has ended."""
    send_file(1)
    served.let_pages(1)
    web.get_by_role("button", name="Read region 1 of page 1 again").click()
    served.let_tokens(2)
    expect(web.locator("output.tokens").first).to_have_text("Lamps burn")
    served.let_tokens(9)
    expect(web.locator("output.tokens").first).to_have_text(READ_AGAIN)
    expect(web.locator(".again").first).to_contain_text("5 tokens in")


def test_the_engine_is_seen_at_work(web: Page, served: House) -> None:
    """Guards against a view that tells of the past, or of nothing; a ready server "was still starting" when the word of
    `/readyz` had changed."""
    expect(web.locator("#engine-state")).to_have_text("idle")
    expect(web.locator("#engine-view")).to_be_hidden()  # folded away until a person wants it
    web.locator("#engine summary").click()
    expect(web.locator("#engine-view")).to_contain_text("0 of 16")
    served.parts.engine |= {"num_running": 5, "num_waiting": 3, "num_free_blocks": 24}
    expect(web.get_by_role("img", name="5 of 16 decode slots in use")).to_be_visible()
    expect(web.locator(".slot.full")).to_have_count(5)
    expect(web.locator("#engine-view")).to_contain_text("40 of 64")
    expect(web.locator("#engine-state")).to_have_text("5 of 16 slots")
    served.parts.starting.add("ocr")
    expect(web.locator("#engine-state")).to_have_text("some parts are still starting")


def test_a_file_that_is_refused_says_why(web: Page, tmp_path: Path) -> None:
    """Guards against an upload that fails in silence."""
    name = f"{'notes_without_any_place_to_break_' * 3}.pdf"
    (tmp_path / name).write_bytes(b"\x7fELF no document at all \x00\x01")
    web.set_input_files("#files", tmp_path / name)
    expect(web.locator("#uploads .refused")).to_contain_text("PDF, PNG, JPEG, TIFF, WebP")
    assert web.evaluate("(it => it.scrollWidth - it.clientWidth)(document.querySelector('.side'))") == 0
    web.get_by_role("button", name=f"Dismiss {name}").click()
    expect(web.locator("#uploads li")).to_have_count(0)


def test_a_job_of_another_client_comes_into_the_list(web: Page, served: House) -> None:
    """Guards against a list that knows only what was sent from this page."""
    expect(web.locator("#jobs")).to_contain_text("None yet.")
    httpx.post(f"{served.url}/v1/documents", files={"file": ("elsewhere.pdf", pdf(1))}).raise_for_status()
    expect(web.locator("#jobs")).to_contain_text("elsewhere.pdf")
    served.let_pages(1)
    expect(web.locator("#jobs .chip.succeeded")).to_be_visible()


def test_a_button_that_fails_says_so_to_those_who_see(web: Page, served: House, send_file: Callable[..., Path]) -> None:
    """Guards against a download or a cancel that fails in silence, and against a browser's own words for it."""
    send_file(1)
    served.let_pages(1)
    expect(web.locator(".top-of-job .chip")).to_have_text("succeeded")
    removed = {"status": 410, "json": {"detail": "the document was removed"}}
    web.route("**/result?*", lambda route: route.fulfill(**removed))
    web.get_by_role("button", name="Download").click()
    expect(web.get_by_role("alert")).to_have_text("the document was removed")


def job_id(web: Page) -> str:
    return web.url.rsplit("/", 1)[-1]  # the address of a document is #/jobs/{id}


def result(web: Page, served: House) -> dict:
    return httpx.get(f"{served.url}/v1/jobs/{job_id(web)}/result?format=json").json()


def document_id(web: Page, served: House) -> str:
    return httpx.get(f"{served.url}/v1/jobs/{job_id(web)}").json()["document_id"]
