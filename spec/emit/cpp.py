# SPDX-License-Identifier: Apache-2.0
"""C++ headers."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable

from spec import hub
from spec.csrs import CSRS
from spec.emit import MADE
from spec.memory_map import MEMORY_MAP
from spec.operators import FIRST_OF_USERS, OPERATORS
from spec.rows import Boolean, Bytes, Choice, Duration, Integer, Key, KeyTable, Names, Quantity


def header(about: str, includes: Iterable[str], space: str, lines: Iterable[str]) -> str:
    """The text of a header."""
    return "\n".join(
        [
            "// SPDX-License-Identifier: Apache-2.0",
            f"// {about} {MADE}",
            "// clang-format off",
            "#pragma once",
            "",
            *(f"#include {name}" for name in includes),
            "",
            f"namespace {space} {{",
            "",
            *lines,
            "",
            f"}}  // namespace {space}",
            "",
        ]
    )


def keys(table: KeyTable) -> str:
    """Keys of a table: fabric/cluster/keys.h says what their types are."""
    return header(
        f"Keys of [{table.name}].",
        ['"fabric/cluster/keys.h"'],
        f"polyloom::{table.space}::keys",
        [line for key in table.keys for line in _key(key)],
    )


def _text(text: str) -> str:
    return json.dumps(text) if text else "nullptr"


def _key(key: Key) -> list[str]:
    name = json.dumps(key.name)
    lines = [f"/// {key.meaning}"]
    if isinstance(key, Integer):
        range_ = f"{name}, {key.low}, {key.high}, {str(key.power_of_two).lower()}, {_text(key.rtl)}"
        if key.default is None:
            return [*lines, f"inline constexpr fabric::IntegerRange {key.name}{{{range_}}};"]
        paper = key.default if key.paper is None else key.paper
        return [*lines, f"inline constexpr fabric::IntegerKey {key.name}{{{{{range_}}}, {key.default}, {paper}}};"]
    if isinstance(key, Boolean):
        fallback = str(bool(key.default)).lower()
        return [*lines, f"inline constexpr fabric::BooleanKey {key.name}{{{name}, {fallback}, {_text(key.rtl)}}};"]
    if isinstance(key, Choice):
        words = ", ".join(map(json.dumps, key.choices))
        array = f"inline constexpr const char* {key.name}_words[] = {{{words}}};"
        return [
            *lines,
            array,
            f"inline constexpr fabric::ChoiceKey {key.name}{{{name}, {key.name}_words, {_text(key.default or '')}}};",
        ]
    if isinstance(key, Names):
        words = ", ".join(map(json.dumps, key.default))
        array = f"inline constexpr const char* {key.name}_names[] = {{{words}}};"
        return [*lines, array, f"inline constexpr fabric::NamesKey {key.name}{{{name}, {key.name}_names}};"]
    if isinstance(key, Bytes | Duration):
        form = "Bytes" if isinstance(key, Bytes) else "Duration"
        range_ = f"{name}, {_number(key, key.low)}, {_number(key, key.high)}"
        if key.default is None:
            return [*lines, f"inline constexpr fabric::{form}Range {key.name}{{{range_}}};"]
        return [*lines, f"inline constexpr fabric::{form}Key {key.name}{{{{{range_}}}, {_number(key, key.default)}}};"]
    return [*lines, f"inline constexpr const char* {key.name} = {name};"]


def _number(key: Quantity, text: str) -> str:
    return f"{key.in_base(text)}"


def operators() -> str:
    """Numbers and names of operators."""
    lines = ["/// Numbers of `config` instructions.", "enum class Kind : std::uint8_t {", "  none = 0,"]
    lines += [f"  {one.name} = {one.number},  ///< {one.meaning}" for one in OPERATORS]
    lines += [f"  kUser = {FIRST_OF_USERS},  ///< the first of users", "};", ""]
    lines += [
        "/// What they are called.",
        "inline constexpr struct {",
        "  Kind kind;",
        "  const char* name;",
        "} kBuiltIn[] = {",
    ]
    lines += [f"    {{Kind::{one.name}, {json.dumps(one.name)}}}," for one in OPERATORS]
    return header("Operators.", ["<cstdint>"], "polyloom::blocks::operators", [*lines, "};"])


def csrs() -> str:
    """Numbers of the overlay's CSRs, and which there are, for its models."""
    lines = ["enum : unsigned {"]
    for csr in CSRS:
        lines += [f"  /// {csr.access}: {csr.meaning}", f"  {csr.name} = 0x{csr.number:03x},"]
    lines += ["};", "", "constexpr bool exists(unsigned number) {", "  switch (number) {"]
    lines += [f"    case {csr.name}:" for csr in CSRS]
    lines += ["      return true;", "    default:", "      return false;", "  }", "}"]
    return header("CSRs of an overlay thread.", [], "polyloom::overlay::csr", lines)


