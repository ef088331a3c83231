// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_asm_pkg: an assembler in SystemVerilog, so that the program is source like the rest and needs no other tool.
// How:          a part of the program is a function that takes what is known so far and gives it back with its own instructions in
//               place of the part before; tools run it when they elaborate, twice: the first pass finds where the labels are. It
//               carries no more than a part, as Verilator copies it bit by bit for each instruction. An instruction is
//                   p = i(p, add(T, T, n(1)));                            T = T + 1
//                   p = im(p, mov(T, m()), ld(PA, K_IP));                 T = what was loaded; load a rank's K_IP
//                   p = ib(p, sub(NONE, T, r(U)), z(L_SAME));             if T == U go to L_SAME
//                   p = imb(p, mov(T, lo(U)), stg(G_JOB), jump(L_REST));  all at once
//               The first operand is a register; the second one of r lo hi x8 (of a register), n (number), m mlo mhi (what was
//               loaded), in inlo inhi (an input).
// Source: own design.   Tests: test_mpe_pair_rules.py, test_mpe_faults.py
package polyloom_mpe_asm_pkg;
  import polyloom_mpe_isa_pkg::*;

  typedef enum logic [8:0] {
    L_REST,
    L_CLEAR,
    L_PACKET,
    L_OLD_ACK,
    L_OLD_CREDIT,
    L_KINDS,
    L_RELEASE,
    L_RELEASE_ONE,
    L_RELEASE_RECORD,
    L_RELEASE_NEXT,
    L_RELEASE_RTS,
    L_RELEASED,
    L_FREE,
    L_FOREIGN,
    L_THROW,
    L_HEAD_DONE,
    L_DUE,
    L_IS_DUE,
    L_CONSUMED,
    L_NEWS,
    L_KNOW,
    L_ENVELOPE,
    L_POSTED,
    L_POSTED_TAG,
    L_NEXT_POSTED,
    L_UNEXPECTED,
    L_UNEXPECTED_RTS,
    L_WITH_PLACE,
    L_HAS_PLACE,
    L_FIRST_WAITING,
    L_WAITING,
    L_PUT_ASIDE,
    L_NO_ROOM,
    L_MATCHED,
    L_ACCEPTED,
    L_MEET,
    L_SAME_TYPE,
    L_TYPE_KNOWN,
    L_MET,
    L_NOTHING_WANTED,
    L_TRUNCATED,
    L_MEET_RTS,
    L_WINDOW,
    L_OPENED,
    L_REFUSE,
    L_COMPLETE,
    L_WAKE,
    L_DISORDER,
    L_OLD_WAITS,
    L_OLD_NEXT,
    L_OLD_OPEN,
    L_OPEN_ONE,
    L_OPEN_NONE,
    L_OPEN_NEXT,
    L_OLD_IS_OPEN,
    L_RESPONSE_NOW,
    L_GRANT,
    L_LIMIT_STAYS,
    L_GRANTED,
    L_GOT_DONE,
    L_DATA,
    L_NEW_LIMIT,
    L_ALL_HERE,
    L_ENDS,
    L_NOT_NEXT,
    L_STRAY,
    L_COMMAND,
    L_FIND,
    L_FIND_ONE,
    L_FIND_TAG,
    L_FIND_NEXT,
    L_FOUND,
    L_OPERATIONS,
    L_START,
    L_IS_RANK,
    L_WORD_1,
    L_WORD_2,
    L_REQUEST,
    L_LAST_FREE,
    L_TOO_MANY,
    L_REFUSED,
    L_NO_REQUEST,
    L_STARTED,
    L_AWAIT,
    L_READY,
    L_SEND_READY,
    L_SHORT,
    L_FIRST_WANT,
    L_WANTS,
    L_RECEIVE,
    L_FIRST_POSTED,
    L_RECEIVE_FOUND,
    L_FOUND_INSIDE,
    L_WRITER,
    L_WITHOUT_PLACE,
    L_ENVELOPE_FREE,
    L_WAIT,
    L_SAY_HANDLE,
    L_PROBE,
    L_PROBE_NOTHING,
    L_SAY_NOTHING,
    L_CANCEL,
    L_CANCEL_ONE,
    L_CANCEL_FOUND,
    L_CANCEL_FIRST,
    L_CANCEL_LAST,
    L_CANCELLED,
    L_NO_SUCH,
    L_SAY_ONLY,
    L_SAY,
    L_SAY_1,
    L_RESPONSE,
    L_COPIED,
    L_COPIED_WELL,
    L_SEND,
    L_FLUSHED,
    L_ACK_DELAY,
    L_SEND_DUE,
    L_NONE_DUE,
    L_EMIT_ACK,
    L_SEND_REPLY,
    L_EMIT_SHORT,
    L_SEND_WANT,
    L_WANT_ONE,
    L_PRESS,
    L_NO_CREDIT,
    L_NO_WANT,
    L_HAS_CREDIT,
    L_WANT_EAGER,
    L_WANT_EMPTY,
    L_WANT_RTS,
    L_NUMBERED,
    L_WANT_INSIDE,
    L_FIRST_SENT,
    L_WANT_DEAD,
    L_DEAD_INSIDE,
    L_EMIT,
    L_MORE_WORK,
    L_FIRST_WORK,
    L_HAS_WORK,
    L_IN_WORK,
    L_SEND_WORK,
    L_WORK_DONE,
    L_NO_WORK,
    L_WORK_DATA,
    L_LAST_PIECE,
    L_PIECE,
    L_WORK_CONTROL,
    L_WORK_RESUME,
    L_WORK_LAST,
    L_EMIT_TO,
    L_WORK_AGAIN,
    L_AGAIN_ONLY,
    L_AGAIN_EAGER,
    L_AGAIN_RTS,
    L_AGAIN,
    L_SWEEP,
    L_SWEEP_ON,
    L_SWEEP_REQUEST,
    L_SWEEP_OPEN,
    L_SWEEP_SOME,
    L_SWEEP_NEXT,
    L_HEARD,
    L_TRY_AGAIN,
    L_REQUEST_AGAIN,
    L_LONGER,
    L_FAIL,
    L_SWEEP_RANK,
    L_UNACKED,
    L_CHAIN_AGAIN,
    L_REQUEST_CREDIT,
    L_RANK_DEAD,
    L_DEAD_ONE,
    L_DEAD_NEXT,
    L_ALL_DEAD,
    L_SWEPT,
    L_MANAGE,
    L_IS_READ,
    L_VALUE,
    L_LAST_VALUE,
    L_IS_FOREIGN,
    L_DRAIN,
    L_DRAIN_WORD,
    L_REPORT,
    L_REPORT_HEAD,
    L_REPORT_ONE,
    L_REPORT_LAST,
    L_WRITE,
    L_WRITES,
    L_WRITE_EAGER,
    L_WRITE_TIMES,
    L_WRITE_WINDOW,
    L_WRITE_RANK,
    L_SIZE_FITS,
    L_WRITE_TABLE,
    L_WRITE_IP,
    L_ENTRY,
    L_WRITE_CONTROL,
    L_WRITTEN,
    L_STOP,
    L_STOPPED,
    L_WRITE_JOB,
    L_CLEAR_ALL,
    L_MOST,
    L_CLEAR_RANK,
    L_ENOUGH,
    L_CLEAR_REQUEST,
    L_REQUESTS_CLEAR,
    L_PLACES,
    L_PLACE,
    L_PLACE_ONE,
    L_POOL_FULL,
    L_STILL_FULL,
    L_BARE_PLACED,
    L_KEEP_ALL,
    L_KEEP,
    L_KEPT,
    L_READ,
    L_READ_VERSION,
    L_READ_STATUS,
    L_KERNEL_RUNS,
    L_READ_TIMES,
    L_READ_WINDOW,
    L_READS,
    L_READ_LIMITS,
    L_READ_TABLE,
    L_READ_IP,
    L_READ_WAIT,
    L_READ_COUNTER,
    L_READ_CYCLES,
    L_NO_BORROW,
    LABELS
  } label_e;

  localparam int unsigned PART_WORDS = 192;
  typedef instruction_t [PART_WORDS-1:0] part_t;
  typedef logic [$bits(place_t):0] at_t;  // up to behind the last place
  typedef struct packed {
    place_t [LABELS-1:0] where;
    at_t first;  // of the part
    at_t at;
    logic too_long;  // some part has more than PART_WORDS
    logic placing;  // the second pass
    part_t text;
  } program_t;

  localparam target_t NONE = O_NONE;

  // Operands
  typedef struct packed {
    from_e from;
    part_e       part;
    logic [15:0] number;
  } source_t;
  function automatic source_t r(input target_t register);
    return '{from : FROM_REGISTER, part: WHOLE, number: 16'(register[4:0])};
  endfunction
  function automatic source_t lo(input target_t register);
    return '{from : FROM_REGISTER, part: LOW, number: 16'(register[4:0])};
  endfunction
  function automatic source_t hi(input target_t register);
    return '{from : FROM_REGISTER, part: HIGH, number: 16'(register[4:0])};
  endfunction
  function automatic source_t x8(input target_t register);
    return '{from : FROM_REGISTER, part: TIMES8, number: 16'(register[4:0])};
  endfunction
  function automatic source_t n(input logic [15:0] number);
    return '{from : FROM_NUMBER, part: WHOLE, number: number};
  endfunction
  function automatic source_t m();
    return '{from : FROM_MEMORY, part: WHOLE, number: '0};
  endfunction
  function automatic source_t mlo();
    return '{from : FROM_MEMORY, part: LOW, number: '0};
  endfunction
  function automatic source_t mhi();
    return '{from : FROM_MEMORY, part: HIGH, number: '0};
  endfunction
  function automatic source_t in(input input_e number);
    return '{from : FROM_INPUT, part: WHOLE, number: 16'(number)};
  endfunction
  function automatic source_t inlo(input input_e number);
    return '{from : FROM_INPUT, part: LOW, number: 16'(number)};
  endfunction
  function automatic source_t inhi(input input_e number);
    return '{from : FROM_INPUT, part: HIGH, number: 16'(number)};
  endfunction

  // Operations
  function automatic instruction_t op(input alu_e code, input target_t d, input target_t a, input source_t b);
    op = '0;
    op.op = code;
    op.target = d;
    op.a = a[4:0];
    op.from = b.from;
    op.part = b.part;
    {op.number, op.b} = b.number;
  endfunction
  function automatic instruction_t add(input target_t d, input target_t a, input source_t b);
    return op(ADD, d, a, b);
  endfunction
  function automatic instruction_t sub(input target_t d, input target_t a, input source_t b);
    return op(SUB, d, a, b);
  endfunction
  function automatic instruction_t rsub(input target_t d, input target_t a, input source_t b);
    return op(RSUB, d, a, b);
  endfunction
  function automatic instruction_t addh(input target_t d, input target_t a, input source_t b);
    return op(ADDH, d, a, b);
  endfunction
  function automatic instruction_t subh(input target_t d, input target_t a, input source_t b);
    return op(SUBH, d, a, b);
  endfunction
  function automatic instruction_t rsubh(input target_t d, input target_t a, input source_t b);
    return op(RSUBH, d, a, b);
  endfunction
  function automatic instruction_t and_(input target_t d, input target_t a, input source_t b);
    return op(AND, d, a, b);
  endfunction
  function automatic instruction_t or_(input target_t d, input target_t a, input source_t b);
    return op(OR, d, a, b);
  endfunction
  function automatic instruction_t xor_(input target_t d, input target_t a, input source_t b);
    return op(XOR, d, a, b);
  endfunction
  function automatic instruction_t andn(input target_t d, input target_t a, input source_t b);
    return op(ANDN, d, a, b);
  endfunction
  function automatic instruction_t pack(input target_t d, input target_t a, input source_t b);
    return op(PACK, d, a, b);
  endfunction
  function automatic instruction_t mov(input target_t d, input source_t b);
    return op(MOV, d, '0, b);
  endfunction
  function automatic instruction_t shr8(input target_t d, input source_t b);
    return op(SHR8, d, '0, b);
  endfunction
  function automatic instruction_t nop();
    return mov(NONE, n(0));
  endfunction

  // Memory: by a pointer and the place in its record, or one of the program's own words (g)
  typedef struct packed {
    access_e access;
    logic            by_pointer;
    logic [5:0]      offset;
  } memory_t;
  function automatic memory_t ld(input target_t pointer, input logic [3:0] offset);
    return '{access : LOAD, by_pointer: 1'b1, offset: {pointer[1:0], offset}};
  endfunction
  function automatic memory_t st(input target_t pointer, input logic [3:0] offset);
    return '{access : STORE, by_pointer: 1'b1, offset: {pointer[1:0], offset}};
  endfunction
  function automatic memory_t stlo(input target_t pointer, input logic [3:0] offset);
    return '{access : STORE_LOW, by_pointer: 1'b1, offset: {pointer[1:0], offset}};
  endfunction
  function automatic memory_t sthi(input target_t pointer, input logic [3:0] offset);
    return '{access : STORE_HIGH, by_pointer: 1'b1, offset: {pointer[1:0], offset}};
  endfunction
  function automatic memory_t ldg(input logic [5:0] offset);
    return '{access : LOAD, by_pointer: 1'b0, offset: offset};
  endfunction
  function automatic memory_t stg(input logic [5:0] offset);
    return '{access : STORE, by_pointer: 1'b0, offset: offset};
  endfunction
  function automatic memory_t stglo(input logic [5:0] offset);
    return '{access : STORE_LOW, by_pointer: 1'b0, offset: offset};
  endfunction
  function automatic memory_t stghi(input logic [5:0] offset);
    return '{access : STORE_HIGH, by_pointer: 1'b0, offset: offset};
  endfunction

  // What comes next
  typedef struct packed {
    cond_e  cond;
    label_e to;
  } next_t;
  function automatic next_t jump(input label_e to);
    return '{cond: ALWAYS, to: to};
  endfunction
  function automatic next_t z(input label_e to);
    return '{cond: ZERO_RESULT, to: to};
  endfunction
  function automatic next_t nz(input label_e to);
    return '{cond: NOT_ZERO, to: to};
  endfunction
  function automatic next_t ge(input label_e to);
    return '{cond: NO_BORROW, to: to};
  endfunction
  function automatic next_t lt(input label_e to);
    return '{cond: BORROW, to: to};
  endfunction
  function automatic next_t neg(input label_e to);
    return '{cond: NEGATIVE, to: to};
  endfunction
  function automatic next_t pos(input label_e to);
    return '{cond: NOT_NEGATIVE, to: to};
  endfunction
  function automatic next_t call(input label_e to);
    return '{cond: CALL, to: to};
  endfunction
  function automatic next_t caseof(input label_e to);
    return '{cond: CASE, to: to};
  endfunction
  function automatic next_t ret();
    return '{cond: RETURN, to: L_REST};
  endfunction
  function automatic next_t on(input cond_e cond, input label_e to);
    return '{cond: cond, to: to};
  endfunction

  // Instructions
  localparam memory_t NO_MEMORY = '0;
  localparam next_t GO_ON = '0;
  function automatic program_t imb(input program_t p, input instruction_t work, input memory_t memory,
                                   input next_t next);
    instruction_t word = work;
    {word.access, word.by_pointer, word.offset} = memory;
    word.cond = next.cond;
    if (next.cond != NEVER) word.to = p.where[next.to];
    imb = p;
    if (p.placing) imb.text[8'(p.at-p.first)] = word;
    imb.at = p.at + 1'b1;
  endfunction
  function automatic program_t im(input program_t p, input instruction_t work, input memory_t memory);
    return imb(p, work, memory, GO_ON);
  endfunction
  function automatic program_t ib(input program_t p, input instruction_t work, input next_t next);
    return imb(p, work, NO_MEMORY, next);
  endfunction
  function automatic program_t i(input program_t p, input instruction_t work);
    return imb(p, work, NO_MEMORY, GO_ON);
  endfunction
  function automatic program_t label(input program_t p, input label_e name);
    label = p;
    label.where[name] = place_t'(p.at);
  endfunction
  // A table begins at a multiple of 8 or 16.
  function automatic program_t align(input program_t p, input int unsigned to);
    align = p;
    align.at = at_t'((32'(p.at) + to - 1) / to * to);
  endfunction

  // The second pass begins, with the labels of the first.
  function automatic program_t again(input program_t p);
    again = program_t'(1'b0);
    again.where = p.where;
    again.placing = 1'b1;
  endfunction
  // The next part begins, behind the one before.
  function automatic program_t part(input program_t p);
    part = p;
    part.too_long |= p.at > p.first + at_t'(PART_WORDS);
    part.first = p.at;
    part.text  = part_t'(1'b0);
  endfunction

  // The whole program: parts in their order, each over what is behind the one before.
  typedef instruction_t [PROGRAM_WORDS+PART_WORDS-1:0] text_t;
  function automatic text_t placed(input text_t text, input program_t p);
    placed = text;
    placed[p.first+:PART_WORDS] = p.text;
  endfunction

endpackage
