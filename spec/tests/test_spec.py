# SPDX-License-Identifier: Apache-2.0
# Covers: rows that contradict themselves or each other; every environment variable of the sources has a row, and every
#   row is read by something; every key of the roles' tables, as the simulator reads them, has a row, and every row is
#   read; pages and headers have what rows say.
# Leaves out: that ranges hold (tests of the cluster reader); the committed files (make lint compares them).
from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from spec.csrs import CSRS
from spec.emit import cpp, markdown, systemverilog
from spec.environment import VARIABLES
from spec.keys import TABLES
from spec.rows import (
    NOTHING,
    Boolean,
    Bytes,
    Choice,
    Csr,
    Duration,
    Field,
    Given,
    Integer,
    Key,
    KeyTable,
    Operation,
    Other,
    PowerOfTwo,
    Register,
    SpecError,
    Variable,
    quantity,
    registers,
)

ROOT = Path(__file__).resolve().parent.parent.parent


def sources() -> list[str]:
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    kinds = {".py", ".cc", ".h", ".c", ".sh", ".cmake"}
    return [name for name in done.stdout.splitlines() if Path(name).suffix in kinds and not name.startswith("spec/")]


def test_every_variable_has_a_row_and_every_row_is_read() -> None:
    rows = {variable.name for group in VARIABLES for variable in group.rows}
    texts = {name: (ROOT / name).read_text(errors="replace") for name in sources()}
    read = {
        variable: name
        for name, text in texts.items()
        if "test" not in name
        for variable in re.findall(r'"(POLYLOOM_[A-Z_]+)"', text)
    }
    assert set(read) <= rows, {name: read[name] for name in set(read) - rows}
    unread = [row for row in rows if not any(f'"{row}"' in text for text in texts.values())]
    assert not unread


@pytest.mark.parametrize(
    ("cluster", "role"),
    [("tinsel-1", "overlay"), ("optweb-8", "collective"), ("peach2-2", "hub"), ("zrlmpi-4", "mpi")],
)
def test_the_simulator_reads_the_keys_that_have_rows(cluster: str, role: str) -> None:
    command = [sys.executable, "-m", "polyloom", "cluster", "show", cluster, "--json"]
    shown = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    table = shown["roles"][role][0]
    if role == "overlay":
        assert set(table.pop("timing")) == shown_names("overlay.timing")
    # Of other shapes of a cluster than these.
    assert set(table) - {"mesh"} == shown_names(role) - {"mesh"}


def shown_names(table: str) -> set[str]:
    """Keys of a table as the simulator shows them: quantities with their base units."""
    units = {"frequency": "_hz", "rate": "_bps", "duration": "_ps", "bytes": "_bytes"}
    return {key.name + units.get(key.kind, "") for one in TABLES if one.name == table for key in one.keys}


def test_every_key_of_a_shipped_cluster_stands_on_the_page() -> None:
    page = markdown.keys()
    for path in (ROOT / "clusters").glob("*.toml"):
        for key in re.findall(r"^([a-z_0-9]+) *=", path.read_text(), re.MULTILINE):
            assert f"| `{key}` |" in page, f"{key} of {path.name}"


def test_a_row_that_contradicts_itself_does_not_come_to_be() -> None:
    with pytest.raises(SpecError, match="tiles: its default, 9, is not allowed; allowed: 1 to 8"):
        Integer("tiles", 9, 1, 8, meaning="tiles")
    with pytest.raises(SpecError, match="tiles: its default, 3"):
        PowerOfTwo("tiles", 3, 1, 8, meaning="tiles")
    with pytest.raises(SpecError, match="tiles: its default, 0"):
        Integer("tiles", 4, 1, 8, meaning="tiles", paper=0)
    with pytest.raises(SpecError, match="8 to 1 is no range"):
        Integer("tiles", None, 8, 1, meaning="tiles")
    with pytest.raises(SpecError, match="tiles: its meaning is missing"):
        Integer("tiles", 4, 1, 8)
    with pytest.raises(SpecError, match="word: its default, c"):
        Choice("word", ["a", "b"], default="c", meaning="a word")
    with pytest.raises(SpecError, match="word: a stands in two rows"):
        Choice("word", ["a", "a"], meaning="a word")
    with pytest.raises(SpecError, match="size: its default, 1 B"):
        Bytes("size", "1 B", "2 B", "4 KiB", meaning="a size")
    with pytest.raises(SpecError, match="'3 days' is no duration"):
        Duration("time", "3 days", meaning="a time")
    with pytest.raises(SpecError, match="text: its form or its default"):
        Other("text", meaning="a text")
    with pytest.raises(SpecError, match="POLYLOOM_X: values, default and meaning"):
        Variable("POLYLOOM_X", "a", "b", "")
    key = Integer("tiles", 4, 1, 8, meaning="tiles", rtl="Tiles")
    with pytest.raises(SpecError, match=r"\[board\]: tiles stands in two rows"):
        KeyTable("board", "", [key, key])


def test_a_register_that_overlaps_another_does_not_come_to_be() -> None:
    with pytest.raises(SpecError, match="state: access R, W or RW"):
        Register(8, "state", "", "of it", [])
    with pytest.raises(SpecError, match="state: 0x4 is no multiple of 8"):
        Register(4, "state", "R", "of it", [])
    with pytest.raises(SpecError, match="state: 3 stands in two rows"):
        Register(8, "state", "R", "of it", [Field("a", 3, 0, ""), Field("b", 7, 3, "")])
    with pytest.raises(SpecError, match="state: a field lies outside of 63:0"):
        Register(8, "state", "R", "of it", [Field("a", 64, 60, "")])
    with pytest.raises(SpecError, match="registers of the hub: 8 stands in two rows"):
        registers("hub", [Register(8, name, "R", "of it", []) for name in ("a", "b")])
    with pytest.raises(SpecError, match="x: 0x1000 is no number of 12 bits"):
        Csr(0x1000, "x", "R", "too far")


