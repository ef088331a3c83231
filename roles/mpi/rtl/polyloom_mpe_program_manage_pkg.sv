// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_program_manage_pkg: management's datagrams and their responses.
// How:          Management's datagrams. Values are written as they come; the response goes out when there is room for it.
//               Conventions: polyloom_mpe_asm_pkg (instructions), polyloom_mpe_map_pkg (registers, memory).
// Source: PROTOCOL.md, ENGINE.md.   Tests: test_polyloom_mpe.py, test_mpe_faults.py, interop_test.cc
package polyloom_mpe_program_manage_pkg;
  import polyloom_mpe_pkg::*;
  import polyloom_mpe_isa_pkg::*;
  import polyloom_mpe_map_pkg::*;
  import polyloom_mpe_asm_pkg::*;

  function automatic program_t manage(input program_t given);
    program_t p = given;
    p = label(p, L_MANAGE);
    p = ib(p, xor_(NONE, T, n(MAGIC)), nz(L_IS_FOREIGN));
    p = i(p, mov(BYTES, inlo(I_STATUS)));
    p = i(p, mov(T, inlo(I_KIND)));  // count, op
    p = i(p, shr8(LENGTH, r(T)));
    p = i(p, and_(T, T, n(16'h00ff)));
    p = ib(p, sub(U, LENGTH, n(1)), lt(L_IS_FOREIGN));
    p = ib(p, sub(NONE, U, n(128)), ge(L_IS_FOREIGN));
    p = i(p, mov(U, n(14)));
    p = ib(p, sub(NONE, T, n(2)), z(L_IS_READ));
    p = ib(p, sub(NONE, T, n(1)), nz(L_IS_FOREIGN));
    // A write; in a job only by the table's manager.
    p = im(p, add(U, U, x8(LENGTH)), ldg(G_JOB));
    p = ib(p, mov(NONE, m()), z(L_IS_READ));
    p = i(p, mov(RANK, r(SIZE)));
    p = i(p, add(PA, RANK, x8(RANK)));
    p = i(p, add(PA, PA, r(RANK)));
    p = im(p, mov(TAG, in(I_IP)), ld(PA, K_IP));
    p = ib(p, sub(NONE, TAG, m()), nz(L_IS_FOREIGN));
    p = label(p, L_IS_READ);
    p = ib(p, sub(NONE, BYTES, r(U)), lt(L_IS_FOREIGN));
    p = ib(p, and_(NONE, FLAGS, n(F_MANAGE)), nz(L_DRAIN));  // one at a time: it will be asked again
    p = im(p, mov(NONE, in(I_MAC)), stg(G_REQUESTER_MAC));
    p = im(p, mov(NONE, in(I_PORT_MAC)), stg(G_REQUESTER_PORT));
    p = im(p, mov(NONE, in(I_IP)), stg(G_REQUESTER_IP));
    p = im(p, mov(NONE, in(I_KIND)), stg(G_REQUESTED));
    p = im(p, mov(OFFSET, in(I_RANKS)), stg(G_REGISTER));
    p = i(p, or_(FLAGS, FLAGS, n(F_MANAGE)));
    p = ib(p, sub(NONE, T, n(2)), z(L_DRAIN));
    p = label(p, L_VALUE);
    p = ib(p, nop(), on(NO_WORD, L_VALUE));
    p = ib(p, mov(COMM, n(1)), on(LAST_WORD, L_LAST_VALUE));
    p = i(p, mov(COMM, n(0)));
    p = label(p, L_LAST_VALUE);
    p = i(p, mov(KIND, in(I_WORD_LOW)));
    p = i(p, mov(TAG, in(I_WORD_HIGH)));
    p = ib(p, mov(O_POP_WORD, n(0)), call(L_WRITE));
    p = i(p, add(OFFSET, OFFSET, n(1)));
    p = ib(p, sub(LENGTH, LENGTH, n(1)), nz(L_VALUE));
    p = ib(p, mov(NONE, r(COMM)), z(L_DRAIN_WORD));
    p = ib(p, mov(O_HEAD_DONE, n(0)), jump(L_REST));

    // The rest of the datagram is thrown away.
    p = label(p, L_IS_FOREIGN);
    p = i(p, mov(O_COUNT, n(16'(N_FOREIGN))));
    p = label(p, L_DRAIN);
    p = i(p, mov(T, inhi(I_STATUS)));
    p = ib(p, and_(NONE, T, n(HAS_MORE)), z(L_HEAD_DONE));
    p = label(p, L_DRAIN_WORD);
    p = ib(p, nop(), on(NO_WORD, L_DRAIN_WORD));
    p = ib(p, mov(O_POP_WORD, n(0)), on(LAST_WORD, L_HEAD_DONE));
    p = ib(p, nop(), jump(L_DRAIN_WORD));

    // The response.
    p = label(p, L_REPORT);
    p = im(p, andn(FLAGS, FLAGS, n(F_MANAGE)), ldg(G_REQUESTER_MAC));
    p = im(p, mov(O_MAC, m()), ldg(G_REQUESTER_PORT));
    p = im(p, mov(O_PORT_MAC, m()), ldg(G_REQUESTER_IP));
    p = im(p, mov(O_IP, m()), ldg(G_REQUESTED));
    p = im(p, mov(SEQ, mhi()), ldg(G_REQUESTED));
    p = im(p, mov(U, mlo()), ldg(G_REGISTER));
    p = im(p, mov(OFFSET, m()), ldg(G_REGISTER));
    p = i(p, shr8(LENGTH, r(U)));
    p = i(p, mov(BYTES, n(14)));
    p = ib(p, and_(NONE, U, n(1)), nz(L_REPORT_HEAD));  // a write's
    p = i(p, add(BYTES, BYTES, x8(LENGTH)));
    p = label(p, L_REPORT_HEAD);
    p = i(p, pack(O_BYTES, BYTES, r(ONE)));
    p = i(p, mov(T, n(MAGIC)));
    p = i(p, pack(O_TX_LOW, ZERO, r(T)));
    p = i(p, add(T, U, n(2)));
    p = i(p, pack(O_TX_HIGH, T, r(SEQ)));
    p = i(p, mov(O_TX_LOW, r(OFFSET)));
    p = i(p, mov(O_TX_HIGH, n(0)));
    p = ib(p, and_(NONE, U, n(1)), z(L_REPORT_ONE));
    p = i(p, mov(O_TX_LOW, n(0)));
    p = ib(p, mov(O_TX_END, n(0)), jump(L_REST));
    p = label(p, L_REPORT_ONE);
    p = i(p, mov(KIND, n(0)));
    p = ib(p, mov(TAG, n(0)), call(L_READ));
    p = i(p, mov(O_TX_LOW, r(KIND)));
    p = i(p, add(OFFSET, OFFSET, n(1)));
    p = ib(p, sub(LENGTH, LENGTH, n(1)), z(L_REPORT_LAST));
    p = ib(p, mov(O_TX_HIGH, r(TAG)), jump(L_REPORT_ONE));
    p = label(p, L_REPORT_LAST);
    p = ib(p, mov(O_TX_END, r(TAG)), jump(L_REST));
    return p;
  endfunction

endpackage
