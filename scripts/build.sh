#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configures (once for each target) and builds. Usage: scripts/build.sh BUILD_DIR JOBS TARGET [cmake options]
# Targets: all, polyloom_programs (what the polyloom command runs), polyloom_demo, polyloom_bench.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=$1 jobs=$2 target=$3
shift 3
mkdir -p "$dir"
# What CMake looks for may have been installed since it configured for a smaller target.
configured="$dir/.configured-$target"
if [ ! -e "$dir/build.ninja" ] || [ ! -e "$configured" ] || (($# > 0)); then
  printf 'build: configuring %s\n' "$dir"
  cmake -S . -B "$dir" -G Ninja "$@" >"$dir/configure.log" 2>&1 ||
    { cat "$dir/configure.log" >&2; exit 1; }
  touch "$configured"
fi
printf 'build: compiling into %s with %s jobs\n' "$dir" "$jobs"
export NINJA_STATUS='[%p, %f of %t steps, %e s] '
if [ -t 1 ]; then
  ninja -C "$dir" -j "$jobs" "$target"
else
  ninja -C "$dir" -j "$jobs" "$target" | python3 scripts/progress.py build
fi
