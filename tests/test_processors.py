"""The product on processors that have fewer instructions than this one.

Two ways: variables of torch and oneDNN that leave instructions out, at full speed, and qemu's emulation, which is slow
and covers the compiled code of every package. Not emulated: programs that a test starts, and `/proc/cpuinfo`.
"""

import json
import os
import platform
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).parent.parent
AVX2_ALONE = {"ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2"}
PYTEST = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-m", "not slow and not gpu"]
with_avx2 = pytest.mark.skipif(
    torch.backends.cpu.get_cpu_capability() not in ("AVX2", "AVX512"), reason="this processor itself has no AVX2"
)
QEMU = shutil.which("qemu-x86_64") if platform.machine() == "x86_64" else None
KERNELS = [
    f"tests/batching/{name}.py"
    for name in ("loading/test_models", "test_native", "machine/test_probe", "routes/torch/test_linear")
]
emulated = [
    pytest.mark.slow,
    pytest.mark.skipif(QEMU is None, reason="no qemu-x86_64: on Debian, apt-get install qemu-user"),
]
EVERY_MODEL = """
import json, torch
from transformers import LlamaConfig, LlamaForCausalLM
from batching import Request, SamplingParams, generate
from batching.loading.models import load_causal_lm

torch.manual_seed(1)
config = LlamaConfig(vocab_size=97, hidden_size=64, intermediate_size=96, num_hidden_layers=2, num_attention_heads=4,
                     num_key_value_heads=2, initializer_range=0.1, bos_token_id=None, eos_token_id=None)
ids = torch.tensor([[5, 6, 7]])
ask = Request(prompt_token_ids=[5, 6, 7], sampling=SamplingParams(max_tokens=6))
report = {"capability": torch.backends.cpu.get_cpu_capability()}
for dtype, num_equal in (("float32", 6), ("bfloat16", 1)):  # roundings in bfloat16 differ, and later tokens with them
    model = LlamaForCausalLM(config).eval().to(getattr(torch, dtype))
    output = model.generate(input_ids=ids, attention_mask=ids > 0, max_new_tokens=6, do_sample=False, pad_token_id=0)
    for route in ("auto", "torch", "transformers"):
        runner = load_causal_lm(model, route=route)
        report[f"{dtype} {route}"] = runner.route
        tokens = list(generate(runner, [ask])[0].token_ids)
        assert tokens[:num_equal] == output[0, 3 : 3 + num_equal].tolist(), (dtype, route)
for kind in ("int8", "int4", "dynamic_int8"):
    report[kind] = load_causal_lm(model.float(), quantisation=kind, route="torch").num_bytes
report["bytes"] = load_causal_lm(model, route="torch").num_bytes
print(json.dumps(report))
"""
EVERY_IMPORT = """
import importlib, json, os, signal
ends = {}
rooms = "batching.loading.models", "documents.layout.load_detector", "documents.sandbox", "documents.exports", "lancedb"
for name in rooms:
    child = os.fork()
    if not child:
        importlib.import_module(name)
        os._exit(0)
    ends[name] = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(json.dumps(ends))
"""
ONE_PAGE = """
import sys, pymupdf
from documents.layout.doclayout.detector import Detector
from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.page.build_page import compose_page, draft_regions
from documents.values import Source

with pymupdf.open() as pdf:
    page = pdf.new_page()
    page.insert_text((60, 90), "The Evening Tide", fontsize=20, fontname="hebo")
    page.insert_text((60, 130), "The harbour master keeps the log of all ships.", fontsize=11)
    pdf.save(sys.argv[1])
file = PdfFile(Source(path=sys.argv[1], media_type="application/pdf"), RenderLimits())
detector = Detector("checkpoints/layout-compact")
inspection = file.inspect(1)
picture = file.picture(1, detector.image_size, None, None, 0)
(detections,) = detector.detect([picture], [(inspection.width, inspection.height)])
drafts = draft_regions(inspection, detections, crop_margin=detector.crop_margin)
print(*(region.text for region in compose_page(inspection, drafts, {}, {}).regions), sep="\\n")
"""


def run(command: list[str], **environment: str) -> str:
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "COV"))}
    ran = subprocess.run(command, cwd=ROOT, env=variables | environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, (ran.returncode, ran.stdout[-6000:], ran.stderr[-3000:])
    return ran.stdout


@with_avx2
def test_models_of_each_precision_run_with_avx2_alone() -> None:
    """None in bfloat16 was loaded: a product that oneDNN has from AVX-512 on was tried without being asked for."""
    report = json.loads(run([sys.executable, "-c", EVERY_MODEL], **AVX2_ALONE).splitlines()[-1])
    assert report["capability"] == "AVX2"
    assert report["bfloat16 torch"] == "torch"
    assert max(report["int8"], report["int4"], report["dynamic_int8"]) < report["bytes"] / 3, "it is quantised"


@with_avx2
@pytest.mark.slow
def test_the_batching_tests_pass_with_avx2_alone() -> None:
    """All of them; by emulation they would take hours."""
    run([*PYTEST, "tests/batching"], **AVX2_ALONE)


@pytest.mark.parametrize(("cpu", "has_avx"), [("Haswell-noTSX", True), ("Nehalem", False)])
class TestEmulated:
    """By qemu, which refuses what the processor has not got, in the code of every library."""

    pytestmark = emulated

    @pytest.fixture
    def python(self, cpu):
        return [QEMU, "-cpu", cpu, sys.executable]

    def test_models_of_each_precision_run(self, python, cpu, has_avx) -> None:
        """Where there is no AVX, by torch alone."""
        report = json.loads(run([*python, "-c", EVERY_MODEL]).splitlines()[-1])
        assert (report["capability"] == "AVX2") == has_avx
        assert report["float32 auto"] in ("native", "torch")
        assert (report["float32 auto"] == "native") <= has_avx

    def test_all_but_the_index_can_be_imported(self, python, cpu, has_avx) -> None:
        """LanceDB is compiled for AVX2, which docs/operations.md and `pagemill doctor` say."""
        ends = json.loads(run([*python, "-c", EVERY_IMPORT]).splitlines()[-1])
        assert ends.pop("lancedb") == (0 if has_avx else -signal.SIGILL)
        assert set(ends.values()) == {0}

    def test_a_page_is_read(self, python, cpu, has_avx, tmp_path) -> None:
        """Its picture, its regions by the compact detector, its text."""
        text = run([*python, "-c", ONE_PAGE, str(tmp_path / "page.pdf")])
        assert text.split("\n")[:2] == ["The Evening Tide", "The harbour master keeps the log of all ships."]

    def test_the_batching_tests_pass(self, python, cpu, has_avx) -> None:
        """Those of products, kernels and routes."""
        if not has_avx:
            pytest.skip("without AVX there is no native route, and what is left is in the tests above")
        run(
            [*python, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-m", "not slow and not gpu", *KERNELS]
        )
