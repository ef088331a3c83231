// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_map_pkg: what the program keeps where: registers, and the records in the sequencer's memory.
// How:          records are words; two numbers of 16 bits share a word where it says {high, low}. Lists are chains of pointers:
//               a cell {last, first}, then {.., next} in word 0 of each record; 0 ends.
//                    0  1,025 ranks of 10 words         10250  1,025 words of peers     11776  32 requests of 16, which are
//                their handles    12288  3,395 envelopes of 6  32660  32 free places for replay    32704  the program's own words
// Source: own design.   Tests: test_polyloom_mpe.py, test_mpe_faults.py
package polyloom_mpe_map_pkg;
  import polyloom_mpe_pkg::*;
  import polyloom_mpe_isa_pkg::*;

  // Registers. What is received or sent stands in those from TAG to BYTES; T and U are for a few lines only.
  localparam target_t ZERO = 6'd32;
  localparam target_t ONE = 6'd33;
  localparam target_t FLAGS = O_FLAGS;  // as the output
  localparam target_t SELF = 6'd35;  // own rank
  localparam target_t SIZE = 6'd36;
  localparam target_t SLOTS = 6'd37;  // S
  localparam target_t LIMIT = 6'd38;  // E
  localparam target_t WINDOW = 6'd39;
  localparam target_t JOB_LOW = 6'd40;  // low half of the job in the high half
  localparam target_t JOB_HIGH = 6'd41;
  localparam target_t TICK = 6'd42;  // number of the tick in the high half
  localparam target_t AWAITED = 6'd43;  // request that the kernel waits for; 1: an envelope; 0: it does not wait
  localparam target_t COPIED = 6'd44;  // request whose payload is read
  localparam target_t COMMAND = 6'd45;  // its three words
  localparam target_t C_TAG = 6'd46;
  localparam target_t C_COMM = 6'd47;  // and handle
  localparam target_t TRY = 6'd48;  // {FIRST_TRY, FIRST_TRY}
  localparam target_t HANDLES = 6'd49;  // REQUESTS_AT: the kernel's handle 0
  localparam target_t RANK = 6'd50;  // at hand; PA points to it
  localparam target_t SEQ = 6'd51;
  localparam target_t TAG = 6'd52;
  localparam target_t COMM = 6'd53;
  localparam target_t LENGTH = 6'd54;
  localparam target_t OFFSET = 6'd55;
  localparam target_t KIND = 6'd56;  // type, kind
  localparam target_t BYTES = 6'd57;  // of payload
  localparam target_t T = 6'd58;
  localparam target_t U = 6'd59;
  localparam target_t PA = 6'd60;  // pointers: a rank
  localparam target_t PB = 6'd61;  // a request
  localparam target_t PC = 6'd62;
  localparam target_t PD = 6'd63;

  // A rank
  localparam int unsigned RANKS_AT = 0;
  localparam logic [3:0] K_MAC = 4'd0;
  localparam logic [3:0] K_PORT = 4'd1;  // {port, MAC}
  localparam logic [3:0] K_IP = 4'd2;
  localparam logic [3:0] K_SENT = 4'd3;  // {acknowledged, sent} envelopes to it
  localparam logic [3:0] K_CONSUMED = 4'd4;  // {due, consumed}; due: next of those to be told at once, or 0
  localparam logic [3:0] K_ACCEPTED = 4'd5;  // {consumed, accepted} of its envelopes
  localparam logic [3:0] K_REPORTED = 4'd6;  // the same, as it has been reported
  localparam logic [3:0] K_HEARD = 4'd7;  // {tick of its last packet, tries since}
  localparam logic [3:0] K_CHAIN = 4'd8;  // {last, first} request not acknowledged
  localparam logic [3:0] K_TIME = 4'd9;  // {ticks of a try, ticks left}
  localparam int unsigned RANK_WORDS = 10;
  // Peers: ranks that have sent or been sent to, in that order: word n is {rank of the nth, whether rank n is one}
  localparam int unsigned PEERS_AT = RANKS_AT + (MAX_RANKS + 1) * RANK_WORDS;
  localparam logic [15:0] IS_DUE = 16'h8000;  // and the rank's number
  localparam logic [15:0] END_OF_DUE = 16'h4000;

  // A request
  localparam int unsigned REQUEST_WORDS = 16;
  localparam int unsigned REQUEST_TABLE = REQUESTS * REQUEST_WORDS;
  localparam int unsigned REQUESTS_AT = (PEERS_AT + MAX_RANKS + REQUEST_TABLE) / REQUEST_TABLE * REQUEST_TABLE;  // HANDLE_BITS tell the requests
  localparam logic [3:0] R_NEXT = 4'd0;  // in the list of posted receives, of sends without credit, of a rank's chain
  localparam logic [3:0] R_NEXT_WORK = 4'd1;
  localparam logic [3:0] R_KEY = 4'd2;  // {rank, comm}
  localparam logic [3:0] R_TAG = 4'd3;
  localparam logic [3:0] R_ADDRESS = 4'd4;
  localparam logic [3:0] R_BYTES = 4'd5;  // of the buffer; from the match on of the message
  localparam logic [3:0] R_SEQ = 4'd6;  // {peer's handle, seq}
  localparam logic [3:0] R_POSITION = 4'd7;
  localparam logic [3:0] R_LIMIT = 4'd8;
  localparam logic [3:0] R_TYPE = 4'd9;  // {error, type * 256}
  localparam logic [3:0] R_TIME = 4'd10;  // {ticks of a try, ticks left}
  localparam logic [3:0] R_TRIES = 4'd11;
  localparam logic [3:0] R_PLACE = 4'd12;  // of its payload in the store
  localparam logic [3:0] R_FLAGS = 4'd13;
  localparam int unsigned NO_REQUEST_AT = DATA_WORDS - 78;  // words that commands without a request write to
  // Its flags
  localparam logic [15:0] OWNED = 16'h0001;  // the kernel has its handle
  localparam logic [15:0] COMPLETE = 16'h0002;  // for the kernel
  localparam logic [15:0] UNACKED = 16'h0004;  // in its rank's chain
  localparam logic [15:0] IN_WORK = 16'h0008;  // in the list of work
  localparam logic [15:0] OPEN = 16'h0010;  // a rendezvous under way
  localparam logic [15:0] LIVES = 16'h001d;  // any of these but COMPLETE: not free
  localparam logic [15:0] IS_EAGER = 16'h0020;
  localparam logic [15:0] IS_RECEIVE = 16'h0040;
  localparam logic [15:0] AGAIN = 16'h0080;  // its envelope is to be sent again
  localparam logic [15:0] SEND_CTS = 16'h0100;
  localparam logic [15:0] SEND_RESUME = 16'h0200;
  localparam logic [15:0] SEND_DONE = 16'h0400;
  localparam logic [15:0] CONTROL = 16'h0700;
  localparam logic [15:0] GAP = 16'h0800;  // a RESUME has asked for the missing piece
  localparam logic [15:0] GRANTED = 16'h1000;  // data may be sent

  // An envelope that waits
  localparam int unsigned ENVELOPES_AT = REQUESTS_AT + REQUEST_TABLE;
  localparam int unsigned ENVELOPE_WORDS = 6;
  localparam int unsigned ENVELOPES = (DATA_WORDS - 108 - ENVELOPES_AT) / ENVELOPE_WORDS;
  localparam logic [3:0] E_NEXT = 4'd0;  // {place of its payload in the store, next}
  localparam logic [15:0] NO_PLACE = 16'h8000;  // or more
  localparam logic [3:0] E_KEY = 4'd1;  // {rank, comm}
  localparam logic [3:0] E_TAG = 4'd2;
  localparam logic [3:0] E_LENGTH = 4'd3;
  localparam logic [3:0] E_SEQ = 4'd4;  // {sender's handle, seq}
  localparam logic [3:0] E_KIND = 4'd5;  // type, kind

  localparam int unsigned PLACES_AT = DATA_WORDS - 108;  // of payloads for replay: a stack of those that are free
  localparam int unsigned PLACES = 32;

  // The program's own words
  localparam int unsigned GLOBALS_AT = DATA_WORDS - 64;
  localparam logic [5:0] G_POSTED = 6'd0;  // lists {last, first}
  localparam logic [5:0] G_WANT = 6'd1;
  localparam logic [5:0] G_WAITING = 6'd2;  // envelopes
  localparam logic [5:0] G_WORK = 6'd3;
  localparam logic [5:0] G_FREE = 6'd4;  // first free request
  localparam logic [5:0] G_FREE_ENVELOPE = 6'd5;
  localparam logic [5:0] G_PLACES = 6'd6;  // top of the stack
  localparam logic [5:0] G_DUE = 6'd7;
  localparam logic [5:0] G_COMMAND = 6'd8;  // to 13
  localparam logic [5:0] G_SINCE = 6'd14;  // to 15
  localparam logic [5:0] G_STARTED = 6'd16;  // to 17: the cycle
  localparam logic [5:0] G_RUNS = 6'd18;  // the kernel was started
  localparam logic [5:0] G_JOB = 6'd19;
  localparam logic [5:0] G_RETRANSMIT = 6'd20;
  localparam logic [5:0] G_ACK_DELAY = 6'd21;
  localparam logic [5:0] G_RETRIES = 6'd22;
  localparam logic [5:0] G_FLUSH = 6'd23;  // peer that is looked at next
  localparam logic [5:0] G_SWEEP = 6'd24;  // request or peer
  localparam logic [5:0] G_ALIVE = 6'd25;  // this sweep has found something that waits
  localparam logic [5:0] G_REPLY_RANK = 6'd26;  // of a DONE
  localparam logic [5:0] G_REPLY_SEQ = 6'd27;  // {handle, seq}
  localparam logic [5:0] G_REQUESTER_MAC = 6'd28;  // the requester at management; then its request
  localparam logic [5:0] G_REQUESTER_PORT = 6'd29;
  localparam logic [5:0] G_REQUESTER_IP = 6'd30;
  localparam logic [5:0] G_REQUESTED = 6'd31;  // {seq, count, op}
  localparam logic [5:0] G_REGISTER = 6'd32;
  localparam logic [5:0] G_REPLY_KIND = 6'd33;
  localparam logic [5:0] G_USED = 6'd34;  // so many requests
  localparam logic [5:0] G_BARE = 6'd35;  // first free envelope without a place
  localparam logic [5:0] G_SEEN = 6'd38;  // requests in use that this sweep has come to
  localparam logic [5:0] G_LEFT = 6'd39;  // requests in use that are still to be looked at
  localparam logic [5:0] G_PEERS = 6'd37;  // the word behind the last peer
  localparam logic [5:0] G_MOST = 6'd36;  // envelopes to a rank that are not consumed

  // Numbers
  localparam logic [15:0] HANDLE_BITS = 16'((REQUESTS - 1) * REQUEST_WORDS);  // of a handle, but for REQUESTS_AT
  localparam logic [15:0] FIRST_TRY = 16'd5;  // ticks of a try: at least a retransmission time
  localparam logic [15:0] LAST_TRY = 16'd65;
  localparam logic [15:0] TABLE_REGISTERS = 16'h0100;
  localparam logic [15:0] TO_MEMORY = 16'h8000;  // low half of write_job_t
  localparam logic [15:0] TO_STORE = 16'h4000;
  localparam logic [15:0] FROM_STORE = 16'h2000;
  localparam logic [15:0] READ_REPORT = 16'h8000;  // low half of read_job_t
  localparam logic [15:0] READ_RECORD = 16'h4000;
  localparam logic [15:0] READ_REPLAY = 16'h2000;
  localparam logic [15:0] HAS_MORE = 16'h4000;  // high half of status_t
  localparam logic [15:0] READ_OUTSIDE = 16'h2000;
  localparam logic [15:0] KERNEL_DONE = 16'h1000;
  localparam logic [15:0] E_TRUNCATED = 16'd1;  // ENGINE.md
  localparam logic [15:0] E_TYPE = 16'd2;
  localparam logic [15:0] E_NO_RESPONSE = 16'd3;
  localparam logic [15:0] E_TOO_MANY = 16'd4;
  localparam logic [15:0] E_NO_SUCH = 16'd5;
  localparam logic [15:0] E_ADDRESS = 16'd6;

endpackage
