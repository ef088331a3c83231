#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configures (once for each kind of target) and builds. Usage: scripts/build.sh BUILD_DIR JOBS "TARGET..." [cmake options]
# Targets: all, polyloom_programs (what the polyloom command runs), polyloom_demo, polyloom_bench, files; none: configure alone.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=$1 jobs=$2 targets=$3
shift 3
mkdir -p "$dir"
# What CMake looks for may have been installed since it configured for a smaller target.
case "$targets" in polyloom_*) kind=$targets ;; *) kind=all ;; esac
configured="$dir/.configured-$kind"
if [ ! -e "$dir/build.ninja" ] || [ ! -e "$configured" ] || (($# > 0)); then
  printf 'build: configuring %s\n' "$dir"
  cmake -S . -B "$dir" -G Ninja "$@" >"$dir/configure.log" 2>&1 ||
    { cat "$dir/configure.log" >&2; exit 1; }
  touch "$configured"
fi
[ -n "$targets" ] || exit 0
printf 'build: compiling into %s with %s jobs\n' "$dir" "$jobs"
export NINJA_STATUS='[%p, %f of %t steps, %e s] '
# shellcheck disable=SC2086  # several targets
if [ -t 1 ]; then
  ninja -C "$dir" -j "$jobs" $targets
else
  ninja -C "$dir" -j "$jobs" $targets | python3 scripts/progress.py build
fi
