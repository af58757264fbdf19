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
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import lancedb
import yaml

from benchmarks.harness.server import ROOT
from configs.profiles import FOLDER
from tests.deployments.postgres import database
from tests.deployments.storage.gateway import gateway
from tests.retrieval.object_storage import names_in, serving
from tests.serve.fleet.cluster import TWICE, await_ready, spread_out, wait_until
from tests.serve.fleet.faults import Fleet
from tests.serve.fleet.machines import DASHBOARD_PORT, DISK, OWN_ADDRESS, network_of
from tests.serve.fleet.tenants import FINAL_STATUSES, RESENT, Document, Tenant

NUM_MACHINES, NUM_SHARDS, NUM_DOCUMENTS = 3, 2, 300
TENANTS = ("ashford", "birch", "calder", "dunmore", "elgin")
NUM_SENDERS = 4  # uploads that are sent at once
ALL_DONE_S = 1800.0  # until everything must have ended
CACHE_S = 2.0  # after which a renderer removes what it does not use
PORT = 8000


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
        tenants = [Tenant(name, num_documents // len(TENANTS)) for name in TENANTS]
        deploy(lan.head.address, tenants, database_url, storage | {"endpoint": way.url}, folder)
        with contextlib.ExitStack() as stack:
            for tenant in tenants:
                stack.enter_context(tenant.connected(f"http://{lan.head.address}:{PORT}"))
            await_ready(tenants[0].client)
            fleet = Fleet(lan, way, NUM_SHARDS)
            report = under_fire(fleet, tenants)
            report["index"] = wrongly_indexed(tenants, storage)
            for tenant in tenants:
                tenant.delete_all()
            wait_until(lambda: not fleet.cached() and not stored(storage), 60)
            left = [*stored(storage), *fleet.cached(), *(f"{row}" for row in indexed(storage))]
            return report | {"left": left + [job["id"] for tenant in tenants for job in tenant.jobs()]}


def container_variables() -> dict[str, str]:
    """The environment that configs/kuberay.yaml gives every machine."""
    parts = yaml.safe_load_all((FOLDER / "kuberay.yaml").read_text())
    service = next(part for part in parts if part["kind"] == "RayService")
    (container,) = service["spec"]["rayClusterConfig"]["headGroupSpec"]["template"]["spec"]["containers"]
    return {variable["name"]: variable["value"] for variable in container["env"]}


def deploy(head: str, tenants: Sequence[Tenant], database_url: str, storage: Mapping[str, str], folder: Path) -> None:
    """`serve deploy`, as docs/scaling.md says."""
    keys, config = folder / "keys.yaml", folder / "fleet.yaml"
    keys.write_text(yaml.safe_dump({"keys": [tenant.key_entry for tenant in tenants]}))
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
    config.write_text(yaml.safe_dump(spread_out(head, PORT, args, num_replicas)))
    dashboard = f"http://{head}:{DASHBOARD_PORT}"
    command = [sys.executable, "-m", "ray.serve.scripts", "deploy", "-a", dashboard, str(config)]

    def is_deployed() -> bool:
        return subprocess.run(command, check=False, cwd=ROOT, capture_output=True).returncode == 0

    if not wait_until(is_deployed, 120):
        raise TimeoutError("nothing could be deployed")


def under_fire(fleet: Fleet, tenants: Sequence[Tenant]) -> dict[str, Any]:
    """Send everything in parts; a part is on its way when the next thing fails."""
    events: list[Callable[[], None]] = [
        fleet.owner_is_killed,
        fleet.owners_machine_dies,
        fleet.bucket_is_away,
        fleet.owners_machine_loses_the_head,
        fleet.renderers_machine_dies,
    ]
    uploads = list(itertools.chain.from_iterable(zip(*map(uploads_of, tenants), strict=True)))
    part = -(-len(uploads) // (len(events) + 1))
    unfinished: list[int] = []
    with ThreadPoolExecutor(NUM_SENDERS) as senders:
        sending: list[Future[None]] = []
        for number, happens in enumerate([*events, lambda: None]):
            num_before = num_ended(tenants)
            for tenant, document in uploads[number * part : (number + 1) * part]:
                times = 2 if document.number % RESENT == 0 else 1
                sending.extend(senders.submit(tenant.send, document) for _ in range(times))
            wait_until(lambda enough=num_before + part // 4: num_ended(tenants) >= enough)
            unfinished.append(min((number + 1) * part, len(uploads)) - num_ended(tenants))
            fleet.repair()  # of what happened before
            happens()
        for sent in sending:
            sent.result()
    wait_until(lambda: num_ended(tenants) >= len(uploads), ALL_DONE_S)
    job_ids = [job_id for _, document in uploads for job_id in document.job_ids]
    return {
        "lost_replicas": fleet.lost,
        "unfinished": unfinished,
        "num_documents": len(uploads),
        "num_jobs_of_shard_1": sum(job_id.startswith("job_1-") for job_id in job_ids),
        "lost_or_doubled": [fault for tenant in tenants for fault in tenant.lost_or_doubled()],
        "wrong_answers": [fault for tenant in tenants for fault in tenant.wrong_answers()],
    }


def uploads_of(tenant: Tenant) -> Iterator[tuple[Tenant, Document]]:
    return ((tenant, document) for document in tenant.documents)


def num_ended(tenants: Sequence[Tenant]) -> int:
    """Jobs of all tenants that have ended, well or not."""
    return sum(job["status"] in FINAL_STATUSES for tenant in tenants for job in tenant.jobs())


def wrongly_indexed(tenants: Sequence[Tenant], storage: dict[str, str]) -> list[str]:
    """Documents that are not in the index, and chunks that are there twice, in one table or in two."""
    rows = indexed(storage)
    doubled = [f"{row} is there {count} times" for row, count in Counter(rows).items() if count > 1]
    documents = {(tenant.name, document.document_id) for tenant in tenants for document in tenant.documents}
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
