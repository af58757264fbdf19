"""The steps of GPU.md in order: one that fails is noted and the next one runs. `gpu_queue.sh` starts it.

Needs the standard library alone, so that it can say what else is missing. What a step printed, and how it ended, is in
the results folder as soon as the step ends: `queue.log`, `queue.json` and the step's own JSON file.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, TextIO

ROOT = Path(__file__).resolve().parents[1]
LIMIT_S = 560  # of a step: a command on a leased machine ends after ten minutes
REHEARSAL_LIMIT_S = 1800  # which waits for nobody's lease, and may run beside much else
NO_DEVICE = 3  # exit status of the Python that looks for a CUDA device; without torch it would be 1
LAYOUT = ("doclayout_yolo", "pydantic")
STRUCTURE = ("pydantic",)
PYTEST = ("-m", "pytest", "-q", "-W", "default", "-p", "no:cacheprovider")  # warnings of other versions are no failures
GPU = ("--device", "cuda", "--dtype", "bfloat16", "--route")
TUNE = ("--rate", "0.3")
REHEARSED_TUNE = ("--minutes", "0.3", "--device", "cpu")
ONE_WORKER = ("--workers", "1")

State = Literal["passed", "failed", "skipped", "out of time"]


@dataclass(frozen=True, slots=True)
class Step:
    """One command of Python: `command`, then `on_gpu`, or `rehearsed` where the queue is rehearsed on a CPU.

    In them `OUT` stands for the results folder and `MINUTES` for the minutes of a training.
    """

    name: str
    minutes: int  # expected on a GPU, with the start of Python; a training's are those it is given, and one
    command: tuple[str, ...]
    on_gpu: tuple[str, ...] = ()
    rehearsed: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()  # modules without which it is skipped
    samples: str = ""  # folder that is carried along, without which it is skipped on a GPU

    @property
    def trains(self) -> bool:
        return "MINUTES" in self.on_gpu


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a step ended; `reason` says why it was skipped or stopped."""

    number: int
    name: str
    state: State
    seconds: float
    reason: str = ""


def _benchmark(name: str, module: str, minutes: int, on_gpu: tuple[str, ...], rehearsed: tuple[str, ...]) -> Step:
    return Step(name, minutes, ("-m", f"benchmarks.{module}", "--json", f"OUT/{name}.json"), on_gpu, rehearsed)


def _peers(name: str, minutes: int, *options: str) -> Step:
    small = ("--tiny", "--threads", "1", "--device", "cpu", *options[2:])
    return _benchmark(name, "engine_peers", minutes, options, small)


def _modes(name: str, minutes: int, *options: str) -> Step:
    return _benchmark(name, "batching_modes", minutes, options, ("--tiny", "--device", "cpu", *options[2:]))


def _training(name: str, module: str, checkpoint: str, rehearsed: tuple[str, ...], needs: tuple[str, ...] = ()) -> Step:
    command = ("-m", module, f"OUT/{name}", "--from", f"checkpoints/{checkpoint}", *TUNE)
    on_gpu = ("--minutes", "MINUTES", "--device", "cuda")
    return Step(name, 1, command, on_gpu, (*REHEARSED_TUNE, *ONE_WORKER, *rehearsed), needs)


def _structure_training(network: str, samples: str, needs: tuple[str, ...] = ()) -> Step:
    command = ("-m", "training.structure.train", network, f"OUT/{network}")
    on_gpu = ("--samples", samples, "--minutes", "MINUTES", "--device", "cuda")
    begin = ("--from", "checkpoints/structure-compact", *TUNE)
    return Step(network, 1, (*command, *begin), on_gpu, ("--tiny", *REHEARSED_TUNE), needs, samples)


