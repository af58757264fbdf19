"""`benchmarks.plots`: every kind of result that has a picture can be drawn."""

import json

import pytest

from benchmarks.plots import PICTURES, drawn_from

FLEET = {f"{name}{of}": 1.5 for name, of in (("p95_s", ""), ("p95_s_", "machine"), ("p95_s_", "owner"))} | {
    f"used_{name}": 0.5 for name in ("gpus", "cores", "jobs", "index")
}
SEEN = {"answered_per_s": 1.0, "refused_per_s": 2.0, "p50_s": None, "p95_s": 2.0, "users": 3}
ROWS = {
    "autoscaling": [
        {"from_s": 0.0, "callers": 1},
        {"at_s": 1.0, "replicas": 2, "waiting_tokens": 100.0},
        {"ended_s": 2.0, "took_s": 1.0, "read": True},
    ],
    "layout_batching": [
        {"mode": mode, "offered_per_s": rate, "p50_s": 0.1, "p99_s": 0.3, "mean_batch": 3.0}
        for mode in ("one by one", "dynamic")
        for rate in (None, 2.0, 4.0)
    ],
    "quantisation": [
        {"kind": kind, "sequences": n, "tokens_per_s": 2.0 * n, "megabytes": 5.0} for n in (1, 8) for kind in ("a", "b")
    ],
    "batching_modes": [
        {"mode": "static", "tokens_per_s": 2.0},
        {"arrivals": "ideal", "ttft_p50_s": 1, "ttft_p99_s": 2},
    ],
    "documents": [
        {"documents": "born-digital", "side": "ours_text", "pages_per_s": 3.0, "peak_mb": 40.0},
        {"documents": "born-digital", "side": "server", "pages_per_s": 2.0},
    ],
    "engine_peers": [{"peer": "ours", "tokens_per_s": 2.0}, {"peer": "ours_batch8", "tokens_per_s": 1.0}],
    "fleet": [
        *(FLEET | {"pages_a_month": f"{rate:.0e}", "pages_per_s": rate} for rate in (1.0, 10.0)),
        {"side": "measured", "pages_per_s": 4.0, "p95_s": 7.0},
    ],
    "growth": [{"what": what, "size": n, "seconds": n * 2.0} for what in ("pages", "chunks to fill") for n in (1, 10)],
    "inference_client": [{"mode": "none", "tokens_per_s": 1.0, "p50_s": 2.0, "p99_s": 3.0}],
    "scheduler_overhead": [
        {"sequences": n, "callers_read": read, "outside_ms": 1.0, "share": 0.1} for n in (1, 4) for read in ("a", "b")
    ],
    "stress_layout": [SEEN | {"mode": mode, "second": n} for mode in ("dynamic", "one_by_one") for n in (0, 1)],
    "stress_ocr": [SEEN | {"mode": "continuous", "second": 0}],
}


@pytest.mark.parametrize("name", sorted(PICTURES))
def test_a_result_becomes_a_picture(tmp_path, name):
    """Guards against a picture that fails after the hours of its benchmark."""
    (tmp_path / f"{name}.json").write_text(json.dumps({"benchmark": name, "rows": ROWS[name]}))
    (tmp_path / "other.json").write_text(json.dumps({"benchmark": "unheard of", "rows": []}))
    assert drawn_from(tmp_path) == [tmp_path / f"{name}.png"]
    assert (tmp_path / f"{name}.png").read_bytes()[:4] == b"\x89PNG"
