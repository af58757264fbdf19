#!/usr/bin/env bash
# A Python with the libraries whose tables are compared with ours: `bash benchmarks/peers/table_peers.sh [FOLDER]`, by default
# build/peers, which git ignores; then `python -m benchmarks.tables ... --peers build/peers/bin/python`.
set -euo pipefail
folder="${1:-build/peers}"
"${PYTHON:-python3}" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet camelot-py==2.0.0 pymupdf==2.0 pymupdf4llm==2.0 pymupdf-layout==2.0 onnxruntime
