"""What is watched beside a running server: how fast /livez answers, what memory its processes hold, who is called."""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psutil

from benchmarks.harness.report import percentile

MB = 1_000_000
REPLICA = "ray::ServeReplica:pagemill:"
CHILD, CHILD_NAME = "documents.sandbox.child", "Renderer child"
PULSE_S = 0.1
SAMPLE_S = 0.05
ETH_P_IP = 0x0800


@dataclass(slots=True)
class Pulse:
    """Seconds that each call of /livez took, in order; a call that failed counts as `lost`."""

    seconds: list[float] = field(default_factory=list)
    lost: int = 0

    def p99(self) -> float:
        """The 99th percentile in seconds; 0 without calls."""
        return percentile(self.seconds, 0.99)


@contextlib.contextmanager
def pulse(url: str) -> Iterator[Pulse]:
    """Call /livez ten times a second until the block is left."""
    felt, stop = Pulse(), threading.Event()

    def beat() -> None:
        with httpx.Client(base_url=url, timeout=10, trust_env=False) as client:
            while not stop.is_set():
                begun = time.perf_counter()
                try:
                    client.get("/livez").raise_for_status()
                except httpx.HTTPError:
                    felt.lost += 1
                felt.seconds.append(time.perf_counter() - begun)
                stop.wait(PULSE_S)

    with _thread(beat, stop):
        yield felt


def memory_mb(server_pid: int) -> dict[str, float]:
    """MB that each process below the server holds of its own (a shared page counts in parts), by name, and `all`."""
    megabytes: dict[str, float] = {}
    for process in psutil.Process(server_pid).children(recursive=True):
        with contextlib.suppress(psutil.Error):
            name = name_of(process)
            megabytes[name] = megabytes.get(name, 0.0) + process.memory_full_info().pss / MB
    return megabytes | {"all": sum(megabytes.values())}


def peak_mb(server_pid: int) -> dict[str, float]:
    """MB that each process below the server has held at most since it began (resident), by name; `all` is their sum."""
    megabytes: dict[str, float] = {}
    for process in psutil.Process(server_pid).children(recursive=True):
        with contextlib.suppress(psutil.Error, OSError, StopIteration):
            lines = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii", errors="replace").splitlines()
            kilobytes = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
            name = name_of(process)
            megabytes[name] = megabytes.get(name, 0.0) + kilobytes * 1024 / MB
    return megabytes | {"all": sum(megabytes.values())}


def name_of(process: psutil.Process) -> str:
    """`Layout`, `Renderer child` and so on for ours; the program's name for Ray's."""
    line = " ".join(process.cmdline())
    if REPLICA in line:
        return line.split(REPLICA)[1].split()[0].split("#")[0].split(".")[0]  # a busy one names its call after a dot
    if CHILD in line:
        return CHILD_NAME
    name = line.split()[0].rsplit("/", 1)[-1] if line else process.name()
    return "Ray: " + (name.removeprefix("ray::").split(".")[0] if name.startswith("ray::") else name)


def processes(server_pid: int, name: str) -> list[psutil.Process]:
    """Those below the server of which `name_of` says this name."""
    matching: list[psutil.Process] = []
    for process in psutil.Process(server_pid).children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if name_of(process) == name:
                matching.append(process)
    return matching


class Peak:
    """The most that one child of a process held at a time, in MB, since it was last asked."""

    def __init__(self) -> None:
        self.highest = 0.0

    def take(self) -> float:
        highest, self.highest = self.highest, 0.0
        return highest

    def note(self, megabytes: float) -> None:
        self.highest = max(self.highest, megabytes)


@contextlib.contextmanager
def peak_of_children(parent: psutil.Process) -> Iterator[Peak]:
    """Look at the parent's children twenty times a second until the block is left."""
    peak, stop = Peak(), threading.Event()

    def look() -> None:
        while not stop.wait(SAMPLE_S):
            for pid in _children(parent.pid):
                with contextlib.suppress(OSError, IndexError):
                    resident = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
                    peak.note(resident * os.sysconf("SC_PAGE_SIZE") / MB)

    with _thread(look, stop):
        yield peak


@dataclass(slots=True)
class Calls:
    """How many packets went to an address."""

    packets: int = 0


@contextlib.contextmanager
def packets_to(address: str) -> Iterator[Calls]:
    """Count the IPv4 packets of this network namespace to `address`; needs the right to read raw packets."""
    calls, stop, address_bytes = Calls(), threading.Event(), socket.inet_aton(address)
    with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_IP)) as wire:
        wire.settimeout(0.5)

        def listen() -> None:
            while not stop.is_set():
                with contextlib.suppress(TimeoutError):
                    calls.packets += wire.recv(64)[16:20] == address_bytes

        with _thread(listen, stop):
            yield calls


def take_address(address: str) -> None:
    """Bring loopback up and give it a further address, so that a packet to it can be seen; own namespaces only."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        fcntl.ioctl(probe, 0x8914, struct.pack("16sh", b"lo", 0x1 | 0x40))  # SIOCSIFFLAGS: up, running
        packed = struct.pack("16sHH4s8x", b"lo:0", socket.AF_INET, 0, socket.inet_aton(address))
        fcntl.ioctl(probe, 0x8916, packed)  # SIOCSIFADDR


def _children(pid: int) -> list[str]:
    try:
        return [child for task in Path(f"/proc/{pid}/task").iterdir() for child in _of_task(task)]
    except OSError:
        return []


def _of_task(task: Path) -> list[str]:
    try:
        return (task / "children").read_text().split()
    except OSError:
        return []


@contextlib.contextmanager
def _thread(target: Callable[[], None], stop: threading.Event) -> Iterator[None]:
    thread = threading.Thread(target=target, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
