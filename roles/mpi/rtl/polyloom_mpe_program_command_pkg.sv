// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_program_command_pkg: the kernel's commands: three words, then by operation.
// How:          The kernel's commands: three words, then by operation; each ends in a response now or when its request is complete.
//               Conventions: polyloom_mpe_asm_pkg (instructions), polyloom_mpe_map_pkg (registers, memory).
// Source: PROTOCOL.md, ENGINE.md.   Tests: test_polyloom_mpe.py, test_mpe_faults.py, interop_test.cc
package polyloom_mpe_program_command_pkg;
  import polyloom_mpe_pkg::*;
  import polyloom_mpe_isa_pkg::*;
  import polyloom_mpe_map_pkg::*;
  import polyloom_mpe_asm_pkg::*;

  function automatic program_t command(input program_t given);
    program_t p = given;
    p = label(p, L_COMMAND);
    p = im(p, mov(C_TAG, in(I_COMMAND_HIGH)), stg(G_COMMAND + 6'd1));
    p = im(p, mov(O_POP_COMMAND, in(I_CYCLE_LOW)), stg(G_SINCE));
    p = im(p, mov(NONE, in(I_CYCLE_HIGH)), stg(G_SINCE + 6'd1));
    p = im(p, and_(T, COMMAND, n(16'h00ff)), ldg(G_JOB));
    p = ib(p, mov(NONE, m()), z(L_REFUSED));
    p = ib(p, sub(NONE, T, n(12)), ge(L_REFUSED));
    p = i(p, mov(PB, n(16'(NO_REQUEST_AT))));
    p = imb(p, mov(NONE, r(T)), ldg(G_FREE), caseof(L_OPERATIONS));

    // The oldest envelope PD that waits, for RANK, COMM and C_TAG; 0: none. PC is before it.
    p = label(p, L_FIND);
    p = im(p, mov(PC, n(16'(GLOBALS_AT) + 16'(G_WAITING))), ldg(G_WAITING));
    p = ib(p, mov(PD, mlo()), z(L_FOUND));
    p = label(p, L_FIND_ONE);
    p = im(p, nop(), ld(PD, E_KEY));
    p = ib(p, sub(NONE, COMM, mlo()), nz(L_FIND_NEXT));
    p = imb(p, sub(NONE, RANK, mhi()), ld(PD, E_TAG), z(L_FIND_TAG));
    p = ib(p, addh(NONE, RANK, n(1)), nz(L_FIND_NEXT));
    p = label(p, L_FIND_TAG);
    p = ib(p, sub(NONE, C_TAG, m()), z(L_FOUND));
    p = ib(p, add(NONE, C_TAG, n(1)), z(L_FOUND));
    p = label(p, L_FIND_NEXT);
    p = im(p, mov(PC, r(PD)), ld(PD, E_NEXT));
    p = ib(p, mov(PD, mlo()), nz(L_FIND_ONE));
    p = label(p, L_FOUND);
    p = ib(p, nop(), ret());

    // A send goes to the end of those that want to be sent.
    p = label(p, L_SEND_READY);
    p = ib(p, sub(NONE, LIMIT, r(LENGTH)), ge(L_SHORT));
    p = i(p, andn(U, U, n(IS_EAGER)));
    p = label(p, L_SHORT);
    p = im(p, mov(NONE, r(U)), stlo(PB, R_FLAGS));
    p = ib(p, mov(NONE, mlo()), z(L_FIRST_WANT));
    p = i(p, mov(PD, mhi()));
    p = im(p, mov(NONE, r(PB)), stlo(PD, R_NEXT));
    p = imb(p, mov(NONE, r(PB)), stghi(G_WANT), jump(L_WANTS));
    p = label(p, L_FIRST_WANT);
    p = im(p, pack(NONE, PB, r(PB)), stg(G_WANT));
    p = label(p, L_WANTS);
    p = i(p, or_(FLAGS, FLAGS, n(F_WANT)));
    p = ib(p, and_(NONE, COMMAND, n(8)), z(L_SAY_HANDLE));  // SEND_WAIT, SSEND_WAIT
    p = ib(p, mov(AWAITED, r(PB)), jump(L_REST));

    p = align(p, 16);
    p = label(p, L_OPERATIONS);
    p = ib(p, nop(), jump(L_REFUSED));
    p = ib(p, mov(U, n(OWNED | IS_EAGER)), jump(L_START));  // SEND
    p = ib(p, mov(U, n(OWNED)), jump(L_START));  // SSEND
    p = ib(p, mov(U, n(OWNED | IS_RECEIVE)), jump(L_START));  // RECV
    p = ib(p, nop(), jump(L_WORD_1));  // WAIT
    p = ib(p, nop(), jump(L_WORD_1));  // TEST
    p = ib(p, mov(U, n(IS_RECEIVE)), jump(L_START));  // PROBE
    p = ib(p, mov(U, n(IS_RECEIVE)), jump(L_START));  // IPROBE
    p = ib(p, mov(U, n(OWNED | IS_EAGER)), jump(L_START));  // SEND_WAIT
    p = ib(p, mov(U, n(OWNED)), jump(L_START));  // SSEND_WAIT
    p = ib(p, mov(U, n(OWNED | IS_RECEIVE)), jump(L_START));  // RECV_WAIT
    p = ib(p, nop(), jump(L_WORD_1));  // CANCEL

    // Is there such a rank (any, for receives and probes)? Then a request PB is taken, with flags U.
    p = label(p, L_START);
    p = ib(p, sub(NONE, SIZE, hi(COMMAND)), ge(L_IS_RANK));
    p = ib(p, and_(NONE, U, n(IS_RECEIVE)), z(L_REFUSED));
    p = i(p, mov(RANK, hi(COMMAND)));
    p = ib(p, addh(NONE, RANK, n(1)), nz(L_REFUSED));
    p = label(p, L_IS_RANK);
    p = ib(p, and_(NONE, U, n(OWNED)), z(L_WORD_1));
    p = ib(p, mov(PB, mlo()), z(L_TOO_MANY));
    p = im(p, nop(), ld(PB, R_NEXT));
    p = imb(p, mov(NONE, mlo()), stglo(G_FREE), z(L_LAST_FREE));
    p = label(p, L_REQUEST);
    p = im(p, nop(), ldg(G_USED));
    p = im(p, add(NONE, ONE, m()), stg(G_USED));
    p = im(p, mov(NONE, r(C_TAG)), st(PB, R_TAG));
    p = im(p, and_(NONE, COMMAND, n(16'hff00)), st(PB, R_TYPE));
    p = im(p, mov(NONE, n(0)), st(PB, R_POSITION));
    p = im(p, mov(NONE, n(0)), st(PB, R_LIMIT));
    p = im(p, mov(NONE, n(0)), st(PB, R_TRIES));
    p = im(p, mov(NONE, n(0)), stlo(PB, R_NEXT));
    // The other words. Commands without a request write where nothing is.
    p = label(p, L_WORD_1);
    p = ib(p, mov(RANK, hi(COMMAND)), on(NO_COMMAND, L_WORD_1));
    p = im(p, mov(C_COMM, in(I_COMMAND_LOW)), stg(G_COMMAND + 6'd2));
    p = im(p, mov(T, in(I_COMMAND_HIGH)), stg(G_COMMAND + 6'd3));
    p = im(p, mov(O_POP_COMMAND, r(T)), st(PB, R_ADDRESS));
    p = i(p, mov(COMM, lo(C_COMM)));
    p = im(p, pack(NONE, COMM, r(RANK)), st(PB, R_KEY));
    p = label(p, L_WORD_2);
    p = ib(p, nop(), on(NO_COMMAND, L_WORD_2));
    p = im(p, mov(LENGTH, in(I_COMMAND_LOW)), stg(G_COMMAND + 6'd4));
    p = im(p, mov(O_POP_COMMAND, in(I_COMMAND_HIGH)), stg(G_COMMAND + 6'd5));
    p = imb(p, mov(NONE, r(COMMAND)), ldg(G_WANT), caseof(L_READY));
    // The last free request is for the manager's messages: what a program prints, and how it ends.
    p = label(p, L_LAST_FREE);
    p = ib(p, sub(NONE, SIZE, hi(COMMAND)), z(L_REQUEST));
    p = im(p, mov(NONE, r(PB)), stglo(G_FREE));
    p = label(p, L_TOO_MANY);
    p = ib(p, mov(KIND, n(E_TOO_MANY)), jump(L_NO_REQUEST));
    p = label(p, L_REFUSED);
    p = i(p, mov(KIND, n(E_NO_SUCH)));
    p = label(p, L_NO_REQUEST);
    p = i(p, mov(PB, n(16'(NO_REQUEST_AT))));
    p = ib(p, mov(COMMAND, n(0)), jump(L_WORD_1));
    p = label(p, L_STARTED);
    p = ib(p, and_(NONE, COMMAND, n(8)), z(L_SAY_HANDLE));  // RECV_WAIT
    // The kernel waits for request PB.
    p = label(p, L_AWAIT);
    p = im(p, mov(AWAITED, r(PB)), ld(PB, R_FLAGS));
    p = i(p, mov(T, mlo()));
    p = ib(p, and_(NONE, T, n(COMPLETE)), z(L_REST));
    p = ib(p, or_(FLAGS, FLAGS, n(F_RESPONSE)), jump(L_REST));

    p = align(p, 16);
    p = label(p, L_READY);
    p = ib(p, mov(T, r(KIND)), jump(L_SAY_ONLY));  // an error
    p = imb(p, mov(NONE, r(LENGTH)), st(PB, R_BYTES), jump(L_SEND_READY));
    p = imb(p, mov(NONE, r(LENGTH)), st(PB, R_BYTES), jump(L_SEND_READY));
    p = imb(p, mov(NONE, r(LENGTH)), st(PB, R_BYTES), jump(L_RECEIVE));
    p = ib(p, xor_(PB, HANDLES, hi(C_COMM)), jump(L_WAIT));
    p = ib(p, xor_(PB, HANDLES, hi(C_COMM)), jump(L_WAIT));
    p = ib(p, nop(), jump(L_PROBE));
    p = ib(p, nop(), jump(L_PROBE));
    p = imb(p, mov(NONE, r(LENGTH)), st(PB, R_BYTES), jump(L_SEND_READY));
    p = imb(p, mov(NONE, r(LENGTH)), st(PB, R_BYTES), jump(L_SEND_READY));
    p = imb(p, mov(NONE, r(LENGTH)), st(PB, R_BYTES), jump(L_RECEIVE));
    p = ib(p, xor_(PB, HANDLES, hi(C_COMM)), jump(L_CANCEL));

    p = label(p, L_RECEIVE);
    p = imb(p, mov(NONE, r(U)), stlo(PB, R_FLAGS), call(L_FIND));
    p = imb(p, mov(NONE, r(PD)), ldg(G_POSTED), nz(L_RECEIVE_FOUND));
    p = ib(p, mov(NONE, mlo()), z(L_FIRST_POSTED));
    p = i(p, mov(PD, mhi()));
    p = im(p, mov(NONE, r(PB)), stlo(PD, R_NEXT));
    p = imb(p, mov(NONE, r(PB)), stghi(G_POSTED), jump(L_STARTED));
    p = label(p, L_FIRST_POSTED);
    p = imb(p, pack(NONE, PB, r(PB)), stg(G_POSTED), jump(L_STARTED));
    // Envelope PD is taken out of the list, its place is free as soon as the writer has moved what is there: it works in order.
    p = label(p, L_RECEIVE_FOUND);
    p = im(p, nop(), ld(PD, E_NEXT));
    p = imb(p, mov(NONE, mlo()), stlo(PC, E_NEXT), nz(L_FOUND_INSIDE));
    p = im(p, mov(NONE, r(PC)), stghi(G_WAITING));
    p = label(p, L_FOUND_INSIDE);
    p = imb(p, mov(OFFSET, mhi()), ldg(G_FREE_ENVELOPE), neg(L_WITHOUT_PLACE));
    p = im(p, mov(NONE, mlo()), stlo(PD, E_NEXT));
    p = im(p, mov(NONE, r(PD)), stglo(G_FREE_ENVELOPE));
    p = label(p, L_ENVELOPE_FREE);
    p = i(p, mov(T, n(FROM_STORE)));
    p = im(p, pack(OFFSET, T, r(OFFSET)), ld(PD, E_KEY));
    p = im(p, mov(RANK, mhi()), ld(PD, E_TAG));
    p = im(p, mov(TAG, m()), ld(PD, E_LENGTH));
    p = im(p, mov(LENGTH, m()), ld(PD, E_KIND));
    p = im(p, mov(KIND, mlo()), ld(PD, E_SEQ));
    p = i(p, mov(U, m()));
    p = i(p, add(PA, RANK, x8(RANK)));
    p = i(p, add(PA, PA, r(RANK)));
    p = ib(p, nop(), call(L_CONSUMED));
    p = label(p, L_WRITER);
    p = ib(p, nop(), on(WRITER_FULL, L_WRITER));
    p = ib(p, nop(), call(L_MEET));
    p = ib(p, nop(), jump(L_STARTED));
    p = label(p, L_WITHOUT_PLACE);
    p = im(p, nop(), ldg(G_BARE));
    p = im(p, mov(NONE, mlo()), stlo(PD, E_NEXT));
    p = imb(p, mov(NONE, r(PD)), stglo(G_BARE), jump(L_ENVELOPE_FREE));
    return p;
  endfunction

endpackage
