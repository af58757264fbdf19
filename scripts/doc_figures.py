"""Checks and renews the figures in docs that name the benchmark result they come from.

Such a figure is written `2.8<!--engine_peers:ours_over_transformers_continuous-->`.

The name is that of a file in `benchmarks/results` and, after the colon, a key of its `figures` or a path into the file:
`rows[mode=static].tokens_per_s`, `machine.cpus`. Before `%` the value is a share. A figure is right when the value,
rounded to the digits that it shows, is what it shows.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parents[1] / "benchmarks" / "results"
FIGURE = re.compile(
    r"(?P<shown>[+−-]?[\d,]*\.?\d+)(?P<unit>\s?(?:%|s|ms|MB|GB|\w+)?)<!--(?P<source>\w+):(?P<path>[^>]+?)-->"
)
BARE_DECIMAL = re.compile(r"(?<![\w.,/`-])[+−]?\d*\.\d+(?![\w.]|\s?[%\w]*<!--\w+:[^>]+?-->)")
CODE = re.compile(r"```.*?```|`[^`\n]*`|\]\([^)]*\)", re.S)
STEP = re.compile(r"([\w-]+)(?:\[([^\]]+)\])?")


def renewed(text: str) -> str:
    """`text` with the value of today in each figure that names its result."""
    return FIGURE.sub(_renewed, text)


def outdated(text: str) -> Iterator[str]:
    """What is wrong with each figure of `text` that names its result."""
    for match in FIGURE.finditer(text):
        try:
            right = _shown(match)
        except (LookupError, AttributeError, TypeError, ValueError, StopIteration, FileNotFoundError) as error:
            yield f"{match[0]}: no such result ({error!r})"
            continue
        if right != match["shown"]:
            yield f"{match[0]}: the result says {right}"


def unbacked(text: str) -> list[str]:
    """Decimal numbers of `text`, code and addresses aside, that name no result."""
    return BARE_DECIMAL.findall(CODE.sub("", text))


def _renewed(match: re.Match[str]) -> str:
    return f"{_shown(match)}{match['unit']}<!--{match['source']}:{match['path']}-->"


def _shown(match: re.Match[str]) -> str:
    """The value as `match` writes it: as many decimals, thousands parted, a sign, no zero before the point."""
    shown = match["shown"]
    value = float(_value(match["source"], match["path"])) * (100 if match["unit"].strip() == "%" else 1)
    text = f"{value:{'+' if shown[0] in '+−' else ''},.{len(shown.partition('.')[2])}f}"
    text = text if "," in shown or value >= 10_000 else text.replace(",", "")
    text = text.replace("-", "−")
    return re.sub(r"^([+−]?)0\.", r"\1.", text) if re.match(r"[+−]?\.", shown) else text


def _value(source: str, path: str) -> Any:
    """The value at `path` in the result `source`: a key of its figures, or a path into the file."""
    result = _result(source)
    figures = result.get("figures", {})
    if path in figures:
        return figures[path]
    value: Any = result
    for step in path.split("."):
        key, condition = STEP.fullmatch(step).groups()  # pyright: ignore[reportOptionalMemberAccess]
        value = value[key]
        if condition:
            pairs = [pair.split("=") for pair in condition.split(",")]
            value = next(row for row in value if all(str(row.get(name)) == text for name, text in pairs))
    return value


@functools.cache
def _result(source: str) -> dict[str, Any]:
    return json.loads((RESULTS / f"{source}.json").read_text(encoding="utf-8"))
