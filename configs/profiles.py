"""The ready-made Serve configs beside this file (laptop, gpu, gpu-fleet), and how each fits the number of CPUs."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).resolve().parent
PROFILES = ("laptop.yaml", "gpu.yaml", "gpu-fleet.yaml", "kuberay.yaml")
CPU_SHARE = 0.05  # share of a core that a replica reserves: a whole fleet fits into one core
MAX_REPLICAS = 2  # maximum replicas per deployment: enough that calls have a choice

GPU_SETTINGS: Mapping[str, tuple[str, ...]] = {  # the arguments that depend on the GPU, per deployment
    "layout": ("model", "precision", "acceleration", "batch_size", "num_gpus"),
    "ocr": (
        "model",
        "precision",
        "gpu_route",
        "quantisation",
        "kv_dtype",
        "max_running",
        "num_blocks",
        "block_size",
        "max_step_tokens",
        "num_gpus",
    ),
    "renderer": ("num_children",),
    "limits": ("shutdown_s",),
}
# the arguments that name places of the cluster
PLACE_SETTINGS = ("device", "data_dir", "database_url", "keys_file", "index", "blobs")


def read_profile(file: Path) -> dict[str, Any]:
    """The Serve config of a file: the file itself, or what a RayService in it deploys.

    Raises:
        ValueError: it holds neither.
        OSError: it cannot be read.
    """
    for part in yaml.safe_load_all(file.read_text(encoding="utf-8")):
        if isinstance(part, dict):
            values: dict[str, Any] = part  # pyright: ignore[reportUnknownVariableType]
            if values.get("kind") == "RayService":
                return yaml.safe_load(values["spec"]["serveConfigV2"])
            if "applications" in values:
                return values
    raise ValueError(f"{file} is neither a Serve config nor a RayService")


def on_cpus(config: Mapping[str, Any]) -> dict[str, Any]:
    """The same graph on one small machine: GPUs to 0, fractions of cores, the compact models, at most two replicas.

    What makes it that graph stays: which deployments there are, policies, routers, limits.
    """
    small = copy.deepcopy(dict(config))
    small["proxy_location"] = "HeadOnly"
    small["http_options"] |= {"host": "127.0.0.1"}
    for application in small["applications"]:
        application["args"] = _without_gpus(application.get("args") or {})
        for deployment in application.get("deployments", ()):
            deployment["ray_actor_options"] = {"num_cpus": CPU_SHARE}
            if "num_replicas" in deployment:
                deployment["num_replicas"] = min(MAX_REPLICAS, deployment["num_replicas"])
            for name, most in (("min_replicas", 1), ("max_replicas", MAX_REPLICAS)):
                scaled = deployment.get("autoscaling_config", {})
                if name in scaled:
                    scaled[name] = min(most, scaled[name])
    return small


def _without_gpus(args: Mapping[str, Any]) -> dict[str, Any]:
    other_args = {name: value for name, value in args.items() if name not in PLACE_SETTINGS}
    for group, names in GPU_SETTINGS.items():
        if group in other_args:
            other_args[group] = {name: value for name, value in other_args[group].items() if name not in names}
    return other_args
