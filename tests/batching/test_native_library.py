"""Building and loading the C++ of the native route."""

import ctypes
import logging
import os
import pwd
import subprocess
import sys
from pathlib import Path

import pytest

from batching.loading.models import load_causal_lm
from batching.native import library as module
from batching.native.library import library

pytestmark = pytest.mark.skipif(library() is None, reason="no compiler, or a processor without AVX2")


@pytest.fixture
def elsewhere(monkeypatch, tmp_path):
    """No library is built yet, and what is built goes to a folder of the test."""
    monkeypatch.setattr(module, "_places", lambda variant: [tmp_path / "build" / f"{variant.name}.so"])
    library.cache_clear()
    yield tmp_path
    library.cache_clear()


@pytest.mark.parametrize("compiler", ["no-such-compiler", "false"])
def test_without_a_compiler_that_works_models_run_by_torch(compiler, elsewhere, tiny_lm, monkeypatch, caplog):
    """The package is no harder to install than before."""
    monkeypatch.setenv("CXX", compiler)
    monkeypatch.setenv("PATH", "/bin" if compiler == "false" else "")
    with caplog.at_level(logging.WARNING):
        assert load_causal_lm(tiny_lm("llama")).route == "torch"
    assert "the native decoder could not be built" in caplog.text


def test_a_processor_without_its_instructions_gets_no_library(elsewhere, monkeypatch):
    """It would end the process with an illegal instruction."""
    monkeypatch.setattr(module, "_instructions", lambda: frozenset({"sse2"}))
    assert library() is None


def test_where_torch_is_kept_from_wide_registers_so_are_we():
    """A figure for AVX2 that half of the program made with AVX-512 says nothing."""
    script = "from batching.native.library import library; print(library()._name)"
    environment = os.environ | {"ATEN_CPU_CAPABILITY": "avx2"}
    name = subprocess.run([sys.executable, "-c", script], env=environment, check=True, capture_output=True, text=True)
    assert "decoder-avx2-" in name.stdout


def test_a_library_is_built_once_and_named_by_what_it_was_made_of(elsewhere):
    """An old build must not serve new sources, nor each process build its own; a full disk leaves no file for ever."""
    for variant in module.VARIANTS:
        (file,) = module._places(variant)
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(b"\x7fELF, but no more")
    built = library()
    assert isinstance(built, ctypes.CDLL)
    (file,) = (path for path in (elsewhere / "build").iterdir() if path.stat().st_size > 100)
    changed = file.stat().st_mtime_ns
    library.cache_clear()
    assert library() is not None
    assert file.stat().st_mtime_ns == changed


@pytest.mark.parametrize("can_be_built", [True, False])
def test_a_user_without_a_home_gets_a_model(can_be_built, tiny_lm, monkeypatch, tmp_path):
    """A container that is started with any number for its user: `Path.home` raised, and no model was loaded."""

    def unknown(uid):
        raise KeyError(uid)

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    for name in ("HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(RuntimeError):
        Path.home()
    sources = tmp_path / "sources"
    if can_be_built:
        monkeypatch.setattr(module, "_build", lambda variant, path: pytest.fail("it is built already"))
    else:
        sources.write_text("a file, so that no folder can be made in it")
        monkeypatch.setattr(module, "SOURCE_FOLDER", sources)
    library.cache_clear()
    try:
        assert (library() is None) == (not can_be_built)
        assert load_causal_lm(tiny_lm("llama")).route in ("native", "torch")
    finally:
        library.cache_clear()
