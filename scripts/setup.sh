#!/usr/bin/env bash
# The virtual environment of the project: exact versions from constraints.txt, the project itself in place.
set -euo pipefail
cd "$(dirname "$0")/.."
python="${1:-python3}"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "Pagemill needs Python 3.11 or newer; name one with make PYTHON=..." >&2
    exit 1
}
[ -x .venv/bin/python ] || "$python" -m venv .venv || {
    echo "cannot make a virtual environment; on Debian: apt-get install python3-venv" >&2
    exit 1
}
.venv/bin/python -m pip --version >/dev/null 2>&1 || .venv/bin/python -m ensurepip --upgrade >/dev/null
log=.venv/setup.log
# pip's noise goes to the log; of it a person sees what is being fetched, and its end where something fails
install() {
    .venv/bin/python -m pip install --disable-pip-version-check --progress-bar off -c constraints.txt "$@" >>"$log" 2>&1 || {
        tail -n 20 "$log" >&2
        echo "the packages could not be installed; all of it: $log" >&2
        exit 1
    }
}
: >"$log"
if [ "${TORCH:-}" = cpu ]; then
    [ -n "${TORCH_INDEX:-}" ] || {
        echo "TORCH=cpu needs TORCH_INDEX=URL, an index with wheels of torch without CUDA" >&2
        exit 1
    }
    echo "installing torch without CUDA"
    install --index-url "$TORCH_INDEX" torch torchvision
fi
echo "installing packages (a few minutes the first time; progress: $log)"
install -e '.[benchmarks,minilm,postgres,test]'
# opencv needs libGL only in its desktop build; both builds are named by our dependencies' wheels
if ! .venv/bin/python -c 'import cv2' >/dev/null 2>&1; then
    if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
        apt-get update -qq && apt-get install -qq -y libgl1 libglib2.0-0 >/dev/null
    else
        echo "OpenCV does not load; on Debian: apt-get install libgl1 libglib2.0-0" >&2
        exit 1
    fi
fi
echo "building the decoder in C++, where there is a compiler"
# the decoder in C++, where there is a compiler; without it models run by torch alone
.venv/bin/python -m batching.native
# a plain `serve run serve_config.yaml` in this environment sends no usage statistics either, and has our part of the proxy
site="$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
cat > "$site/pagemill_serve.pth" <<'PTH'
import os; os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
import os; os.environ.setdefault("RAY_SERVE_HTTP_PROXY_CALLBACK_IMPORT_PATH", "deployments.ingress.serve_proxy.proxy:middlewares")
PTH
rm -f "$site/pagemill_quiet.pth"