def memory_map() -> str:
    """Ranges of a thread's addresses."""
    lines = []
    for row in MEMORY_MAP:
        name = _camel(row.name)
        lines += [f"/// {row.meaning}", f"inline constexpr std::uint32_t k{name}Base = {row.first:#010x};"]
        if row.end < 1 << 32:
            lines.append(f"inline constexpr std::uint32_t k{name}End = {row.end:#010x};")
    return header("Addresses of an overlay thread.", ["<cstdint>"], "polyloom::overlay", lines)


def tinsel_csrs() -> str:
    """The same for programs that run on threads, in the spelling of Tinsel's header."""
    lines = ["// SPDX-License-Identifier: Apache-2.0", f"// Numbers of CSRs, for assembly. {MADE}", "#pragma once", ""]
    lines += [
        f'#define CSR_{csr.tinsel or csr.name.upper()} "0x{csr.number:03x}"' for csr in CSRS if csr.number >= 0x800
    ]
    return "\n".join([*lines, ""])


def hub_registers() -> str:
    """The hub's registers and numbers."""
    lines: list[str] = []
    for rows in (hub.PORTS, hub.CAUSES, hub.DMA_ERRORS, hub.COUNTERS, hub.LANES):
        lines += [*_comment(rows.text), f"enum class {rows.name} : std::uint8_t {{"]
        lines += [f"  {row.name} = {row.number},  ///< {row.meaning}" for row in rows.rows]
        lines += ["};", f"inline constexpr unsigned k{rows.name}s = {len(rows.rows)};", ""]
    lines += _comment(hub.CONTROL.text)
    for row in hub.CONTROL.rows:
        lines.append(f"inline constexpr std::uint32_t k{_camel(row.name)} = {1 << row.number};  ///< {row.meaning}")
    lines.append("")
    for constant in hub.CONSTANTS:
        kind = "std::uint64_t" if constant.bits > 32 else "unsigned"
        number = f"{constant.number:#x}" if constant.bits else str(constant.number)
        lines.append(f"inline constexpr {kind} k{_camel(constant.name)} = {number};  ///< {constant.meaning}")
    lines += ["", "namespace reg {  // byte offsets; R read, W write"]
    for register in hub.REGISTERS:
        fields = ", ".join(f"[{_bits(one.high, one.low)}] {one.name}" for one in register.fields)
        lines += _comment(f"{register.access}: {register.meaning}{': ' if fields else ''}{fields}")
        lines.append(f"inline constexpr std::uint32_t {register.name} = 0x{register.offset:04x};")
    lines.append("}  // namespace reg")
    return header("Registers and numbers of the hub: docs/registers.md.", ["<cstdint>"], "polyloom::hub", lines)


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, 116, initial_indent="/// ", subsequent_indent="/// ")


def _bits(high: int, low: int) -> str:
    return str(high) if high == low else f"{high}:{low}"


def _camel(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))
