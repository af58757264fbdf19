"""A fleet whose parts fail when they are told to: a process, a machine, the bucket."""

from __future__ import annotations

import itertools
import threading
from typing import Any

from tests.deployments.storage.gateway import Gateway
from tests.serve.fleet.cluster import owners, replicas, wait_until
from tests.serve.fleet.machines import Machine, Network

OUTAGE_S = 20.0  # that the S3 server is away


class Fleet:
    """Machines, owners of jobs and the bucket of a cluster, and what can happen to them."""

    def __init__(self, lan: Network, bucket_way: Gateway, num_shards: int) -> None:
        """`bucket_way`: on which the machines reach the bucket."""
        self.lan = lan
        self.lost: list[list[str]] = []  # deployments whose replicas ended, by what happened
        self._bucket_way = bucket_way
        self._owners = owners(num_shards)

    def owner_is_killed(self) -> None:
        """The process that owns the jobs, or those of the first shard."""
        _, process = self._places(self._owners[0])[0]
        process.kill()
        self.lost.append(self._owners[:1])

    def owners_machine_loses_the_head(self) -> None:
        """The machine that owns the jobs is dead for Ray, and works on with its lease, until its own Ray gives up."""
        machine, _ = self._places(self._owners[0])[0]
        self.lost.append(sorted(replicas(machine.processes())))
        machine.lose(self.lan.head.address)
        if not wait_until(lambda: not machine.is_on):
            raise TimeoutError("a Ray without a head went on")

    def owners_machine_dies(self) -> None:
        """The machine that owns the jobs, or those of the last shard."""
        machine, _ = self._places(self._owners[-1])[0]
        self._dies(machine)

    def renderers_machine_dies(self) -> None:
        """A machine with a renderer that owns no jobs, if there is one."""
        owning = {machine.address for name in self._owners for machine, _ in self._places(name)}
        places = self._places("Renderer")
        machine, _ = next((place for place in places if place[0].address not in owning), places[0])
        self._dies(machine)

    def bucket_is_away(self) -> None:
        """The S3 server does not answer for a while, and has all its objects afterwards."""
        self._bucket_way.close()
        threading.Event().wait(OUTAGE_S)
        self._bucket_way.open()
        self.lost.append([])

    def cached(self) -> list[str]:
        """Uploads on the disks of the machines, those that died among them."""
        files = itertools.chain.from_iterable(machine.disk.glob("data/blob_cache/*/*") for machine in self.lan.machines)
        return [str(file) for file in files if file.name != "lock"]

    def repair(self) -> None:
        """Boot what is off, with the disk that it had."""
        for machine in self.lan.machines:
            if not machine.is_on:
                self.lan.join(machine)

    def _dies(self, machine: Machine) -> None:
        self.lost.append(sorted(replicas(machine.processes())))
        machine.power_off()

    def _places(self, deployment: str) -> list[tuple[Machine, Any]]:
        """Machines with a replica, and its process; waits for one."""

        def places() -> list[tuple[Machine, Any]]:
            on = [(machine, replicas(machine.processes())) for machine in self.lan.machines]
            return [(machine, named[deployment]) for machine, named in on if deployment in named]

        if not (there := wait_until(places)):
            raise TimeoutError(f"{deployment} runs nowhere")
        return there
