#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the CMake targets named and merges their static libraries, and those that these use, into one archive in the
# build folder, which keeps its date when nothing changed. OUT becomes a link to it. Usage: ROOT= BUILD= merge.sh OUT TARGET...
set -eu
out=$1
shift
libraries="polyloom_base polyloom_hostlink polyloom_host_client polyloom_block_shell polyloom_overlay_isa polyloom_polite polyloom_polite_native"
if [ ! -e "$BUILD/build.ninja" ]; then
  mkdir -p "$BUILD"
  cmake -S "$ROOT" -B "$BUILD" -G Ninja >"$BUILD/configure.log" 2>&1 || { cat "$BUILD/configure.log" >&2; exit 1; }
fi
ninja -C "$BUILD" --quiet "$@" >"$BUILD/compat.log" 2>&1 || { cat "$BUILD/compat.log" >&2; exit 1; }
archive=$(cd "$BUILD" && pwd)/hostlink.a
files=
newer=
for library in $libraries; do
  file=$(find "$BUILD" -name "lib$library.a" -print -quit)
  [ -n "$file" ] || continue
  files="$files $file"
  if [ ! -e "$archive" ] || [ "$file" -nt "$archive" ]; then newer=yes; fi
done
if [ -n "$newer" ]; then
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  {
    echo "CREATE $scratch/all.a"
    for file in $files; do echo "ADDLIB $file"; done
    printf 'SAVE\nEND\n'
  } | ar -M
  mv "$scratch/all.a" "$archive"
fi
if [ "$(readlink "$out" || true)" != "$archive" ]; then
  ln -sfn "$archive" "$out"
  touch "$archive"  # programs linked against another build's must link again
fi
