#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Routing keys and routing records: where each field lies, for the fast model, the host, the mapper and the RTL.

Usage: records.py [--check]

Writes the two files in `OUTPUTS` from the tables below, or with --check fails if one of them says something else.
Layouts are those of Tinsel 0.8 (docs/sources/tinsel.md, 3.5), so that tables made for it mean the same here;
`tile_*_high` use bits that it leaves free, for boards of more than 4 x 4 tiles.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

# A routing key, most significant field first: which memory slice, which beat of it, how many beats. An address in a
# slice has 31 bits, of which beats leave the lowest five out.
KEY = [("slice", 1), ("beat", 26), ("beats", 5)]

BEAT_BYTES = 32
CHUNK_BITS = 48
CHUNKS = 5  # of a beat; its number of records lies above them
COUNT_BITS = 16

TILE = [("tag", 3), ("tile_y", 2), ("tile_x", 2)]
TILE_HIGH = [("tile_y_high", 1), ("tile_x_high", 1)]
THREAD = [*TILE, ("index", 6), *TILE_HIGH]

# Records: tag, and fields from the most significant bit on; "" is unused. Those with an odd tag take two chunks.
RECORDS: dict[str, tuple[int, str, list[tuple[str, int]]]] = {
    "thread": (
        0,
        "URM1: to a thread of this board; replaces the first word of the payload",
        [*THREAD, ("", 1), ("word", 32)],
    ),
    "thread_two": (
        1,
        "URM2: the same; replaces the first two words, the lower half first",
        [*THREAD, ("", 17), ("words", 64)],
    ),
    "router": (
        2,
        "RR: to the board behind a link, with another key",
        [("tag", 3), ("direction", 2), ("", 11), ("key", 32)],
    ),
    "tile": (
        3,
        "MRM: to the threads in `mask` of a tile of this board; replaces the low half of the first word",
        [*TILE, *TILE_HIGH, ("", 7), ("half", 16), ("mask", 64)],
    ),
    "indirection": (
        4,
        "IND: when all of this key is done, this board goes on with another key. At most one a key",
        [("tag", 3), ("", 13), ("key", 32)],
    ),
}

# Directions of `router` records, as links of a board are named.
DIRECTIONS = ["north", "south", "east", "west"]

NOTE = "Made by roles/overlay/arch/records/records.py; do not edit."


def width(fields: list[tuple[str, int]]) -> int:
    """Bits of all fields."""
    return sum(bits for _, bits in fields)


def header() -> str:
    """The C++ header: a `Field` for each field."""
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        f"// {NOTE}",
        "#pragma once",
        "",
        "#include <cstdint>",
        "",
        "namespace polyloom::overlay::records {",
        "",
        "/// Bits [low, low + width) of a key or a record.",
        "struct Field {",
        "  unsigned low, width;",
        "};",
        "",
        f"inline constexpr unsigned kBeatBytes = {BEAT_BYTES};",
        f"inline constexpr unsigned kChunkBits = {CHUNK_BITS}, kChunks = {CHUNKS};",
        "/// The number of a beat's records lies in its last two bytes.",
        f"inline constexpr unsigned kCountByte = {BEAT_BYTES - COUNT_BITS // 8};",
        f"inline constexpr unsigned kMostBeats = {2 ** KEY[-1][1] - 1};  ///< of a key",
        "",
        "enum class Tag : std::uint8_t { "
        + ", ".join(f"{name} = {tag}" for name, (tag, _, _) in RECORDS.items())
        + " };",
        "enum class Direction : std::uint8_t { "
        + ", ".join(f"{name} = {i}" for i, name in enumerate(DIRECTIONS))
        + " };",
        "inline constexpr unsigned chunks(Tag tag) { return 1 + (static_cast<unsigned>(tag) & 1); }",
    ]
    groups = [("key", "A routing key.", KEY)] + [(n, f"{text}.", fields) for n, (_, text, fields) in RECORDS.items()]
    for name, text, fields in groups:
        lines += ["", f"/// {text}", f"namespace {name} {{"]
        low = width(fields)
        for field, bits in fields:
            low -= bits
            if field:
                const = "k" + "".join(part.capitalize() for part in field.split("_"))
                lines.append(f"inline constexpr Field {const}{{{low}, {bits}}};")
        lines.append(f"}}  // namespace {name}")
    return "\n".join([*lines, "", "}  // namespace polyloom::overlay::records", ""])


def package() -> str:
    """The SystemVerilog package: a packed struct for the key, a beat and each record."""
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        "// polyloom_overlay_records_pkg: routing keys and records, as they lie in memory.",
        f"// How:          {NOTE}",
        "// Source: Multicast paper IV.B; docs/sources/tinsel.md, 3.5.   Tests: those of the expander.",
        "package polyloom_overlay_records_pkg;",
        "",
        f"  localparam int unsigned BEAT_BITS = {8 * BEAT_BYTES};",
        f"  localparam int unsigned CHUNK_BITS = {CHUNK_BITS};",
        f"  localparam int unsigned CHUNKS = {CHUNKS};",
        "",
        "  typedef enum logic [2:0] {",
        ",\n".join(f"    RECORD_{name.upper()} = 3'd{tag}" for name, (tag, _, _) in RECORDS.items()),
        "  } record_tag_e;",
        "",
        "  typedef enum logic [1:0] {",
        ",\n".join(f"    TO_{name.upper():<5} = 2'd{i}" for i, name in enumerate(DIRECTIONS)),
        "  } direction_e;",
        "",
        "  // A beat: chunk 0 lies in the lowest bits; records begin in the highest.",
        "  typedef struct packed {",
        f"    logic [{COUNT_BITS - 1}:0] count;",
        "    logic [CHUNKS-1:0][CHUNK_BITS-1:0] chunk;",
        "  } beat_t;",
    ]
    groups = [("key", "A routing key.", KEY)] + [
        (f"{n}_record", f"{text}.", fields) for n, (_, text, fields) in RECORDS.items()
    ]
    for name, text, fields in groups:
        lines += ["", f"  // {text}", "  typedef struct packed {"]
        unused = 0
        for field, bits in fields:
            if not field:
                field, unused = f"unused{unused or ''}", unused + 1
            kind = "record_tag_e" if field == "tag" else "direction_e" if field == "direction" else ""
            kind = kind or ("logic" if bits == 1 else f"logic [{bits - 1}:0]")
            lines.append(f"    {kind:<{12 if name == 'router_record' else 0}} {field};")
        lines.append(f"  }} {name}_t;")
    return "\n".join([*lines, "", "endpackage", ""])


OUTPUTS = {
    HERE / "record_fields.h": header,
    HERE.parents[1] / "rtl/noc/polyloom_overlay_records_pkg.sv": package,
}


def main(arguments: list[str]) -> int:
    """Exit status: 1 if --check finds a file that differs."""
    sizes = {name: (width(fields), CHUNK_BITS * (1 + tag % 2)) for name, (tag, _, fields) in RECORDS.items()}
    sizes |= {"key": (width(KEY), 32), "beat": (CHUNKS * CHUNK_BITS + COUNT_BITS, 8 * BEAT_BYTES)}
    for name, (has, wants) in sizes.items():
        if has != wants:
            raise SystemExit(f"{__file__}: {name} has {has} bits, must have {wants}")
    old = [path for path, make in OUTPUTS.items() if not path.exists() or path.read_text() != make()]
    if "--check" in arguments:
        for path in old:
            print(f"{path.name}: not what {__file__} makes; run it", file=sys.stderr)
        return 1 if old else 0
    for path in old:
        path.write_text(OUTPUTS[path]())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