def test_all_three_say_which_csrs_there_are() -> None:
    numbers = {csr.number for csr in CSRS}
    case = re.findall(r"8'h(\w\w): +return number\[3:0\] inside \{(.*)\};", systemverilog.csrs())
    in_rtl = set()
    for page, ranges in case:
        for first, last in re.findall(r"4'h(\w)(?: : 4'h(\w))?", ranges):
            in_rtl |= {int(page, 16) << 4 | low for low in range(int(first, 16), int(last or first, 16) + 1)}
    assert in_rtl == numbers
    text = cpp.csrs()

    def cases(name: str) -> set[str]:
        return set(re.findall(r"case (\w+):", text.partition(f"bool {name}(")[2].partition("\n}\n")[0]))

    assert cases("exists") == {csr.name for csr in CSRS}
    assert cases("is_held") == {csr.name for csr in CSRS if csr.held} == set(re.findall(r"return &(\w+);", text))
    assert cases("is_read") == {csr.name for csr in CSRS if "R" in csr.access}
    for_assembly = {int(number, 16) for number in re.findall(r'"(0x\w+)"', cpp.tinsel_csrs())}
    assert for_assembly == {number for number in numbers if number >= 0x800}


def test_what_rows_say_stands_in_header_and_page() -> None:
    keys: list[Key] = [
        PowerOfTwo("tiles", 4, 1, 8, meaning="tiles in a row", rtl="Tiles", unit="tiles"),
        Integer("width", 2, 1, 4, paper=1, meaning="of a stream"),
        Boolean("router", True, otherwise="where there is room", meaning="of a board", rtl="Router"),
        Integer("free", None, 0, 7, meaning="no default"),
        Choice("word", ["a", "b"], default="b", meaning="a word"),
        Bytes("size", "2 KiB", "1 B", "1 GiB", meaning="a size"),
        Duration("time", "3 us", meaning="a time"),
    ]
    text = cpp.keys(KeyTable("board", "", keys, space="test::board", structs={"Values": keys}))
    assert "namespace polyloom::test::board::keys {" in text
    assert 'inline constexpr fabric::IntegerKey tiles{{"tiles", 1, 8, true}, 4, 4};' in text
    assert 'inline constexpr fabric::IntegerRange free{"free", 0, 7, false};' in text
    assert 'word_words[] = {"a", "b"};' in text and 'ChoiceKey word{"word", word_words, "b"};' in text
    assert 'BytesKey size{{"size", 1, 1073741824}, 2048};' in text
    assert 'DurationKey time{{"time", 0, 3600000000000000}, 3000000};' in text
    values = " ".join(text[text.index("struct Values") :].split())
    assert values.startswith(
        "struct Values { unsigned tiles = 4; unsigned width = 2; bool router = true; bool operator=="
    )
    assert "tiles = table.read(keys::tiles);" in values and "router = table" not in values, "read where it is known"
    assert "read(Table& table, bool paper)" in values and "paper ? keys::width.paper : keys::width.fallback" in values
    assert 'set("Tiles", tiles); set("Router", router); }' in values
    values = " ".join(text[text.index("struct Values") :].split())
    assert values.startswith(
        "struct Values { unsigned tiles = 4; unsigned width = 2; bool router = true; bool operator=="
    )
    assert "tiles = table.read(keys::tiles);" in values and "router = table" not in values, "read where it is known"
    assert "read(Table& table, bool paper)" in values and "paper ? keys::width.paper : keys::width.fallback" in values
    assert 'set("Tiles", tiles); set("Router", router); }' in values
    page = markdown.keys()
    assert "| `tiles_x` | 1 to 8, a power of two | 4 | tiles in a row | `TilesX` |" in page
    assert "| `max_payload` | 128 to 512, a power of two (B) | 512; paper: 256 |" in page


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (lambda: Operation("o", "vector", Given("all", "row"), NOTHING, "whole"), "are vector, .* nothing of row"),
        (lambda: Operation("o", "none", Given("none", "nothing"), Given("all", "vector"), "none"), "nothing of vector"),
        (lambda: Operation("o", "blocks", Given("none", "blocks"), Given("all", "block"), "share"), "none have blocks"),
    ],
)
def test_an_operation_has_what_its_sizes_say(row: Callable[[], Operation], words: str) -> None:
    with pytest.raises(SpecError, match=words):
        row()


def test_quantities() -> None:
    assert quantity("bytes", "2 GiB") == 2 << 30
    assert quantity("frequency", "250 MHz") == 250_000_000
    assert quantity("rate", "10 Gb/s") == 10**10
    assert quantity("duration", "780 ns") == 780_000


def test_a_build_writes_only_what_has_changed(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "spec", "--generated", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True)
    (made,) = tmp_path.glob("hub_keys.h")
    before = made.stat().st_mtime_ns
    (tmp_path / "mpi_keys.h").write_text("other")
    subprocess.run(command, cwd=ROOT, check=True)
    assert made.stat().st_mtime_ns == before and "dram" in (tmp_path / "mpi_keys.h").read_text()
