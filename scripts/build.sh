#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configures (once) and builds. Usage: scripts/build.sh BUILD_DIR JOBS [cmake options]
set -euo pipefail
cd "$(dirname "$0")/.."
dir=$1 jobs=$2
shift 2
mkdir -p "$dir"
if [ ! -e "$dir/build.ninja" ] || (($# > 0)); then
  printf 'build: configuring %s\n' "$dir"
  cmake -S . -B "$dir" -G Ninja "$@" >"$dir/configure.log" 2>&1 ||
    { cat "$dir/configure.log" >&2; exit 1; }
fi
printf 'build: compiling into %s with %s jobs\n' "$dir" "$jobs"
if [ -t 1 ]; then
  ninja -C "$dir" -j "$jobs"
else
  ninja -C "$dir" -j "$jobs" --quiet
fi
