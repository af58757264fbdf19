#!/usr/bin/env bash
# Runs a command as on a machine that has what the README asks for and no more: scripts/bare_machine.sh COMMAND ...
#
# In a mount namespace of its own, programs, fonts and headers that set-up does not install are taken out of their folders,
# HOME is a new empty folder, and of the environment only what finds programs and packages is left. Nothing outside of the
# namespace changes. Ends with 77, saying why, where the system allows no such namespace; with 78 where something that
# should be hidden is still there.
set -euo pipefail

PROGRAMS="tesseract chromium chromium-browser google-chrome firefox fc-list fc-match soffice libreoffice gs mutool pdftoppm
    pdftotext convert magick inkscape dot latex pdflatex psql initdb pg_ctl postgres redis-server minio moto_server
    gcc g++ cc c++ c89 c99 cpp clang clang++ tcc ld as nvcc ptxas rustc cargo go java node npm npx docker git curl wget"
PATTERNS="*-linux-gnu-gcc* *-linux-gnu-g++* *-linux-gnu-cpp* *-linux-gnu-ld* *-linux-gnu-as gcc-* g++-* cpp-* clang-* clang++-*"
FOLDERS="/usr/share/fonts /usr/local/share/fonts /usr/share/texmf /usr/share/texlive /usr/share/dict /usr/share/doc
    /usr/share/tesseract-ocr /usr/lib/postgresql /usr/lib/gcc /usr/include /usr/local/include /usr/local/cuda"
HEADERS="$("${PYTHON:-python3}" -c 'import sysconfig; print(sysconfig.get_path("include"))' || true)"  # of the Python at hand

hide() {  # folders are emptied; of a folder of programs only the named ones go
    local folder name
    mount -t tmpfs bare "$work"
    mkdir "$work/home"
    for folder in $FOLDERS "$HEADERS"; do
        [ ! -d "$folder" ] || mount -t tmpfs bare "$folder"
    done
    for folder in $(tr ':' '\n' <<<"$PATH" | xargs -r realpath -q | sort -u); do
        [ -n "$(named_in "$folder")" ] || continue
        name="$work/$(tr / _ <<<"$folder")"
        mkdir "$name" "$name.work"
        mount -t overlay bare -o "lowerdir=$folder,upperdir=$name,workdir=$name.work" "$folder"
        named_in "$folder" | xargs -d '\n' rm -f
    done
}

named_in() {  # the files of a folder that are to be hidden
    local tests=() name
    set -f
    for name in $PROGRAMS $PATTERNS; do
        tests+=(-o -name "$name")
    done
    set +f
    find "$1" -maxdepth 1 ! -type d \( "${tests[@]:1}" \)
}

check() {  # what is still there would make the rehearsal worthless
    local each
    for each in $PROGRAMS; do
        if command -v "$each" >/dev/null; then
            echo "not hidden: $(command -v "$each")" >&2
            exit 78
        fi
    done
    if [ -f "$HEADERS/Python.h" ]; then
        echo "not hidden: $HEADERS/Python.h" >&2
        exit 78
    fi
    for each in $FOLDERS; do
        if [ -n "$(ls -A "$each" 2>/dev/null)" ]; then
            echo "not hidden: $each" >&2
            exit 78
        fi
    done
}

if [ "${1:-}" != --inside ]; then
    [ "$(id -u)" = 0 ] && own=() || own=(--map-root-user)
    work="$(mktemp -d)"
    trap 'rmdir "$work"' EXIT
    probe='mount -t tmpfs bare "$1" && mkdir "$1/u" "$1/w" &&
        mount -t overlay bare -o "lowerdir=/usr/bin,upperdir=$1/u,workdir=$1/w" /usr/bin'
    if ! reason="$(unshare "${own[@]}" --mount bash -c "$probe" probe "$work" 2>&1)"; then
        echo "skipped: no namespace in which a bare machine could be shown: $reason" >&2
        exit 77
    fi
    unshare "${own[@]}" --mount "$0" --inside "$work" "$@"
    exit
fi

work="$2"
shift 2
hide
hash -r
check
kept=()
while IFS= read -r each; do
    kept+=("$each=${!each}")
done < <(compgen -e | grep -E '^(PATH|TERM|PYTHON|LC_ALL|TZ|TMPDIR|PIP_.*|(https?|no|all)_proxy|(HTTPS?|NO|ALL)_PROXY|SSL_CERT_.*)$')
env -i "${kept[@]}" HOME="$work/home" "$@"
