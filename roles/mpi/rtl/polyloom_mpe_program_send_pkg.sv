// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_program_send_pkg: what is sent next; acknowledgements, new envelopes; how a packet leaves.
// How:          What is sent next; envelopes and acknowledgements; how a packet leaves.
//               Conventions: polyloom_mpe_asm_pkg (instructions), polyloom_mpe_map_pkg (registers, memory).
// Source: PROTOCOL.md, ENGINE.md.   Tests: test_polyloom_mpe.py, test_mpe_faults.py, interop_test.cc
package polyloom_mpe_program_send_pkg;
  import polyloom_mpe_pkg::*;
  import polyloom_mpe_isa_pkg::*;
  import polyloom_mpe_map_pkg::*;
  import polyloom_mpe_asm_pkg::*;

  function automatic program_t send(input program_t given);
    program_t p = given;
    p = label(p, L_SEND);
    p = ib(p, and_(NONE, FLAGS, n(F_MANAGE)), nz(L_REPORT));
    p = imb(p, and_(NONE, FLAGS, n(F_WANT)), ldg(G_WANT), nz(L_SEND_WANT));
    p = ib(p, and_(NONE, FLAGS, n(F_REPLY)), nz(L_SEND_REPLY));
    p = ib(p, and_(NONE, FLAGS, n(F_DUE)), nz(L_SEND_DUE));
    p = ib(p, and_(NONE, FLAGS, n(F_WORK)), nz(L_SEND_WORK));
    // The next peer, if it has not heard all.
    p = im(p, nop(), ldg(G_FLUSH));
    p = im(p, mov(PC, m()), ldg(G_PEERS));
    p = ib(p, sub(NONE, PC, m()), z(L_FLUSHED));
    p = im(p, add(NONE, PC, n(1)), stg(G_FLUSH));
    p = im(p, nop(), ld(PC, 0));
    p = i(p, mov(RANK, mhi()));
    p = i(p, add(PA, RANK, x8(RANK)));
    p = i(p, add(PA, PA, r(RANK)));
    p = im(p, nop(), ld(PA, K_ACCEPTED));
    p = im(p, mov(T, m()), ld(PA, K_REPORTED));
    p = imb(p, xor_(NONE, T, m()), ld(PA, K_MAC), nz(L_EMIT_ACK));
    p = ib(p, nop(), jump(L_REST));
    p = label(p, L_FLUSHED);
    p = ib(p, andn(FLAGS, FLAGS, n(F_FLUSH)), jump(L_REST));
    p = label(p, L_ACK_DELAY);
    p = im(p, mov(NONE, n(16'(PEERS_AT))), stg(G_FLUSH));
    p = ib(p, or_(FLAGS, FLAGS, n(F_FLUSH)), jump(L_REST));

    p = label(p, L_SEND_DUE);
    p = im(p, nop(), ldg(G_DUE));
    p = i(p, mov(T, mlo()));
    p = ib(p, and_(NONE, T, n(IS_DUE)), z(L_NONE_DUE));
    p = i(p, andn(RANK, T, n(IS_DUE)));
    p = i(p, add(PA, RANK, x8(RANK)));
    p = i(p, add(PA, PA, r(RANK)));
    p = im(p, nop(), ld(PA, K_CONSUMED));
    p = im(p, mov(NONE, mhi()), stglo(G_DUE));
    p = im(p, mov(NONE, n(0)), sthi(PA, K_CONSUMED));
    p = imb(p, nop(), ld(PA, K_MAC), jump(L_EMIT_ACK));
    p = label(p, L_NONE_DUE);
    p = ib(p, andn(FLAGS, FLAGS, n(F_DUE)), jump(L_REST));
    p = label(p, L_EMIT_ACK);
    p = i(p, mov(KIND, n(16'(ACK))));
    p = i(p, mov(SEQ, n(0)));
    p = ib(p, mov(TAG, n(0)), jump(L_EMIT_SHORT));

    // A DONE for a message that is not known, or an old envelope that asks for credit.
    p = label(p, L_SEND_REPLY);
    p = im(p, andn(FLAGS, FLAGS, n(F_REPLY)), ldg(G_REPLY_RANK));
    p = im(p, mov(RANK, mlo()), ldg(G_REPLY_SEQ));
    p = i(p, mov(SEQ, mlo()));
    p = im(p, sub(T, ZERO, n(1)), ldg(G_REPLY_SEQ));
    p = im(p, pack(TAG, T, mhi()), ldg(G_REPLY_KIND));
    p = i(p, mov(KIND, mlo()));
    p = i(p, add(PA, RANK, x8(RANK)));
    p = i(p, add(PA, PA, r(RANK)));
    p = im(p, nop(), ld(PA, K_MAC));
    p = label(p, L_EMIT_SHORT);
    p = i(p, mov(COMM, n(0)));
    p = i(p, mov(LENGTH, n(0)));
    p = i(p, mov(OFFSET, n(0)));
    p = ib(p, mov(BYTES, n(0)), call(L_EMIT));
    p = ib(p, nop(), jump(L_REST));

    // The oldest send of those whose rank has credit.
    p = label(p, L_SEND_WANT);
    p = i(p, mov(PC, n(16'(GLOBALS_AT) + 16'(G_WANT))));
    p = ib(p, mov(PB, mlo()), z(L_NO_WANT));
    p = label(p, L_WANT_ONE);
    p = im(p, nop(), ld(PB, R_KEY));
    p = i(p, mov(RANK, mhi()));
    p = i(p, add(PA, RANK, x8(RANK)));
    p = i(p, add(PA, PA, r(RANK)));
    p = im(p, mov(COMM, mlo()), ld(PA, K_SENT));
    p = im(p, mov(SEQ, mlo()), ld(PA, K_CONSUMED));
    p = i(p, mov(T, mlo()));
    p = im(p, subh(T, SEQ, r(T)), ld(PB, R_TYPE));
    p = ib(p, sub(NONE, T, r(SLOTS)), lt(L_HAS_CREDIT));
    p = imb(p, and_(NONE, FLAGS, n(F_PRESS)), ld(PA, K_HEARD), nz(L_PRESS));
    p = label(p, L_NO_CREDIT);
    p = im(p, mov(T, mlo()), ldg(G_RETRIES));
    p = imb(p, rsub(NONE, T, m()), ld(PB, R_NEXT), lt(L_WANT_DEAD));
    p = i(p, mov(PC, r(PB)));
    p = ib(p, mov(PB, mlo()), nz(L_WANT_ONE));
    p = im(p, nop(), ldg(G_RETRANSMIT));
    p = i(p, mov(O_TICK_TIMER, m()));  // in time, credit is asked for
    p = label(p, L_NO_WANT);
    p = ib(p, andn(FLAGS, FLAGS, n(F_WANT | F_PRESS)), jump(L_REST));
    // T envelopes are not consumed, and credit was waited for in vain: one more may go as RTS, which needs no place there.
    p = label(p, L_PRESS);
    p = im(p, nop(), ldg(G_MOST));
    p = imb(p, sub(NONE, T, m()), ld(PA, K_HEARD), ge(L_NO_CREDIT));
    p = im(p, andn(FLAGS, FLAGS, n(F_PRESS)), ld(PB, R_FLAGS));
    p = i(p, mov(T, mlo()));
    p = im(p, andn(T, T, n(IS_EAGER)), stlo(PB, R_FLAGS));
    p = im(p, nop(), ld(PB, R_TYPE));
    p = label(p, L_HAS_CREDIT);
    p = im(p, mov(KIND, mlo()), ld(PB, R_FLAGS));
    p = im(p, mov(U, mlo()), ld(PB, R_BYTES));
    p = im(p, mov(LENGTH, m()), ld(PB, R_ADDRESS));
    p = ib(p, and_(NONE, U, n(IS_EAGER)), z(L_WANT_RTS));
    // Its payload needs a place in the store, and the reader must have told of the last one.
    p = ib(p, mov(BYTES, r(LENGTH)), z(L_WANT_EMPTY));
    p = ib(p, mov(NONE, r(COPIED)), nz(L_NO_WANT));
    p = im(p, mov(O_READ_AT, m()), ldg(G_PLACES));
    p = i(p, mov(PD, mlo()));
    p = ib(p, sub(NONE, PD, n(16'(PLACES_AT))), z(L_NO_WANT));
    p = im(p, sub(PD, PD, n(1)), stg(G_PLACES));
    p = im(p, mov(COPIED, r(PB)), ld(PD, 0));
    p = i(p, or_(T, BYTES, n(READ_REPORT | READ_RECORD)));
    p = i(p, pack(O_READ, T, mlo()));
    p = im(p, mov(NONE, mlo()), stlo(PB, R_PLACE));
    p = label(p, L_WANT_EAGER);
    p = im(p, or_(KIND, KIND, n(16'(EAGER))), ld(PB, R_TAG));
    p = im(p, mov(TAG, m()), ld(PA, K_MAC));
    p = ib(p, mov(OFFSET, n(0)), call(L_EMIT));
    p = ib(p, or_(U, U, n(UNACKED)), jump(L_NUMBERED));
    p = label(p, L_WANT_EMPTY);
    p = im(p, mov(NONE, n(0)), stlo(PB, R_PLACE));
    p = i(p, or_(U, U, n(COMPLETE)));
    p = ib(p, sub(NONE, AWAITED, r(PB)), nz(L_WANT_EAGER));
    p = ib(p, or_(FLAGS, FLAGS, n(F_RESPONSE)), jump(L_WANT_EAGER));
    p = label(p, L_WANT_RTS);
    p = im(p, or_(KIND, KIND, n(16'(RTS))), ld(PB, R_TAG));
    p = i(p, mov(BYTES, n(0)));
    p = im(p, mov(TAG, m()), ld(PA, K_MAC));
    p = ib(p, mov(OFFSET, r(PB)), call(L_EMIT));
    p = i(p, or_(U, U, n(UNACKED | OPEN)));
    // It leaves the list and goes into its rank's chain.
    p = label(p, L_NUMBERED);
    p = im(p, mov(NONE, r(U)), stlo(PB, R_FLAGS));
    p = im(p, mov(NONE, r(SEQ)), stlo(PB, R_SEQ));
    p = im(p, addh(NONE, SEQ, n(1)), stlo(PA, K_SENT));
    p = im(p, mov(O_COUNT, n(16'(N_SENT))), ldg(G_RETRANSMIT));
    p = im(p, mov(O_TICK_TIMER, m()), ld(PB, R_NEXT));
    p = imb(p, mov(NONE, mlo()), stlo(PC, R_NEXT), nz(L_WANT_INSIDE));
    p = im(p, mov(NONE, r(PC)), stghi(G_WANT));
    p = label(p, L_WANT_INSIDE);
    p = im(p, mov(NONE, n(0)), stlo(PB, R_NEXT));
    p = im(p, nop(), ld(PA, K_CHAIN));
    p = ib(p, mov(NONE, mlo()), z(L_FIRST_SENT));
    p = i(p, mov(PD, mhi()));
    p = im(p, mov(NONE, r(PB)), stlo(PD, R_NEXT));
    p = imb(p, mov(NONE, r(PB)), sthi(PA, K_CHAIN), jump(L_REST));
    p = label(p, L_FIRST_SENT);
    p = im(p, pack(NONE, PB, r(PB)), st(PA, K_CHAIN));
    p = imb(p, mov(NONE, r(TRY)), st(PA, K_TIME), call(L_KNOW));
    p = ib(p, nop(), jump(L_REST));
    p = label(p, L_WANT_DEAD);
    p = imb(p, mov(NONE, mlo()), stlo(PC, R_NEXT), nz(L_DEAD_INSIDE));
    p = im(p, mov(NONE, r(PC)), stghi(G_WANT));
    p = label(p, L_DEAD_INSIDE);
    p = imb(p, mov(NONE, n(E_NO_RESPONSE)), sthi(PB, R_TYPE), jump(L_ENDS));

    // A packet to rank RANK, PA: KIND SEQ TAG COMM LENGTH OFFSET, BYTES of payload, whose job is written. K_MAC is loaded.
    p = label(p, L_EMIT);
    p = im(p, mov(O_MAC, m()), ld(PA, K_PORT));
    p = im(p, mov(O_PORT_MAC, m()), ld(PA, K_IP));
    p = im(p, mov(O_IP, m()), ld(PA, K_ACCEPTED));
    p = i(p, add(O_BYTES, BYTES, n(30)));
    p = i(p, mov(O_TX_LOW, r(JOB_LOW)));
    p = i(p, pack(O_TX_HIGH, JOB_HIGH, r(KIND)));
    p = i(p, pack(O_TX_LOW, SELF, r(RANK)));
    p = i(p, pack(O_TX_HIGH, SEQ, mlo()));  // and what has been accepted
    p = i(p, mov(O_TX_LOW, r(TAG)));
    p = i(p, pack(O_TX_HIGH, COMM, mhi()));  // and consumed
    p = im(p, mov(NONE, m()), st(PA, K_REPORTED));
    p = i(p, mov(O_TX_LOW, r(LENGTH)));
    p = ib(p, mov(O_TX_END, r(OFFSET)), ret());
    return p;
  endfunction

endpackage
