#!/usr/bin/env bash
# The queue of GPU.md on the CPU with small sizes, in an environment like a GPU machine's: Python 3.12, torch 2.11,
# transformers 5.17, Triton 3.6 and what else is installed there; none of what Pagemill asks for beyond that, and no network.
# Fails where a step fails. usage: rehearse_gpu_queue.sh [OUT]; REHEARSAL_VENV (default .venv-gpu, 6 GB) is kept between runs,
# PYTHON312 names a Python 3.12. Ends with 77 where the environment cannot be made.
set -euo pipefail
cd "$(dirname "$0")/.."
out="${1:-$(mktemp -d)}"
venv="${REHEARSAL_VENV:-.venv-gpu}"
absent=(ray doclayout_yolo pymupdf pydantic pydantic_core fastapi starlette lancedb sqlalchemy albumentations)

python312() {
    local each
    for each in "${PYTHON312:-}" python3.12 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.12.*/bin/python; do
        if [ -n "$each" ] && "$each" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 12))' 2>/dev/null; then
            echo "$each"
            return
        fi
    done
    echo "no Python 3.12 here: rehearsed with $("${PYTHON:-python3}" -V), the other versions are the same" >&2
    echo "${PYTHON:-python3}"
}

make_environment() {
    "$(python312)" -m venv "$venv" &&
        "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
            'torch==2.11.*' 'torchvision==0.26.*' 'transformers==5.17.*' 'triton==3.6.*' 'numpy==2.5.*' safetensors pillow \
            scipy opencv-python-headless fonttools matplotlib pandas seaborn psutil py-cpuinfo requests pyyaml tqdm \
            pytest pytest-xdist hypothesis &&
        "$venv/bin/python" -m pip uninstall --quiet --yes pydantic pydantic-core &&  # typer brings it, a GPU machine lacks it
        touch "$venv/.ready"
}

if [ ! -e "$venv/.ready" ]; then
    echo "making $venv (3 GB are fetched the first time)"
    make_environment || {
        rm -rf "$venv"
        echo "the rehearsal's environment could not be made" >&2
        exit 77
    }
fi
for module in "${absent[@]}"; do
    if "$venv/bin/python" -c "import $module" 2>/dev/null; then
        echo "$module is installed in $venv, on a GPU machine it is not" >&2
        exit 1
    fi
done
cut_off=()
if unshare --net true 2>/dev/null; then cut_off=(unshare --net); else echo "with network: unshare is not allowed here"; fi

export PYTHON="$venv/bin/python" OMP_NUM_THREADS=1
WHEELS=/nonexistent "${cut_off[@]}" bash benchmarks/gpu_queue.sh "$out/bare" --rehearse
wheels="$(mktemp -d)"
trap 'rm -rf "$wheels"' EXIT
bash benchmarks/gather_gpu_wheels.sh "$wheels"
WHEELS="$wheels" "${cut_off[@]}" bash benchmarks/gpu_queue.sh "$out/with_wheels" --rehearse --step 2 --step 4 --step 13 --step 16-17
"$PYTHON" - "$out" <<'PYTHON'
import json, pathlib, sys

bare, with_wheels = (json.loads((pathlib.Path(sys.argv[1]) / each / "queue.json").read_text()) for each in ("bare", "with_wheels"))
skipped = [each["name"] for each in bare if each["state"] == "skipped"]
assert skipped == ["layout_tests", "object_detectors", "layout", "structure"], f"skipped without wheels: {skipped}"
assert all(each["state"] == "passed" for each in with_wheels), with_wheels
PYTHON
echo "gpu queue rehearsed: $out"
