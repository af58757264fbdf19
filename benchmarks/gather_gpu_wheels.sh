#!/usr/bin/env bash
# What the layout steps of GPU.md need beyond a GPU machine's own packages, as wheels of about 4 MB that travel with the tree.
# They are for its Python 3.12 on x86-64, not for this machine's. None of them needs a compiler or a network there.
set -euo pipefail
cd "$(dirname "$0")/.."
folder="${1:-.gpu-wheels}"
mkdir -p "$folder"
rm -f "$folder"/*.whl
platforms=()
for glibc in 17 24 27 28; do platforms+=(--platform "manylinux_2_${glibc}_x86_64"); done
"${PYTHON:-python3}" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: \
    --python-version 3.12 --implementation cp --platform manylinux2014_x86_64 "${platforms[@]}" \
    -c constraints.txt --dest "$folder" \
    doclayout-yolo pydantic pydantic-core annotated-types typing-extensions typing-inspection
du -sh "$folder"
