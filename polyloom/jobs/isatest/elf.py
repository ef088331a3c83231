# SPDX-License-Identifier: Apache-2.0
"""Reads a test program. Input: an ELF file; output: a ``Program`` with its segments, entry and ``tohost``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elftools.elf.constants import E_FLAGS, P_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from polyloom.base.errors import UserError

#: More is no test of an instruction, and would only fail later, on the board.
MAX_BYTES = 1 << 24


@dataclass
class Segment:
    """Bytes at an address of the program: code that threads execute, or data that they load and store."""

    address: int
    executable: bool
    data: bytes


@dataclass
class Program:
    """A program as the board needs it: addresses are a thread's."""

    name: str
    entry: int
    tohost: int
    segments: list[Segment]

    def as_dict(self) -> dict[str, Any]:
        """As `polyloom-elf-run` reads it."""
        segments = [{"address": s.address, "executable": s.executable, "hex": s.data.hex()} for s in self.segments]
        return {"name": self.name, "entry": self.entry, "tohost": self.tohost, "segments": segments}


def read(path: Path) -> Program:
    """The program in an ELF file; UserError if it is none for these cores, or has no symbol ``tohost``."""
    try:
        with path.open("rb") as file:
            return _program(path, ELFFile(file))
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    except UserError:
        raise
    except Exception as error:  # pyelftools names few of its errors: a damaged file fails anywhere inside
        why = str(error) or type(error).__name__
        raise UserError(f"{path} is no ELF file that can be read ({why}); give a linked RV32 program") from error


def _program(path: Path, elf: Any) -> Program:
    header = elf.header
    compressed = header["e_machine"] == "EM_RISCV" and bool(header["e_flags"] & E_FLAGS.EF_RISCV_RVC)
    if header["e_machine"] != "EM_RISCV" or elf.elfclass != 32 or header["e_type"] != "ET_EXEC" or compressed:
        raise UserError(
            f"{path} is not a linked RV32 program for these cores (machine {header['e_machine']}, {elf.elfclass} bits, "
            f"{header['e_type']}{', compressed instructions' if compressed else ''}); build it with -march=rv32imf "
            "-mabi=ilp32 -static"
        )
    loaded = [s for s in elf.iter_segments() if s["p_type"] == "PT_LOAD" and s["p_memsz"]]
    segments = [Segment(int(s["p_vaddr"]), bool(s["p_flags"] & P_FLAGS.PF_X), _bytes_of(path, s)) for s in loaded]
    if not segments:
        raise UserError(f"{path} has nothing to load")
    return Program(path.name, int(header["e_entry"]), _tohost(path, elf), segments)


def _bytes_of(path: Path, segment: Any) -> bytes:
    size = int(segment["p_memsz"])
    if size > MAX_BYTES or int(segment["p_filesz"]) > size:
        raise UserError(f"{path} has a segment of {size} bytes; at most {MAX_BYTES}, not less than in the file")
    data = bytes(segment.data())
    if len(data) != int(segment["p_filesz"]):
        raise UserError(f"{path} is cut short: a segment has {len(data)} of {segment['p_filesz']} bytes")
    return data + bytes(size - len(data))


def _tohost(path: Path, elf: Any) -> int:
    table = elf.get_section_by_name(".symtab")
    symbols = (table.get_symbol_by_name("tohost") if isinstance(table, SymbolTableSection) else None) or []
    if len(symbols) != 1:
        raise UserError(
            f"{path} has no symbol tohost: a test says by it whether it passed (tests/riscv-tests/README.md)"
        )
    return int(symbols[0]["st_value"])
