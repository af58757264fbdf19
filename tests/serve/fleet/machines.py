"""Machines of a cluster on this one: each with its own network address, processes and disk; they share a bridge.

All this is in a network and a process namespace of its own (NAMESPACE), so that nothing of it is left when that ends.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import psutil

from benchmarks.harness.server import ROOT

PROGRAMS = ("ip", "mount", "nsenter", "unshare")
NAMESPACE = ("unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")  # before a command
SUBNET = "198.18.0"  # of the addresses that are for tests of networks (RFC 2544)
OWN_ADDRESS = f"{SUBNET}.1"  # of this machine, as the others reach it
BRIDGE = "lan"
RAY = (sys.executable, "-m", "ray.scripts.scripts", "start", "--block", "--disable-usage-stats")
DISK = "/mnt"  # where each machine has its own
GCS_PORT, DASHBOARD_PORT = 6379, 8265
OBJECT_STORE_BYTES = 200 << 20
# the first process of a machine: it waits for the cable, starts what it is there for, and reaps whom nobody else does
BOOT_SCRIPT = """
mount --bind "$1" /mnt
echo booted
read -r _
ip link set lo up
ip link set "$2" name eth0
ip address add "$3/24" dev eth0
ip link set eth0 up
ip route add default via "$4"
shift 4
"$@" >>/mnt/ray.log 2>&1 &
wait
"""


def missing() -> str | None:
    """Why machines cannot be had here."""
    if os.getuid() != 0:
        return "only root makes network namespaces"
    if absent := [program for program in PROGRAMS if shutil.which(program) is None]:
        return f"{absent[0]} is not installed"
    probe = subprocess.run([*NAMESPACE, "true"], check=False, capture_output=True)
    return probe.stderr.decode().strip() or None


class Machine:
    """A machine with a Ray node, from `boot` until `power_off`; its disk stays, as that of a machine does."""

    def __init__(self, address: str, disk: Path) -> None:
        self.address = address
        self.disk = disk
        self._cable = f"cable{address.rpartition('.')[2]}"
        self._process: subprocess.Popen[str] | None = None
        disk.mkdir()

    def boot(self, *options: str, environment: Mapping[str, str]) -> None:
        """Start it, and on it Ray with these options."""
        self.power_off()  # what has ended by itself
        memory = f"--object-store-memory={OBJECT_STORE_BYTES}"
        command = [*RAY, f"--node-ip-address={self.address}", memory, *options]
        inner = f"{self._cable}-inner"
        script = ("sh", "-c", BOOT_SCRIPT, "sh", str(self.disk), inner, self.address, OWN_ADDRESS, *command)
        self._process = subprocess.Popen(
            [*NAMESPACE, *script],
            cwd=ROOT,
            env={**environment, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "booted\n"
        ip("link", "add", self._cable, "type", "veth", "peer", "name", inner, "netns", str(self._process.pid))
        ip("link", "set", self._cable, "master", BRIDGE, "up")
        self._process.stdin.write("the cable is in\n")
        self._process.stdin.flush()

    def power_off(self) -> None:
        """End it at once. Nobody is told: the cable is cut before the kernel closes a connection."""
        process, self._process = self._process, None
        if process is not None:
            if process.poll() is None:
                ip("link", "delete", self._cable)
                process.kill()  # the first process of the machine dies with it, and all others with that one
            process.communicate()

    @property
    def is_on(self) -> bool:
        """Whether it was neither powered off nor ended by itself, as it does where its Ray gives up."""
        return self._process is not None and self._process.poll() is None

    def lose(self, address: str) -> None:
        """Let it reach that address no more, until it is booted again."""
        assert self._process is not None
        inside = f"--net=/proc/{self._process.pid}/ns/net"
        command = ["nsenter", inside, "ip", "route", "add", "blackhole", f"{address}/32"]
        subprocess.run(command, check=True, capture_output=True)

    def processes(self) -> list[psutil.Process]:
        """What runs on it."""
        if self._process is None or self._process.poll() is not None:
            return []
        return psutil.Process(self._process.pid).children(recursive=True)


class Network:
    """A bridge, and the machines that are plugged in."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        """`environment`: of all programs of the machines."""
        self._folder = folder
        self._environment = {**os.environ, **environment}
        self.machines: list[Machine] = []

    @property
    def head(self) -> Machine:
        return self.machines[0]

    def lay(self) -> None:
        """Make the bridge, so that this machine has its address."""
        ip("link", "set", "lo", "up")
        ip("link", "add", BRIDGE, "type", "bridge")
        ip("address", "add", f"{OWN_ADDRESS}/24", "dev", BRIDGE)
        ip("link", "set", BRIDGE, "up")

    def start(self, num_machines: int) -> None:
        """Boot a head, on which no replica has room, and so many machines."""
        for number in range(num_machines + 1):
            self.machines.append(Machine(f"{SUBNET}.{10 + number}", self._folder / f"machine-{number}"))
        dashboard = (f"--dashboard-host={self.head.address}", f"--dashboard-port={DASHBOARD_PORT}")
        self.head.boot(
            *("--head", f"--port={GCS_PORT}", *dashboard, "--num-cpus=0", f"--temp-dir={DISK}/ray"),
            environment=self._environment,
        )
        for machine in self.machines[1:]:
            self.join(machine)

    def join(self, machine: Machine) -> None:
        """Boot a machine, new or with the disk that it had, and let it be part of the cluster."""
        cluster = f"--address={self.head.address}:{GCS_PORT}"
        resources = '--resources={"cpu_machine": 1}'
        machine.boot(cluster, "--num-cpus=2", resources, environment=self._environment)

    def end(self) -> None:
        """Power all machines off, the head last."""
        for machine in reversed(self.machines):
            machine.power_off()


@contextlib.contextmanager
def network_of(folder: Path, environment: Mapping[str, str]) -> Iterator[Network]:
    """A network whose machines have their disks in a folder; they end with the block."""
    lan = Network(folder, environment)
    lan.lay()
    try:
        yield lan
    finally:
        lan.end()


def ip(*arguments: str) -> None:
    """Run `ip` with these arguments. Raises CalledProcessError."""
    subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True)