STEPS = (
    _benchmark("environment", "gpu_environment", 1, (), ()),
    _benchmark("gpu_check", "gpu_check", 4, (), ("--rehearse",)),
    Step("tests", 2, PYTEST, ("-m", "gpu", "tests/batching"), ("-m", "gpu or not slow", "tests/batching")),
    Step(
        "layout_tests",
        3,
        (*PYTEST, "--noconftest", "tests/documents/layout/doclayout/test_network_runner.py"),
        ("-m", "gpu"),
        ("-m", "gpu or not slow"),
        LAYOUT,
    ),
    _benchmark("roofline_quick", "roofline", 2, ("--quick",), ("--tiny",)),
    _benchmark("roofline", "roofline", 9, (), ("--tiny",)),
    _modes("batching_modes_transformers", 5, *GPU, "transformers"),
    _peers("engine_peers_transformers", 5, *GPU, "transformers"),
    _modes("batching_modes_graphs", 3, *GPU, "torch"),
    _peers("engine_peers_graphs", 5, *GPU, "torch"),
    _peers("engine_peers_float32", 3, "--device", "cuda", "--quick"),
    _benchmark("vision_peers_graphs", "vision_peers", 4, (*GPU, "torch"), ("--tiny",)),
    Step(
        "object_detectors",
        2,
        (*PYTEST, "--noconftest", "tests/documents/layout/objects/test_object_detector.py"),
        ("-m", "gpu"),
        ("-m", "gpu or not slow"),
        LAYOUT,
    ),
    _benchmark("nano_bench", "nano_bench", 5, ("--route", "torch"), ("--tiny",)),
    _training("ocr", "training.ocr.train", "ocr-compact", ("--rows-each", "16")),
    _training("layout", "training.layout.train", "layout-compact", ("--batch-size", "2"), LAYOUT),
    _structure_training("structure", "runs/structure", STRUCTURE),
    _structure_training("cells", "runs/tables/cells"),
    Step(
        "draft_head",
        1,
        ("-m", "training.ocr.draft_head", "checkpoints/ocr-compact", "--out", "OUT/draft_head"),
        ("--minutes", "MINUTES", "--device", "cuda"),
        (*REHEARSED_TUNE, *ONE_WORKER),
    ),
)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="gpu_queue.sh", description="The steps of benchmarks/GPU.md in order.")
    parser.add_argument("out", type=Path, metavar="OUT", help="folder of the results")
    parser.add_argument("--step", action="append", metavar="N", help="only this step, or these: 1-3; may be repeated")
    parser.add_argument("--minutes", type=float, default=0, help="of each training; without it none is trained")
    parser.add_argument("--rehearse", action="store_true", help="small sizes on the CPU: that every step runs at all")
    options = parser.parse_args(arguments)
    try:
        chosen_numbers = numbers(options.step)
    except ValueError as error:
        parser.error(str(error))
    try:
        reason = "" if options.rehearse else no_gpu()
    except RuntimeError as error:
        print(f"gpu queue: nothing is run: {error}", file=sys.stderr)
        return 2
    if reason:
        print(f"gpu queue: nothing is run: {reason}")
        return 0
    options.out.mkdir(parents=True, exist_ok=True)
    outcomes: list[Outcome] = []
    for number in chosen_numbers:
        outcomes.append(_outcome(number, options.out, minutes=options.minutes, rehearse=options.rehearse))
        _record(options.out / "queue.json", outcomes[-1])
    print(
        "\n".join(
            f"{outcome.number:3} {outcome.name:22} {outcome.state:12} {outcome.reason}".rstrip() for outcome in outcomes
        )
    )
    return int(any(outcome.state in ("failed", "out of time") for outcome in outcomes))


def numbers(texts: Sequence[str] | None, last: int = len(STEPS)) -> list[int]:
    """The numbers of steps that texts like `2` and `1-4` name, in order; all of them if there is no text.

    Raises:
        ValueError: a text is no number or range of steps.
    """
    chosen_numbers: set[int] = set()
    for text in texts or [f"1-{last}"]:
        span = re.fullmatch(r"([0-9]+)(?:-([0-9]+))?", text)
        first, end = (int(span[1]), int(span[2] or span[1])) if span else (0, 0)
        if not 1 <= first <= end <= last:
            raise ValueError(f"--step {text}: no step or range of steps between 1 and {last}")
        chosen_numbers.update(range(first, end + 1))
    return sorted(chosen_numbers)


