"""Three machines under load, of which one thing after the other fails; prints what became of every document.

Machines are network, process and mount namespaces of this one, each with its own address and disk: no folder is shared.
Jobs are in PostgreSQL, reached over the network; uploads and the index in a bucket of an S3 server. The head, which has
the proxy and no replica, stays. The files of the program and of the keys are the same everywhere, as in an image.

Run by test_three_machines.py in a process of its own, which is in a namespace of its own, too: Ray takes its token from
the environment when it is first loaded.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import lancedb
import yaml

from benchmarks.harness.server import ROOT
from configs.profiles import FOLDER
from tests.deployments.postgres import database
from tests.deployments.storage.gateway import Gateway, gateway
from tests.retrieval.object_storage import names_in, serving
from tests.serve.fleet.cluster import TWICE, await_ready, owners, replicas, spread_out, wait_until
from tests.serve.fleet.machines import DASHBOARD_PORT, DISK, OWN_ADDRESS, Machine, Network, network_of
from tests.serve.fleet.tenants import FINAL_STATUSES, RESENT, Document, Tenant

NUM_MACHINES, NUM_SHARDS, NUM_DOCUMENTS = 3, 2, 300
TENANTS = ("ashford", "birch", "calder", "dunmore", "elgin")
NUM_SENDERS = 4  # uploads that are sent at once
OUTAGE_S = 20.0  # that the S3 server is away
CACHE_S = 2.0  # after which a renderer removes what it does not use
PORT = 8000


class Fleet:
    """The cluster, its tenants, and what can happen to it."""

    def __init__(self, lan: Network, bucket_way: Gateway, num_documents: int) -> None:
        self.lan = lan
        self.url = f"http://{lan.head.address}:{PORT}"
        self.tenants = [Tenant(name, num_documents // len(TENANTS)) for name in TENANTS]
        self.lost: list[list[str]] = []  # deployments whose replicas ended, by what happened
        self._bucket_way = bucket_way

    def owner_is_killed(self) -> None:
        """The process that owns the jobs, or those of the first shard."""
        _, process = self._places("Jobs")[0]
        process.kill()
        self.lost.append(["Jobs"])

    def owners_machine_dies(self) -> None:
        """The machine that owns the jobs, or those of the last shard."""
        machine, _ = self._places(owners(NUM_SHARDS)[-1])[0]
        self._dies(machine)

    def renderers_machine_dies(self) -> None:
        """A machine with a renderer that owns no jobs, if there is one."""
        owning = {machine.address for name in owners(NUM_SHARDS) for machine, _ in self._places(name)}
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

    def num_ended(self, clients: dict[str, httpx.Client]) -> int:
        jobs = itertools.chain.from_iterable(tenant.jobs(clients[tenant.name]) for tenant in self.tenants)
        return sum(job["status"] in FINAL_STATUSES for job in jobs)

    def _dies(self, machine: Machine) -> None:
        self.lost.append(sorted(replicas(machine.processes())))
        machine.power_off()

    def repair(self) -> None:
        """Boot what is off, with the disk that it had."""
        for machine in self.lan.machines:
            if not machine.is_on:
                self.lan.join(machine)

    def _places(self, deployment: str) -> list[tuple[Machine, Any]]:
        """Machines with a replica, and its process; waits for one."""

        def places() -> list[tuple[Machine, Any]]:
            on = [(machine, replicas(machine.processes())) for machine in self.lan.machines]
            return [(machine, named[deployment]) for machine, named in on if deployment in named]

        if not (there := wait_until(places)):
            raise TimeoutError(f"{deployment} runs nowhere")
        return there


def main(folder: Path, num_documents: int) -> dict[str, Any]:
    """What was lost, doubled, answered wrongly, and left."""
    token = {name: os.environ[name] for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN")}
    with (
        network_of(folder, container_variables() | token) as lan,
        database(OWN_ADDRESS) as database_url,
        serving() as storage,
        gateway(storage["endpoint"], OWN_ADDRESS) as way,
    ):
        lan.start(NUM_MACHINES)
        fleet = Fleet(lan, way, num_documents)
        deploy(fleet, database_url, storage | {"endpoint": way.url}, folder)
        with contextlib.ExitStack() as stack:
            clients = {tenant.name: stack.enter_context(tenant.client(fleet.url)) for tenant in fleet.tenants}
            await_ready(clients[TENANTS[0]])
            report = under_fire(fleet, clients)
            report["index"] = wrongly_indexed(fleet, storage)
            for tenant in fleet.tenants:
                tenant.delete_all(clients[tenant.name])
            wait_until(lambda: not fleet.cached() and not stored(storage), 60)
            left = [*stored(storage), *fleet.cached(), *(f"{row}" for row in indexed(storage))]
            left += [job["id"] for tenant in fleet.tenants for job in tenant.jobs(clients[tenant.name])]
            staged = [name for name in names_in(storage["endpoint"], "blobs") if "incoming/" in name]
            return report | {"left": left, "staged": staged}


def container_variables() -> dict[str, str]:
    """The environment that configs/kuberay.yaml gives every machine."""
    parts = yaml.safe_load_all((FOLDER / "kuberay.yaml").read_text())
    service = next(part for part in parts if part["kind"] == "RayService")
    (container,) = service["spec"]["rayClusterConfig"]["headGroupSpec"]["template"]["spec"]["containers"]
    return {variable["name"]: variable["value"] for variable in container["env"]}


def deploy(fleet: Fleet, database_url: str, storage: dict[str, str], folder: Path) -> None:
    """`serve deploy`, as docs/scaling.md says."""
    keys, config = folder / "keys.yaml", folder / "fleet.yaml"
    keys.write_text(yaml.safe_dump({"keys": [tenant.key_entry for tenant in fleet.tenants]}))
    args = {
        "data_dir": f"{DISK}/data",
        "database_url": database_url,
        "keys_file": str(keys),
        "shards": NUM_SHARDS,
        "index": {"uri": "s3://shelf/index", "storage_options": storage, "consistency_s": 1},
        "blobs": {"uri": "s3://shelf/blobs", "storage_options": storage, "cache_s": CACHE_S},
        "renderer": {"num_children": 2},
    }
    num_replicas = dict.fromkeys(TWICE, 2) | {"Renderer": NUM_MACHINES}
    config.write_text(yaml.safe_dump(spread_out(fleet.lan.head.address, PORT, args, num_replicas)))
    address = f"http://{fleet.lan.head.address}:{DASHBOARD_PORT}"
    command = [sys.executable, "-m", "ray.serve.scripts", "deploy", "-a", address, str(config)]

    def is_deployed() -> bool:
        return subprocess.run(command, check=False, cwd=ROOT, capture_output=True).returncode == 0

    if not wait_until(is_deployed, 120):
        raise TimeoutError("nothing could be deployed")


def under_fire(fleet: Fleet, clients: dict[str, httpx.Client]) -> dict[str, Any]:
    """Send everything in parts; a part is on its way when the next thing fails."""
    events: list[Callable[[], None]] = [
        fleet.owner_is_killed,
        fleet.owners_machine_dies,
        fleet.bucket_is_away,
        fleet.renderers_machine_dies,
    ]
    uploads = list(itertools.chain.from_iterable(zip(*(of(tenant) for tenant in fleet.tenants), strict=True)))
    part = -(-len(uploads) // (len(events) + 1))
    unfinished: list[int] = []
    with ThreadPoolExecutor(NUM_SENDERS) as senders:
        sending: list[Future[None]] = []
        for number, happens in enumerate([*events, lambda: None]):
            num_ended = fleet.num_ended(clients)
            for tenant, document in uploads[number * part : (number + 1) * part]:
                sending.append(senders.submit(tenant.send, clients[tenant.name], document))
                if document.number % RESENT == 0:
                    sending.append(senders.submit(tenant.send, clients[tenant.name], document))
            wait_until(lambda before=num_ended: fleet.num_ended(clients) >= before + part // 4)
            unfinished.append(len(uploads) - fleet.num_ended(clients))
            fleet.repair()  # of what happened before
            happens()
        for sent in sending:
            sent.result()
    wait_until(lambda: fleet.num_ended(clients) >= len(uploads))
    return {
        "lost_replicas": fleet.lost,
        "unfinished": unfinished,
        "num_documents": len(uploads),
        "num_jobs_of_shard_1": sum(
            job_id.startswith("job_1-") for _, document in uploads for job_id in document.job_ids
        ),
        "lost_or_doubled": [
            fault for tenant in fleet.tenants for fault in tenant.lost_or_doubled(clients[tenant.name])
        ],
        "wrong_answers": [fault for tenant in fleet.tenants for fault in tenant.wrong_answers(clients[tenant.name])],
    }


def of(tenant: Tenant) -> Iterator[tuple[Tenant, Document]]:
    """Its documents, with it."""
    return ((tenant, document) for document in tenant.documents)


def wrongly_indexed(fleet: Fleet, storage: dict[str, str]) -> list[str]:
    """Documents that are not in the index, and chunks that are there twice, in one table or in two."""
    rows = indexed(storage)
    doubled = [f"{row} is there {count} times" for row, count in Counter(rows).items() if count > 1]
    documents = {(tenant.name, document.document_id) for tenant in fleet.tenants for document in tenant.documents}
    missing = documents.symmetric_difference((namespace, document_id) for namespace, document_id, _ in rows)
    return doubled + [f"{document} is in the index or with its tenant, not both" for document in missing]


def indexed(storage: dict[str, str]) -> list[tuple[str, str, int]]:
    """Namespace, document and ordinal of every chunk, as LanceDB itself reads them."""
    database = lancedb.connect("s3://shelf/index", storage_options=storage)
    tables = [database.open_table(name) for name in database.list_tables().tables]
    columns = ["namespace", "document_id", "ordinal"]
    rows = [row for table in tables for row in table.search().select(columns).limit(None).to_list()]
    return [(row["namespace"], row["document_id"], row["ordinal"]) for row in rows]


def stored(storage: dict[str, str]) -> list[str]:
    """The uploads in the bucket, without what is being taken in."""
    return [name for name in names_in(storage["endpoint"], "blobs") if "incoming/" not in name]


if __name__ == "__main__":
    num_documents = int(sys.argv[2]) if len(sys.argv) > 2 else NUM_DOCUMENTS
    with tempfile.TemporaryDirectory(prefix="pm-", ignore_cleanup_errors=True) as place:
        report = main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(place), num_documents)
    sys.stdout.write(json.dumps(report) + "\n")
