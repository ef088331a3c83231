#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the CMake targets named and merges their static libraries, and those that these use, into one archive, which
# keeps its date when nothing changed. Usage: ROOT=... BUILD=... merge.sh OUT TARGET...
set -eu
out=$1
shift
libraries="polyloom_hostlink polyloom_host_client polyloom_block_shell polyloom_overlay_isa polyloom_polite polyloom_polite_native"
if [ ! -e "$BUILD/build.ninja" ]; then
  mkdir -p "$BUILD"
  cmake -S "$ROOT" -B "$BUILD" -G Ninja >"$BUILD/configure.log" 2>&1 || { cat "$BUILD/configure.log" >&2; exit 1; }
fi
ninja -C "$BUILD" --quiet "$@" >"$BUILD/compat.log" 2>&1 || { cat "$BUILD/compat.log" >&2; exit 1; }
files=
newer=
for library in $libraries; do
  file=$(find "$BUILD" -name "lib$library.a" -print -quit)
  [ -n "$file" ] || continue
  files="$files $file"
  if [ ! -e "$out" ] || [ "$file" -nt "$out" ]; then newer=yes; fi
done
[ -n "$newer" ] || exit 0
here=$(pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
{
  echo "CREATE $scratch/all.a"
  for file in $files; do echo "ADDLIB $file"; done
  printf 'SAVE\nEND\n'
} | ar -M
mv "$scratch/all.a" "$here/$out"
