"""A picture of each result in benchmarks/results, drawn from its JSON: what docs/performance.md shows."""

# matplotlib tells only part of its types, so unknowns that come from it are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl

from benchmarks.harness.server import ROOT

RESULTS = ROOT / "benchmarks" / "results"
Rows = Sequence[dict[str, Any]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--results", type=Path, default=RESULTS, help="the folder of the JSON files, and of the pictures"
    )
    parser.add_argument("--quick", action="store_true", help="as without: it takes seconds")
    parser.add_argument("--json", type=Path, dest="out", help="write the list of what was drawn here")
    args = parser.parse_args()
    plots = drawn_from(args.results)
    print("\n".join(map(str, plots)))
    if args.out:
        args.out.write_text(json.dumps([str(plot) for plot in plots]) + "\n", encoding="utf-8")
    return 0


def drawn_from(results: Path) -> list[Path]:
    """Draws every result that has a picture; the pictures' paths."""
    mpl.use("Agg")
    plots: list[Path] = []
    for file in sorted(results.glob("*.json")):
        result = json.loads(file.read_text(encoding="utf-8"))
        if (draw := PICTURES.get(result["benchmark"])) is not None:
            plots.append(file.with_suffix(".png"))
            _picture(plots[-1], result["rows"], draw)
    return plots


def _picture(file: Path, rows: Rows, draw: Callable[[Any, Any, Rows], None]) -> None:
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
    draw(left, right, rows)
    for axes in (left, right):
        axes.grid(alpha=0.3)
        if axes.get_legend_handles_labels()[0]:
            axes.legend()
    figure.savefig(file, dpi=110)
    plt.close(figure)


def _batching_modes(left: Any, right: Any, rows: Rows) -> None:
    closed = [row for row in rows if "mode" in row]
    left.barh([row["mode"] for row in closed], [row["tokens_per_s"] for row in closed])
    left.set(xlabel="tokens per second, 32 requests at once")
    open_ = [row for row in rows if "arrivals" in row]
    for name, shift in (("ttft_p50_s", -0.2), ("ttft_p99_s", 0.2)):
        right.barh([at + shift for at in range(len(open_))], [row[name] for row in open_], height=0.4, label=name)
    right.set(xlabel="seconds to the first token, Poisson arrivals", xscale="log")
    right.set_yticks(range(len(open_)), [row["arrivals"] for row in open_])


def _engine_peers(left: Any, right: Any, rows: Rows) -> None:
    for axes, batch8 in ((left, False), (right, True)):
        rows_of_batch = [row for row in rows if row["peer"].endswith("_batch8") == batch8]
        axes.barh(
            [row["peer"].removesuffix("_batch8") for row in rows_of_batch],
            [row["tokens_per_s"] for row in rows_of_batch],
        )
    left.set(xlabel="tokens per second, log-normal lengths, 32 running")
    right.set(xlabel="tokens per second, 32 requests, 8 running")


def _scheduler_overhead(left: Any, right: Any, rows: Rows) -> None:
    for callers, rows_of_callers in _by(rows, "callers_read"):
        counts = [row["sequences"] for row in rows_of_callers]
        left.plot(counts, [row["outside_ms"] for row in rows_of_callers], "o-", label=f"callers read {callers}")
        right.plot(counts, [100 * row["share"] for row in rows_of_callers], "o-", label=f"callers read {callers}")
    left.set(xlabel="sequences", ylabel="ms per step outside the model", xscale="log", yscale="log")
    right.set(xlabel="sequences", ylabel="% of the step, the model's 20 ms", xscale="log")


def _documents(left: Any, right: Any, rows: Rows) -> None:
    born_digital = [row for row in rows if row["documents"] == "born-digital"]
    left.barh([row["side"] for row in born_digital], [row["pages_per_s"] for row in born_digital])
    left.set(xlabel="born-digital pages per second", xscale="log")
    with_memory = [row for row in born_digital if "peak_mb" in row]
    right.barh([row["side"] for row in with_memory], [row["peak_mb"] for row in with_memory])
    right.set(xlabel="MB at most")


def _growth(left: Any, right: Any, rows: Rows) -> None:
    for what, rows_of_subject in _by(rows, "what"):
        axes = right if "chunks" in what else left
        sizes, seconds = [row["size"] for row in rows_of_subject], [row["seconds"] for row in rows_of_subject]
        (line,) = axes.plot(sizes, seconds, "o-", label=what)
        axes.plot(sizes, [seconds[0] * size / sizes[0] for size in sizes], ":", color=line.get_color(), alpha=0.5)
    for axes in (left, right):
        axes.set(xlabel="how many (dotted: in line with the first)", ylabel="seconds", xscale="log", yscale="log")


def _stress(left: Any, right: Any, rows: Rows) -> None:
    for mode, rows_of_mode in _by(rows, "mode"):
        seconds = [row["second"] for row in rows_of_mode]
        (line,) = left.plot(seconds, [row["answered_per_s"] for row in rows_of_mode], label=f"answered, {mode}")
        refused = [row["refused_per_s"] for row in rows_of_mode]
        if any(refused):
            left.plot(seconds, refused, "--", color=line.get_color(), alpha=0.5, label=f"refused, {mode}")
        right.plot(seconds, [row["p50_s"] for row in rows_of_mode], label=f"median, {mode}")
        right.plot(seconds, [row["p95_s"] for row in rows_of_mode], alpha=0.4, label=f"95th percentile, {mode}")
    users = left.twinx()
    for _, rows_of_mode in _by(rows, "mode"):
        users.plot([row["second"] for row in rows_of_mode], [row["users"] for row in rows_of_mode], "k:", alpha=0.4)
    users.set(ylabel="users (dotted)")
    left.set(xlabel="second", ylabel="a second, over the last ten")
    right.set(xlabel="second", ylabel="seconds to the answer, refusals apart")


