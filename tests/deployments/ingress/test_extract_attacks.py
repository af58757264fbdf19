"""POST /v1/extract with schemas that take a validator for ever, over HTTP: everybody else is answered meanwhile."""

from __future__ import annotations

import json
import threading
import time

import httpx
import pytest

from tests.deployments.ingress.api.test_extract import scripted, server  # noqa: F401  fixtures
from tests.deployments.test_schema_check import doubling, pattern

LINE = "a" * 34 + "!"
ATTACKS = {
    "references that double": (doubling("anyOf"), {}),
    "references that double, all of which hold": (doubling("allOf"), {"v": "a"}),
    "a pattern that backtracks": (pattern("^(a+)+$"), {"title": LINE}),
}
BLOCKED_S = 5.0  # the loop was blocked for minutes; a busy machine takes a second


def longest_livez(url: str, until: threading.Event) -> float:
    """Seconds of the longest answer of /livez, one after the other until the event."""
    longest = 0.0
    with httpx.Client(base_url=url, timeout=60, trust_env=False) as client:
        while not until.wait(0.1):
            begun = time.monotonic()
            client.get("/livez")
            longest = max(longest, time.monotonic() - begun)
    return longest


@pytest.mark.parametrize("query", ["", "?wait=0"], ids=["at once", "stored"])
@pytest.mark.parametrize("name", ATTACKS)
def test_a_schema_that_cannot_be_checked_is_refused_and_others_are_answered(name, query, server):  # noqa: F811
    """One POST of 2.6 KB stopped all of HTTP, or Jobs, until the process was killed by hand (A1, A2)."""
    schema, output = ATTACKS[name]
    server.script.say = lambda _: json.dumps(output)
    ended, longest = threading.Event(), list[float]()
    watch = threading.Thread(target=lambda: longest.append(longest_livez(server.house.url, ended)))
    watch.start()
    try:
        reply = server.client.post(f"/v1/extract{query}", json={"schema": schema, "job_id": server.job["id"]})
        if reply.status_code == 202:
            reply = server.client.get(f"/v1/extractions/{reply.json()['id']}?wait=50")
            assert reply.json()["error"]["code"] == "invalid_schema"
        else:
            assert (reply.status_code, reply.json()["code"]) == (422, "invalid_schema")
    finally:
        ended.set()
        watch.join()
    assert longest[0] < BLOCKED_S


def test_costly_schemas_of_one_namespace_hold_up_no_other(server):  # noqa: F811
    """Guards against a queue in which everybody's schemas wait for all that one key has sent."""
    parts = [{"properties": {"a": {"type": "string", "pattern": f"a.{{{k}}}b"}}} for k in range(100)]
    costly = {"schema": {"type": "object", "allOf": parts}, "job_id": "job_x"}
    refused = list[int]()

    def attack() -> None:
        reply = httpx.post(
            f"{server.house.url}/v1/extract", json=costly, headers={"X-API-Key": "theirs"}, timeout=300, trust_env=False
        )
        refused.append(reply.status_code)

    attackers = [threading.Thread(target=attack) for _ in range(6)]
    for attacker in attackers:
        attacker.start()
    while not refused:  # all of them are sent
        time.sleep(0.05)
    assert server.extract(job_id=server.job["id"]).status_code == 200
    assert len(refused) < len(attackers)
    for attacker in attackers:
        attacker.join()
    assert refused == [422] * len(attackers)
