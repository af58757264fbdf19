"""The Grafana dashboard against the metrics of the running server: no panel stays empty."""

from __future__ import annotations

import threading

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.serve.dashboard import Selected, panels, selected
from tests.serve.files import pdf, png

pytestmark = pytest.mark.serve


def test_every_query_of_the_dashboard_finds_series_with_its_labels(client: httpx.Client) -> None:
    """Guards against a metric or label that was renamed under a panel, or is another one in this version of Ray."""
    client.post("/v1/documents", params={"wait": 100}, files={"file": ("a.pdf", pdf(title="Drawn in a chart"))})
    client.post("/v1/documents", params={"wait": 100}, files={"file": ("a.png", png("Drawn in a chart"))})
    client.post("/v1/query", json={"query": "charts of the harbour"})
    client.get("/v1/jobs/none")
    selected_series = {
        series for panel in panels() for target in panel["targets"] for series in _hashed(target["expr"])
    }
    pause, empty = threading.Event(), selected_series
    for _ in range(60):
        samples = [
            sample
            for family in text_string_to_metric_families(client.get("/metrics").text)
            for sample in family.samples
        ]
        empty = {
            series
            for series in selected_series
            if not any(_fits(series, sample.name, sample.labels) for sample in samples)
        }
        if not empty:
            return
        pause.wait(1)  # the agent that tells them is told every few seconds
    assert not empty


def _hashed(query: str) -> set[tuple[str, frozenset[tuple[str, str]], frozenset[str]]]:
    selectors: list[Selected] = selected(query)
    return {(selector.name, frozenset(selector.equal.items()), selector.labels) for selector in selectors}


def _fits(series: tuple[str, frozenset[tuple[str, str]], frozenset[str]], name: str, labels: dict[str, str]) -> bool:
    return series[0] == name and series[1] <= labels.items() and series[2] <= labels.keys()
