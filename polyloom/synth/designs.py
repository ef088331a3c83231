# SPDX-License-Identifier: Apache-2.0
"""What can be synthesized by name: designs.toml of this folder. Input: a design's or role's name; output: designs."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from polyloom.base import paths
from polyloom.base.errors import UserError

KERNEL_TOP = "polyloom_kernel_app"
TABLE = Path(__file__).with_name("designs.toml")
_KEYS = {
    *("role", "top", "list", "parameters", "published", "program", "ranks", "rank", "define"),
    *("size", "parts", "groups", "flat", "clock"),
}
DEFAULT_PARTS = ("ultrascale+",)


@dataclass(frozen=True)
class MpiProgram:
    """An MPI program whose kernel of one rank is the design."""

    file: Path
    ranks: int
    rank: int
    define: tuple[str, ...] = ()

    def kernel(self) -> Path:
        """File list of the kernel."""
        from polyloom.transpile import kernels  # llvmlite: only where it is used
        from polyloom.transpile.program import Source, Target

        if not 0 <= self.rank < self.ranks:
            raise UserError(f"rank {self.rank} of {self.ranks} ranks; allowed: 0 to {self.ranks - 1}")
        source = Source((self.file,), tuple(f"-D{text}" for text in self.define), checks=False)
        return kernels.build(source, Target(self.ranks), [self.rank])[0].file_list


@dataclass(frozen=True)
class Design:
    """A top module, its file list, and parameters that make it a part of the size that is of interest."""

    name: str
    role: str
    top: str
    list: Path | None
    parameters: dict[str, str]
    program: MpiProgram | None = None
    published: tuple[str, ...] = ()  # what a paper says of such a design, for a line below the table each
    size: str = ""  # a role that has sizes is done in one, the first if none is asked for
    parts: tuple[str, ...] = DEFAULT_PARTS  # that it is done for if none is asked for
    groups: str = ""  # subsystems: a table of groups.toml
    flat: bool = False  # as one module: smaller and faster, but no rows
    clock: str = ""  # the design that is placed in the stead of this one, which is too large

    def file_list(self) -> Path:
        """What to read; a program is compiled to a kernel first."""
        if self.program is not None:
            return self.program.kernel()
        assert self.list is not None, f"{self.name} has neither list nor program"
        return self.list


def read(path: Path = TABLE) -> dict[str, Design]:
    """All designs; UserError naming the entry if one is not right."""
    designs = {}
    for name, entry in tomllib.loads(path.read_text()).items():
        where = f"{path} [{name}]"
        if unknown := entry.keys() - _KEYS:
            raise UserError(f"{where}: unknown {', '.join(sorted(unknown))}; allowed: {', '.join(sorted(_KEYS))}")
        if missing := {"role", "top"} - entry.keys() or ({"list"} if "program" not in entry else set()) - entry.keys():
            raise UserError(f"{where}: {', '.join(sorted(missing))} missing")
        parameters = {key: str(value) for key, value in entry.get("parameters", {}).items()}
        file_list = paths.home() / entry["list"] if "list" in entry else None
        designs[name] = Design(
            name,
            entry["role"],
            entry["top"],
            file_list,
            parameters,
            _program(entry),
            published=tuple(entry.get("published", ())),
            size=entry.get("size", ""),
            parts=tuple(entry.get("parts", DEFAULT_PARTS)),
            groups=entry.get("groups", ""),
            flat=entry.get("flat", False),
            clock=entry.get("clock", ""),
        )
    return designs


def _program(entry: dict[str, Any]) -> MpiProgram | None:
    if "program" not in entry:
        return None
    file = paths.home() / entry["program"]
    return MpiProgram(file, entry.get("ranks", 4), entry.get("rank", 1), tuple(entry.get("define", ())))


def of_program(file: Path, ranks: int, rank: int) -> Design:
    """The kernel of a rank of any program as a design."""
    return Design(file.stem, "mpi", KERNEL_TOP, None, {}, MpiProgram(file, ranks, rank))


def select(name: str, designs: dict[str, Design], size: str = "") -> list[Design]:
    """The design of this name, or all of a role; of a role with sizes those of ``size``, or of its first size."""
    if name in designs:
        if size:
            raise UserError(f"--size {size}: '{name}' is a design, only a role has sizes")
        return [designs[name]]
    chosen = [design for design in designs.values() if name in {design.role, design.top}]
    if not chosen:
        roles = sorted({design.role for design in designs.values()})
        raise UserError(f"no design or role '{name}'; designs: {', '.join(designs)}; roles: {', '.join(roles)}")
    sizes = list(dict.fromkeys(design.size for design in chosen if design.size))
    if size and size not in sizes:
        raise UserError(f"--size {size}: '{name}' has {'sizes ' + ', '.join(sizes) if sizes else 'no sizes'}")
    wanted = size or (sizes[0] if sizes else "")
    return [design for design in chosen if not design.size or design.size == wanted]


def jobs(
    chosen: Iterable[Design], part: str = "", pnr: bool = False, known: Mapping[str, Design] = MappingProxyType({})
) -> list[tuple[Design, str, bool]]:
    """Each design with each part that it is done for (``part``, or those it names), and whether it is placed too.

    Of several parts that a design names, ``pnr`` means the one that can be placed; a part asked for is asked for. In
    the stead of a design with a ``clock`` that one of ``known`` is placed, after it.
    """
    found = []
    for design in chosen:
        parts = [part] if part else design.parts
        stead = known.get(design.clock)
        for name in parts:
            placed = pnr and (bool(part) or name == "ecp5" or "ecp5" not in design.parts)
            found.append((design, name, placed and not stead))
            if placed and stead:
                found.append((stead, name, True))
    return found
