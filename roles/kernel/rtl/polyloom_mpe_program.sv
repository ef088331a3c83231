// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_program: the program of the sequencer, in a block RAM and, for the bits that are mostly zero, in LUTs.
// How:          the parts of the program are put behind each other when this is elaborated: once to find the labels, once more
//               with them.
// Latency:      1 cycle.   Throughput:   an instruction a cycle.   Backpressure: none.   Order/loss:   none.
// Reset:        none: word_o is the instruction of the last cycle's at_i.
// Limits:       PROGRAM_WORDS instructions (checked at elaboration).
// Cost:         not measured alone.   Source: own design.   Tests: test_polyloom_mpe_program.py, interop_test.cc
module polyloom_mpe_program
  import polyloom_mpe_isa_pkg::*;
  import polyloom_mpe_asm_pkg::program_t;
(
    input  logic         clk_i,
    input  place_t       at_i,
    output instruction_t word_o
);

  function automatic program_t all(input program_t given);
    program_t p = given;
    p.at = '0;
    p = polyloom_mpe_program_boot_pkg::boot(p);
    p = polyloom_mpe_program_receive_pkg::receive(p);
    p = polyloom_mpe_program_match_pkg::match(p);
    p = polyloom_mpe_program_rendezvous_pkg::rendezvous(p);
    p = polyloom_mpe_program_command_pkg::command(p);
    p = polyloom_mpe_program_answer_pkg::answer(p);
    p = polyloom_mpe_program_send_pkg::send(p);
    p = polyloom_mpe_program_work_pkg::work(p);
    p = polyloom_mpe_program_time_pkg::timing(p);
    p = polyloom_mpe_program_manage_pkg::manage(p);
    p = polyloom_mpe_program_registers_pkg::registers(p);
    return p;
  endfunction
  localparam program_t LABELLED = all(program_t'(1'b0));
  localparam program_t FULL = all(LABELLED);
  if (FULL.at > 11'(PROGRAM_WORDS)) begin : gen_check
    $error("%m: %0d instructions, at most %0d", FULL.at, PROGRAM_WORDS);
  end

  logic [DENSE_BITS-1:0] dense[PROGRAM_WORDS], dense_q;
  (* rom_style = "logic" *)
  logic [SPARSE_BITS-1:0] sparse[PROGRAM_WORDS];
  logic [SPARSE_BITS-1:0] sparse_q;
  initial begin
    for (int unsigned n = 0; n < PROGRAM_WORDS; n++) {dense[n], sparse[n]} = FULL.text[n];
  end
  always_ff @(posedge clk_i) begin
    dense_q  <= dense[at_i];
    sparse_q <= sparse[at_i];
  end
  assign word_o = {dense_q, sparse_q};
endmodule
