"""Checks schemas and what models wrote against them, in a process that is ended when it has used up its time.

A few hundred bytes of references that double or of patterns that backtrack take any validator longer than anyone waits;
a thread could not be ended, and a pattern's match keeps the interpreter's lock.
"""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
import resource
import signal
import sys
from asyncio.subprocess import PIPE
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from batching import Guide, InvalidGuide
from retrieval.errors import ExtractionRefused, WriterBusy

CPU_S = 2  # processor time of one check, of which its imports take 0.3
MEMORY_BYTES = 2 << 30  # limit of the child's address space
MAX_SCHEMA_BYTES = 200_000
MAX_CHECKS = 2  # at once per owner; the others wait
COST_MESSAGE = f"checking it takes over {CPU_S} s of processor time, or too much memory: fewer references and patterns"
EXIT_FAILED = 1  # an error of ours: Python's own code for an uncaught exception
EXIT_TOO_LARGE = 3  # the schema is too deep, or takes too much memory
_PR_SET_PDEATHSIG = 1
_ROOT = str(Path(__file__).resolve().parents[1])  # known before any loop runs: it asks the disk


class SchemaCheck:
    """Each check runs in a process of its own, which ends with its call."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(MAX_CHECKS)

    async def guides(self, guides: Sequence[Guide]) -> None:
        """Whether any model could follow the guides. Raises InvalidGuide, also where finding out takes too long."""
        reply = await self._ask({"guides": [[guide.kind, guide.text] for guide in guides]})
        if reply is None:
            raise InvalidGuide(COST_MESSAGE)
        if reply["fault"] is not None:
            raise InvalidGuide(reply["fault"])

    async def violation(self, text: str, schema: Mapping[str, Any]) -> str | None:
        """Where the JSON of `text` violates the schema, or None. No schema is fetched from anywhere.

        Raises:
            ExtractionRefused: finding out takes too long, or the schema cannot be checked.
        """
        reply = await self._ask({"schema": schema, "text": text})
        if reply is None:
            raise ExtractionRefused(f"the schema: {COST_MESSAGE}", code="invalid_schema")
        if "refused" in reply:
            raise ExtractionRefused(f"the schema cannot be checked: {reply['refused']}", code="invalid_schema")
        return reply["fault"]

    async def _ask(self, question: Mapping[str, Any]) -> dict[str, Any] | None:
        """The reply; None: it used up its time or memory. Raises WriterFailed where the machine has no room for it."""
        async with self._places:
            try:
                process = await _start()
            except OSError as error:
                message = f"no process could be started to check the schema: {error.strerror}"
                raise WriterBusy(message) from None
            try:
                output, _ = await process.communicate(json.dumps(question).encode())
            finally:
                if process.returncode is None:
                    process.kill()
                    await asyncio.shield(process.wait())
        if process.returncode == 0:
            return json.loads(output)
        if process.returncode == -signal.SIGKILL:  # the kernel's own, when memory is short
            raise WriterBusy("the check of the schema was ended from outside")
        if process.returncode == EXIT_FAILED:
            raise RuntimeError("the check of a schema failed; its stack is in the log of this process")
        return None


async def _start() -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "deployments.schema_check", str(os.getpid())),
        stdin=PIPE,
        stdout=PIPE,
        cwd="/",
        env={"PYTHONPATH": os.pathsep.join(p for p in (_ROOT, os.environ.get("PYTHONPATH", "")) if p)},
    )


def answer(question: Mapping[str, Any]) -> dict[str, Any]:
    """The reply to a question, in the process that may be ended."""
    if "guides" in question:
        from batching.sampling.guide_matcher import check_guide  # here: each kind of question needs one large library

        try:
            for kind, text in question["guides"]:
                check_guide(Guide(kind, text))
        except InvalidGuide as error:
            return {"fault": str(error)}
        return {"fault": None}
    import jsonschema
    from jsonschema.exceptions import best_match
    from referencing import Registry

    try:
        validator = jsonschema.Draft202012Validator(question["schema"], registry=Registry())
        fault = best_match(validator.iter_errors(json.loads(question["text"])))
    except Exception as error:  # an unknown reference, a pattern that is none in Python, a recursion without end
        return {"refused": f"{type(error).__name__}: {str(error)[:200]}"}
    return {"fault": None if fault is None else f"{fault.message[:200]} at {fault.json_path}"}


def main() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != int(sys.argv[1]):  # it ended before the signal was set
        return
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        reply = answer(json.load(sys.stdin))
    except (MemoryError, RecursionError):
        sys.exit(EXIT_TOO_LARGE)
    json.dump(reply, sys.stdout)


if __name__ == "__main__":
    main()
