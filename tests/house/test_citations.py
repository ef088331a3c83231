# SPDX-License-Identifier: Apache-2.0
# Covers: scripts/citations.py on small trees: what it finds of each kind, over the end of a line too, and what it lets
# pass; that the tree itself has no citation that leads nowhere. Leaves out: addresses outside of the tree.
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

sys.path.append(str(ROOT / "scripts"))
import citations

DESIGN = "# Design\n\n## 1. Words\n\n### 1.2 Short `words`, long [ones](x.md)\n\n```\n## 9. no heading\n```\n"


def found(root: Path, name: str, text: str) -> list[str]:
    """What is wrong in a file of a tree that has these pages."""
    for page, content in {
        "docs/design.md": DESIGN,
        "docs/sources/x.md": "# X\n\n## 3. Third\n",
        "a/README.md": "",
    }.items():
        (root / page).parent.mkdir(parents=True, exist_ok=True)
        (root / page).write_text(content)
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)
    return list(citations.problems(root, [name]))


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("a/b/c.h", "\n// See docs/none.md.", "a/b/c.h:2: there is no page docs/none.md"),
        ("a/b/c.h", "// b/README.md", "a/b/c.h:1: there is no page b/README.md"),
        ("a/c.py", "# docs/design.md, section 2.", "a/c.py:1: docs/design.md has no section 2"),
        ("a/c.sv", "// docs/design.md, section 9.", "a/c.sv:1: docs/design.md has no section 9"),
        ("a/c.h", "/// docs/sources/x.md,\n/// 3.1)", "a/c.h:1: docs/sources/x.md has no section 3.1"),
        ("a/c.h", "// docs/sources/x.md, 3 and 4.2:", "a/c.h:1: docs/sources/x.md has no section 4.2"),
        ("a/c.h", "// docs/sources/x.md, 3, 5; 7", "a/c.h:1: docs/sources/x.md has no section 5"),
        ("docs/p.md", "[d](design.md), section 1.1", "docs/p.md:1: design.md has no section 1.1"),
        ("docs/p.md", "# P\n\n[r](../b.txt)", "docs/p.md:3: the link to ../b.txt leads nowhere"),
        ("docs/p.md", "![r](figures/f.svg)", "docs/p.md:1: the link to figures/f.svg leads nowhere"),
        ("docs/p.md", "[d](design.md#2-words)", "docs/p.md:1: design.md has no heading for #2-words"),
        ("docs/p.md", "# P\n\n[p](#q)", "docs/p.md:3: p.md has no heading for #q"),
    ],
)
def test_what_leads_nowhere_is_named(tmp_path: Path, name: str, text: str, problem: str) -> None:
    assert found(tmp_path, name, text) == [problem]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a/b/c.h", "// docs/design.md, section 1, docs/design.md, section 1.2; docs/sources/x.md, 3, and 4 more"),
        ("a/b/c.h", "// docs/sources/x.md,\n// 3. NAME/README.md, docs/X.md, a/README.md; https://h.org/docs/none.md"),
        (
            "docs/p.md",
            "# P q\n\n[d](design.md#12-short-words-long-ones), section 1.2; [p](#p-q), [h](https://h.org/none)",
        ),
        ("docs/p.md", "```\n[d](none.md)\n```\n"),
        ("bench/results/r.md", "docs/none.md"),
        ("a/c.bin", "docs/design.md"),
    ],
)
def test_what_leads_somewhere_passes(tmp_path: Path, name: str, text: str) -> None:
    assert found(tmp_path, name, text) == []


def test_what_is_no_text_passes(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"docs/none.md \xff")
    assert list(citations.problems(tmp_path, ["a", "none"])) == []


def test_the_tree_has_none() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "citations.py"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
