"""`pagemill.commands.doctor_checks`: each error is named with its fix."""

from __future__ import annotations

import json
import socket
import struct
import types
from pathlib import Path

import pytest
from typer.testing import CliRunner

from configs import Settings
from configs.data_lock import locked
from pagemill.cli import app
from pagemill.commands import doctor_checks
from pagemill.commands.doctor_checks import Check
from pagemill.ingesting.local_server import free_port


def errors(results: list[Check]) -> list[Check]:
    return [check for check in results if check.outcome == "error"]


def test_a_package_of_a_wrong_version_or_none_is_named_with_what_brings_it() -> None:
    """Guards against a traceback of Ray where pip could have told."""
    failed = errors(list(doctor_checks.packages(["httpx>=9999", "typer", "no-such-package-here"])))
    assert ["httpx" in failed[0].detail, "9999" in failed[0].detail, "no-such-package" in failed[1].detail] == [
        True
    ] * 3
    assert all("pip install" in str(check.fix) for check in failed)


def test_other_versions_than_the_tested_are_noted(tmp_path: Path) -> None:
    """Guards against a difference that nobody is told of, and one that stops somebody."""
    tested = tmp_path / "constraints.txt"
    tested.write_text("# tested with\nhttpx==0.0.1\n")
    (only,) = doctor_checks.packages(["httpx"], tested)
    assert (only.outcome, "tested: 0.0.1" in only.detail) == ("note", True)


def test_packages_that_only_an_extra_needs_are_not_missed() -> None:
    """Guards against a fault for each tool of the tests."""
    assert errors(list(doctor_checks.packages(["no-such-package-here; extra == 'test'", "httpx"]))) == []


def whole(folder: Path) -> Path:
    folder.mkdir()
    header = json.dumps({"a": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]}}).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + b"1234")
    return folder


@pytest.mark.parametrize("cut", [1, 4, 30])
def test_weights_that_are_cut_off_are_found_without_loading_them(tmp_path: Path, cut: int) -> None:
    """Guards against a replica that dies a minute later."""
    folder = whole(tmp_path / "model")
    assert doctor_checks._checkpoint("ocr", str(folder)).outcome == "good"
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-cut])
    check = doctor_checks._checkpoint("ocr", str(folder))
    assert (check.outcome, "model.safetensors" in check.detail) == ("error", True)


