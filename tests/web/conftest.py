"""Debian's Chromium, once for all tests; each has a server and a window of its own, and may log no error."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pymupdf
import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.web.house import House, house

expect.set_options(timeout=90_000)  # the machine may be busy
CHROMIUM = shutil.which("chromium")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
SHOWN = (
    "the server responded with a status of 4",
    "the server responded with a status of 503",
)  # by the page, in words
LINES = ("The harbour master keeps the log.", "Ships wait for the tide at night.", "Lamps burn until the morning.")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed here")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[House]:
    with house(tmp_path / "data") as served:
        yield served


@pytest.fixture
def web(browser: Browser, served: House) -> Iterator[Page]:
    """The page, opened; what the console tells of errors, also of the policy, fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    page, errors = context.new_page(), []
    page.on(
        "console",
        lambda message: (
            message.type == "error"
            and not any(words in message.text for words in SHOWN)
            and errors.append(message.text)
        ),
    )
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.set_default_timeout(60_000)
    page.goto(served.url)
    yield page
    context.close()
    assert errors == []


@pytest.fixture
def send_file(tmp_path: Path, web: Page) -> Callable[..., Path]:
    """Chooses a document of so many pages in the page's own field."""

    def send(num_pages: int = 2, name: str = "harbour.pdf") -> Path:
        file = tmp_path / name
        file.write_bytes(pdf(num_pages))
        web.set_input_files("#files", file)
        return file

    return send


def pdf(num_pages: int) -> bytes:
    document = pymupdf.open()
    for number in range(1, num_pages + 1):
        page = document.new_page(width=595, height=842)
        page.insert_text((72, 90), f"Harbour Rules, part {number}", fontsize=20, fontname="hebo")
        for line, text in enumerate(LINES):
            page.insert_text((72, 160 + 60 * line), text, fontsize=11)
    return document.tobytes(no_new_id=True)
