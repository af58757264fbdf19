"""The queries of the Grafana dashboard, taken apart: the series that each one selects, and the labels it groups by."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import promql_parser

FILE = Path(__file__).parents[2] / "configs" / "grafana" / "pagemill.json"
OWN_VARIABLES = {"$__rate_interval": "5m"}  # Grafana fills them in


@dataclass(frozen=True)
class Selected:
    """Series of one name with these labels; grouped by `labels`, all of which they must have."""

    name: str
    equal: dict[str, str]
    labels: frozenset[str]


def panels() -> list[dict[str, Any]]:
    """The panels that show something."""
    dashboard = json.loads(FILE.read_text(encoding="utf-8"))
    return [panel for panel in dashboard["panels"] if panel["type"] != "row"]


def selected(query: str) -> list[Selected]:
    """Raises ValueError where the query is no PromQL."""
    for name, value in OWN_VARIABLES.items():
        query = query.replace(name, value)
    return list(_selected(promql_parser.parse(query), frozenset()))


def _selected(node: Any, labels: frozenset[str]) -> Iterator[Selected]:
    if isinstance(node, promql_parser.BinaryExpr):
        yield from _selected(node.lhs, labels)
        yield from _selected(node.rhs, labels)
    elif isinstance(node, promql_parser.AggregateExpr):
        yield from _selected(node.expr, labels | set(node.modifier.labels if node.modifier else ()))
    elif isinstance(node, promql_parser.Call):
        for argument in node.args:
            yield from _selected(argument, labels)
    elif isinstance(node, promql_parser.MatrixSelector):
        yield from _selected(node.vector_selector, labels)
    elif isinstance(node, promql_parser.ParenExpr):
        yield from _selected(node.expr, labels)
    elif isinstance(node, promql_parser.VectorSelector):
        equal = {matcher.name: matcher.value for matcher in node.matchers.matchers}
        yield Selected(node.name, equal, labels)
