// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_program_receive_pkg: a packet has come: its sender, its news of our envelopes, what kind it is.
// How:          A packet's header is there: is its sender the one of the table; its news of our envelopes; then by kind.
//               Conventions: polyloom_mpe_asm_pkg (instructions), polyloom_mpe_map_pkg (registers, memory).
// Source: PROTOCOL.md, ENGINE.md.   Tests: test_polyloom_mpe.py, test_mpe_faults.py, interop_test.cc
package polyloom_mpe_program_receive_pkg;
  import polyloom_mpe_pkg::*;
  import polyloom_mpe_isa_pkg::*;
  import polyloom_mpe_map_pkg::*;
  import polyloom_mpe_asm_pkg::*;

  function automatic program_t receive(input program_t given);
    program_t p = given;
    p = label(p, L_PACKET);
    p = i(p, add(PA, RANK, x8(RANK)));  // a rank has 10 words
    p = i(p, add(PA, PA, r(RANK)));
    p = im(p, mov(T, in(I_IP)), ld(PA, K_IP));
    p = imb(p, sub(NONE, T, m()), ld(PA, K_PORT), nz(L_FOREIGN));
    p = im(p, mov(T, mhi()), ld(PA, K_SENT));
    p = ib(p, sub(NONE, T, inhi(I_PORT_MAC)), nz(L_FOREIGN));
    // Acknowledged: ahead of the last news, not ahead of what was sent.
    p = i(p, mov(U, mlo()));  // sent
    p = im(p, mov(T, mhi()), ld(PA, K_CONSUMED));  // acknowledged
    p = i(p, subh(LENGTH, U, r(T)));
    p = ib(p, rsubh(T, T, inhi(I_SEQ)), z(L_OLD_ACK));
    p = ib(p, sub(NONE, LENGTH, r(T)), lt(L_OLD_ACK));
    p = imb(p, mov(SEQ, inhi(I_SEQ)), sthi(PA, K_SENT), call(L_RELEASE));
    p = i(p, or_(FLAGS, FLAGS, n(F_WANT)));
    p = label(p, L_OLD_ACK);
    p = i(p, mov(T, mlo()));  // consumed
    p = i(p, subh(LENGTH, U, r(T)));
    p = ib(p, rsubh(T, T, inhi(I_COMM)), z(L_OLD_CREDIT));
    p = ib(p, sub(NONE, LENGTH, r(T)), lt(L_OLD_CREDIT));
    p = im(p, mov(NONE, inhi(I_COMM)), stlo(PA, K_CONSUMED));
    p = i(p, or_(FLAGS, FLAGS, n(F_WANT)));
    p = label(p, L_OLD_CREDIT);
    p = im(p, mov(NONE, r(TICK)), st(PA, K_HEARD));  // and no tries since
    p = ib(p, mov(KIND, inhi(I_KIND)), caseof(L_KINDS));
    p = align(p, 8);
    p = label(p, L_KINDS);
    p = ib(p, nop(), jump(L_THROW));
    p = imb(p, mov(TAG, in(I_TAG)), ld(PA, K_ACCEPTED), jump(L_ENVELOPE));  // EAGER
    p = imb(p, mov(TAG, in(I_TAG)), ld(PA, K_ACCEPTED), jump(L_ENVELOPE));  // RTS
    p = ib(p, mov(T, inhi(I_TAG)), jump(L_GRANT));  // CTS
    p = ib(p, mov(T, inhi(I_TAG)), jump(L_GRANT));  // RESUME
    p = ib(p, mov(T, inlo(I_TAG)), jump(L_DATA));  // DATA
    p = ib(p, mov(T, inhi(I_TAG)), jump(L_GRANT));  // DONE
    p = ib(p, mov(O_HEAD_DONE, n(0)), jump(L_REST));  // ACK

    // Rank PA has acknowledged what is before SEQ: the first ones of its chain are no longer kept. Keeps U; leaves K_CONSUMED loaded.
    p = label(p, L_RELEASE);
    p = im(p, nop(), ld(PA, K_CHAIN));
    p = label(p, L_RELEASE_ONE);
    p = ib(p, mov(PB, mlo()), z(L_RELEASED));
    p = im(p, nop(), ld(PB, R_SEQ));
    p = imb(p, sub(NONE, SEQ, mlo()), ld(PB, R_NEXT), z(L_RELEASED));
    p = im(p, mov(NONE, mlo()), stlo(PA, K_CHAIN));
    p = im(p, nop(), ld(PB, R_FLAGS));
    p = i(p, mov(T, mlo()));
    p = im(p, andn(T, T, n(UNACKED | AGAIN)), stlo(PB, R_FLAGS));
    p = ib(p, and_(NONE, T, n(IS_EAGER)), z(L_RELEASE_RTS));
    p = im(p, nop(), ld(PB, R_PLACE));
    p = imb(p, mov(OFFSET, mlo()), ldg(G_PLACES), z(L_RELEASE_RECORD));
    p = i(p, mov(PD, mlo()));
    p = im(p, mov(NONE, r(OFFSET)), st(PD, 0));
    p = im(p, add(NONE, PD, n(1)), stg(G_PLACES));
    p = label(p, L_RELEASE_RECORD);
    p = ib(p, and_(NONE, T, n(LIVES)), nz(L_RELEASE_NEXT));
    p = ib(p, nop(), call(L_FREE));
    p = label(p, L_RELEASE_NEXT);
    p = imb(p, nop(), ld(PA, K_CHAIN), jump(L_RELEASE_ONE));
    p = label(p, L_RELEASE_RTS);
    p = imb(p, mov(NONE, r(TRY)), st(PB, R_TIME), jump(L_RELEASE_RECORD));  // from now on it asks by itself
    p = label(p, L_RELEASED);
    p = im(p, mov(NONE, r(TRY)), st(PA, K_TIME));
    p = imb(p, nop(), ld(PA, K_CONSUMED), ret());

    // Request PB is free. Time stands when all are.
    p = label(p, L_FREE);
    p = im(p, nop(), ldg(G_FREE));
    p = im(p, mov(NONE, mlo()), stlo(PB, R_NEXT));
    p = im(p, mov(NONE, r(PB)), stglo(G_FREE));
    p = im(p, nop(), ldg(G_USED));
    p = i(p, mov(PD, m()));
    p = imb(p, sub(PD, PD, n(1)), stg(G_USED), nz(L_WRITTEN));
    p = i(p, mov(O_NO_TICK, n(0)));
    p = ib(p, andn(FLAGS, FLAGS, n(F_SWEEP)), ret());

    // From another address than the rank's; or not wanted.
    p = label(p, L_FOREIGN);
    p = i(p, mov(O_COUNT, n(16'(N_FOREIGN))));
    p = label(p, L_THROW);
    p = i(p, mov(T, inhi(I_STATUS)));
    p = ib(p, and_(NONE, T, n(HAS_MORE)), z(L_HEAD_DONE));
    p = i(p, mov(O_WRITE, n(0)));
    p = label(p, L_HEAD_DONE);
    p = ib(p, mov(O_HEAD_DONE, n(0)), jump(L_REST));

    // Rank RANK is to be told at once.
    p = label(p, L_DUE);
    p = im(p, nop(), ld(PA, K_CONSUMED));
    p = imb(p, mov(NONE, mhi()), ldg(G_DUE), nz(L_IS_DUE));
    p = im(p, mov(NONE, mlo()), sthi(PA, K_CONSUMED));
    p = im(p, or_(NONE, RANK, n(IS_DUE)), stg(G_DUE));
    p = label(p, L_IS_DUE);
    p = ib(p, or_(FLAGS, FLAGS, n(F_DUE)), ret());

    // One more of rank PA's envelopes is consumed; it hears that at once if half of its credit is used up.
    p = label(p, L_CONSUMED);
    p = im(p, nop(), ld(PA, K_ACCEPTED));
    p = i(p, mov(T, mhi()));
    p = im(p, addh(T, T, n(1)), sthi(PA, K_ACCEPTED));
    p = im(p, nop(), ld(PA, K_REPORTED));
    p = i(p, subh(T, T, mhi()));
    p = i(p, add(T, T, r(T)));
    p = ib(p, sub(NONE, T, r(SLOTS)), ge(L_DUE));
    p = label(p, L_NEWS);
    p = im(p, nop(), ldg(G_ACK_DELAY));
    p = ib(p, mov(O_ACK_TIMER, m()), ret());

    // Rank RANK is a peer from now on.
    p = label(p, L_KNOW);
    p = i(p, add(PC, RANK, n(16'(PEERS_AT))));
    p = im(p, nop(), ld(PC, 0));
    p = imb(p, mov(NONE, mlo()), ldg(G_PEERS), nz(L_WRITTEN));
    p = im(p, mov(PD, m()), stlo(PC, 0));
    p = im(p, mov(NONE, r(RANK)), sthi(PD, 0));
    p = imb(p, add(NONE, PD, n(1)), stg(G_PEERS), ret());
    return p;
  endfunction

endpackage
