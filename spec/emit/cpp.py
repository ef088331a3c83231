# SPDX-License-Identifier: Apache-2.0
"""C++ headers."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable

from spec import collective as collective_spec
from spec import hub
from spec.csrs import CSRS
from spec.emit import MADE
from spec.keys import TABLES
from spec.memory_map import MEMORY_MAP
from spec.operators import FIRST_OF_USERS, OPERATORS
from spec.rows import (
    Boolean,
    Bytes,
    Choice,
    Constant,
    Csr,
    Duration,
    Enumeration,
    Integer,
    Key,
    KeyTable,
    Names,
    Quantity,
    Register,
)


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
        [line for key in table.keys for line in _key(key)]
        + [line for name, keys in table.structs.items() for line in _values(name, keys)],
    )


def former_names() -> str:
    """Names that keys and tables of cluster files had in earlier versions."""
    rows = [("", table.former, table.name) for table in TABLES if table.former]
    rows += [(table.name, key.former, key.name) for table in TABLES for key in table.keys if key.former]
    lines = [
        "struct FormerName {",
        "  const char* table;  ///< that the key is of; empty: of the file, and of roles",
        "  const char* former;",
        "  const char* now;",
        "};",
        "inline constexpr FormerName kFormerNames[] = {",
        *(f'    {{"{table}", "{former}", "{now}"}},' for table, former, now in rows),
        "};",
    ]
    return header("Former names in cluster files.", [], "polyloom::fabric", lines)


def _values(name: str, keys: Iterable[Key]) -> list[str]:
    """A struct of values, which reads itself from a table and makes parameters of RTL."""
    kept = [key for key in keys if isinstance(key, Integer | Boolean) and key.default is not None]
    if not kept:
        return []
    lines = ["", "/// Values of these keys.", f"struct {name} {{"]
    for key in kept:
        kind = "bool" if isinstance(key, Boolean) else "unsigned"
        lines.append(f"  {kind} {key.name} = {str(key.default).lower()};")
    of_paper = {key.name for key in kept if isinstance(key, Integer) and key.paper is not None}
    lines += [f"  bool operator==(const {name}&) const = default;"]
    lines += [
        "  /// Takes them from the table, but those whose default depends on something.",
        "  template <class Table>",
    ]
    lines += [f"  void read(Table& table{', bool paper' if of_paper else ''}) {{"]
    for key in kept:
        other = f", paper ? keys::{key.name}.paper : keys::{key.name}.fallback" if key.name in of_paper else ""
        if not key.otherwise:
            lines.append(f"    {key.name} = table.read(keys::{key.name}{other});")
    lines.append("  }")
    if any(key.rtl for key in kept):
        lines += ["  /// Calls set(name, value) for each that is a parameter of the RTL.", "  template <class Set>"]
        lines += ["  void parameters(Set&& set) const {"]
        lines += [f"    set({json.dumps(key.rtl)}, {key.name});" for key in kept if key.rtl]
        lines.append("  }")
    return [*lines, "};"]


def _text(text: str) -> str:
    return json.dumps(text) if text else "nullptr"


def _key(key: Key) -> list[str]:
    name = json.dumps(key.name)
    lines = [f"/// {key.meaning}"]
    if isinstance(key, Integer):
        range_ = f"{name}, {key.low}, {key.high}, {str(key.power_of_two).lower()}"
        if key.default is None:
            return [*lines, f"inline constexpr fabric::IntegerRange {key.name}{{{range_}}};"]
        paper = key.default if key.paper is None else key.paper
        return [*lines, f"inline constexpr fabric::IntegerKey {key.name}{{{{{range_}}}, {key.default}, {paper}}};"]
    if isinstance(key, Boolean):
        fallback = str(bool(key.default)).lower()
        return [*lines, f"inline constexpr fabric::BooleanKey {key.name}{{{name}, {fallback}}};"]
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
    """Numbers of the overlay's CSRs, what each is, and the words of those that threads hold, for its models."""
    lines = ["enum : unsigned {"]
    for csr in CSRS:
        lines += [f"  /// {csr.access}: {csr.meaning}", f"  {csr.name} = 0x{csr.number:03x},"]
    held = [csr for csr in CSRS if csr.held]
    lines += ["};", "", *_is_one("exists", CSRS), *_is_one("is_held", held)]
    lines += ["/// A read of others gives 0.", *_is_one("is_read", [csr for csr in CSRS if "R" in csr.access])]
    lines += ["/// The words that a thread holds.", "struct Held {"]
    lines += [f"  std::uint32_t {csr.name} = 0;" for csr in held]
    lines += ["  /// That of a number; null if none is held.", "  constexpr std::uint32_t* find(unsigned number) {"]
    lines += ["    switch (number) {", *(f"      case csr::{csr.name}: return &{csr.name};" for csr in held)]
    lines += ["      default: return nullptr;", "    }", "  }", "};"]
    return header("CSRs of an overlay thread.", ["<cstdint>"], "polyloom::overlay::csr", lines)


