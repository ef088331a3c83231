// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_program_boot_pkg: the program's begin, and the table of what to do by event.
// How:          Registers and the program's own words are cleared; then the rest: a table of what to do by event.
//               Conventions: polyloom_mpe_asm_pkg (instructions), polyloom_mpe_map_pkg (registers, memory).
// Source: PROTOCOL.md, ENGINE.md.   Tests: test_polyloom_mpe.py, test_mpe_faults.py, interop_test.cc
package polyloom_mpe_program_boot_pkg;
  import polyloom_mpe_pkg::*;
  import polyloom_mpe_isa_pkg::*;
  import polyloom_mpe_map_pkg::*;
  import polyloom_mpe_asm_pkg::*;

  function automatic program_t boot(input program_t given);
    program_t p = given;
    p = i(p, mov(ZERO, n(0)));
    p = i(p, mov(ONE, n(1)));
    p = i(p, mov(FLAGS, n(0)));
    p = i(p, mov(SIZE, n(0)));
    p = i(p, mov(SLOTS, n(0)));
    p = i(p, mov(LIMIT, n(0)));
    p = i(p, mov(WINDOW, n(0)));
    p = i(p, mov(HANDLES, n(16'(REQUESTS_AT))));
    p = i(p, mov(TRY, n(FIRST_TRY)));
    p = i(p, pack(TRY, TRY, r(TRY)));
    p = i(p, mov(TICK, n(0)));
    p = i(p, mov(AWAITED, n(0)));
    p = i(p, mov(PC, n(16'(GLOBALS_AT))));
    p = label(p, L_CLEAR);
    p = im(p, mov(NONE, n(0)), st(PC, 0));
    p = i(p, add(PC, PC, n(1)));
    p = ib(p, sub(NONE, PC, n(16'(DATA_WORDS))), nz(L_CLEAR));

    // The sequencer waits here, in the first entry of the table, for an event.
    p = align(p, 16);
    p = label(p, L_REST);
    p = ib(p, mov(NONE, in(I_EVENT)), caseof(L_REST));
    p = ib(p, and_(NONE, FLAGS, n(F_SWEEP)), jump(L_SWEEP));  // EV_SWEEP
    p = ib(p, mov(O_NO_ACK, n(0)), jump(L_ACK_DELAY));  // EV_ACK
    p = imb(p, mov(COMMAND, in(I_COMMAND_LOW)), stg(G_COMMAND), jump(L_COMMAND));  // EV_COMMAND
    p = ib(p, mov(RANK, inlo(I_RANKS)), jump(L_PACKET));  // EV_PACKET
    p = ib(p, mov(T, inhi(I_JOB)), jump(L_MANAGE));  // EV_MANAGE
    p = ib(p, nop(), jump(L_SEND));  // EV_SEND
    p = ib(p, mov(O_REPORTED, n(0)), jump(L_COPIED));  // EV_COPIED
    p = ib(p, andn(FLAGS, FLAGS, n(F_RESPONSE)), jump(L_RESPONSE));  // EV_RESPONSE
    p = ib(p, and_(FLAGS, FLAGS, n(F_MANAGE)), jump(L_STOPPED));  // EV_STOP
    return p;
  endfunction

endpackage
