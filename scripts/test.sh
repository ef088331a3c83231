#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the machine ready, then runs the tests (scripts/stages.py). Usage: scripts/test.sh BUILD_DIR JOBS [options of stages.py]
set -euo pipefail
cd "$(dirname "$0")/.."
begin=$SECONDS
scripts/setup.sh --tests
exec .venv/bin/python scripts/stages.py "$@" --setup $((SECONDS - begin))
