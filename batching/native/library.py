"""Compiles the C++ code for this CPU once, and loads it."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import logging
import os
import shutil
import subprocess
import tempfile
import time
from ctypes import c_int64, c_void_p
from dataclasses import dataclass
from pathlib import Path

log = logging.getLogger(__name__)

SOURCE_FOLDER = Path(__file__).parent
MAX_BUILD_S = 120.0  # a build takes six seconds on an idle core
COMPILER_OPTIONS = ("-std=c++17", "-O3", "-fno-math-errno", "-fopenmp", "-shared", "-fPIC")
CPU_FLAGS_V3 = frozenset({"avx2", "bmi", "bmi2", "f16c", "fma3", "lzcnt"})
CPU_FLAGS_V4 = CPU_FLAGS_V3 | {"avx512_f", "avx512_bw", "avx512_cd", "avx512_dq", "avx512_vl"}


@dataclass(frozen=True, slots=True)
class Variant:
    """One kind of processor: the instructions that it must have, as torch names them, and their options."""

    name: str
    instructions: frozenset[str]
    options: tuple[str, ...]


VARIANTS = (
    Variant(
        "avx512_bf16",
        CPU_FLAGS_V4 | {"avx512_vnni", "avx512_bf16"},
        ("-march=x86-64-v4", "-mavx512vnni", "-mavx512bf16"),
    ),
    Variant("avx512_vnni", CPU_FLAGS_V4 | {"avx512_vnni"}, ("-march=x86-64-v4", "-mavx512vnni")),
    Variant("avx512", CPU_FLAGS_V4, ("-march=x86-64-v4",)),
    Variant("avx2", CPU_FLAGS_V3, ("-march=x86-64-v3",)),
)
"""The best first."""


SIGNATURES = {
    "pagemill_forward": (c_void_p, c_void_p),
    "pagemill_close": (c_void_p,),
    "pagemill_product": (c_void_p, c_void_p, c_int64, c_void_p, c_int64),
    "pagemill_pick": (c_void_p, c_int64, c_int64, c_void_p, c_void_p, c_void_p, c_int64),
}


@functools.cache
def library() -> ctypes.CDLL | None:
    """The library for this processor, built if it is not there; None, and a line in the log, if there is none."""
    variant = next((candidate for candidate in VARIANTS if candidate.instructions <= _instructions()), None)
    if variant is None:
        log.info("the native decoder is for x86 processors with AVX2: models run by torch alone")
        return None
    try:
        return _loaded(variant)
    except (OSError, subprocess.SubprocessError) as error:
        log.warning("the native decoder could not be built, models run by torch alone: %s", _reason(error))
        return None


def build_all() -> None:
    """Build the library for every kind of processor beside its sources, as an image for other machines wants it.

    Raises:
        OSError, subprocess.SubprocessError: it cannot be built here.
    """
    for variant in VARIANTS:
        path = _places(variant)[0]
        if not path.exists():
            _build(variant, path)


def _loaded(variant: Variant) -> ctypes.CDLL:
    """From the first place where it lies, or may be written to."""
    *places, last = _places(variant)
    for path in places:
        with contextlib.suppress(OSError):
            return _built(variant, path)
    return _built(variant, last)


def _places(variant: Variant) -> list[Path]:
    """Where the built file may lie; its name is of its sources, how they are compiled, and for what."""
    digest = hashlib.sha256(repr((COMPILER_OPTIONS, variant.options)).encode())
    for source in sorted(SOURCE_FOLDER.glob("*.[hc]*")):
        digest.update(source.read_bytes())
    name = f"decoder-{variant.name}-{digest.hexdigest()[:16]}.so"
    places = [SOURCE_FOLDER / "build" / name]
    with contextlib.suppress(RuntimeError):  # a user without a home, as in a container that is given any number for one
        places.append(Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pagemill" / name)
    return places


def _built(variant: Variant, path: Path) -> ctypes.CDLL:
    """Loaded from `path`, compiled to it first where it is not there, or was made for another system."""
    with contextlib.suppress(OSError):
        return _typed(ctypes.CDLL(str(path)))
    _build(variant, path)
    return _typed(ctypes.CDLL(str(path)))


def _typed(library: ctypes.CDLL) -> ctypes.CDLL:
    for name, kinds in SIGNATURES.items():
        getattr(library, name).argtypes = kinds
    return library


def _build(variant: Variant, path: Path) -> None:
    """Compile to `path`, in one stroke: another process may do the same."""
    compiler = shutil.which(os.environ.get("CXX") or "g++") or shutil.which("clang++")
    if compiler is None:
        raise FileNotFoundError("no C++ compiler (g++ or clang++) is installed")
    path.parent.mkdir(parents=True, exist_ok=True)
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        built = Path(folder) / path.name
        command = [compiler, *COMPILER_OPTIONS, *variant.options, str(SOURCE_FOLDER / "decoder.cpp"), "-o", str(built)]
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=MAX_BUILD_S)  # noqa: S603 # no shell
        built.replace(path)
    log.info("the native decoder was built for %s in %.1f s", variant.name, time.perf_counter() - begun)


def _instructions() -> frozenset[str]:
    """What the processor says that it has, and the system lets programs use; AVX-512 only where torch uses it.

    `ATEN_CPU_CAPABILITY=avx2` keeps both from it.
    """
    import torch  # here: an image is built ahead without it

    names = (name for name, present in torch.cpu.get_capabilities().items() if present is True)
    wide = torch.backends.cpu.get_cpu_capability() == "AVX512"
    return frozenset(name for name in names if wide or not name.startswith("avx512"))


def _reason(error: Exception) -> str:
    """The compiler's first line, or the error."""
    output = getattr(error, "stderr", None)
    return str(output).strip().splitlines()[0] if output else str(error)
