#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# House rules that a machine can check. Usage: scripts/lint.sh [--fix]
set -uo pipefail
cd "$(dirname "$0")/.."
fix=${1:-}
status=0
problem() { printf '%s\n' "$*" >&2; status=1; }

mapfile -t cpp < <(git ls-files '*.h' '*.cc' '*.cpp' '*.c')
mapfile -t sources < <(git ls-files '*.h' '*.cc' '*.cpp' '*.c' '*.S' '*.ld' '*.py' '*.sh' '*.cmake' '*.sv' '*CMakeLists.txt' Makefile)

if [ "$fix" = --fix ]; then
  clang-format -i "${cpp[@]}"
  .venv/bin/ruff format --quiet .
  .venv/bin/ruff check --fix --quiet .
fi
clang-format --dry-run -Werror "${cpp[@]}" || problem "lint: clang-format differs; run make format"
.venv/bin/python -m polyloom.rtl.lint ${fix:+"$fix"} || status=1
.venv/bin/ruff format --check --quiet . || problem "lint: ruff format differs; run make format"
.venv/bin/ruff check . || status=1
.venv/bin/mypy || status=1
for file in "${sources[@]}"; do
  head -5 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' || problem "$file: no SPDX line"
done
for file in $(git ls-files '*.h' '*.cc' '*.cpp' '*.c' '*.py' '*.sv'); do
  lines=$(wc -l <"$file")
  [ "$lines" -le 600 ] || problem "$file: $lines lines, at most 600"
done
[ "$status" -eq 0 ] && echo "lint: clean"
exit "$status"
