"""A hundred users send a 15-page paper to /doc_layout: ten more each second, 60 s, with dynamic batching and without.

Both servers have one replica of Layout and all cores for it: batches of one give them all to one page, larger ones a
core to each. Locust plays the users. A 503 that says when to come again is a refusal and no failure; its user comes
again then.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

from benchmarks.harness.options import parser_of
from benchmarks.harness.report import record, table
from benchmarks.harness.server import ROOT
from benchmarks.harness.stress import NEEDS, Stress, stressed
from benchmarks.loads.papers import paper
from configs.profiles import read_profile

MODES: dict[str, dict[str, Any]] = {
    "dynamic": {},
    "one_by_one": {
        "user_config": {"batch_size": 1},
        "ray_actor_options": {"runtime_env": {"env_vars": {"OMP_NUM_THREADS": str(len(os.sched_getaffinity(0)))}}},
    },
}


def main() -> int:
    parser = parser_of(__doc__, quick="20 users for 20 s, a paper of two pages")
    parser.add_argument("--pages", type=int, help="of the paper")
    args = parser.parse_args()
    if importlib.util.find_spec("locust") is None:
        parser.error(NEEDS)
    with tempfile.TemporaryDirectory(prefix="pagemill-stress-") as folder:
        file = paper(Path(folder) / "paper.pdf", args.pages or (2 if args.quick else 15))
        users, seconds = (20, 20) if args.quick else (100, 60)
        stress = Stress(route="/doc_layout", field="file", file=file, users=users, rate=10, seconds=seconds)
        runs = [stressed(stress, mode, config_file(Path(folder) / f"{mode}.yaml", mode)) for mode in MODES]
    figures = {name: value for figures, _ in runs for name, value in figures.items()}
    print(table([{"figure": name, "value": value} for name, value in figures.items()]))
    if args.out:
        record(args.out, "stress_layout", figures, [row for _, rows in runs for row in rows])
    return 0 if all(figures[f"answered_{mode}"] and not figures[f"failed_{mode}"] for mode in MODES) else 1


def config_file(file: Path, mode: str) -> tuple[str, str]:
    """`--config` with `serve_config.yaml` in that mode."""
    config = read_profile(ROOT / "serve_config.yaml")
    (layout,) = (
        deployment for deployment in config["applications"][0]["deployments"] if deployment["name"] == "Layout"
    )
    layout["autoscaling_config"]["max_replicas"] = 1
    layout.update(MODES[mode])
    file.write_text(yaml.safe_dump(config))
    return "--config", str(file)


if __name__ == "__main__":
    sys.exit(main())
