# SPDX-License-Identifier: Apache-2.0
"""Text of polyloom_lanes_tables.h: what blocks/verilated/shim/lanes.cc knows of a design."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from polyloom.rtl.lanes.emit import Fill, Output


def header(top: str, parameters: str, out: Output) -> str:
    """C++ text."""
    members: list[int] = []

    def readers(chunks: Iterable[int]) -> str:
        found = sorted(chunks)
        members.extend(found)
        return f"{{{len(members) - len(found)}, {len(found)}}}"

    ports = out.ports
    inputs = [
        f"{{{port.offset + 8 * i}, {readers(word.readers)}}}"
        for port in ports
        for i, word in enumerate(port.words)
        if word.readers
    ]
    memories = [f"{{{m.offset}, {m.rows}, {m.lanes}, {m.width}, {readers(m.readers)}}}" for m in out.memories]
    writes = [
        f"{{{w.memory}, {w.rows}, {w.words}, {w.lanes}, {w.mask}, {w.address}, {w.data}, {w.enables}}}"
        for w in out.writes
    ]
    names = [f"polyloom_lanes_{i}" for i in range(len(out.chunks))]
    reset = next(port.offset for port in ports if port.name == "rst_ni")
    lines = [
        "// Made by polyloom.rtl.lanes.",
        *(f'extern "C" void {name}(Bytes, Bytes, Bytes, Bytes, Bytes, Bytes, Bytes);' for name in names),
        f"constexpr char kTop[] = {_quoted(top)};",
        f"constexpr char kParameters[] = {_quoted(parameters)};",
        *(f"constexpr std::size_t kBytes_{name} = {size};" for name, size in out.sizes.items()),
        f"constexpr std::size_t kCheckBytes = {out.check_bytes}, kResetOffset = {reset};",
        _table("Chunk", "kChunks", names),
        _table("Commit", "kCommits", [f"{{{offset}, {size}}}" for offset, size in out.commits]),
        _table(
            "polyloom_rtl_port",
            "kPorts",
            [f"{{{_quoted(p.name)}, {p.bits}, {8 * -(-p.bits // 64)}, {int(p.is_input)}}}" for p in ports],
        ),
        _table("std::uint32_t", "kPortOffsets", [str(port.offset) for port in ports]),
        _table("Input", "kInputs", inputs),
        _table("Memory", "kMemories", memories),
        _table("Write", "kWrites", writes),
        _table("Fill", "kResets", _fills(out.resets)),
        _table("Fill", "kStarts", _fills(out.starts)),
        _table("Check", "kChecks", [f"{{{_quoted(where)}, {lanes}, {at}}}" for where, lanes, at in out.checks]),
        _table("std::uint32_t", "kMembers", list(map(str, members))),
    ]
    return "\n".join(lines) + "\n"


def _fills(fills: Sequence[Fill]) -> list[str]:
    return [
        f"{{{f.offset}, {f.count}, {f.size}, {f.width}, {'true' if f.value is None else 'false'}, {f.value or 0}u}}"
        for f in fills
    ]


def _table(kind: str, name: str, rows: Sequence[str]) -> str:
    """An array; of no rows, one that a loop goes over zero times."""
    return f"constexpr std::array<{kind}, {len(rows)}> {name} = {{{{{', '.join(rows)}}}}};"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
