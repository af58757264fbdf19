#!/usr/bin/env bash
# What only the long tests need: the frameworks of the examples, PostgreSQL, Chromium, Tesseract, S3, qemu. Without these
# (and without root) their tests are skipped by name.
set -euo pipefail
cd "$(dirname "$0")/.."
.venv/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[examples]'
if ! command -v initdb >/dev/null && ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then
    if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
        apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y postgresql >/dev/null
    else
        echo "PostgreSQL is not installed; on Debian: apt-get install postgresql" >&2
    fi
fi
if ! command -v chromium >/dev/null; then
    if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
        apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
            chromium fonts-dejavu-core >/dev/null
    else
        echo "Chromium is not installed; on Debian: apt-get install chromium" >&2
    fi
fi
if ! command -v tesseract >/dev/null; then
    if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
        apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
            tesseract-ocr >/dev/null
    else
        echo "Tesseract is not installed; on Debian: apt-get install tesseract-ocr" >&2
    fi
fi
if ! command -v qemu-x86_64 >/dev/null; then  # plays other processors
    if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
        apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
            qemu-user >/dev/null
    else
        echo "qemu is not installed; on Debian: apt-get install qemu-user" >&2
    fi
fi
if [ ! -x .venv-docling/bin/python ]; then  # it asks for other versions than we do, so it has an environment of its own
    { .venv/bin/python -m venv .venv-docling &&
        .venv-docling/bin/python -m pip install --quiet --disable-pip-version-check \
            'docling-slim[service-client]==2.143.0' pytest==9.2.0 pytest-asyncio==1.5.0 pytest-check==3.0.3 \
            asgi-lifespan==2.1.0 websockets; } || {
        echo "docling's client could not be installed" >&2
        rm -rf .venv-docling
    }
fi
if [ ! -x .venv-open-webui/bin/python ]; then  # its loader alone: without the hundreds of packages of the program
    { .venv/bin/python -m venv .venv-open-webui &&
        .venv-open-webui/bin/python -m pip install --quiet --disable-pip-version-check langchain-core requests fastapi &&
        .venv-open-webui/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
            open-webui==0.12.4; } || {
        echo "Open WebUI's loader could not be installed" >&2
        rm -rf .venv-open-webui
    }
fi
if [ ! -x .venv-s3/bin/moto_server ]; then  # a server and its many packages: nothing of ours imports them
    # 5.2.1 answers the end of a multipart upload by an element of another name than S3 does
    { .venv/bin/python -m venv .venv-s3 &&
        .venv-s3/bin/python -m pip install --quiet --disable-pip-version-check 'moto[s3,server]==5.1.22'; } || {
        echo "moto could not be installed" >&2
        rm -rf .venv-s3
    }
fi
