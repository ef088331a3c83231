# SPDX-License-Identifier: Apache-2.0
"""Covers: polyloom.rtl.lanes against Verilator's model of the same design, in every cycle, under random inputs and
resets: every operator, signed and not, of widths from 1 to 150; memories with byte enables and two ports; registers of
each kind; instances in instances, 5 and 10 of them; paths through instances; assertions by their place; what
cannot be lanes, by its reason. Leaves out: whole boards (tests/test_overlay_swap.py)."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from polyloom.base.errors import UserError
from polyloom.rtl.node_build import Shape, build
from polyloom.rtl.testing.model import Model
from polyloom.testing import FULL

#: Operations of two operands a and b, a small number n, a bit s; what they mean is Verilator's business.
OPERATORS = [
    *["a + b", "a - b", "a * b", "a & b", "a | b", "a ^ b", "~a", "-a", "s ? a : b", "W'(a == b)", "W'(a != b)"],
    *["W'(a < b)", "W'(a <= b)", "W'(a > b)", "W'(a >= b)", "W'(&a)", "W'(|a)", "W'(^a)", "W'(~^a)", "W'(!a)"],
    *["W'(a && b)", "W'(a || b)", "a << n", "a >> n", "W'(signed'(a) >>> n)", "a % W'(7)", "b == 0 ? '0 : a % b"],
    *["W'(signed'(a) < signed'(b))", "W'(signed'(a) >= signed'(b))", "W'(signed'(a) * signed'(b))"],
    *["W'(a >> (n % W))", "W'({b, a} >> n)", "W'({{W{s}}, a} >> 1)", "a & {W{s}}", "a ^ {W{b[0]}}", "W'(1) << n"],
    *["{a, a} >> 1", "W'($countones(a))", "n[0] ? (n[1] ? a : b) : (n[1] ? ~a : ~b)"],
]
WIDTHS = [1, 2, 3, 7, 8, 9, 16, 31, 32, 33, 64, 65, 150] if FULL else [1, 33, 65]

UNIT = """// SPDX-License-Identifier: Apache-2.0
module unit #(parameter int unsigned W = 8) (
  input logic clk_i, input logic rst_ni, input logic [W-1:0] a, input logic [W-1:0] b, input logic [5:0] n,
  input logic s, output logic [{count}-1:0][W-1:0] y_o
);
  {assigns}
