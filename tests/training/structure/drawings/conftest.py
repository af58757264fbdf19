"""The browser that prints the drawn tables and documents of these tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from training.structure.drawings.web.press import NoChromium, Press


@pytest.fixture(scope="module")
def press() -> Iterator[Press]:
    try:
        with Press() as press:
            yield press
    except NoChromium:
        pytest.skip("Chromium is not installed here")
