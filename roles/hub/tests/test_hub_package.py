# SPDX-License-Identifier: Apache-2.0
"""The numbers of polyloom_hub_pkg.sv are those of registers.h.

Covers: causes, DMA errors, ports, register offsets, control bits and limits that both name, none on one side only.
Leaves out: the layout of descriptors and rules, which the tests of the node use.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOM = Path(__file__).resolve().parents[1]
HEADER = re.sub(r"=\s+", "= ", re.sub(r"//[^\n]*", "", (ROOM / "registers.h").read_text()))
PACKAGE = re.sub(r"//[^\n]*", "", (ROOM / "rtl/polyloom_hub_pkg.sv").read_text())


def c_enum(name: str) -> dict[str, int]:
    body = re.search(rf"enum class {name}[^{{]*\{{(.*?)\}};", HEADER, re.S)
    assert body, name
    return {k.upper(): int(v) for k, v in re.findall(r"(\w+) = (\d+)", body.group(1))}


def sv_number(text: str) -> int:
    sized = re.fullmatch(r"\d*'([hd])([0-9a-f_]+)", text)
    return int(sized.group(2), 16 if sized.group(1) == "h" else 10) if sized else int(text)


def sv_numbers(prefix: str) -> dict[str, int]:
    found = re.findall(rf"\b{prefix}(\w+)\s*=\s*(\d*'[hd][0-9a-f_]+|\d+)\b", PACKAGE)
    return {name: sv_number(value) for name, value in found}


def test_enumerators() -> None:
    for prefix, enum in (("CAUSE_", "Cause"), ("DMA_", "DmaError")):
        assert sv_numbers(prefix) == c_enum(enum)
    ports = sv_numbers("")
    assert {name: ports[name] for name in c_enum("Port")} == c_enum("Port")
    assert ports["CAUSES"] == len(c_enum("Cause"))


def test_registers() -> None:
    space = re.search(r"namespace reg \{(.*?)\n\}", HEADER, re.S)
    assert space
    want = {k.upper(): int(v, 16) for k, v in re.findall(r"uint32_t (\w+) = (0x[0-9a-f]+)", space.group(1))}
    assert len(want) > 20 and sv_numbers("REG_") == want


def test_limits() -> None:
    numbers = sv_numbers("")
    for name, ours in (
        ("kChainMax", "CHAIN_MAX"),
        ("kProxyDepth", "PROXY_DEPTH"),
        ("kDescriptorBytes", "DESCRIPTOR_BYTES"),
        ("kPorts", "PORTS"),
        ("kRuleShift", "RULE_SHIFT"),
        ("kCauses", "CAUSES"),
    ):
        found = re.search(rf"\b{name} = (\d+)", HEADER)
        assert found and numbers[ours] == int(found.group(1)), name
    magic = re.search(r"kMagic = (0x[0-9a-f']+)", HEADER)
    assert magic and numbers["MAGIC"] == int(magic.group(1).replace("'", ""), 16)
    for bit, name in enumerate(("LAST", "FLAG", "FUNCTION")):
        found = re.search(rf"k{name.capitalize()} = (\d+);", HEADER)
        assert found and int(found.group(1)) == 1 << bit == 1 << numbers[f"CONTROL_{name}"]
