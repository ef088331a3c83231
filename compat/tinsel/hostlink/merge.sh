#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the CMake targets named and merges their static libraries, and those that these use, into one archive in the
# build folder. OUT becomes a link to a file there that the linker reads as that archive and the system's libraries that
# its members need, whichever of them a program pulls in. Both keep their date when nothing changed.
# Usage: ROOT= BUILD= merge.sh OUT TARGET...
set -eu
out=$1
shift
libraries="polyloom_base polyloom_home polyloom_hostlink polyloom_host_client polyloom_block_shell polyloom_overlay_arch polyloom_overlay_isa polyloom_polite polyloom_pool"
if [ ! -e "$BUILD/build.ninja" ]; then
  mkdir -p "$BUILD"
  cmake -S "$ROOT" -B "$BUILD" -G Ninja >"$BUILD/configure.log" 2>&1 || { cat "$BUILD/configure.log" >&2; exit 1; }
fi
ninja -C "$BUILD" --quiet "$@" >"$BUILD/compat.log" 2>&1 || { cat "$BUILD/compat.log" >&2; exit 1; }
build=$(cd "$BUILD" && pwd)
objects=$build/hostlink_objects.a
archive=$build/hostlink.a
files=
newer=
if [ "$0" -nt "$objects" ]; then newer=yes; fi  # the list may have changed
for library in $libraries; do
  file=$(find "$BUILD" -name "lib$library.a" -print -quit)
  [ -n "$file" ] || continue
  files="$files $file"
  if [ ! -e "$objects" ] || [ "$file" -nt "$objects" ]; then newer=yes; fi
done
if [ -n "$newer" ]; then
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  {
    echo "CREATE $scratch/all.a"
    for file in $files; do echo "ADDLIB $file"; done
    printf 'SAVE\nEND\n'
  } | ar -M
  mv "$scratch/all.a" "$objects"
  rm -f "$archive"
  echo "INPUT(\"$objects\" AS_NEEDED(-lmetis -lz -lbz2 -llzma -lzstd -llz4 -lpthread))" >"$archive"
fi
if [ "$(readlink "$out" || true)" != "$archive" ]; then
  ln -sfn "$archive" "$out"
  touch "$archive"  # programs linked against another build's must link again
fi