def _is_one(name: str, csrs: Iterable[Csr]) -> list[str]:
    """A predicate of numbers."""
    cases = [f"    case {csr.name}:" for csr in csrs]
    lines = [f"constexpr bool {name}(unsigned number) {{", "  switch (number) {", *cases]
    return [*lines, "      return true;", "    default:", "      return false;", "  }", "}", ""]


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
        lines += [*_enumeration(rows), f"inline constexpr unsigned k{rows.name}s = {len(rows.rows)};", ""]
    lines += _comment(hub.CONTROL.text)
    for row in hub.CONTROL.rows:
        lines.append(f"inline constexpr std::uint32_t k{_camel(row.name)} = {1 << row.number};  ///< {row.meaning}")
    lines += ["", *map(_constant, hub.CONSTANTS), "", *_registers(hub.REGISTERS, "byte offsets")]
    lines += ["", *_fields(hub.REGISTERS)]
    purpose = "Registers and numbers of the hub: docs/reference/registers.md."
    return header(purpose, ["<cstdint>"], "polyloom::hub", lines)


def collective() -> str:
    """What programs of collective nodes are encoded in, and the node's registers."""
    lines = [*map(_constant, collective_spec.CONSTANTS), "", *_enumeration(collective_spec.OPS), ""]
    lines += _comment(collective_spec.SOURCES.text)
    for row in collective_spec.SOURCES.rows:
        lines.append(f"inline constexpr std::uint8_t kFrom{_camel(row.name)} = {row.number:#04x};  ///< {row.meaning}")
    lines += ["", "enum Flag : std::uint8_t {"]
    for row in collective_spec.FLAGS:
        lines += [f"  {line}" for line in _comment(row.meaning)] + [f"  k{_camel(row.name)} = {row.number},"]
    lines += ["};", ""]
    for rows in (collective_spec.CONTROLS, collective_spec.FAULTS):
        lines += [*_enumeration(rows), ""]
    lines += _registers(collective_spec.REGISTERS, "from blocks::reg::role_base on")
    purpose = "Programs of collective nodes: docs/reference/registers.md."
    return header(purpose, ["<cstdint>"], "polyloom::collective", lines)


def collective_operations() -> str:
    """Collective operations and what each is."""
    rows = collective_spec.OPERATIONS
    lines = ["enum class Operation {", *(f"  {row.name}," for row in rows), "};", ""]
    lines += ["inline constexpr Operation kOperations[] = {"]
    lines += [*(f"    Operation::{row.name}," for row in rows), "};", ""]
    forms = (collective_spec.SIZES, collective_spec.RANKS, collective_spec.BUFFERS, collective_spec.BUSES)
    for form in forms:
        lines += [*_enumeration(form), ""]
    lines += [
        "/// What an operation is.",
        "struct Traits {",
        "  const char* name;",
        "  SizeKind sizes;",
        "  Who sender;",
        "  Holds sends;",
        "  Who receiver;",
        "  Holds receives;",
        "  Bus bus;",
        "  bool reduces;  ///< elements of all ranks are combined on their way",
        "};",
        "inline constexpr Traits kTraits[] = {",
    ]
    for row in rows:
        lines.append(
            f"    {{{json.dumps(row.name)}, SizeKind::{row.sizes}, Who::{row.sends.who}, Holds::{row.sends.what}, "
            f"Who::{row.receives.who}, Holds::{row.receives.what}, Bus::{row.bus}, {str(row.reduces).lower()}}},"
        )
    lines += ["};", "constexpr const Traits& traits(Operation one) { return kTraits[static_cast<int>(one)]; }"]
    return header("Collective operations.", ["<cstdint>"], "polyloom::collective", lines)


def _enumeration(rows: Enumeration) -> list[str]:
    lines = [*_comment(rows.text), f"enum class {rows.name} : std::uint8_t {{"]
    for row in rows.rows:
        lines += [f"  {line}" for line in _comment(row.meaning)] + [f"  {row.name} = {row.number},"]
    return [*lines, "};"]


def _constant(row: Constant) -> str:
    kind = "std::uint64_t" if row.bits > 32 else "unsigned"
    number = f"{row.number:#x}" if row.bits else str(row.number)
    return f"inline constexpr {kind} k{_camel(row.name)} = {number};  ///< {row.meaning}"


def _registers(rows: list[Register], offsets: str) -> list[str]:
    lines = [f"namespace reg {{  // {offsets}; R read, W write"]
    for row in rows:
        fields = ", ".join(f"[{_bits(one.high, one.low)}] {one.name}" for one in row.fields)
        lines += _comment(f"{row.access}: {row.meaning}{': ' if fields else ''}{fields}")
        lines.append(f"inline constexpr std::uint32_t {row.name} = 0x{row.offset:0{4 if row.step > 1 else 3}x};")
    return [*lines, "}  // namespace reg"]


def _fields(rows: list[Register]) -> list[str]:
    lines = [
        "/// Bits of a register.",
        "struct Field {",
        "  unsigned low, width;",
        "  constexpr std::uint64_t of(std::uint64_t word) const {",
        "    return word >> low & ((std::uint64_t{1} << width) - 1);",
        "  }",
        "};",
        "namespace field {",
    ]
    for row in rows:
        for one in row.fields:
            width = one.high - one.low + 1
            lines.append(f"inline constexpr Field {row.name}_{one.name}{{{one.low}, {width}}};")
    return [*lines, "}  // namespace field"]


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, 116, initial_indent="/// ", subsequent_indent="/// ")


def _bits(high: int, low: int) -> str:
    return str(high) if high == low else f"{high}:{low}"


def _camel(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))
