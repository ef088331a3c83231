// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_program_rendezvous_pkg: what the packets of long messages do to both sides.
// How:          What its packets do to both sides.
//               Conventions: polyloom_mpe_asm_pkg (instructions), polyloom_mpe_map_pkg (registers, memory).
// Source: PROTOCOL.md, ENGINE.md.   Tests: test_polyloom_mpe.py, test_mpe_faults.py, interop_test.cc
package polyloom_mpe_program_rendezvous_pkg;
  import polyloom_mpe_pkg::*;
  import polyloom_mpe_isa_pkg::*;
  import polyloom_mpe_map_pkg::*;
  import polyloom_mpe_asm_pkg::*;

  function automatic program_t rendezvous(input program_t given);
    program_t p = given;
    // CTS, RESUME, DONE: for the sender. T: handle.
    p = label(p, L_GRANT);
    p = i(p, xor_(T, T, n(16'(REQUESTS_AT))));
    p = ib(p, andn(NONE, T, n(HANDLE_BITS)), nz(L_THROW));
    p = i(p, mov(PB, inhi(I_TAG)));
    p = im(p, nop(), ld(PB, R_FLAGS));
    p = im(p, mov(T, mlo()), ld(PB, R_KEY));
    p = i(p, and_(U, T, n(OPEN | IS_RECEIVE)));
    p = ib(p, sub(NONE, U, n(OPEN)), nz(L_THROW));
    p = imb(p, sub(NONE, RANK, mhi()), ld(PB, R_SEQ), nz(L_THROW));
    p = i(p, mov(U, mlo()));
    p = ib(p, sub(NONE, U, inlo(I_SEQ)), nz(L_THROW));
    p = im(p, mov(NONE, r(TRY)), st(PB, R_TIME));
    p = i(p, and_(U, KIND, n(16'h00ff)));
    p = ib(p, sub(NONE, U, n(16'(DONE))), z(L_GOT_DONE));
    p = im(p, mov(LENGTH, in(I_LENGTH)), ld(PB, R_BYTES));
    p = i(p, mov(U, m()));
    p = imb(p, sub(NONE, U, r(LENGTH)), ld(PB, R_LIMIT), lt(L_THROW));
    p = im(p, mov(NONE, inlo(I_TAG)), sthi(PB, R_SEQ));
    p = i(p, mov(U, m()));
    p = ib(p, sub(NONE, U, r(LENGTH)), ge(L_LIMIT_STAYS));
    p = im(p, mov(U, r(LENGTH)), st(PB, R_LIMIT));
    p = label(p, L_LIMIT_STAYS);
    p = ib(p, and_(NONE, KIND, n(4)), z(L_GRANTED));
    p = i(p, mov(OFFSET, in(I_OFFSET)));
    p = ib(p, sub(NONE, U, r(OFFSET)), lt(L_GRANTED));
    p = ib(p, and_(NONE, OFFSET, n(7)), nz(L_GRANTED));
    p = im(p, mov(NONE, r(OFFSET)), st(PB, R_POSITION));
    p = label(p, L_GRANTED);
    p = im(p, andn(NONE, T, n(AGAIN)), stlo(PB, R_FLAGS));
    p = ib(p, mov(T, n(GRANTED)), call(L_MORE_WORK));
    p = ib(p, mov(O_HEAD_DONE, n(0)), jump(L_REST));
    p = label(p, L_GOT_DONE);
    p = im(p, andn(T, T, n(OPEN | AGAIN | GRANTED)), stlo(PB, R_FLAGS));
    p = ib(p, nop(), call(L_COMPLETE));
    p = ib(p, mov(O_HEAD_DONE, n(0)), jump(L_REST));

    // DATA: for the receiver. T: handle.
    p = label(p, L_DATA);
    p = i(p, xor_(T, T, n(16'(REQUESTS_AT))));
    p = ib(p, andn(NONE, T, n(HANDLE_BITS)), nz(L_STRAY));
    p = i(p, mov(PB, inlo(I_TAG)));
    p = im(p, nop(), ld(PB, R_FLAGS));
    p = im(p, mov(T, mlo()), ld(PB, R_KEY));
    p = i(p, and_(U, T, n(OPEN | IS_RECEIVE)));
    p = ib(p, sub(NONE, U, n(OPEN | IS_RECEIVE)), nz(L_STRAY));
    p = imb(p, sub(NONE, RANK, mhi()), ld(PB, R_SEQ), nz(L_STRAY));
    p = i(p, mov(U, mlo()));
    p = imb(p, sub(NONE, U, inlo(I_SEQ)), ld(PB, R_BYTES), nz(L_STRAY));
    p = i(p, mov(LENGTH, m()));
    p = imb(p, sub(NONE, LENGTH, in(I_LENGTH)), ld(PB, R_POSITION), nz(L_STRAY));
    p = i(p, mov(OFFSET, m()));
    p = imb(p, sub(NONE, OFFSET, in(I_OFFSET)), ld(PB, R_ADDRESS), nz(L_NOT_NEXT));
    p = i(p, add(O_WRITE_AT, OFFSET, m()));
    p = i(p, mov(BYTES, inlo(I_STATUS)));
    p = i(p, or_(O_WRITE, BYTES, n(TO_MEMORY)));
    p = i(p, mov(O_HEAD_DONE, n(0)));
    p = im(p, add(OFFSET, OFFSET, r(BYTES)), st(PB, R_POSITION));
    p = im(p, mov(NONE, r(TRY)), st(PB, R_TIME));
    p = im(p, andn(T, T, n(GAP)), stlo(PB, R_FLAGS));
    p = imb(p, sub(NONE, LENGTH, r(OFFSET)), ld(PB, R_LIMIT), z(L_ALL_HERE));
    // Half a window has come since the limit was set: more may be sent.
    p = i(p, mov(U, m()));
    p = ib(p, sub(NONE, LENGTH, r(U)), z(L_REST));
    p = i(p, add(T, OFFSET, r(WINDOW)));
    p = i(p, sub(U, T, r(U)));
    p = i(p, add(U, U, r(U)));
    p = ib(p, sub(NONE, U, r(WINDOW)), lt(L_REST));
    p = ib(p, sub(NONE, LENGTH, r(T)), ge(L_NEW_LIMIT));
    p = i(p, mov(T, r(LENGTH)));
    p = label(p, L_NEW_LIMIT);
    p = im(p, mov(NONE, r(T)), st(PB, R_LIMIT));
    p = ib(p, mov(T, n(SEND_CTS)), call(L_MORE_WORK));
    p = ib(p, nop(), jump(L_REST));
    p = label(p, L_ALL_HERE);
    p = im(p, andn(T, T, n(OPEN)), stlo(PB, R_FLAGS));
    p = ib(p, mov(T, n(SEND_DONE)), call(L_MORE_WORK));
    p = label(p, L_ENDS);
    p = ib(p, nop(), call(L_COMPLETE));
    p = ib(p, nop(), jump(L_REST));
    // A piece is missing: asked for once. T: flags.
    p = label(p, L_NOT_NEXT);
    p = i(p, mov(O_COUNT, n(16'(N_DISORDER))));
    p = ib(p, sub(NONE, OFFSET, in(I_OFFSET)), ge(L_THROW));
    p = ib(p, and_(NONE, T, n(GAP)), nz(L_THROW));
    p = ib(p, mov(T, n(GAP | SEND_RESUME)), call(L_MORE_WORK));
    p = ib(p, nop(), jump(L_THROW));
    p = label(p, L_STRAY);
    p = ib(p, mov(O_COUNT, n(16'(N_DISORDER))), jump(L_THROW));
    return p;
  endfunction

endpackage
