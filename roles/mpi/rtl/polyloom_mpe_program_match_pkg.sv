// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_program_match_pkg: envelopes and receives find each other; envelopes that are not the next ones.
// How:          Envelopes and receives find each other; envelopes that are not the next ones.
//               Conventions: polyloom_mpe_asm_pkg (instructions), polyloom_mpe_map_pkg (registers, memory).
// Source: PROTOCOL.md, ENGINE.md.   Tests: test_polyloom_mpe.py, test_mpe_faults.py, interop_test.cc
package polyloom_mpe_program_match_pkg;
  import polyloom_mpe_pkg::*;
  import polyloom_mpe_isa_pkg::*;
  import polyloom_mpe_map_pkg::*;
  import polyloom_mpe_asm_pkg::*;

  function automatic program_t match(input program_t given);
    program_t p = given;
    p = label(p, L_ENVELOPE);
    p = i(p, mov(T, mlo()));  // accepted
    p = ib(p, sub(NONE, T, inlo(I_SEQ)), nz(L_DISORDER));
    p = im(p, addh(T, T, n(1)), stlo(PA, K_ACCEPTED));
    p = ib(p, mov(O_COUNT, n(16'(N_ACCEPTED))), call(L_KNOW));
    p = im(p, mov(COMM, inlo(I_COMM)), ldg(G_POSTED));
    p = i(p, pack(SEQ, COMM, r(RANK)));
    p = i(p, mov(PC, n(16'(GLOBALS_AT) + 16'(G_POSTED))));
    // The oldest posted receive PB that takes it; PC is before it in the list.
    p = ib(p, mov(PB, mlo()), z(L_UNEXPECTED));
    p = label(p, L_POSTED);
    p = im(p, nop(), ld(PB, R_KEY));
    p = ib(p, sub(NONE, SEQ, m()), z(L_POSTED_TAG));
    p = ib(p, sub(NONE, COMM, mlo()), nz(L_NEXT_POSTED));
    p = i(p, mov(T, mhi()));
    p = ib(p, addh(NONE, T, n(1)), nz(L_NEXT_POSTED));  // any rank
    p = label(p, L_POSTED_TAG);
    p = im(p, nop(), ld(PB, R_TAG));
    p = ib(p, sub(NONE, TAG, m()), z(L_MATCHED));
    p = ib(p, add(NONE, ONE, m()), z(L_MATCHED));  // any tag
    p = label(p, L_NEXT_POSTED);
    p = im(p, mov(PC, r(PB)), ld(PB, R_NEXT));
    p = ib(p, mov(PB, mlo()), nz(L_POSTED));

    // No receive wants it: it waits, in a place of its own.
    p = label(p, L_UNEXPECTED);
    p = imb(p, and_(NONE, KIND, n(2)), ldg(G_FREE_ENVELOPE), nz(L_UNEXPECTED_RTS));
    p = label(p, L_WITH_PLACE);
    p = ib(p, mov(PC, mlo()), z(L_NO_ROOM));
    p = im(p, nop(), ld(PC, E_NEXT));
    p = im(p, mov(NONE, mlo()), stglo(G_FREE_ENVELOPE));
    p = label(p, L_HAS_PLACE);
    p = i(p, mov(U, mhi()));  // place
    p = im(p, mov(NONE, r(SEQ)), st(PC, E_KEY));
    p = im(p, mov(NONE, r(TAG)), st(PC, E_TAG));
    p = im(p, mov(NONE, in(I_LENGTH)), st(PC, E_LENGTH));
    p = i(p, mov(T, inlo(I_SEQ)));
    p = im(p, pack(NONE, T, inlo(I_OFFSET)), st(PC, E_SEQ));
    p = im(p, mov(NONE, r(KIND)), st(PC, E_KIND));
    p = im(p, mov(NONE, n(0)), stlo(PC, E_NEXT));
    p = im(p, nop(), ldg(G_WAITING));
    p = ib(p, mov(NONE, mlo()), z(L_FIRST_WAITING));
    p = i(p, mov(PD, mhi()));
    p = im(p, mov(NONE, r(PC)), stlo(PD, E_NEXT));
    p = imb(p, mov(NONE, r(PC)), stghi(G_WAITING), jump(L_WAITING));
    p = label(p, L_FIRST_WAITING);
    p = im(p, pack(NONE, PC, r(PC)), stg(G_WAITING));
    p = label(p, L_WAITING);
    p = ib(p, nop(), call(L_NEWS));
    p = ib(p, mov(T, inlo(I_STATUS)), z(L_PUT_ASIDE));
    p = i(p, or_(T, T, n(TO_STORE)));
    p = i(p, pack(O_WRITE, T, r(U)));
    p = label(p, L_PUT_ASIDE);
    p = i(p, mov(O_HEAD_DONE, n(0)));
    p = ib(p, sub(NONE, AWAITED, n(1)), z(L_PROBE));  // the kernel waits for an envelope
    p = ib(p, nop(), jump(L_REST));
    // One without payload takes no place from others while there are envelopes that have none.
    p = label(p, L_UNEXPECTED_RTS);
    p = im(p, nop(), ldg(G_BARE));
    p = imb(p, mov(PC, mlo()), ldg(G_FREE_ENVELOPE), z(L_WITH_PLACE));
    p = im(p, nop(), ld(PC, E_NEXT));
    p = imb(p, mov(NONE, mlo()), stglo(G_BARE), jump(L_HAS_PLACE));
    p = label(p, L_NO_ROOM);  // cannot be if all ranks have the same S and E
    p = im(p, nop(), ld(PA, K_ACCEPTED));
    p = i(p, mov(T, mlo()));
    p = imb(p, subh(NONE, T, n(1)), stlo(PA, K_ACCEPTED), jump(L_THROW));

    // Receive PB takes the envelope at hand.
    p = label(p, L_MATCHED);
    p = im(p, nop(), ld(PB, R_NEXT));
    p = imb(p, mov(NONE, mlo()), stlo(PC, R_NEXT), nz(L_ACCEPTED));
    p = im(p, mov(NONE, r(PC)), stghi(G_POSTED));
    p = label(p, L_ACCEPTED);
    p = ib(p, mov(LENGTH, in(I_LENGTH)), call(L_CONSUMED));
    p = i(p, mov(T, inlo(I_SEQ)));
    p = i(p, pack(U, T, inlo(I_OFFSET)));
    p = ib(p, mov(OFFSET, n(0)), call(L_MEET));
    p = ib(p, mov(O_HEAD_DONE, n(0)), jump(L_REST));

    // Receive PB meets an envelope: RANK TAG COMM LENGTH KIND, U: {handle, seq}, OFFSET: {place, FROM_STORE}, or 0: the packet at hand.
    p = label(p, L_MEET);
    p = im(p, pack(NONE, COMM, r(RANK)), st(PB, R_KEY));
    p = im(p, mov(NONE, r(TAG)), st(PB, R_TAG));
    p = im(p, mov(NONE, r(U)), st(PB, R_SEQ));
    p = im(p, andn(U, KIND, n(16'h00ff)), ld(PB, R_TYPE));
    p = imb(p, mov(T, mlo()), ld(PB, R_BYTES), z(L_SAME_TYPE));
    p = ib(p, mov(NONE, r(U)), z(L_SAME_TYPE));
    p = ib(p, sub(NONE, T, r(U)), z(L_SAME_TYPE));
    p = ib(p, mov(NONE, r(LENGTH)), z(L_SAME_TYPE));  // no data, no type
    p = ib(p, mov(T, n(E_TYPE)), jump(L_TYPE_KNOWN));
    p = label(p, L_SAME_TYPE);
    p = i(p, mov(T, n(0)));
    p = label(p, L_TYPE_KNOWN);
    p = i(p, mov(BYTES, m()));
    p = ib(p, sub(NONE, BYTES, r(LENGTH)), lt(L_TRUNCATED));
    p = i(p, mov(BYTES, r(LENGTH)));
    p = label(p, L_MET);
    p = im(p, pack(NONE, U, r(T)), st(PB, R_TYPE));
    p = im(p, mov(NONE, r(LENGTH)), st(PB, R_BYTES));
    p = ib(p, and_(NONE, KIND, n(2)), nz(L_MEET_RTS));
    p = ib(p, mov(NONE, r(BYTES)), z(L_NOTHING_WANTED));
    p = im(p, or_(T, BYTES, n(TO_MEMORY)), ld(PB, R_ADDRESS));
    p = i(p, mov(O_WRITE_AT, m()));
    p = ib(p, or_(O_WRITE, T, r(OFFSET)), jump(L_COMPLETE));
    p = label(p, L_NOTHING_WANTED);
    p = ib(p, mov(NONE, r(OFFSET)), nz(L_COMPLETE));
    p = i(p, mov(T, inhi(I_STATUS)));
    p = ib(p, and_(NONE, T, n(HAS_MORE)), z(L_COMPLETE));
    p = ib(p, mov(O_WRITE, n(0)), jump(L_COMPLETE));
    p = label(p, L_TRUNCATED);
    p = ib(p, mov(T, n(E_TRUNCATED)), jump(L_MET));
    p = label(p, L_MEET_RTS);
    p = ib(p, sub(NONE, T, n(E_TRUNCATED)), z(L_REFUSE));
    p = ib(p, mov(NONE, r(LENGTH)), z(L_REFUSE));
    p = im(p, mov(NONE, n(0)), st(PB, R_POSITION));
    p = im(p, mov(NONE, n(0)), st(PB, R_TRIES));
    p = ib(p, sub(NONE, LENGTH, r(WINDOW)), ge(L_WINDOW));
    p = imb(p, mov(NONE, r(LENGTH)), st(PB, R_LIMIT), jump(L_OPENED));
    p = label(p, L_WINDOW);
    p = im(p, mov(NONE, r(WINDOW)), st(PB, R_LIMIT));
    p = label(p, L_OPENED);
    p = im(p, mov(NONE, r(TRY)), st(PB, R_TIME));
    p = im(p, nop(), ldg(G_RETRANSMIT));
    p = i(p, mov(O_TICK_TIMER, m()));
    p = ib(p, mov(T, n(OPEN | SEND_CTS)), jump(L_MORE_WORK));
    p = label(p, L_REFUSE);
    p = ib(p, mov(T, n(SEND_DONE)), call(L_MORE_WORK));
    // Request PB is complete; if the kernel waits for it, it will be answered.
    p = label(p, L_COMPLETE);
    p = im(p, nop(), ld(PB, R_FLAGS));
    p = i(p, mov(T, mlo()));
    p = im(p, or_(T, T, n(COMPLETE)), stlo(PB, R_FLAGS));
    p = ib(p, sub(NONE, AWAITED, r(PB)), z(L_WAKE));
    p = ib(p, nop(), ret());
    p = label(p, L_WAKE);
    p = ib(p, or_(FLAGS, FLAGS, n(F_RESPONSE)), ret());

    // Not the next envelope. It is answered at once, but an old RTS by what has become of it.
    p = label(p, L_DISORDER);
    p = i(p, mov(O_COUNT, n(16'(N_DISORDER))));
    p = ib(p, rsubh(T, T, inlo(I_SEQ)), pos(L_RESPONSE_NOW));
    p = ib(p, and_(NONE, KIND, n(2)), z(L_RESPONSE_NOW));
    p = im(p, mov(SEQ, inlo(I_SEQ)), ldg(G_WAITING));
    p = label(p, L_OLD_WAITS);
    p = ib(p, mov(PC, mlo()), z(L_OLD_OPEN));
    p = im(p, nop(), ld(PC, E_KEY));
    p = imb(p, sub(NONE, RANK, mhi()), ld(PC, E_SEQ), nz(L_OLD_NEXT));
    p = ib(p, sub(NONE, SEQ, mlo()), z(L_RESPONSE_NOW));
    p = label(p, L_OLD_NEXT);
    p = imb(p, nop(), ld(PC, E_NEXT), jump(L_OLD_WAITS));
    p = label(p, L_OLD_OPEN);
    p = im(p, nop(), ldg(G_USED));
    p = im(p, mov(NONE, m()), stg(G_LEFT));
    p = i(p, mov(PB, n(16'(REQUESTS_AT))));
    p = label(p, L_OPEN_ONE);
    p = im(p, nop(), ldg(G_LEFT));
    p = ib(p, mov(NONE, m()), z(L_OPEN_NONE));
    p = im(p, nop(), ld(PB, R_FLAGS));
    p = i(p, mov(T, mlo()));
    p = imb(p, and_(NONE, T, n(LIVES)), ldg(G_LEFT), z(L_OPEN_NEXT));
    p = im(p, rsub(NONE, ONE, m()), stg(G_LEFT));
    p = im(p, and_(T, T, n(OPEN | IS_RECEIVE)), ld(PB, R_KEY));
    p = ib(p, sub(NONE, T, n(OPEN | IS_RECEIVE)), nz(L_OPEN_NEXT));
    p = imb(p, sub(NONE, RANK, mhi()), ld(PB, R_SEQ), nz(L_OPEN_NEXT));
    p = ib(p, sub(NONE, SEQ, mlo()), z(L_OLD_IS_OPEN));
    p = label(p, L_OPEN_NEXT);
    p = i(p, add(PB, PB, n(16'(REQUEST_WORDS))));
    p = ib(p, sub(NONE, PB, n(16'(ENVELOPES_AT))), nz(L_OPEN_ONE));
    p = label(p, L_OPEN_NONE);
    // It is not known: it was completed before.
    p = im(p, mov(NONE, r(RANK)), stg(G_REPLY_RANK));
    p = im(p, pack(NONE, SEQ, inlo(I_OFFSET)), stg(G_REPLY_SEQ));
    p = im(p, mov(NONE, n(16'(DONE))), stg(G_REPLY_KIND));
    p = ib(p, or_(FLAGS, FLAGS, n(F_REPLY)), jump(L_THROW));
    p = label(p, L_OLD_IS_OPEN);
    p = ib(p, mov(T, n(SEND_RESUME)), call(L_MORE_WORK));
    p = ib(p, nop(), jump(L_THROW));
    p = label(p, L_RESPONSE_NOW);
    p = ib(p, nop(), call(L_DUE));
    p = ib(p, nop(), jump(L_THROW));
    return p;
  endfunction

endpackage
