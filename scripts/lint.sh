#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# House rules that a machine can check, of all files or of some. Usage: scripts/lint.sh [--fix] [FILE or FOLDER...]
set -uo pipefail
cd "$(dirname "$0")/.."
fix=
[ "${1:-}" = --fix ] && { fix=--fix; shift; }
status=0 types=
problem() { printf '%s\n' "$*" >&2; status=1; }

cpp=() python=() sources=() bounded=()
while IFS= read -r -d '' file; do
  [ -f "$file" ] || continue
  case "$file" in
    *.h | *.cc | *.cpp | *.c) cpp+=("$file") bounded+=("$file") sources+=("$file") ;;
    *.py) python+=("$file") bounded+=("$file") sources+=("$file") ;;
    *.sv) bounded+=("$file") sources+=("$file") ;;
    *.S | *.ld | *.sh | *.cmake | *CMakeLists.txt | *Makefile) sources+=("$file") ;;
  esac
done < <(git ls-files -z -- "$@")

if ((${#cpp[@]})); then
  [ -z "$fix" ] || clang-format -i "${cpp[@]}"
  printf '%s\0' "${cpp[@]}" | xargs -0 -n 40 -P "$(nproc)" clang-format --dry-run -Werror ||
    problem "lint: clang-format differs; run make format"
fi
if ((${#python[@]})); then
  [ -z "$fix" ] || { .venv/bin/ruff format --quiet "${python[@]}"; .venv/bin/ruff check --fix --quiet "${python[@]}"; }
  .venv/bin/ruff format --check --quiet "${python[@]}" || problem "lint: ruff format differs; run make format"
  .venv/bin/ruff check --quiet "${python[@]}" || status=1
  .venv/bin/mypy --no-error-summary &  # beside what reads the RTL
  types=$!
fi
.venv/bin/python -m polyloom.rtl.lint ${fix:+"$fix"} "$@" || status=1
if ((${#sources[@]})); then
  awk 'FNR == 1 { if (last != "" && !seen) print last; last = FILENAME; seen = 0 }
       FNR <= 5 && /SPDX-License-Identifier: Apache-2.0/ { seen = 1 }
       FNR == 5 { nextfile }
       END { if (last != "" && !seen) print last }' "${sources[@]}" | sed 's/$/: no SPDX line/' | { ! grep . >&2; } || status=1
fi
if ((${#bounded[@]})); then
  awk 'FNR == 601 { print FILENAME ": more than 600 lines"; nextfile }' "${bounded[@]}" | { ! grep . >&2; } || status=1
fi
.venv/bin/python -B scripts/arrows.py || status=1
.venv/bin/python -B scripts/citations.py || status=1
.venv/bin/python -B scripts/words.py || status=1
.venv/bin/python -B -m spec --check || status=1
.venv/bin/python roles/overlay/arch/records/records.py --check || status=1
.venv/bin/python roles/mpi/sim/mpe/program.py --check || status=1
# Of results: what they measured can be looked up (where all of the history is there).
if [ "$(git rev-parse --is-shallow-repository)" = false ]; then
  while IFS=: read -r file commit; do
    git merge-base --is-ancestor "$commit" HEAD 2>/dev/null || problem "$file: measured at $commit, which is no commit here"
  done < <(git grep -oE '"commit": *"[0-9a-f]+"' -- 'bench/results/*.json' | sed -E 's/"commit": *"([0-9a-f]+)"/\1/' | sort -u)
fi
[ -z "$types" ] || wait "$types" || status=1
[ "$status" -eq 0 ] && echo "lint: clean"
exit "$status"
