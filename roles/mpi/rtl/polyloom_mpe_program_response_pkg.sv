// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_program_response_pkg: waits, tests and probes; the words that go back to the kernel.
// How:          Waits, tests, probes, and the words that go back to the kernel.
//               Conventions: polyloom_mpe_asm_pkg (instructions), polyloom_mpe_map_pkg (registers, memory).
// Source: PROTOCOL.md, ENGINE.md.   Tests: test_polyloom_mpe.py, test_mpe_faults.py, interop_test.cc
package polyloom_mpe_program_response_pkg;
  import polyloom_mpe_pkg::*;
  import polyloom_mpe_isa_pkg::*;
  import polyloom_mpe_map_pkg::*;
  import polyloom_mpe_asm_pkg::*;

  function automatic program_t response(input program_t given);
    program_t p = given;
    // WAIT, TEST: of the handle in the high half of C_COMM.
    p = label(p, L_WAIT);
    p = im(p, xor_(T, PB, n(16'(REQUESTS_AT))), ld(PB, R_FLAGS));
    p = ib(p, andn(NONE, T, n(HANDLE_BITS)), nz(L_NO_SUCH));
    p = i(p, mov(T, mlo()));
    p = ib(p, and_(NONE, T, n(OWNED)), z(L_NO_SUCH));
    p = ib(p, and_(NONE, COMMAND, n(1)), z(L_AWAIT));  // WAIT
    p = ib(p, and_(NONE, T, n(COMPLETE)), z(L_SAY_HANDLE));
    p = imb(p, and_(NONE, COMMAND, n(16'h8000)), ld(PB, R_TYPE), z(L_AWAIT));
    // KEEP: the same response, and the request stays.
    p = i(p, mov(KIND, mlo()));
    p = im(p, mov(T, mhi()), ld(PB, R_KEY));
    p = i(p, or_(T, T, n(16'h0100)));
    p = im(p, pack(T, T, mhi()), ld(PB, R_TAG));
    p = im(p, mov(TAG, m()), ld(PB, R_BYTES));
    p = ib(p, mov(LENGTH, m()), jump(L_SAY));
    // Request PB's handle; not complete.
    p = label(p, L_SAY_HANDLE);
    p = i(p, xor_(T, HANDLES, r(PB)));
    p = ib(p, pack(T, ZERO, r(T)), jump(L_SAY_ONLY));

    // CANCEL: a posted receive is taken out of the list, and complete, with a length that no message has. Anything else goes on.
    p = label(p, L_CANCEL);
    p = im(p, xor_(T, PB, n(16'(REQUESTS_AT))), ld(PB, R_FLAGS));
    p = ib(p, andn(NONE, T, n(HANDLE_BITS)), nz(L_NO_SUCH));
    p = im(p, mov(T, mlo()), ldg(G_POSTED));
    p = ib(p, and_(NONE, T, n(OWNED)), z(L_NO_SUCH));
    p = ib(p, sub(NONE, T, n(OWNED | IS_RECEIVE)), nz(L_SAY_NOTHING));
    p = i(p, mov(PC, mlo()));
    p = i(p, mov(PD, n(0)));
    p = label(p, L_CANCEL_ONE);
    p = ib(p, sub(NONE, PC, r(PB)), z(L_CANCEL_FOUND));
    p = im(p, mov(PD, r(PC)), ld(PC, R_NEXT));
    p = ib(p, mov(PC, mlo()), jump(L_CANCEL_ONE));
    p = label(p, L_CANCEL_FOUND);  // PD is before it, T behind it
    p = im(p, nop(), ld(PB, R_NEXT));
    p = i(p, mov(T, mlo()));
    p = ib(p, mov(NONE, r(PD)), z(L_CANCEL_FIRST));
    p = imb(p, mov(NONE, r(T)), stlo(PD, R_NEXT), jump(L_CANCEL_LAST));
    p = label(p, L_CANCEL_FIRST);
    p = im(p, mov(NONE, r(T)), stglo(G_POSTED));
    p = label(p, L_CANCEL_LAST);
    p = ib(p, mov(NONE, r(T)), nz(L_CANCELLED));
    p = im(p, mov(NONE, r(PD)), stghi(G_POSTED));
    p = label(p, L_CANCELLED);
    p = im(p, mov(NONE, n(0)), stlo(PB, R_NEXT));
    p = i(p, mov(T, n(0)));
    p = im(p, sub(NONE, T, n(1)), st(PB, R_BYTES));
    p = im(p, mov(NONE, n(OWNED | IS_RECEIVE | COMPLETE)), stlo(PB, R_FLAGS));
    p = ib(p, mov(T, n(16'h0100)), jump(L_SAY_ONLY));

    // PROBE, IPROBE; again when another envelope has come.
    p = label(p, L_PROBE);
    p = i(p, mov(RANK, hi(COMMAND)));
    p = ib(p, mov(COMM, lo(C_COMM)), call(L_FIND));
    p = ib(p, mov(NONE, r(PD)), z(L_PROBE_NOTHING));
    p = im(p, mov(T, n(16'h0100)), ld(PD, E_KEY));
    p = im(p, pack(T, T, mhi()), ld(PD, E_TAG));
    p = im(p, mov(TAG, m()), ld(PD, E_LENGTH));
    p = im(p, mov(LENGTH, m()), ld(PD, E_KIND));
    p = ib(p, mov(KIND, mlo()), jump(L_SAY));
    p = label(p, L_PROBE_NOTHING);
    p = ib(p, and_(NONE, COMMAND, n(1)), nz(L_SAY_NOTHING));  // IPROBE
    p = ib(p, mov(AWAITED, n(1)), jump(L_REST));
    p = label(p, L_SAY_NOTHING);
    p = ib(p, mov(T, n(0)), jump(L_SAY_ONLY));

    p = label(p, L_NO_SUCH);
    p = i(p, mov(T, n(E_NO_SUCH)));
    p = label(p, L_SAY_ONLY);
    p = i(p, mov(TAG, n(0)));
    p = i(p, mov(LENGTH, n(0)));
    p = i(p, mov(KIND, n(0)));
    // T, TAG; LENGTH, type: the two words of a response.
    p = label(p, L_SAY);
    p = i(p, mov(O_TX_LOW, r(T)));
    p = i(p, mov(O_RESPONSE, r(TAG)));
    p = label(p, L_SAY_1);
    p = ib(p, mov(AWAITED, n(0)), on(RESPONSE_WAITS, L_SAY_1));
    p = i(p, mov(O_TX_LOW, r(LENGTH)));
    p = ib(p, shr8(O_RESPONSE, lo(KIND)), jump(L_REST));

    // The request that the kernel waits for is complete, all payload is in its memory.
    p = label(p, L_RESPONSE);
    p = i(p, mov(PB, r(AWAITED)));
    p = im(p, nop(), ld(PB, R_TYPE));
    p = i(p, mov(KIND, mlo()));
    p = im(p, mov(T, mhi()), ld(PB, R_KEY));
    p = i(p, or_(T, T, n(16'h0100)));
    p = im(p, pack(T, T, mhi()), ld(PB, R_TAG));
    p = im(p, mov(TAG, m()), ld(PB, R_BYTES));
    p = im(p, mov(LENGTH, m()), ld(PB, R_FLAGS));
    p = i(p, mov(U, mlo()));
    p = im(p, andn(U, U, n(OWNED | COMPLETE)), stlo(PB, R_FLAGS));
    p = ib(p, and_(NONE, U, n(LIVES)), nz(L_SAY));
    p = ib(p, nop(), call(L_FREE));
    p = ib(p, nop(), jump(L_SAY));

    // The reader has copied request COPIED's payload.
    p = label(p, L_COPIED);
    p = i(p, mov(PB, r(COPIED)));
    p = i(p, mov(T, inhi(I_STATUS)));
    p = ib(p, and_(NONE, T, n(READ_OUTSIDE)), z(L_COPIED_WELL));
    p = im(p, mov(NONE, n(E_ADDRESS)), sthi(PB, R_TYPE));
    p = label(p, L_COPIED_WELL);
    p = ib(p, mov(COPIED, n(0)), call(L_COMPLETE));
    p = ib(p, or_(FLAGS, FLAGS, n(F_WANT)), jump(L_REST));  // others may wait for the reader
    return p;
  endfunction

endpackage
