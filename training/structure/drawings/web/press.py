"""Chromium as a printing press: one start, any number of documents."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from playwright.sync_api import Browser, Page, Playwright, sync_playwright

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--font-render-hinting=none"]

MAX_PRINTED = 200


@dataclass(frozen=True, slots=True)
class Printed:
    """A PDF, and the HTML that is printed there: what the document's scripts left of it."""

    pdf: bytes
    html: str


class NoChromium(Exception):
    """Neither `chromium` nor `google-chrome` can be started here."""


class Press:
    """A Chromium that runs while the context lasts; it loads nothing from outside."""

    def __init__(self) -> None:
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._page: Page | None = None
        self._printed = 0

    def __enter__(self) -> Self:
        path = shutil.which("chromium") or shutil.which("google-chrome")
        if path is None:
            raise NoChromium("install Debian's package chromium")
        self._playwright = sync_playwright().start()
        self._browser = self._playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._browser is not None:
            self._browser.close()
        if self._playwright is not None:
            self._playwright.stop()

    def printed(self, html: str) -> Printed:
        """A document as a PDF, each page of the size that its CSS gives."""
        page = self._clean_page()
        page.set_content(html)
        return Printed(page.pdf(prefer_css_page_size=True, print_background=True), page.content())

    def _clean_page(self) -> Page:
        """The page to print with, a new one every `MAX_PRINTED` documents: a page's memory grows."""
        assert self._browser is not None
        if self._page is None or self._printed >= MAX_PRINTED:
            if self._page is not None:
                self._page.close()
            self._page = self._browser.new_page(viewport={"width": 1000, "height": 1000})
            self._page.emulate_media(media="print")
            self._printed = 0
        self._printed += 1
        return self._page
