# SPDX-License-Identifier: Apache-2.0
# Covers: make release refuses what is not committed, a version without its entry in CHANGELOG.md, an entry without a
# date, changes under Unreleased, each in one line; this tree's version has its entry; archives are the same twice.
# Leaves out: the wheel itself (test_installed.py) and the site (make docs).
from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from conftest import ROOT

from polyloom import __version__

sys.path.append(str(ROOT / "scripts"))
import release

GOOD = "# Changelog\n\n## [1.2.3] - 2026-11-27\n\n### Added\n\n- Something.\n\n## [1.2.2] - 2026-10-01\n"


def git(tree: Path, *words: str) -> None:
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
    subprocess.run(["git", *identity, *words], cwd=tree, check=True, capture_output=True)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "scripts").mkdir()
    (tmp_path / "polyloom").mkdir()
    shutil.copy(ROOT / "scripts" / "release.py", tmp_path / "scripts")
    (tmp_path / "polyloom" / "__init__.py").write_text('__version__ = "1.2.3"\n')
    (tmp_path / "CHANGELOG.md").write_text(GOOD)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "all")
    return tmp_path


def check(tree: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-B", tree / "scripts" / "release.py", "--check"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_clean_tree_whose_version_is_the_latest_can_be_released(tree: Path) -> None:
    done = check(tree)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("name", ["CHANGELOG.md", "new.txt"])
def test_what_is_not_committed_is_refused(tree: Path, name: str) -> None:
    (tree / name).write_text("more\n")
    done = check(tree)
    assert done.returncode == 1
    assert done.stderr == (f"release: the tree differs from its last commit: {name}; commit or remove that first\n")


@pytest.mark.parametrize(
    ("changelog", "says"),
    [
        (GOOD.replace("[1.2.3]", "[1.2.4]"), "__init__.py says 1.2.3, the latest version in CHANGELOG.md is 1.2.4"),
        ("# Changelog\n", "the latest version in CHANGELOG.md is none"),
        (GOOD.replace(" - 2026-11-27", ""), "[1.2.3] has no date"),
        (GOOD.replace("2026-11-27", "soon"), "[1.2.3] has no date"),
        (GOOD.replace("## [1.2.3]", "## [Unreleased]\n\n- More.\n\n## [1.2.3]"), "has changes under Unreleased"),
    ],
)
def test_a_version_without_its_entry_is_refused(tree: Path, changelog: str, says: str) -> None:
    (tree / "CHANGELOG.md").write_text(changelog)
    git(tree, "commit", "--quiet", "--all", "--message", "changelog")
    done = check(tree)
    assert done.returncode == 1
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


def test_an_empty_section_of_what_is_not_released_may_stay() -> None:
    release.check_changelog(GOOD.replace("## [1.2.3]", "## [Unreleased]\n\n## [1.2.3]"), "1.2.3")


def test_this_version_is_in_the_changelog() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\n## [{__version__}] - " in text or "\n## [Unreleased]\n" in text


def test_archives_are_the_same_twice(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "a").mkdir(parents=True)
    (site / "a" / "page.html").write_text("page")
    (site / "index.html").write_text("index")
    paths = [tmp_path / "one.tar.gz", tmp_path / "two.tar.gz"]
    for path in paths:
        release.archive(path, site, "manual", 1_700_000_000)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    with tarfile.open(paths[0]) as tar:
        assert tar.getnames() == ["manual/a/page.html", "manual/index.html"]