@pytest.mark.parametrize("content", [b"", b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\n", b"\xff" * 64])
def test_a_pointer_or_rubbish_is_no_checkpoint(tmp_path: Path, content: bytes) -> None:
    """Guards against a checkout without Git LFS."""
    folder = whole(tmp_path / "model")
    (folder / "model.safetensors").write_bytes(content)
    assert doctor_checks._checkpoint("layout", str(folder)).outcome == "error"


def test_a_folder_that_is_not_there_is_a_fault_and_a_hub_id_a_note(tmp_path: Path) -> None:
    """Guards against a name with a slip that is looked for at the hub."""
    assert doctor_checks._checkpoint("ocr", str(tmp_path / "none")).outcome == "error"
    assert doctor_checks._checkpoint("ocr", "checkpoints/none").outcome == "error"
    assert doctor_checks._checkpoint("ocr", "somebody/not-fetched-yet").outcome == "note"
    (tmp_path / "empty").mkdir()
    assert doctor_checks._checkpoint("ocr", str(tmp_path / "empty")).outcome == "error"


def test_a_taken_port_is_told_with_a_free_one() -> None:
    """Guards against a fault that leaves somebody to guess."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        number = listener.getsockname()[1]
        check = doctor_checks.port(Settings(port=number))
    assert (check.outcome, f":{number} is taken" in check.detail, "PORT=" in str(check.fix)) == ("error", True, True)


def test_an_address_of_another_machine_is_no_place_to_listen() -> None:
    """Guards against advice to change the port where the host is wrong."""
    check = doctor_checks.port(Settings(host="192.0.2.1"))
    assert (check.outcome, "host" in str(check.fix)) == ("error", True)


def test_a_data_folder_that_cannot_be_is_a_fault(tmp_path: Path) -> None:
    """Guards against a server that starts and then cannot write."""
    file = tmp_path / "file"
    file.touch()
    (check,) = doctor_checks.folders(Settings(data_dir=file / "data"))
    assert (check.outcome, "not a folder" in check.detail) == ("error", True)
    (good,) = doctor_checks.folders(Settings(data_dir=tmp_path / "not" / "yet"))
    assert good.outcome == "good"
    assert not (tmp_path / "not").exists(), "looking changes nothing"


def test_keys_that_others_can_read_are_noted(tmp_path: Path) -> None:
    """Guards against keys that a whole machine knows."""
    keys = tmp_path / "keys.yaml"
    keys.touch(0o644)
    _, note = doctor_checks.folders(Settings(data_dir=tmp_path, keys_file=keys))
    assert (note.outcome, note.fix) == ("note", f"chmod 600 {keys}")


def test_a_gpu_that_is_asked_for_and_not_there_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against a graph that waits for ever for a GPU."""
    monkeypatch.setattr(doctor_checks, "CUDA_PROBE", "print('None')")
    (check,) = doctor_checks.gpu(Settings(device="cuda"))
    assert check.outcome == "error"
    monkeypatch.setattr(doctor_checks, "CUDA_PROBE", "print('13.2|Some GPU')")
    (check,) = doctor_checks.gpu(Settings(device="cuda"))
    assert (check.outcome, "Some GPU" in check.detail) == ("good", True)


FLAGS = "fpu sse sse2 ssse3 sse4_1 sse4_2 popcnt avx avx2 bmi1 bmi2 f16c fma movbe abm"
CPUINFO = {
    "Haswell": (FLAGS, "good"),
    "Ivy Bridge": (FLAGS.replace(" avx2", "").replace(" fma", ""), "error"),
    "a virtual machine's own": ("fpu sse sse2 pni cx16", "error"),
}


@pytest.mark.parametrize("kind", CPUINFO)
def test_a_processor_that_lancedb_is_not_compiled_for_is_refused_at_start(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Search and Index were ended by an illegal instruction, again and again, and no log had a word of it."""
    flags, outcome = CPUINFO[kind]
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text(f"processor\t: 0\nflags\t\t: {flags}\nbugs\t\t:\n", encoding="utf-8")
    check = doctor_checks.processor(cpuinfo)
    assert check.outcome == outcome
    if outcome == "error":
        assert "avx2" in check.detail
        monkeypatch.setattr("pagemill.cli.processor", lambda: check)
        served = CliRunner().invoke(app, ["serve", "--data-dir", str(tmp_path / "data")], env={"COLUMNS": "200"})
        assert served.exit_code == 2
        assert "cannot run on this processor" in served.output
        assert not (tmp_path / "data").exists()


def test_other_kinds_of_processors_are_not_refused(tmp_path: Path) -> None:
    """Those of ARM list `Features`, and some systems have no such file."""
    cpuinfo = tmp_path / "cpuinfo"
    assert doctor_checks.processor(cpuinfo).outcome == "good"
    cpuinfo.write_text("processor\t: 0\nFeatures\t: fp asimd\n", encoding="utf-8")
    assert doctor_checks.processor(cpuinfo).outcome == "good"


def test_doctor_says_each_fault_and_its_exit_code_says_that_there_is_one(tmp_path: Path) -> None:
    """Guards against a doctor that stops at the first fault."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        bad = ["doctor", "-s", f"port={listener.getsockname()[1]}", "-s", f"ocr.model={tmp_path / 'none'}", "--json"]
        ran = CliRunner().invoke(app, bad)
    report = json.loads(ran.stdout)
    assert {check["name"] for check in report["checks"] if check["outcome"] == "error"} >= {"port", "weights"}
    assert (ran.exit_code, report["healthy"]) == (1, False)
    good = CliRunner().invoke(app, ["doctor", "-s", f"port={free_port()}", "-s", f"data_dir={tmp_path}"])
    assert good.exit_code == 0, good.output
    assert CliRunner().invoke(app, ["doctor", "-s", "prot=1"]).exit_code == 1


@pytest.mark.parametrize(
    ("percent", "threshold", "outcome"),
    [(96.0, None, "good"), (96.0, 0.95, "error"), (94.0, 0.95, "good")],
)
def test_memory_above_the_threshold_is_a_fault_since_ray_would_end_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, percent: float, threshold: float | None, outcome: str
) -> None:
    """Guards against "good memory" while Ray's monitor ends every process that the server starts."""
    memory = types.SimpleNamespace(available=9e9, percent=percent)
    monkeypatch.setattr("pagemill.commands.doctor_checks.psutil.virtual_memory", lambda: memory)
    results = {
        check.name: check for check in doctor_checks.space(Settings(data_dir=tmp_path, memory_threshold=threshold))
    }
    assert results["memory"].outcome == outcome


def test_the_server_that_holds_the_data_folder_is_named(tmp_path: Path) -> None:
    with locked(tmp_path, "http://127.0.0.1:8123"):
        (check, *_) = doctor_checks.folders(Settings(data_dir=tmp_path))
    assert "in use by process" in check.detail
    assert "8123" in check.detail
