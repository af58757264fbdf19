"""How fast is the engine on a CPU beside the others? The same model, requests and tokens, in turn in one run.

`bash benchmarks/peers/race_peers.sh`, then `python -m benchmarks.cpu_race [--json benchmarks/results/cpu_race.json]`

Sizes: `small` has 21 million parameters, `large` 387 million, both random Qwen2. Work: `decode`, 32 prompts of 16
tokens and 128 (large: 48) after each; `spread`, 96 (large: 24) requests with log-normal output lengths and prompts of
16 to 300; `prefill`, 32 (large: 8) prompts of 256 and a token. 32 run at once, greedy, all handed over at the start.
Each side is a process of its own with its own libraries and is loaded once for each size, precision and number of
threads; each round asks every side in turn, the least seconds count, after one round that does not. `ours_over_X` is
above 1 where ours is faster, `..._cpu` the same by processor seconds, which other programs on the machine disturb
less. A side that is not installed, or that fails, is left out and named. `outputs_equal` is of float32, without
llama.cpp, whose keys and values are float16.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.harness import report
from benchmarks.harness.options import parser_of
from benchmarks.harness.server import ROOT
from benchmarks.loads import workloads

PEERS = {"ours_torch": "", "openvino": "openvino", "vllm": "vllm", "llama": "llama", "transformers": ""}
"""Every side beside ours, and its folder of `race_peers.sh`; none: this Python."""
PRECISIONS = ("float32", "bfloat16", "int8")
WITH_INT8 = ("ours", "ours_torch", "llama")
EXACT = ("ours", "ours_torch", "openvino", "vllm", "transformers")
"""Sides whose float32 is float32 throughout; llama.cpp's keys and values are float16."""
WORK = ("decode", "spread", "prefill")
RUNNING = 32
Requests = list[tuple[list[int], int]]


