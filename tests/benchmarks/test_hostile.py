"""`benchmarks.hostile`: what is not as expected is named, and names go over the wire as they stand."""

from __future__ import annotations

from pathlib import Path

import httpx

from benchmarks.hostile import _names, _sent, _wrong

GOOD = {
    "longest_answer_s": 20.0,
    "memory_growth_mb": 50.0,
    "children_mb": 800.0,
    "livez_p99_idle_s": 0.01,
    "livez_p99_busy_s": 0.09,
    "livez_max_s": 0.9,
    "livez_lost": 0.0,
    "packets_to_named_address": 0.0,
    "served_afterwards": 1.0,
}


def test_figures_within_their_limits_are_right() -> None:
    assert _wrong(GOOD) == []


def test_every_figure_that_is_too_large_is_named() -> None:
    """Guards against a table that is green whatever was measured."""
    bad = {
        "memory_growth_mb": 60.0,
        "children_mb": 1000.0,
        "livez_p99_busy_s": 0.2,
        "packets_to_named_address": 1.0,
        "livez_lost": 1.0,
    }
    for name, value in bad.items():
        assert _wrong(GOOD | {name: value}) == [name]
    assert _wrong(GOOD | {"served_afterwards": 0.0}) == ["served_afterwards"]


def test_names_stand_for_the_characters_they_mean(tmp_path: Path) -> None:
    """Guards against a test of the letters `\\r` where a line's end was meant."""
    (tmp_path / "hostile").mkdir()
    (tmp_path / "hostile" / "names.txt").write_text("a\\r\\nb\nc\\u0000d", encoding="utf-8")
    assert _names(tmp_path) == ["a\r\nb", "c\0d"]


def test_a_name_is_sent_as_it_stands() -> None:
    """Guards against a client that changes the name which the server should meet."""
    bodies: list[bytes] = []

    def answer(request: httpx.Request) -> httpx.Response:
        bodies.append(request.content)
        return httpx.Response(200, json={})

    with httpx.Client(transport=httpx.MockTransport(answer), base_url="http://here") as client:
        _sent(client, '../"x\n.pdf', b"%PDF")
    assert b'filename="../"x\n.pdf"' in bodies[0]
    assert bodies[0].count(b"--pagemill-hostile-edge") == 3