endmodule
"""

STATE = """// SPDX-License-Identifier: Apache-2.0
// Registers with each mix of reset, enable and clear; a memory of bytes, one with two readers; a structure; instances.
module cellar #(parameter int unsigned W = 40) (
  input logic clk_i, input logic rst_ni, input logic [3:0] id_i, input logic [W-1:0] a_i, input logic en_i,
  input logic clear_i, input logic [3:0] row_i, input logic [4:0] be_i, input logic chain_i,
  output logic [W-1:0] plain_o, output logic [W-1:0] some_o, output logic [W-1:0] read_o, output logic [6:0] two_o,
  output logic [W-1:0] both_o, output logic chain_o, output logic [1:0][11:0] deep_o
);
  typedef struct packed { logic valid; logic [6:0] tag; logic [W-1:0] data; logic [2:0] kind; } entry_t;
  entry_t entry_d, entry_q;
  logic [W-1:0] plain_q, some_q, both_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin plain_q <= W'(37); entry_q <= '0; end
    else begin plain_q <= plain_q + a_i; entry_q <= entry_d; end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) both_q <= '0; else if (clear_i) both_q <= W'(id_i); else if (en_i) both_q <= a_i;
  end
  always_ff @(posedge clk_i or negedge rst_ni) if (!rst_ni) some_q <= '1; else if (en_i) some_q <= some_q ^ a_i;
  assign entry_d = '{valid: en_i, tag: {id_i, a_i[2:0]}, data: clear_i ? entry_q.data : a_i, kind: 3'(row_i)};
  logic [4:0][7:0] bytes[16];
  logic [6:0] two[8];
  always_ff @(posedge clk_i) begin
    for (int k = 0; k < 5; k++) if (be_i[k] && rst_ni) bytes[row_i][k] <= a_i[8*k+:8];
    if (en_i || !rst_ni) two[row_i[2:0]] <= rst_ni ? {id_i, a_i[2:0]} : 7'd5;
  end
  logic [15:0] known_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) known_q <= '0; else if (&be_i) known_q[row_i] <= 1'b1;
  end
  assign plain_o = plain_q;
  assign some_o = some_q + W'(entry_q.tag) + W'(entry_q.kind);
  assign both_o = entry_q.valid ? both_q : entry_q.data;
  assign read_o = known_q[row_i] ? bytes[row_i] : '0;
  logic [7:0] twos_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) twos_q <= '0; else if (en_i) twos_q[row_i[2:0]] <= 1'b1;
  end
  assign two_o = (twos_q[row_i[2:0]] ? two[row_i[2:0]] : '0) ^ (twos_q[id_i[2:0]] ? two[id_i[2:0]] : '0);
  assign chain_o = chain_i ^ (some_q[0] && !clear_i);  // from an input in the same cycle
  for (genvar k = 0; k < 2; k++) begin : gen_deep
    deep i_deep (.clk_i, .rst_ni, .on_i(chain_i || en_i), .step_i(12'(k) + 12'(id_i)), .sum_o(deep_o[k]));
  end
  always_ff @(posedge clk_i) assert (!rst_ni || id_i != 4'd15) else $error("id 15");
endmodule
module deep (
  input logic clk_i, input logic rst_ni, input logic on_i, input logic [11:0] step_i, output logic [11:0] sum_o
);
  always_ff @(posedge clk_i or negedge rst_ni) if (!rst_ni) sum_o <= '0; else if (on_i) sum_o <= sum_o + step_i;
endmodule
module chain (
  input logic clk_i, input logic rst_ni, input logic [4:0][3:0] id_i, input logic [39:0] a_i, input logic [4:0] en_i,
  input logic clear_i, input logic [4:0][3:0] row_i, input logic [4:0] be_i, input logic chain_i,
  output logic [4:0][39:0] plain_o, output logic [4:0][39:0] some_o, output logic [4:0][39:0] read_o,
  output logic [4:0][6:0] two_o, output logic [4:0][39:0] both_o, output logic chain_o,
  output logic [4:0][1:0][11:0] deep_o
);
  logic [4:0] chain;
  for (genvar k = 0; k < 5; k++) begin : gen_cellar
    cellar i_cellar (
      .clk_i, .rst_ni, .id_i(id_i[k]), .a_i(a_i + 40'(k)), .en_i(en_i[k]), .clear_i, .row_i(row_i[k]), .be_i,
      .chain_i(chain_i), .plain_o(plain_o[k]), .some_o(some_o[k]), .read_o(read_o[k]), .two_o(two_o[k]),
      .both_o(both_o[k]), .chain_o(chain[k]), .deep_o(deep_o[k]));
  end
  assign chain_o = ^chain;
endmodule
"""


def compare(flat: Model, laned: Model, rng: random.Random, cycles: int, fixed: dict[str, int] | None = None) -> None:
    """Both get the same inputs; all outputs are equal in each cycle."""
    for model in (flat, laned):
        model.reset()
    for cycle in range(cycles):
        values = {name: _number(rng, bits) for name, bits in flat.inputs.items() if rng.random() < 0.7}
        values |= {**(fixed or {}), "rst_ni": int(rng.random() > 0.01)}
        for model in (flat, laned):
            for name, value in values.items():
                model.set(name, value)
            model.settle()
        assert {n: flat.get(n) for n in flat.outputs} == {n: laned.get(n) for n in flat.outputs}, f"cycle {cycle}"
        for model in (flat, laned):
            model.step()


def _number(rng: random.Random, bits: int) -> int:
    """Any, or one with long runs of equal bits."""
    if rng.random() < 0.5:
        return rng.getrandbits(bits)
    low, high = sorted((rng.randrange(bits + 1), rng.randrange(bits + 1)))
    return ((1 << high) - (1 << low)) ^ rng.choice((0, (1 << bits) - 1))


def _shape(folder: Path, top: str, text: str, lanes: tuple[str, ...]) -> Shape:
    (folder / f"{top}.sv").write_text(text)
    rules = ["WIDTHEXPAND", "WIDTHTRUNC", "UNSIGNED", "CMPCONST", "UNUSEDSIGNAL", "UNOPTFLAT", "WIDTHCONCAT"]
    (folder / "test.vlt").write_text("`verilator_config\n" + "".join(f"lint_off -rule {rule}\n" for rule in rules))
    (folder / f"{top}.f").write_text(f"test.vlt\n{top}.sv\n")
    return Shape(top, (folder / f"{top}.f",), lanes=lanes)


@pytest.mark.parametrize("lanes", [1, 3, 16] if FULL else [3])  # 16 take a minute and a half to compile
def test_operators(lanes: int, tmp_path: Path) -> None:
    assigns = "\n  ".join(f"assign y_o[{i}] = {text};" for i, text in enumerate(OPERATORS))
    unit = UNIT.replace("{count}", str(len(OPERATORS))).replace("{assigns}", assigns)
    outputs = ", ".join(f"output logic [{len(OPERATORS) - 1}:0][{w - 1}:0] y{w}_o" for w in WIDTHS)
    units = "\n".join(
        f"  unit #(.W({w})) i_unit_{w} (.clk_i, .rst_ni, .a(a[{w - 1}:0]), .b(b[{w - 1}:0]), .n, .s, .y_o(y{w}_o));"
        for w in WIDTHS
    )
    most = max(WIDTHS) - 1
    heads = f"input logic [{most}:0] a, input logic [{most}:0] b, input logic [5:0] n, input logic s"
    bundle = f"module bundle (input logic clk_i, input logic rst_ni, {heads}, {outputs});\n{units}\nendmodule\n"
    tops = ", ".join(head.replace("logic ", f"logic [{lanes - 1}:0]") for head in f"{heads}, {outputs}".split(", "))
    connected = ", ".join(f".{name}({name}[k])" for name in ["a", "b", "n", "s", *(f"y{w}_o" for w in WIDTHS)])
    loop = f"for (genvar k = 0; k < {lanes}; k++) begin : gen_k\n  bundle i (.clk_i, .rst_ni, {connected});\nend"
    top = f"module top (input logic clk_i, input logic rst_ni, {tops});\n{loop}\nendmodule\n"
    shape = _shape(tmp_path, "top", unit + bundle + top, ("bundle",))
    flat, laned = Model(build(Shape(shape.top, shape.files)).path), Model(build(shape).path)
    compare(flat, laned, random.Random(lanes), 300)


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Shape:
    return _shape(tmp_path_factory.mktemp("chain"), "chain", STATE, ("cellar", "deep"))


def test_state_and_instances_in_instances(chain: Shape) -> None:
    flat, laned = Model(build(Shape(chain.top, chain.files)).path), Model(build(chain).path)
    rng = random.Random(7)
    for _ in range(8):
        compare(flat, laned, rng, 500, {"id_i": 0x43210 + 0x11111 * rng.randrange(10)})
    for _ in range(50):  # nothing happens: all rests
        for model in (flat, laned):
            model.set("rst_ni", 1)
            model.settle()
            model.step()
    compare(flat, laned, rng, 100, {"id_i": 0x01234})


def test_an_assertion_is_named_by_its_place(chain: Shape) -> None:
    laned = Model(build(chain).path)
    laned.reset()
    laned.set("id_i", 0xF0000)
    laned.settle()
    with pytest.raises(UserError, match=r"an assertion does not hold: .*chain\.sv:\d+"):
        laned.step()


def test_paths_from_lane_to_lane_are_refused(tmp_path: Path) -> None:
    text = STATE.replace(".chain_i(chain_i), .plain_o", ".chain_i(k == 0 ? chain_i : chain[k-1]), .plain_o")
    with pytest.raises(UserError, match=r"instances of cellar\S* depend on each other within a cycle"):
        build(_shape(tmp_path, "chain", text, ("cellar",)), tmp_path / "cache")


def test_lanes_that_are_not_there_are_named(chain: Shape, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="lanes gadget: chain has no module of that name"):
        build(Shape(chain.top, chain.files, lanes=("gadget",)), tmp_path)


@pytest.mark.parametrize(
    ("clock", "reset", "why"),
    [
        ("negedge clk_i", "negedge rst_ni", "another clock than the rising clk_i"),
        ("posedge clk_i", "posedge on_i", "another reset than the low rst_ni"),
    ],
)
def test_other_clocks_are_refused(clock: str, reset: str, why: str, tmp_path: Path) -> None:
    condition = "!rst_ni" if "rst_ni" in reset else "on_i"
    plain = "if (!rst_ni) sum_o <= '0; else if (on_i)"
    text = STATE.replace(plain, f"if ({condition}) sum_o <= '0; else if (step_i[0])")
    head, tail = text.split("module deep", 1)
    tail = tail.replace("posedge clk_i or negedge rst_ni", f"{clock} or {reset}", 1)
    with pytest.raises(UserError, match=why):
        build(_shape(tmp_path, "chain", f"{head}module deep{tail}", ("deep",)), tmp_path / "cache")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("always_latch if (on_i) extra = step_i;", r"cells of type \$dlatch cannot be lanes"),
        ("initial extra = 12'd7;\n  always_ff @(posedge clk_i) extra <= extra ^ step_i;", "has an initial value"),
        ("logic [11:0] rom[4];\n  initial rom[1] = 12'd3;\n  assign extra = rom[step_i[1:0]];", "initial"),
    ],
)
def test_what_else_cannot_be_lanes_is_named(line: str, why: str, tmp_path: Path) -> None:
    head, tail = STATE.split("output logic [11:0] sum_o\n);", 1)
    text = f"{head}output logic [11:0] sum_o\n);\n  logic [11:0] extra;\n  {line}\n{tail}"
    text = text.replace("sum_o <= sum_o + step_i;", "sum_o <= sum_o + step_i + extra;")
    with pytest.raises(UserError, match=why):
        build(_shape(tmp_path, "chain", text, ("deep",)), tmp_path / "cache")


def test_errors_of_the_source_are_told(tmp_path: Path) -> None:
    text = STATE.replace("assign chain_o = ^chain;", "assign chain_o = nonsense;")
    shape = _shape(tmp_path, "chain", text, ("deep",))
    with pytest.raises(UserError, match=r"Yosys refuses chain:\n.*chain\.sv.*nonsense"):
        build(shape, tmp_path / "cache")


def test_waves_are_verilators(chain: Shape) -> None:
    laned = Shape(chain.top, chain.files, trace=True, lanes=chain.lanes)
    assert build(laned).path == build(Shape(chain.top, chain.files, trace=True)).path