def no_gpu() -> str:
    """That there is no CUDA device for this Python, or nothing if there is one.

    Raises:
        RuntimeError: this Python cannot use torch.
    """
    code = f"import sys, torch; sys.exit(0 if torch.cuda.is_available() else {NO_DEVICE})"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if process.returncode not in (0, NO_DEVICE):
        error = process.stderr.strip()[-300:]
        raise RuntimeError(f"{sys.executable} cannot use torch; name another one with PYTHON=...: {error}")
    return "torch sees no CUDA device here" if process.returncode else ""


def arguments_of(step: Step, out: Path, *, minutes: float, rehearse: bool) -> list[str]:
    """What Python is started with."""
    arguments = (*step.command, *(step.rehearsed if rehearse else step.on_gpu))
    return [argument.replace("OUT/", f"{out}/").replace("MINUTES", f"{minutes:g}") for argument in arguments]


def _outcome(number: int, out: Path, *, minutes: float, rehearse: bool) -> Outcome:
    step = STEPS[number - 1]
    missing = [name for name in step.needs if importlib.util.find_spec(name) is None]
    if missing:
        reason = f"{' and '.join(missing)} not installed; benchmarks/gather_gpu_wheels.sh gathers what can travel"
        return Outcome(number, step.name, "skipped", 0.0, reason)
    if step.trains and not rehearse and not minutes:
        return Outcome(number, step.name, "skipped", 0.0, "no --minutes for training")
    if step.samples and not rehearse and not (ROOT / step.samples).is_dir():
        return Outcome(number, step.name, "skipped", 0.0, f"no {step.samples}; GPU.md says how to draw and carry it")
    limit_s = REHEARSAL_LIMIT_S if rehearse else 60 * minutes + 120 if step.trains else LIMIT_S
    command = [sys.executable, *arguments_of(step, out.resolve(), minutes=minutes, rehearse=rehearse)]
    begun = time.monotonic()
    with (out / "queue.log").open("a", encoding="utf-8") as log:
        status = run(command, log, heading=f"== {number} {step.name}: {' '.join(command)}", limit_s=limit_s)
    seconds = round(time.monotonic() - begun, 1)
    if status is None:
        return Outcome(number, step.name, "out of time", seconds, f"stopped after {limit_s:g} s")
    reason = "" if status == 0 else f"exit status {status}, see queue.log"
    return Outcome(number, step.name, "failed" if status else "passed", seconds, reason)


def run(command: Sequence[str], log: TextIO, *, heading: str, limit_s: float) -> int | None:
    """The exit status of a command, its output copied to `log`; None if it and its children were stopped."""
    _say(heading, log)
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "PYTHONUNBUFFERED": "1"}
    stopped = threading.Event()
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:

        def stop() -> None:
            stopped.set()
            _kill(process)

        timer = threading.Timer(limit_s, stop)
        timer.start()
        try:
            for line in process.stdout or ():
                _say(line.rstrip("\n"), log)
            status = process.wait()
        finally:
            timer.cancel()
            if process.poll() is None:  # this queue was interrupted, or could not write
                _kill(process)
                process.wait()
    return None if stopped.is_set() else status


def _kill(process: subprocess.Popen[str]) -> None:
    """With its children: the command leads a session of its own."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _say(line: str, log: TextIO) -> None:
    for file in (sys.stdout, log):
        print(line, file=file, flush=True)


def _record(file: Path, outcome: Outcome) -> None:
    """Into `file`, beside the other steps that are noted there."""
    noted = json.loads(file.read_text("utf-8")) if file.is_file() else []
    other_steps = [step for step in noted if step["number"] != outcome.number]
    steps = sorted([*other_steps, asdict(outcome)], key=lambda step: step["number"])
    file.write_text(json.dumps(steps, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
