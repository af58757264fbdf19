#!/usr/bin/env bash
# The queue of GPU.md, with the Python at hand and nothing to be installed: gpu_queue.sh OUT [--step N] [--minutes M] [--rehearse]
# Wheels that gather_gpu_wheels.sh put in .gpu-wheels are unpacked for its time; WHEELS names another folder.
set -uo pipefail
out="${1:?usage: gpu_queue.sh OUT [--step N ...] [--minutes M] [--rehearse]}"
[[ "$out" == -* ]] || out="$(realpath -m -- "$out")"
shift
cd "$(dirname "$0")/.."
python="${PYTHON:-python3}"
site="$(mktemp -d)"
trap 'rm -rf "$site"' EXIT
for wheel in "${WHEELS:-.gpu-wheels}"/*.whl; do
    [ -e "$wheel" ] && { "$python" -m zipfile -e "$wheel" "$site" || echo "not unpacked: $wheel" >&2; }
done
PYTHONPATH="$site${PYTHONPATH:+:$PYTHONPATH}" "$python" -m benchmarks.gpu_queue "$out" "$@"