class Side:
    """A process that has one model loaded; `error` says why it answers no more."""

    def __init__(self, name: str, python: str, setup: Mapping[str, Any]) -> None:
        self.name = name
        self.versions: dict[str, str] = {}
        environment = os.environ | {"OMP_NUM_THREADS": str(setup["threads"]), "PYTHONPATH": ""}
        if not PEERS.get(name):
            environment["PYTHONPATH"] = str(ROOT)
        command = [python, str(ROOT / "benchmarks" / "peers" / "race_sides.py"), name]
        self._log = tempfile.TemporaryFile("w+")  # noqa: SIM115 # closed with the process
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, text=True, env=environment
        )
        self.error: str | None = None
        reply = self._ask(dict(setup))
        if reply is not None:
            self.versions = reply["versions"]

    def run(self, requests: Requests) -> dict[str, Any] | None:
        """`outputs`, `seconds` and `cpu_seconds`; None from the first failure on."""
        return self._ask(requests)

    def close(self) -> None:
        """End the process."""
        with contextlib.suppress(BrokenPipeError), self._log, self._process:
            self._process.kill()

    def _ask(self, question: Any) -> Any:
        if self.error is not None:
            return None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        line = ""
        try:
            self._process.stdin.write(json.dumps(question) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            pass
        if not line:
            self._process.wait()
            self._log.seek(0)
            self.error = (self._log.read().strip().splitlines() or ["it ended"])[-1][:200]
            return None
        return json.loads(line)


def main() -> int:
    parser = parser_of(__doc__, quick="the small model, the first number of threads, one round")
    parser.add_argument("--sizes", nargs="+", default=["small", "large"], choices=["small", "large"])
    parser.add_argument("--threads", nargs="+", type=int, default=[2, 1])
    parser.add_argument("--precisions", nargs="+", default=list(PRECISIONS), choices=PRECISIONS)
    parser.add_argument("--work", nargs="+", default=list(WORK), choices=WORK)
    parser.add_argument("--sides", nargs="+", default=list(PEERS), choices=list(PEERS), help="beside ours")
    parser.add_argument("--peers", type=Path, default=ROOT / "build" / "cpu_race", help="folder of race_peers.sh")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tiny", action="store_true", help="a few short requests: that the measurement works")
    args = parser.parse_args()
    if args.quick:
        args.sizes, args.threads, args.rounds = ["small"], args.threads[:1], 1
    rows: list[dict[str, Any]] = []
    for size in args.sizes:
        with tempfile.TemporaryDirectory() as folder:
            model(size).save_pretrained(folder)
            for threads in args.threads:
                for precision in args.precisions:
                    setup = {"model": folder, "threads": threads, "precision": precision, "running": RUNNING}
                    rows += race(size, setup, args)
                    if args.out:  # as soon as there is something: the whole takes long
                        _record(args.out, rows)
    figures = ratios(rows)
    columns = ("size", "threads", "precision", "work", "side", "tokens_per_s", "cpu_seconds", "equal", "error")
    print(report.table([{name: row.get(name) for name in columns} for row in rows]))
    print(report.table([{"figure": name, "value": value} for name, value in figures.items()]))
    return 0


def _record(out: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    report.record(out, "cpu_race", ratios(rows), rows)


def model(size: str) -> Any:
    """`small` is that of the other benchmarks; `large` has the layers of Qwen2-0.5B and a smaller vocabulary."""
    if size == "small":
        return workloads.decoder()
    return workloads.random_qwen2(
        vocab_size=32768,
        hidden_size=896,
        intermediate_size=4864,
        num_hidden_layers=24,
        num_attention_heads=14,
        num_key_value_heads=2,
        initializer_range=0.05,
    )


def requests_of(work: str, size: str, tiny: bool = False) -> Requests:
    """Prompts of random tokens, each with the number of tokens wanted after it."""
    chance = random.Random(3)  # reproducible, not secret
    small = size == "small"

    def prompt(length: int) -> list[int]:
        return [chance.randrange(workloads.VOCABULARY) for _ in range(length)]

    if work == "decode":
        asks = [(prompt(16), 128 if small else 48) for _ in range(32)]
    elif work == "prefill":
        asks = [(prompt(256), 1) for _ in range(32 if small else 8)]
    else:
        count = 96 if small else 24
        lengths = [min(256, max(1, round(40 * 2.718281828459045 ** chance.gauss(0, 1)))) for _ in range(count)]
        asks = [(prompt(chance.randint(16, 300)), length) for length in lengths]
    return [(prompt[:16], min(count, workloads.TINY_OUTPUT)) for prompt, count in asks[:4]] if tiny else asks


def race(size: str, setup: Mapping[str, Any], args: argparse.Namespace) -> list[dict[str, Any]]:
    """A row for each side and work; `equal` is the share of its outputs that are ours, whole."""
    installed = pythons(args.sides, args.peers)
    able = [name for name in installed if setup["precision"] != "int8" or name in WITH_INT8]
    sides = [Side(name, installed[name], setup) for name in able]
    rows: list[dict[str, Any]] = []
    try:
        for work in args.work:
            requests = requests_of(work, size, args.tiny)
            runs: dict[str, list[dict[str, Any]]] = {side.name: [] for side in sides}
            for at in range(args.rounds + 1):
                for side in sides if at % 2 else reversed(sides):
                    run = side.run(requests)
                    if run is not None and at:
                        runs[side.name].append(run | {"load": os.getloadavg()[0]})
            cell = {"size": size, "threads": setup["threads"], "precision": setup["precision"], "work": work}
            rows += [cell | _row(side, runs[side.name], runs["ours"], requests) for side in sides]
    finally:
        for side in sides:
            side.close()
    return rows


def pythons(names: Sequence[str], peers: Path) -> dict[str, str]:
    """By side; ours is the first, and those that are not installed are named on the terminal."""
    interpreters = {"ours": sys.executable}
    for name in names:
        python = peers / PEERS[name] / "bin" / "python" if PEERS[name] else Path(sys.executable)
        if python.exists():
            interpreters[name] = str(python)
        else:
            print(f"{name}: skipped, {python} is not there; benchmarks/peers/race_peers.sh makes it")
    return interpreters


def _row(
    side: Side, runs: Sequence[Mapping[str, Any]], ours: Sequence[Mapping[str, Any]], requests: Requests
) -> dict[str, Any]:
    if not runs:
        return {"side": side.name, "error": side.error}
    num_tokens = sum(count if count > 1 else len(prompt) for prompt, count in requests)
    seconds = min(run["seconds"] for run in runs)
    row = {
        "side": side.name,
        "tokens_per_s": num_tokens / seconds,
        "seconds": seconds,
        "cpu_seconds": min(run["cpu_seconds"] for run in runs),
        "load": max(run["load"] for run in runs),
        "versions": side.versions,
    }
    if ours:
        pairs = zip(runs[0]["outputs"], ours[0]["outputs"], strict=True)
        row["equal"] = sum(a == b for a, b in pairs) / len(requests)
    return row


def ratios(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """`ours_over_SIDE_PRECISION_WORK_SIZE_THREADS`, and whether all outputs of float32 are equal."""
    figures: dict[str, float] = {}
    cells = {(row["size"], row["threads"], row["precision"], row["work"]): row for row in rows if row["side"] == "ours"}
    for row in rows:
        size, threads, precision, work = cell = tuple(row[name] for name in ("size", "threads", "precision", "work"))
        if row["side"] == "ours" or "seconds" not in row or "seconds" not in cells[cell]:
            continue
        name = f"ours_over_{row['side']}_{precision}_{work}_{size}_{threads}"
        figures[name] = row["seconds"] / cells[cell]["seconds"]
        figures[f"{name}_cpu"] = row["cpu_seconds"] / cells[cell]["cpu_seconds"]
    compared = [
        row["equal"] for row in rows if row["precision"] == "float32" and row["side"] in EXACT and "equal" in row
    ]
    return {"outputs_equal": min(compared, default=0.0)} | figures


if __name__ == "__main__":
    sys.exit(main())
