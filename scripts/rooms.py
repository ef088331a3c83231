# SPDX-License-Identifier: Apache-2.0
"""Rooms of the tree, any of its folders: which files and tests are theirs, which use them, which differ from main.

Input: git, ctest of the build folder. Rooms are paths from the root, such as fabric/run. A room has all that lies below
it; one without tests has those of the nearest folder above it that has some.
"""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

import uses

ROOT = Path(__file__).resolve().parent.parent
MODELS = ("blocks", "roles")  #: where RTL and its tests live
#: Tests below these folders run no program of the build folder but those that they make themselves.
ALONE = (
    "blocks",
    "roles",
    "polyloom/rtl",
    "polyloom/hls",
    "polyloom/transpile",
    "polyloom/synth",
    "polyloom/base/tests",
)
#: Folders in which a room keeps parts of itself.
PARTS = {"tests", "rtl", "sim", "formal", "keys", "emit"}
_ADD_TEST = re.compile(r"^add_test\(\[=\[(\S+)\]=\] (.*)\)$", re.MULTILINE)


def git(*arguments: str) -> list[str]:
    """Lines that git prints."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@functools.cache
def tracked() -> tuple[str, ...]:
    """All files that git knows."""
    return tuple(git("ls-files"))


def there() -> list[str]:
    """Those of them that are there."""
    return [name for name in tracked() if (ROOT / name).is_file()]


def folders() -> list[str]:
    """All folders with files in them, or below."""
    found = {str(parent) for name in tracked() for parent in Path(name).parents}
    return sorted(found - {"."})


def files(rooms: Sequence[str]) -> list[str]:
    """Files of rooms; of all, if none is given."""
    return [name for name in tracked() if not rooms or _is_in(name, rooms)]


def _is_in(name: str, rooms: Sequence[str]) -> bool:
    return any(name == room or name.startswith(f"{room}/") for room in rooms)


def label(rooms: Sequence[str]) -> str:
    """A pattern of ctest's labels, which are folders."""
    return f"^({'|'.join(map(re.escape, rooms))})(/|$)"


def programs(build: Path, rooms: Sequence[str]) -> list[str]:
    """Ninja's targets of the programs that the rooms' ctests run, built or not."""
    command = ["ctest", "--test-dir", str(build), "--show-only=json-v1", "-L", label(rooms)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    wanted = {test["name"] for test in json.loads(done.stdout)["tests"]}  # with commands only of what is built
    found = set()
    for file in build.rglob("CTestTestfile.cmake"):
        for name, words in _ADD_TEST.findall(file.read_text()):
            if name in wanted:
                found |= {Path(word) for word in re.findall(r'"([^"]+)"', words)}
    return sorted(str(path.relative_to(build)) for path in found if path.is_relative_to(build))


def scripts(rooms: Sequence[str]) -> list[str]:
    """Test files in Python."""
    return [name for name in files(rooms) if re.fullmatch(r"test_\w+\.py", Path(name).name)]


def need_programs(names: Sequence[str]) -> bool:
    """Whether these tests run what the build folder has."""
    return any(not _is_in(name, ALONE) or "/host/" in name or "/runtime/" in name for name in names)


def rest() -> list[str]:
    """Folders of tests in Python, in pytest's order, but those of MODELS."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    return [folder for folder in settings["testpaths"] if folder not in MODELS]


def steps(build: Path) -> int:
    """How many commands ninja has run in a build folder so far."""
    log = build / ".ninja_log"
    return len(log.read_text().splitlines()) if log.is_file() else 0


def changed() -> list[str]:
    """Rooms whose files differ from main, committed or not, and the rooms that use them."""
    names = {
        *git("diff", "--name-only", os.environ.get("POLYLOOM_BASE", "main")),
        *git("ls-files", "-o", "--exclude-standard"),
    }
    differ = {room for name in names if (room := room_of(name))}
    found = differ | {user for user, used in users() if used in differ}
    return sorted(room for room in found if (ROOT / room).is_dir())


def room_of(name: str) -> str:
    """The room that a file is of, for users and changes: its folder, less those of a room's parts."""
    parts = list(Path(name).parts[:-1])
    for number, part in enumerate(parts):
        if part in PARTS and number and parts[:number] != ["polyloom"]:  # polyloom/rtl is a room of its own
            return "/".join(parts[:number])
    return "/".join(parts)


def users() -> Iterator[tuple[str, str]]:
    """Pairs of rooms: one that includes, imports or lists a file, and whose it is."""
    reader = uses.Reader(tracked(), tomllib.loads((ROOT / "scripts" / "arrows.toml").read_text())["includes"])
    for name in there():
        if Path(name).suffix in uses.SUFFIXES:
            room = room_of(name)
            for _, used in reader.used(name, (ROOT / name).read_text(errors="replace")):
                if (target := room_of(used)) != room:
                    yield room, target
