"""configs/grafana/pagemill.json: a dashboard that Grafana can take in; its metrics are tested in tests/serve."""

from __future__ import annotations

import pytest

from tests.serve.dashboard import panels, selected


@pytest.mark.parametrize("panel", panels(), ids=lambda panel: panel["title"])
def test_every_panel_asks_in_promql_for_metrics_of_ours_or_ray_s(panel: dict) -> None:
    """Guards against a slip of the pen, which Grafana shows as an empty panel."""
    metrics = [metric for target in panel["targets"] for metric in selected(target["expr"])]
    assert metrics
    assert all(metric.name.startswith("ray_") for metric in metrics)
    assert panel["datasource"]["uid"] == "${datasource}"


def test_panels_have_their_own_places_and_names() -> None:
    """Guards against two panels on one spot."""
    shown = panels()
    places = {(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in shown}
    assert (
        len(places) == len({panel["title"] for panel in shown}) == len({panel["id"] for panel in shown}) == len(shown)
    )


def test_what_is_no_query_is_refused() -> None:
    """Guards against the test above, should it take anything for a query."""
    with pytest.raises(ValueError, match="parenthesis"):
        selected("sum by (outcome (rate(x[5m]))")
