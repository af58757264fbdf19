"""Checks that every rule of page structure, and every number of its thresholds, was on trial.

`python scripts/check_rules.py` fails if `benchmarks/results/rules.json` lacks a rule or a number that the code has, has
one that the code lacks, or was made of other names or values. Other source text alone does not fail: a run takes
minutes, and an edit that moves no number (a name, a faster loop) would cost one each time. The hash of the source is in
the file, and a difference is printed, so that whoever changed what a rule does knows that its figures are older.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.harness.rule_variants import (  # noqa: E402 - the repository is not installed where this runs
    RuleSet,
    fingerprint_of_source,
    fingerprint_of_values,
    numbers,
)

RESULTS = ROOT / "benchmarks" / "results" / "rules.json"
COMMAND = "python -m benchmarks.rules --json benchmarks/results/rules.json"


def main() -> int:
    result = json.loads(RESULTS.read_text(encoding="utf-8"))
    problems = list(problems_of(result, RuleSet()))
    print("\n".join(problems), end="\n" if problems else "")
    if not problems and result["fingerprints"]["source"] != fingerprint_of_source():
        print(f"note: the source of rules is not that of {RESULTS.name}: its figures are older")
    return bool(problems)


def problems_of(result: Mapping[str, Any], rules: RuleSet) -> Iterator[str]:
    """A line for each rule and number that was not tried as it is."""
    tried = {(row["rule"], row.get("number", "")): row.get("value") for row in result.get("rows", ())}
    current: dict[tuple[str, str], float | None] = {}
    for rule in rules:
        current[rule.name, ""] = None
        current |= {(rule.name, path): value for path, value in numbers(rule.thresholds)}
    for place in [*current, *(tried.keys() - current.keys())]:
        name = ".".join(filter(None, place))
        if place not in tried:
            yield f"{name} was never on trial: run {COMMAND}"
        elif place not in current:
            yield f"{name} is on trial and no rule or number any more: run {COMMAND}"
        elif tried[place] != current[place]:
            yield f"{name} is {current[place]} and was on trial as {tried[place]}: run {COMMAND}"
    if result.get("fingerprints", {}).get("values") != fingerprint_of_values(rules):
        yield f"the rules, their order or their numbers are others than those on trial: run {COMMAND}"


if __name__ == "__main__":
    sys.exit(main())
