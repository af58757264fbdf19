"""A server that wants a key: the page itself is open, asks for one, and sends it with every call and picture."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from configs.api_keys import KeyEntry, hash_of
from deployments.ingress.operations.callers import KeyRing
from tests.web.conftest import pdf
from tests.web.house import house

pytestmark = pytest.mark.slow
KEY = "a key of this test"


def test_the_page_asks_for_a_key_and_uses_it(browser: Browser, tmp_path: Path) -> None:
    """Guards against pictures and events that are fetched without the key, which no link could carry."""
    ring = KeyRing([KeyEntry(name="a", namespace="team", roles=frozenset({"ingest", "query"}), sha256=hash_of(KEY))])
    (tmp_path / "a.pdf").write_bytes(pdf(1))
    context = browser.new_context()
    with house(tmp_path / "data", ring) as served:
        page = context.new_page()
        page.goto(served.url)
        page.get_by_role("dialog").get_by_label("Key", exact=True).fill("another key")
        page.keyboard.press("Enter")
        expect(page.get_by_role("dialog")).to_contain_text("does not accept this key")
        page.get_by_role("dialog").get_by_label("Key", exact=True).fill(KEY)
        page.keyboard.press("Enter")
        expect(page.get_by_role("dialog")).to_be_hidden()
        served.let_pages(1)
        page.set_input_files("#files", tmp_path / "a.pdf")
        expect(page.locator(".top-of-job .chip")).to_have_text("succeeded")
        expect(page.locator(".region").first).to_contain_text("Harbour Rules")
        expect(page.locator(".paper img")).to_be_visible()
        page.reload()
        expect(page.locator(".region").first).to_contain_text("Harbour Rules")
        assert page.evaluate("localStorage.length + document.cookie.length") <= 1  # the theme alone
        context.close()
