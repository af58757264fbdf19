#!/usr/bin/env bash
# `make test` from a fresh clone of HEAD on a bare machine (scripts/bare_machine.sh), twice: once as it is, and once with one
# core, by an ordinary user, without a locale, where it is already tomorrow.
#
# Rehearsed: that the README's second command is green without fonts, Tesseract, Chromium, PostgreSQL, compilers, headers, the
# packages of the examples, or anything in HOME; and that set-up needs none of them either, for it runs there, too.
# Not rehearsed: another instruction set (tests/test_processors.py), kernel, Python or distribution (the base system is this one's), a machine without
# network (set-up needs it), and a package that was taken off our lists: the clone's environment is kept in build/bare from
# rehearsal to rehearsal, because it is 7 GB, and set-up only adds to it. `rm -rf build/bare` begins anew.
set -euo pipefail
cd "$(dirname "$0")/.."
machine="$PWD/scripts/bare_machine.sh"
"$machine" true || { [ $? = 77 ] && exit 0; exit 1; }

folder="$PWD/build/bare"
mkdir -p "$folder"
rm -rf "$folder/new"
git clone --quiet --no-hardlinks . "$folder/new"
[ ! -d "$folder/pagemill/.venv" ] || mv "$folder/pagemill/.venv" "$folder/new/.venv"
rm -rf "$folder/pagemill"
mv "$folder/new" "$folder/pagemill"  # always the same place: the programs of an environment name theirs

cd "$folder/pagemill"
echo "the clone, on a bare machine:"
"$machine" make PYTHON="${PYTHON:-python3}" test
echo "the same with one core, an ordinary user, no locale, and another day:"
LC_ALL=C TZ=Pacific/Kiritimati "$machine" \
    unshare --user --map-user=1000 --map-group=1000 taskset --cpu-list "$(taskset -cp $$ | grep -oE '[0-9]+$')" make test
