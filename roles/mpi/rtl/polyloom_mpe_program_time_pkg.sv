// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_program_time_pkg: what has waited too long is sent again or given up.
// How:          At every tick, a quarter of the retransmission time, all requests and ranks are looked at, one at an event. A try takes
//               FIRST_TRY ticks, the next ones about twice as many as that before, up to LAST_TRY.
//               Conventions: polyloom_mpe_asm_pkg (instructions), polyloom_mpe_map_pkg (registers, memory).
// Source: PROTOCOL.md, ENGINE.md.   Tests: test_polyloom_mpe.py, test_mpe_faults.py, interop_test.cc
package polyloom_mpe_program_time_pkg;
  import polyloom_mpe_pkg::*;
  import polyloom_mpe_isa_pkg::*;
  import polyloom_mpe_map_pkg::*;
  import polyloom_mpe_asm_pkg::*;

  function automatic program_t timing(input program_t given);
    program_t p = given;
    p = label(p, L_SWEEP);
    p = ib(p, and_(NONE, FLAGS, n(F_SWEEP)), nz(L_SWEEP_ON));
    p = i(p, mov(O_NO_TICK, n(0)));
    p = i(p, pack(T, ZERO, n(1)));
    p = im(p, add(TICK, TICK, r(T)), ldg(G_SWEEP));
    p = im(p, mov(NONE, n(16'(REQUESTS_AT))), stg(G_SWEEP));
    p = im(p, mov(NONE, n(0)), stg(G_ALIVE));
    p = im(p, mov(NONE, n(0)), stg(G_SEEN));
    p = ib(p, or_(FLAGS, FLAGS, n(F_SWEEP)), jump(L_REST));
    // Of the requests, those in use: the first free one is taken first, so they are the first, if there are few.
    p = label(p, L_SWEEP_ON);
    p = im(p, nop(), ldg(G_SWEEP));
    p = im(p, mov(PB, mlo()), ldg(G_SEEN));
    p = im(p, mov(U, mlo()), ldg(G_USED));
    p = im(p, sub(T, U, m()), ldg(G_PEERS));
    p = ib(p, sub(NONE, PB, n(16'(REQUESTS_AT))), lt(L_SWEEP_RANK));
    p = ib(p, mov(NONE, r(T)), neg(L_SWEEP_SOME));
    p = im(p, mov(NONE, n(16'(PEERS_AT))), stg(G_SWEEP));
    p = ib(p, nop(), jump(L_REST));
    p = label(p, L_SWEEP_SOME);
    p = im(p, add(T, PB, n(16'(REQUEST_WORDS))), stg(G_SWEEP));
    p = ib(p, sub(NONE, T, n(16'(ENVELOPES_AT))), nz(L_SWEEP_REQUEST));
    p = im(p, mov(NONE, n(16'(PEERS_AT))), stg(G_SWEEP));
    p = label(p, L_SWEEP_REQUEST);
    p = im(p, nop(), ld(PB, R_FLAGS));
    p = i(p, mov(KIND, mlo()));
    p = ib(p, and_(NONE, KIND, n(LIVES)), z(L_SWEEP_NEXT));
    p = i(p, add(U, U, n(1)));
    p = im(p, mov(NONE, r(U)), stg(G_SEEN));
    p = ib(p, and_(NONE, KIND, n(OPEN)), nz(L_SWEEP_OPEN));
    p = label(p, L_SWEEP_NEXT);
    p = ib(p, and_(NONE, T, n(16'h0070)), nz(L_SWEEP_ON));  // eight in a row
    p = ib(p, nop(), jump(L_REST));
    p = label(p, L_SWEEP_OPEN);
    p = im(p, mov(NONE, n(1)), stg(G_ALIVE));
    p = ib(p, and_(NONE, KIND, n(UNACKED)), nz(L_REST));  // its rank's time
    p = im(p, nop(), ld(PB, R_TIME));
    p = i(p, mov(U, mlo()));
    p = im(p, sub(U, U, n(1)), stlo(PB, R_TIME));
    p = ib(p, mov(NONE, r(U)), nz(L_REST));
    p = im(p, mov(LENGTH, mhi()), ld(PB, R_KEY));
    p = i(p, mov(RANK, mhi()));
    p = i(p, add(PA, RANK, x8(RANK)));
    p = i(p, add(PA, PA, r(RANK)));
    p = im(p, mov(U, hi(TICK)), ld(PA, K_HEARD));
    p = im(p, subh(U, U, mhi()), ld(PB, R_TRIES));
    p = imb(p, sub(NONE, LENGTH, r(U)), ldg(G_RETRIES), ge(L_HEARD));
    p = im(p, nop(), ld(PB, R_TRIES));
    p = i(p, mov(T, mlo()));
    p = im(p, add(T, T, n(1)), stlo(PB, R_TRIES));
    p = im(p, mov(O_COUNT, n(16'(N_TIMEOUTS))), ldg(G_RETRIES));
    p = ib(p, rsub(NONE, T, m()), ge(L_TRY_AGAIN));
    // None is there.
    p = ib(p, mov(T, r(KIND)), call(L_FAIL));
    p = ib(p, nop(), jump(L_REST));
    p = label(p, L_HEARD);
    p = im(p, mov(NONE, n(0)), stlo(PB, R_TRIES));
    p = label(p, L_TRY_AGAIN);
    p = ib(p, nop(), call(L_LONGER));
    p = im(p, pack(NONE, LENGTH, r(LENGTH)), st(PB, R_TIME));
    p = ib(p, and_(NONE, KIND, n(IS_RECEIVE)), nz(L_REQUEST_AGAIN));
    p = ib(p, mov(T, n(AGAIN)), call(L_MORE_WORK));
    p = ib(p, nop(), jump(L_REST));
    p = label(p, L_REQUEST_AGAIN);
    p = ib(p, mov(T, n(SEND_RESUME)), call(L_MORE_WORK));
    p = ib(p, nop(), jump(L_REST));

    // The next try's ticks.
    p = label(p, L_LONGER);
    p = i(p, add(LENGTH, LENGTH, r(LENGTH)));
    p = i(p, sub(LENGTH, LENGTH, n(1)));
    p = ib(p, sub(NONE, LENGTH, n(LAST_TRY)), lt(L_WRITTEN));
    p = ib(p, mov(LENGTH, n(LAST_TRY)), ret());

    // Request PB, of flags T, ends without its peer.
    p = label(p, L_FAIL);
    p = im(p, andn(T, T, n(OPEN | AGAIN | GRANTED | CONTROL)), stlo(PB, R_FLAGS));
    p = imb(p, mov(NONE, n(E_NO_RESPONSE)), sthi(PB, R_TYPE), jump(L_COMPLETE));

    p = label(p, L_SWEEP_RANK);
    p = ib(p, sub(NONE, PB, m()), z(L_SWEPT));
    p = im(p, add(NONE, PB, n(1)), stg(G_SWEEP));
    p = im(p, nop(), ld(PB, 0));
    p = i(p, mov(RANK, mhi()));
    p = i(p, add(PA, RANK, x8(RANK)));
    p = i(p, add(PA, PA, r(RANK)));
    p = im(p, nop(), ld(PA, K_CHAIN));
    p = imb(p, mov(PB, mlo()), ld(PA, K_SENT), nz(L_UNACKED));
    // Sends that wait, with all credit used up and nothing unacknowledged, ask for it.
    p = im(p, mov(SEQ, mlo()), ldg(G_WANT));
    p = imb(p, mov(NONE, mlo()), ld(PA, K_CONSUMED), z(L_REST));
    p = i(p, mov(T, mlo()));
    p = i(p, subh(T, SEQ, r(T)));
    p = ib(p, sub(NONE, T, r(SLOTS)), lt(L_REST));
    p = label(p, L_UNACKED);
    p = im(p, mov(NONE, n(1)), stg(G_ALIVE));
    p = im(p, nop(), ld(PA, K_TIME));
    p = i(p, mov(U, mlo()));
    p = im(p, sub(U, U, n(1)), stlo(PA, K_TIME));
    p = ib(p, mov(NONE, r(U)), nz(L_REST));
    p = im(p, mov(LENGTH, mhi()), ld(PA, K_HEARD));
    p = i(p, mov(T, mlo()));
    p = im(p, add(T, T, n(1)), stlo(PA, K_HEARD));
    p = im(p, nop(), ldg(G_RETRIES));
    p = ib(p, rsub(NONE, T, m()), lt(L_RANK_DEAD));
    p = ib(p, nop(), call(L_LONGER));
    p = im(p, pack(NONE, LENGTH, r(LENGTH)), st(PA, K_TIME));
    p = ib(p, mov(NONE, r(PB)), z(L_REQUEST_CREDIT));
    p = i(p, mov(O_COUNT, n(16'(N_TIMEOUTS))));
    p = label(p, L_CHAIN_AGAIN);
    p = ib(p, mov(T, n(AGAIN)), call(L_MORE_WORK));
    p = im(p, mov(O_COUNT, n(16'(N_AGAIN))), ld(PB, R_NEXT));
    p = ib(p, mov(PB, mlo()), nz(L_CHAIN_AGAIN));
    p = ib(p, nop(), jump(L_REST));
    p = label(p, L_REQUEST_CREDIT);
    p = im(p, mov(NONE, r(RANK)), stg(G_REPLY_RANK));
    p = im(p, subh(NONE, SEQ, n(1)), stg(G_REPLY_SEQ));
    p = im(p, mov(NONE, n(16'(EAGER))), stg(G_REPLY_KIND));
    p = ib(p, or_(FLAGS, FLAGS, n(F_REPLY | F_WANT | F_PRESS)), jump(L_REST));
    // What waits for this rank ends; so will what is sent to it, until it is heard again.
    p = label(p, L_RANK_DEAD);
    p = i(p, mov(O_COUNT, n(16'(N_TIMEOUTS))));
    p = ib(p, mov(NONE, r(PB)), z(L_ALL_DEAD));
    p = label(p, L_DEAD_ONE);
    p = im(p, nop(), ld(PB, R_FLAGS));
    p = i(p, mov(T, mlo()));
    p = ib(p, and_(NONE, T, n(OPEN)), z(L_DEAD_NEXT));
    p = ib(p, nop(), call(L_FAIL));
    p = label(p, L_DEAD_NEXT);
    p = im(p, nop(), ld(PB, R_NEXT));
    p = ib(p, mov(PB, mlo()), nz(L_DEAD_ONE));
    p = label(p, L_ALL_DEAD);
    p = im(p, nop(), ld(PA, K_SENT));
    p = i(p, mov(SEQ, mlo()));
    p = im(p, subh(NONE, SEQ, r(SLOTS)), stlo(PA, K_CONSUMED));  // no credit, until it tells
    p = imb(p, mov(NONE, r(SEQ)), sthi(PA, K_SENT), call(L_RELEASE));
    p = ib(p, or_(FLAGS, FLAGS, n(F_WANT)), jump(L_REST));
    p = label(p, L_SWEPT);
    p = im(p, andn(FLAGS, FLAGS, n(F_SWEEP)), ldg(G_ALIVE));
    p = imb(p, mov(NONE, m()), ldg(G_RETRANSMIT), z(L_REST));
    p = ib(p, mov(O_TICK_TIMER, m()), jump(L_REST));
    return p;
  endfunction

endpackage