def _inference_client(left: Any, right: Any, rows: Rows) -> None:
    modes = [row["mode"] for row in rows]
    left.barh(modes, [row["tokens_per_s"] for row in rows])
    left.set(xlabel="tokens per second")
    for name, shift in (("p50_s", -0.2), ("p99_s", 0.2)):
        right.barh([at + shift for at in range(len(rows))], [row[name] for row in rows], height=0.4, label=name)
    right.set_yticks(range(len(rows)), modes)
    right.set(xlabel="seconds to the answer")


def _layout_batching(left: Any, right: Any, rows: Rows) -> None:
    for mode, style in (("one by one", "o--"), ("dynamic", "o-")):
        of_mode = [row for row in rows if row["mode"] == mode and row["offered_per_s"]]
        rates = [row["offered_per_s"] for row in of_mode]
        (line,) = left.plot(rates, [row["p50_s"] for row in of_mode], style, label=f"{mode}, median")
        worst, colour = [row["p99_s"] for row in of_mode], line.get_color()
        left.plot(rates, worst, style, color=colour, alpha=0.4, label=f"{mode}, 99th percentile")
        right.plot(rates, [row["mean_batch"] for row in of_mode], style, label=mode)
    left.set(xlabel="pages offered a second", ylabel="seconds to the answer", yscale="log")
    right.set(xlabel="pages offered a second", ylabel="pages per batch", ylim=(0, None))


def _autoscaling(left: Any, right: Any, rows: Rows) -> None:
    steps = [row for row in rows if "callers" in row]
    samples = [row for row in rows if "replicas" in row]
    at = [row["at_s"] for row in samples]
    left.step([row["from_s"] for row in steps], [row["callers"] for row in steps], "k:", where="post", label="callers")
    left.step(at, [row["replicas"] for row in samples], where="post", label="replicas of Ocr")
    tokens = left.twinx()
    tokens.plot(at, [row["waiting_tokens"] for row in samples], color="tab:orange", alpha=0.6)
    tokens.set_ylabel("tokens that wait", color="tab:orange")
    left.set(xlabel="second", ylabel="how many", ylim=(0, None))
    calls = [row for row in rows if "took_s" in row]
    right.plot([row["ended_s"] for row in calls], [row["took_s"] for row in calls], ".", alpha=0.5)
    right.set(xlabel="second", ylabel="seconds to the text", ylim=(0, None))


def _quantisation(left: Any, right: Any, rows: Rows) -> None:
    for kind, rows_of_kind in _by(sorted(rows, key=lambda row: (row["kind"], row["sequences"])), "kind"):
        left.plot(
            [row["sequences"] for row in rows_of_kind], [row["tokens_per_s"] for row in rows_of_kind], "o-", label=kind
        )
        right.barh([kind], [rows_of_kind[0]["megabytes"]])
    left.set(xlabel="sequences", ylabel="tokens per second", xscale="log", yscale="log")
    right.set(xlabel="MB that the matrices take")


def _by(rows: Rows, name: str) -> list[tuple[Any, list[dict[str, Any]]]]:
    """Rows of the same value of a field, in order."""
    return [(value, list(group)) for value, group in itertools.groupby(rows, key=lambda row: row[name])]


def _scheduled(left: Any, right: Any, rows: Rows) -> None:
    ordered = sorted(rows, key=lambda row: (row["callers_read"], row["sequences"]))
    _scheduler_overhead(left, right, ordered)


def _fleet(left: Any, right: Any, rows: Rows) -> None:
    planned = [row for row in rows if "pages_a_month" in row]
    rates = [row["pages_per_s"] for row in planned]
    for name, label in (("p95_s", "calm"), ("p95_s_machine", "a machine dies"), ("p95_s_owner", "an owner dies")):
        left.plot(rates, [row[name] for row in planned], "o-", label=label)
    left.set(xlabel="pages per second", ylabel="seconds of a document, p95", xscale="log", yscale="log")
    for name in ("gpus", "cores", "jobs", "index"):
        right.plot(rates, [row[f"used_{name}"] for row in planned], "o-", label=name)
    right.set(xlabel="pages per second", ylabel="share used, with shards enough", xscale="log")


PICTURES: dict[str, Callable[[Any, Any, Rows], None]] = {
    "autoscaling": _autoscaling,
    "batching_modes": _batching_modes,
    "documents": _documents,
    "engine_peers": _engine_peers,
    "fleet": _fleet,
    "growth": _growth,
    "inference_client": _inference_client,
    "layout_batching": _layout_batching,
    "quantisation": _quantisation,
    "scheduler_overhead": _scheduled,
    "stress_layout": _stress,
    "stress_ocr": _stress,
}

if __name__ == "__main__":
    sys.exit(main())
