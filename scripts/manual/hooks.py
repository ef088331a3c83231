# SPDX-License-Identifier: Apache-2.0
"""What mkdocs.yml adds to docs/ while the site is built: the API, all benches, and the README of each folder.

Input: the sources of this checkout; output: pages below reference/python, reference/cpp and folders,
results/benches.md, with their entries of the navigation, and links from docs/ to files outside of it that lead to
these pages.
"""

from __future__ import annotations

import posixpath
import re
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).resolve().parent))
import benches
import headers

ROOT = Path(__file__).resolve().parents[2]
PYTHON = tuple(f"polyloom.{name}" for name in ("mpi", "collectives", "nbody", "graphs", "pynn", "testing"))
#: Folders whose README files are pages.
FOLDERS = (
    "apps",
    "bench",
    "blocks",
    "clusters",
    "compat",
    "fabric",
    "nbody",
    "polite",
    "polyloom",
    "roles",
    "sim",
    "spec",
)
SHIM = "https://unpkg.com/iframe-worker/shim"
WORKER = "assets/frame_worker.js"
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)#\s]*)(#[^)\s]*)?\)")
FENCE = re.compile(r"(^```.*?^```$|`[^`\n]+`(?!\]))", re.MULTILINE | re.DOTALL)


def _readmes() -> dict[str, Path]:
    """README files by the page that shows each."""
    found = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("README.md"))
    return {f"folders/{path.parent.relative_to(ROOT).as_posix()}.md": path for path in found}


READMES = _readmes()


def _section(config: MkDocsConfig, *names: str) -> list[object]:
    """The list of the navigation's section of that name, below the others."""
    entries = config.nav
    for name in names:
        entries = next(entry[name] for entry in entries if isinstance(entry, dict) and name in entry)
    assert isinstance(entries, list)
    return entries


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add the pages that are made here to the navigation."""
    _section(config, "Reference", "Python").extend({name: _python_page(name)} for name in PYTHON)
    _section(config, "Reference", "C and C++").extend({h.title: h.page} for h in headers.HEADERS)
    by_folder: dict[str, list[object]] = {}
    for page in READMES:
        path = page.removeprefix("folders/").removesuffix(".md")
        by_folder.setdefault(path.split("/")[0], []).append({path: page})
    _section(config, "Inside").extend(
        pages[0] if len(pages) == 1 else {folder: pages} for folder, pages in sorted(by_folder.items())
    )
    return config


def _python_page(name: str) -> str:
    return f"reference/python/{name.removeprefix('polyloom.')}.md"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages themselves."""
    for name in PYTHON:
        text = f"# {name}\n\n::: {name}\n"
        files.append(File.generated(config, _python_page(name), content=text))
    files.append(File.generated(config, "results/benches.md", content=benches.page(ROOT)))
    for page, text in headers.pages(ROOT).items():
        files.append(File.generated(config, page, content=text))
    for page, path in READMES.items():
        files.append(File.generated(config, page, content=path.read_text(encoding="utf-8")))
    script = (ROOT / "scripts" / "manual" / "frame_worker.js").read_text(encoding="utf-8")
    files.append(File.generated(config, WORKER, content=script))
    return files


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Search in pages that lie in a folder: by a script of ours where the theme would load one from elsewhere."""
    return output.replace(SHIM, posixpath.relpath(WORKER, posixpath.dirname(page.url) or "."))


def on_post_template(output: str, template_name: str, config: MkDocsConfig) -> str:
    """The same of the page for addresses that are not there."""
    return output.replace(SHIM, f"/{WORKER}") if template_name == "404.html" else output


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lead links to files outside of docs/ to the pages that show them; what no page shows becomes plain text."""
    uri = page.file.src_uri
    here = READMES[uri].parent.relative_to(ROOT).as_posix() if uri in READMES else posixpath.dirname(f"docs/{uri}")

    def lead(match: re.Match[str]) -> str:
        text, target, anchor = match[1], match[2], match[3] or ""
        if not target or re.match(r"[a-z]+:", target):
            return match[0]
        path = posixpath.normpath(posixpath.join(here, target))
        if not (ROOT / path).exists() and not files.get_file_from_path(path.removeprefix("docs/")):
            return match[0]  # which the strict build names
        shown = path.removeprefix("docs/") if path.startswith("docs/") else _page_of(path)
        if shown is None:
            return f"{text} (`{path}`)" if path not in text else text
        return f"[{text}]({posixpath.relpath(shown, posixpath.dirname(uri) or '.')}{anchor})"

    parts = FENCE.split(markdown)
    return "".join(part if i % 2 else LINK.sub(lead, part) for i, part in enumerate(parts))


def _page_of(path: str) -> str | None:
    """The page that shows a file of the checkout."""
    if path.endswith("README.md"):
        page = f"folders/{posixpath.dirname(path)}.md"
        return page if page in READMES else None
    return next((header.page for header in headers.HEADERS if header.path == path), None)
