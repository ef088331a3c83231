// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_program_work_pkg: requests that have something to send: control packets, envelopes again, pieces of data.
// How:          Requests that have something to send: control packets, envelopes again, pieces of data. One packet each, in turn.
//               Conventions: polyloom_mpe_asm_pkg (instructions), polyloom_mpe_map_pkg (registers, memory).
// Source: PROTOCOL.md, ENGINE.md.   Tests: test_polyloom_mpe.py, test_mpe_faults.py, interop_test.cc
package polyloom_mpe_program_work_pkg;
  import polyloom_mpe_pkg::*;
  import polyloom_mpe_isa_pkg::*;
  import polyloom_mpe_map_pkg::*;
  import polyloom_mpe_asm_pkg::*;

  function automatic program_t work(input program_t given);
    program_t p = given;
    // Request PB has more to do: flags T. Uses T, U, PD.
    p = label(p, L_MORE_WORK);
    p = im(p, nop(), ld(PB, R_FLAGS));
    p = i(p, or_(T, T, mlo()));
    p = ib(p, and_(NONE, T, n(IN_WORK)), nz(L_IN_WORK));
    p = im(p, or_(T, T, n(IN_WORK)), stlo(PB, R_FLAGS));
    p = im(p, mov(NONE, n(0)), stlo(PB, R_NEXT_WORK));
    p = im(p, nop(), ldg(G_WORK));
    p = ib(p, mov(NONE, mlo()), z(L_FIRST_WORK));
    p = i(p, mov(PD, mhi()));
    p = im(p, mov(NONE, r(PB)), stlo(PD, R_NEXT_WORK));
    p = imb(p, mov(NONE, r(PB)), stghi(G_WORK), jump(L_HAS_WORK));
    p = label(p, L_FIRST_WORK);
    p = im(p, pack(NONE, PB, r(PB)), stg(G_WORK));
    p = label(p, L_HAS_WORK);
    p = ib(p, or_(FLAGS, FLAGS, n(F_WORK)), ret());
    p = label(p, L_IN_WORK);
    p = imb(p, mov(NONE, r(T)), stlo(PB, R_FLAGS), ret());

    p = label(p, L_SEND_WORK);
    p = im(p, nop(), ldg(G_WORK));
    p = ib(p, mov(PB, mlo()), z(L_NO_WORK));
    p = im(p, nop(), ld(PB, R_NEXT_WORK));
    p = im(p, mov(NONE, mlo()), stglo(G_WORK));
    p = im(p, nop(), ld(PB, R_FLAGS));
    p = i(p, mov(T, mlo()));
    p = i(p, andn(T, T, n(IN_WORK)));
    p = imb(p, and_(NONE, T, n(CONTROL)), ld(PB, R_KEY), nz(L_WORK_CONTROL));
    p = ib(p, and_(NONE, T, n(AGAIN)), nz(L_WORK_AGAIN));
    p = i(p, and_(U, T, n(OPEN | GRANTED | IS_RECEIVE)));
    p = imb(p, sub(NONE, U, n(OPEN | GRANTED)), ld(PB, R_LIMIT), z(L_WORK_DATA));
    p = label(p, L_WORK_DONE);
    p = im(p, mov(NONE, r(T)), stlo(PB, R_FLAGS));
    p = ib(p, and_(NONE, T, n(LIVES)), nz(L_REST));
    p = ib(p, nop(), call(L_FREE));
    p = ib(p, nop(), jump(L_REST));
    p = label(p, L_NO_WORK);
    p = ib(p, andn(FLAGS, FLAGS, n(F_WORK)), jump(L_REST));

    // A piece of data, as far as the limit allows.
    p = label(p, L_WORK_DATA);
    p = im(p, mov(LENGTH, m()), ld(PB, R_POSITION));
    p = im(p, mov(OFFSET, m()), ld(PB, R_BYTES));
    p = ib(p, sub(BYTES, LENGTH, r(OFFSET)), z(L_WORK_DONE));
    p = i(p, mov(U, m()));
    p = imb(p, sub(NONE, U, r(LENGTH)), ld(PB, R_ADDRESS), z(L_LAST_PIECE));
    p = ib(p, andn(BYTES, BYTES, n(7)), z(L_WORK_DONE));
    p = label(p, L_LAST_PIECE);
    p = ib(p, sub(NONE, BYTES, n(16'(MAX_PAYLOAD))), lt(L_PIECE));
    p = i(p, mov(BYTES, n(16'(MAX_PAYLOAD))));
    p = label(p, L_PIECE);
    p = im(p, add(O_READ_AT, OFFSET, m()), ld(PB, R_KEY));
    p = i(p, mov(O_READ, r(BYTES)));
    p = im(p, add(NONE, OFFSET, r(BYTES)), st(PB, R_POSITION));
    p = im(p, mov(NONE, r(TRY)), st(PB, R_TIME));
    p = im(p, mov(RANK, mhi()), ld(PB, R_SEQ));
    p = i(p, mov(SEQ, mlo()));
    p = i(p, mov(TAG, mhi()));
    p = i(p, pack(TAG, TAG, r(PB)));
    p = i(p, mov(LENGTH, r(U)));
    p = i(p, mov(COMM, n(0)));
    p = im(p, mov(NONE, r(T)), stlo(PB, R_FLAGS));
    p = ib(p, mov(T, n(0)), call(L_MORE_WORK));
    p = ib(p, mov(KIND, n(16'(DATA))), jump(L_EMIT_TO));

    // What a receiver owes: DONE, RESUME or CTS.
    p = label(p, L_WORK_CONTROL);
    p = im(p, andn(U, T, n(CONTROL)), stlo(PB, R_FLAGS));
    p = im(p, mov(RANK, mhi()), ld(PB, R_SEQ));
    p = i(p, mov(SEQ, mlo()));
    p = im(p, mov(TAG, mhi()), ld(PB, R_LIMIT));
    p = i(p, pack(TAG, PB, r(TAG)));
    p = i(p, mov(COMM, n(0)));
    p = i(p, mov(BYTES, n(0)));
    p = i(p, mov(OFFSET, n(0)));
    p = ib(p, and_(NONE, T, n(SEND_DONE)), nz(L_WORK_LAST));
    p = im(p, mov(LENGTH, m()), ld(PB, R_POSITION));
    p = ib(p, and_(NONE, T, n(SEND_RESUME)), nz(L_WORK_RESUME));
    p = ib(p, mov(KIND, n(16'(CTS))), jump(L_EMIT_TO));
    p = label(p, L_WORK_RESUME);
    p = i(p, mov(OFFSET, m()));
    p = ib(p, mov(KIND, n(16'(RESUME))), jump(L_EMIT_TO));
    p = label(p, L_WORK_LAST);
    p = i(p, mov(LENGTH, n(0)));
    p = i(p, mov(KIND, n(16'(DONE))));
    p = ib(p, and_(NONE, U, n(LIVES)), nz(L_EMIT_TO));
    p = ib(p, nop(), call(L_FREE));
    p = label(p, L_EMIT_TO);
    p = i(p, add(PA, RANK, x8(RANK)));
    p = i(p, add(PA, PA, r(RANK)));
    p = imb(p, nop(), ld(PA, K_MAC), call(L_EMIT));
    p = ib(p, nop(), jump(L_REST));

    // The envelope again, with its payload from the store; the request stays in work if data may follow.
    p = label(p, L_WORK_AGAIN);
    p = im(p, andn(T, T, n(AGAIN)), stlo(PB, R_FLAGS));
    p = i(p, mov(KIND, r(T)));
    p = ib(p, and_(NONE, T, n(GRANTED)), z(L_AGAIN_ONLY));
    p = ib(p, mov(T, n(0)), call(L_MORE_WORK));
    p = label(p, L_AGAIN_ONLY);
    p = im(p, mov(BYTES, n(0)), ld(PB, R_BYTES));
    p = im(p, mov(LENGTH, m()), ld(PB, R_PLACE));
    p = ib(p, and_(NONE, KIND, n(IS_EAGER)), z(L_AGAIN_RTS));
    p = ib(p, mov(BYTES, r(LENGTH)), z(L_AGAIN_EAGER));
    p = i(p, or_(T, BYTES, n(READ_REPLAY)));
    p = i(p, pack(O_READ, T, mlo()));
    p = label(p, L_AGAIN_EAGER);
    p = im(p, mov(OFFSET, n(0)), ld(PB, R_TYPE));
    p = i(p, mov(KIND, mlo()));
    p = ib(p, or_(KIND, KIND, n(16'(EAGER))), jump(L_AGAIN));
    p = label(p, L_AGAIN_RTS);
    p = im(p, mov(OFFSET, r(PB)), ld(PB, R_TYPE));
    p = i(p, mov(KIND, mlo()));
    p = i(p, or_(KIND, KIND, n(16'(RTS))));
    p = label(p, L_AGAIN);
    p = im(p, nop(), ld(PB, R_KEY));
    p = i(p, mov(RANK, mhi()));
    p = im(p, mov(COMM, mlo()), ld(PB, R_SEQ));
    p = im(p, mov(SEQ, mlo()), ld(PB, R_TAG));
    p = ib(p, mov(TAG, m()), jump(L_EMIT_TO));
    return p;
  endfunction

endpackage
