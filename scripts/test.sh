#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the house rules, runs the C++ tests, then the Python and end-to-end ones. Usage: scripts/test.sh BUILD_DIR [--full]
set -euo pipefail
cd "$(dirname "$0")/.."
dir=$1
full=${2:-}
[ "$full" = --full ] && export POLYLOOM_TEST_FULL=1 PYTEST_TIMEOUT=7200
scripts/lint.sh
ctest --test-dir "$dir" --output-on-failure -j "$(nproc)"
# Tests of one file share what they build, so a file stays with one worker.
.venv/bin/python -m pytest -n "$(nproc)" --dist loadfile
