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
  import polyloom_mpe_asm_pkg::text_t;
  import polyloom_mpe_asm_pkg::part;
  import polyloom_mpe_asm_pkg::again;
  import polyloom_mpe_asm_pkg::placed;
(
    input  logic         clk_i,
    input  place_t       at_i,
    output instruction_t word_o
);

  function automatic program_t all(input program_t given);
    program_t p = given;
    p = polyloom_mpe_program_boot_pkg::boot(part(p));
    p = polyloom_mpe_program_receive_pkg::receive(part(p));
    p = polyloom_mpe_program_match_pkg::match(part(p));
    p = polyloom_mpe_program_rendezvous_pkg::rendezvous(part(p));
    p = polyloom_mpe_program_command_pkg::command(part(p));
    p = polyloom_mpe_program_response_pkg::response(part(p));
    p = polyloom_mpe_program_send_pkg::send(part(p));
    p = polyloom_mpe_program_work_pkg::work(part(p));
    p = polyloom_mpe_program_time_pkg::timing(part(p));
    p = polyloom_mpe_program_manage_pkg::manage(part(p));
    p = polyloom_mpe_program_registers_pkg::registers(part(p));
    return p;
  endfunction
  localparam program_t LABELLED = all(program_t'(1'b0));

  localparam program_t BOOT = polyloom_mpe_program_boot_pkg::boot(part(again(LABELLED)));
  localparam program_t RECEIVE = polyloom_mpe_program_receive_pkg::receive(part(BOOT));
  localparam program_t MATCH = polyloom_mpe_program_match_pkg::match(part(RECEIVE));
  localparam program_t RENDEZVOUS = polyloom_mpe_program_rendezvous_pkg::rendezvous(part(MATCH));
  localparam program_t COMMAND = polyloom_mpe_program_command_pkg::command(part(RENDEZVOUS));
  localparam program_t RESPONSE = polyloom_mpe_program_response_pkg::response(part(COMMAND));
  localparam program_t SEND = polyloom_mpe_program_send_pkg::send(part(RESPONSE));
  localparam program_t WORK = polyloom_mpe_program_work_pkg::work(part(SEND));
  localparam program_t TIMING = polyloom_mpe_program_time_pkg::timing(part(WORK));
  localparam program_t MANAGE = polyloom_mpe_program_manage_pkg::manage(part(TIMING));
  localparam program_t REGISTERS = polyloom_mpe_program_registers_pkg::registers(part(MANAGE));
  localparam program_t FULL = part(REGISTERS);
  function automatic text_t whole();
    whole = text_t'(1'b0);
    whole = placed(whole, BOOT);
    whole = placed(whole, RECEIVE);
    whole = placed(whole, MATCH);
    whole = placed(whole, RENDEZVOUS);
    whole = placed(whole, COMMAND);
    whole = placed(whole, RESPONSE);
    whole = placed(whole, SEND);
    whole = placed(whole, WORK);
    whole = placed(whole, TIMING);
    whole = placed(whole, MANAGE);
    whole = placed(whole, REGISTERS);
  endfunction
  localparam text_t TEXT = whole();
  if (FULL.too_long) begin : gen_check_parts
    $error("%m: a part has more than %0d instructions", polyloom_mpe_asm_pkg::PART_WORDS);
  end
  if (32'(FULL.at) > PROGRAM_WORDS) begin : gen_check
    $error("%m: %0d instructions, at most %0d", FULL.at, PROGRAM_WORDS);
  end

  logic [DENSE_BITS-1:0] dense[PROGRAM_WORDS], dense_q;
  (* rom_style = "logic" *)
  logic [SPARSE_BITS-1:0] sparse[PROGRAM_WORDS];
  logic [SPARSE_BITS-1:0] sparse_q;
  initial begin
    for (int unsigned n = 0; n < PROGRAM_WORDS; n++) {dense[n], sparse[n]} = TEXT[n];
  end
  always_ff @(posedge clk_i) begin
    dense_q  <= dense[at_i];
    sparse_q <= sparse[at_i];
  end
  assign word_o = {dense_q, sparse_q};
endmodule
