# SPDX-License-Identifier: Apache-2.0
"""What a release consists of, in dist/: the wheel, the sources and the manual, with their checksums.

Usage: release.py [--check]

Input: a tree with nothing that is not committed, whose version (polyloom/__init__.py) is the latest one in
CHANGELOG.md; what make docs has built into build/site. Output: polyloom-VERSION-*.whl, polyloom-VERSION.tar.gz (what
git has), polyloom-VERSION-docs.tar.gz, SHA256SUMS. --check only says whether a release can be made. Needs no package
itself.
"""

from __future__ import annotations

import argparse
import datetime
import gzip
import hashlib
import io
import re
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
SITE = ROOT / "build" / "site"


class Refused(Exception):
    """Why there is no release, in a line."""


def git(*words: str) -> bytes:
    """Output of git in this tree."""
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True).stdout


def version() -> str:
    """Of the package."""
    found = re.search(r'^__version__ = "(.+)"$', (ROOT / "polyloom" / "__init__.py").read_text(), re.MULTILINE)
    if not found:
        raise Refused('polyloom/__init__.py has no line __version__ = "..."')
    return found[1]


def check_changelog(text: str, number: str) -> None:
    """Refuse a changelog whose latest version is another one, has no date, or has changes above it."""
    unreleased = re.search(r"^## \[Unreleased\]\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if unreleased and re.search(r"^- ", unreleased[1], re.MULTILINE):
        raise Refused("CHANGELOG.md has changes under Unreleased; give them a version")
    found = re.search(r"^## \[(?!Unreleased)(.+?)\](?: - (\S+))?$", text, re.MULTILINE)
    if not found or found[1] != number:
        latest = found[1] if found else "none"
        raise Refused(f"polyloom/__init__.py says {number}, the latest version in CHANGELOG.md is {latest}")
    try:
        datetime.date.fromisoformat(found[2] or "")
    except ValueError:
        raise Refused(f"CHANGELOG.md: [{number}] has no date; write ## [{number}] - YYYY-MM-DD") from None


def check() -> str:
    """The version that can be released."""
    dirty = [line[3:] for line in git("status", "--porcelain").decode().splitlines()]
    if dirty:
        names = ", ".join(dirty[:3]) + (f" and {len(dirty) - 3} more" if len(dirty) > 3 else "")
        raise Refused(f"the tree differs from its last commit: {names}; commit or remove that first")
    number = version()
    check_changelog((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), number)
    return number


def archive(path: Path, folder: Path, prefix: str, when: int) -> None:
    """Files of a folder, the same bytes for the same files."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for file in sorted(file for file in folder.rglob("*") if file.is_file()):
            entry = tarfile.TarInfo(f"{prefix}/{file.relative_to(folder).as_posix()}")
            data = file.read_bytes()
            entry.size, entry.mtime, entry.mode = len(data), when, 0o644
            tar.addfile(entry, io.BytesIO(data))
    path.write_bytes(gzip.compress(packed.getvalue(), mtime=when))


def release(number: str) -> list[Path]:
    """Make all files; their paths."""
    if not (SITE / "index.html").is_file():
        raise Refused("build/site is not there; run make docs")
    DIST.mkdir(exist_ok=True)
    for old in [*DIST.glob("polyloom-*"), DIST / "SHA256SUMS"]:
        old.unlink(missing_ok=True)
    when = int(git("log", "-1", "--format=%ct"))
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--wheel-dir", DIST, ROOT], check=True)
    sources = DIST / f"polyloom-{number}.tar.gz"
    tar = git("archive", "--format=tar", f"--prefix=polyloom-{number}/", "HEAD")
    sources.write_bytes(gzip.compress(tar, mtime=when))
    manual = DIST / f"polyloom-{number}-docs.tar.gz"
    archive(manual, SITE, f"polyloom-{number}-docs", when)
    made = [*DIST.glob(f"polyloom-{number}-*.whl"), sources, manual]
    if len(made) != 3:
        raise Refused(f"dist/ has {len(made) - 2} wheels of version {number} instead of one")
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in made]
    (DIST / "SHA256SUMS").write_text("".join(sums))
    return made


def main() -> int:
    """Check or make; the exit status."""
    parser = argparse.ArgumentParser(description="Makes the files of a release, or says why there can be none.")
    parser.add_argument("--check", action="store_true", help="only say whether a release can be made")
    arguments = parser.parse_args()
    try:
        number = check()
        for path in [] if arguments.check else release(number):
            print(f"release: {path.relative_to(ROOT)}, {path.stat().st_size / 1e6:.1f} MB")
    except Refused as reason:
        print(f"release: {reason}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
