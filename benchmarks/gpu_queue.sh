#!/usr/bin/env bash
# The queue of GPU.md in order; a step that fails is said and the next one goes on.
set -uo pipefail
cd "$(dirname "$0")/.."
out="${1:?usage: gpu_queue.sh RESULTS_FOLDER [MINUTES]}"
minutes="${2:-0}"
python="${PYTHON:-python3}"
mkdir -p "$out"
failed=0
step() { echo "== $*"; "$@" || { failed=1; echo "-- failed: $*"; }; }
step "$python" -m benchmarks.gpu_check --json "$out/gpu_check.json"
step "$python" -m pytest -q -m gpu tests/batching
step "$python" -m benchmarks.roofline --quick --json "$out/roofline_quick.json"
step "$python" -m benchmarks.roofline --json "$out/roofline.json"
for route in safe graphs; do
    gpu=(--device cuda --dtype bfloat16 --route "$route")
    step "$python" -m benchmarks.batching_modes "${gpu[@]}" --json "$out/batching_modes_$route.json"
    step "$python" -m benchmarks.engine_peers "${gpu[@]}" --json "$out/engine_peers_$route.json"
done
step "$python" -m benchmarks.engine_peers --device cuda --quick --json "$out/engine_peers_float32.json"
if [ "$minutes" != 0 ]; then
    tune=(--rate 0.3 --minutes "$minutes" --device cuda)
    step "$python" -m training.ocr.train "$out/ocr" --from checkpoints/ocr-compact "${tune[@]}"
    step "$python" -m training.layout.train "$out/layout" --from checkpoints/layout-compact "${tune[@]}"
fi
exit "$failed"
