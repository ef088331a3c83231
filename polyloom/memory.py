# SPDX-License-Identifier: Apache-2.0
"""Memory that is there, asked before work begins (as fabric/memory.h does). Input: bytes; output: UserError or not."""

from __future__ import annotations

import math
import resource
from collections.abc import Iterator
from pathlib import Path

from polyloom.errors import UserError

#: Of a control group: its folder's root, its limit, its use, and what of that gives way (files that were read).
_FIRST = ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
_SECOND = ("/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file")


def there() -> float:
    """Bytes that this process can still take: of the machine, its control groups, its address space (ulimit -v)."""
    return max(0.0, min(_available(), _groups_leave(), _address_space_leaves()))


def require(size: float, what: str) -> None:
    """UserError "WHAT needs BYTES of memory; BYTES are there" unless so many more can be taken."""
    left = there()
    if size > left:
        raise UserError(f"{what} needs {text(size)} of memory; {text(left)} are there")


def text(size: float) -> str:
    """12.3 GB."""
    for unit in ("bytes", "kB", "MB", "GB", "TB", "PB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} EB"


def _available() -> float:
    return _field(Path("/proc/meminfo"), "MemAvailable:") * 1024 or math.inf


def _address_space_leaves() -> float:
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return math.inf
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return limit - pages * resource.getpagesize()


def _groups_leave() -> float:
    least = math.inf
    for files, path in _groups():
        root, limit_name, used_name, reclaimable = files
        while True:
            folder = Path(root + path)
            limit, used = _number(folder / limit_name), _number(folder / used_name)
            least = min(least, limit - used + _field(folder / "memory.stat", reclaimable))
            if not path:
                break
            path = path[: path.rindex("/")]
    return least


def _groups() -> Iterator[tuple[tuple[str, str, str, str], str]]:
    """This process's control groups, as (files, path below the root)."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:  # "NUMBER:CONTROLLERS:PATH"
        _, controllers, path = line.split(":", 2)
        path = path.rstrip("/") if path.startswith("/") else ""
        if controllers == "memory":
            yield _FIRST, path
        elif not controllers:
            yield _SECOND, path


def _number(path: Path) -> float:
    """The number of a small file of the system; no limit if it is missing or says "max"."""
    try:
        return float(path.read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return math.inf if "usage" not in path.name and "current" not in path.name else 0.0


def _field(path: Path, key: str) -> float:
    """The number after ``key`` in a file of "key number" lines; 0 without it."""
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return 0.0
    return next((float(line.split()[1]) for line in lines if line.split()[:1] == [key]), 0.0)
