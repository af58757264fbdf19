"""A scan that is watched while the whole server reads it."""

from __future__ import annotations

import httpx
import pytest

from deployments.values.jobs import PartialPage
from tests.serve.files import pdf

pytestmark = pytest.mark.serve
OPTIONS = '{"text_source": "ocr", "metadata": {"watched": "yes"}}'


def test_regions_of_a_page_are_seen_before_the_page_is_done(client: httpx.Client) -> None:
    """Guards against regions that are told to nobody, or only when there is nothing left to wait for.

    Whether words are seen, too, depends on how fast they are read: see `test_partial_results.py`.
    """
    file = {"file": ("a.pdf", pdf(3, title="Watch me", repeats=12))}
    job = client.post("/v1/documents", files=file, data={"options": OPTIONS}).json()
    with client.stream("GET", f"/v1/jobs/{job['id']}/regions") as answer:
        lines = [line for line in answer.iter_lines() if line.startswith("data:")]
    partial_pages = [PartialPage.model_validate_json(line.removeprefix("data:")) for line in lines]
    assert {partial_page.size for partial_page in partial_pages} == {(595.0, 842.0)}
    assert any(region.text is None for partial_page in partial_pages for region in partial_page.regions)
    response = client.get(f"/v1/jobs/{job['id']}/regions")
    assert (response.status_code, client.get("/v1/jobs/job_x/regions").status_code) == (204, 404)
