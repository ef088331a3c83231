// SPDX-License-Identifier: Apache-2.0
// The message passing engine in software: PROTOCOL.md for one rank, without transport and without a clock of
// its own.
//
// The owner hands in what came (on_packet), says when it is (`now`, in ps, never falling) and calls
// on_timer() when next_timer() has come; packets to others leave through the Sink, packets to itself stay
// inside. Buffers of requests are read and written until the request is complete. Not thread safe.
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "roles/mpi/arch/command.h"
#include "roles/mpi/arch/packet.h"
#include "roles/mpi/runtime/engine/pace.h"

namespace polyloom::mpi {

/// Management's registers JOB, RANK, EAGER, TIMES and WINDOW. Rank `size` is the manager.
struct Config {
  std::uint32_t job = 1;
  std::uint16_t rank = 0, size = 1;
  std::uint16_t eager_bytes = 1440;
  std::uint16_t credits = 16;
  /// Envelopes to a rank that are not consumed; those beyond `credits` go without payload, and one in a
  /// retransmission time. Less than `credits` means no more than these.
  std::uint16_t most_envelopes = 0;
  Time retransmission = 1'000'000'000, ack_delay = 100'000'000;
  std::uint32_t window = 45 * 1440;
  std::uint16_t retries = 10;  ///< 0xFFFF: never gives up
  std::uint16_t requests = 1024;
  /// Standard sends are copied, so that their buffers are free at once, while all copies together are at most
  /// so many bytes. 0: never.
  std::uint32_t buffered = 8 << 20;
  /// Bits a second of the link that packets leave by. 0: the transport has its own brake.
  std::uint64_t rate = 0;
  /// Envelopes of a rank that may wait here beyond `credits`: memory is cheap for a CPU rank, so it says that
  /// a place is free as soon as it has put an envelope aside. Programs that receive in another order than was
  /// sent need this.
  std::uint32_t places = 1 << 14;
};

/// Where packets go. `payload` is valid during the call only.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void send(std::uint16_t to, const Header& header, Bytes payload) = 0;
};

struct Counters {
  std::uint64_t packets_in = 0, packets_out = 0, not_in_order = 0, sent_again = 0;
  std::uint64_t envelopes_sent = 0, envelopes_accepted = 0, bytes_in = 0, bytes_out = 0;
  std::uint64_t system = 0;  ///< of the envelopes, those from and to the manager
};

/// How a request ended, or what a probe found.
struct Result {
  std::uint8_t error = POLYLOOM_OK;
  std::uint8_t type = 0;
  std::uint16_t source = 0;  ///< of a send: the destination
  std::int32_t tag = 0;
  std::uint32_t bytes = 0;
};

struct Envelope {
  std::uint16_t peer = 0;  ///< destination; of a receive: source or POLYLOOM_ANY_RANK
  std::int32_t tag = 0;    ///< of a receive: or POLYLOOM_ANY_TAG
  std::uint16_t comm = 0;
  std::uint8_t type = 0;

  /// Of a receive or probe: it takes the message of that header.
  bool takes(const Header& header) const {
    return comm == header.comm && (peer == POLYLOOM_ANY_RANK || peer == header.source) &&
           (tag == POLYLOOM_ANY_TAG || tag == header.tag);
  }
};

class Engine {
 public:
  Engine(const Config& config, Sink& sink);

  /// A handle, or an error: negative POLYLOOM_NO_SUCH or POLYLOOM_TOO_MANY.
  int send(const Envelope& to, const void* data, std::uint32_t bytes, bool synchronous, Time now);
  int receive(const Envelope& from, void* data, std::uint32_t bytes, Time now);
  bool is_handle(unsigned handle) const;
  /// Takes a receive back that no message has matched: it is complete, of POLYLOOM_CANCELLED bytes. False: it
  /// goes on.
  bool cancel(unsigned handle);
  bool complete(unsigned handle) const { return requests_[handle].state == State::complete; }
  /// Of a complete request.
  const Result& result(unsigned handle) const { return requests_[handle].result; }
  /// The result of a complete request, whose handle is free from then on.
  Result take(unsigned handle);
  /// The oldest envelope that no receive has taken and that matches.
  std::optional<Result> probe(const Envelope& from) const;

  void on_packet(const Header& header, Bytes payload, Time now);
  void on_timer(Time now);
  /// Says at once what that rank may not have heard.
  void acknowledge(std::uint16_t to) { emit_ack(to); }
  Time next_timer() const;

  /// Nothing of ours is under way: all envelopes are accepted, no rendezvous is open.
  bool quiet() const;
  /// A send of the program's, to this or another rank, that waits for a receive (or for room before one).
  std::optional<Envelope> open_send() const;
  /// Messages of the program that no receive has taken, in order of arrival.
  std::vector<Envelope> not_received() const;
  const Counters& counters() const { return counters_; }
  const Config& config() const { return config_; }
  /// Appends what decides on all that it will do, but for times and tries: for tests that visit every state.
  void write_state(std::string& out) const;

 private:
  enum class State : std::uint8_t { unused, queued, eager_sent, rendezvous, posted, receiving, complete };

  struct Retry {
    Time at = kNever;
    unsigned doublings = 0, tries = 0;
    Time since = 0;  ///< of the last try
  };

  struct Request {
    State state = State::unused;
    bool synchronous = false, gap = false;  ///< synchronous: always a rendezvous
    Envelope envelope;
    std::byte* data = nullptr;
    std::uint32_t bytes = 0;
    std::uint16_t seq = 0, other = kNoHandle;  ///< of a rendezvous: its RTS, the other side's handle
    std::uint32_t position = 0, limit = 0, granted_at = 0;
    /// When it was last allowed to send, and after its wait for others has begun to, and from where.
    Time lined_up_at = 0, turn_at = kNever;
    std::uint32_t turn_from = 0;
    Retry retry;
    Result result;
    bool detached = false;        ///< no program waits for it: it frees itself
    std::vector<std::byte> copy;  ///< of a detached send: its message
  };

  struct Sent {
    Header header;
    std::vector<std::byte> data;
  };

  struct Peer {
    std::uint16_t next = 0, acked = 0, consumed = 0;  ///< ours: numbered, accepted there, consumed there
    std::deque<Sent> sent;                            ///< those from `acked` on
    std::deque<std::uint16_t> queue;                  ///< requests that wait for a credit
    unsigned open = 0;                                ///< rendezvous to it
    Retry retry;
    std::uint16_t accepted = 0, freed = 0;  ///< its: accepted and consumed here
    std::uint16_t reported_accepted = 0, reported_freed = 0;
    std::uint32_t aside = 0;  ///< its unexpected envelopes whose place was said to be free
    Time ack_at = kNever;
    Time heard = 0;
    bool dead = false;
  };

  struct Unexpected {
    Header header;
    std::vector<std::byte> data;
    bool aside = false;
  };
  using UnexpectedList = std::list<Unexpected>;

  // sending (engine_send.cc)
  void enqueue(unsigned handle);
  void send_queue(std::uint16_t to);
  void send_envelope(std::uint16_t handle);
  bool is_on_its_way(const Request& request, std::uint32_t offset) const;
  void line_up(std::uint16_t handle);
  void deal_out();
  void send_piece(std::uint16_t handle);
  bool may_number(std::uint16_t to, std::uint16_t most) const;
  void take_news(std::uint16_t from, const Header& header);
  Request* find_sender(const Header& header);
  void on_grant(const Header& header);
  void emit(std::uint16_t to, Header header, Bytes payload);
  void emit_control(std::uint16_t to, Kind kind, const Request& request, std::uint16_t receiver,
                    std::uint16_t sender);
  void emit_ack(std::uint16_t to);
  void press(std::uint16_t to);
  void request_for_credit(std::uint16_t to);
  Header header_of(const Request& request, std::uint16_t handle) const;

  // receiving (engine_receive.cc)
  void on_eager(const Header& header, Bytes payload);
  void on_rts(const Header& header);
  void on_old_rts(const Header& header);
  void on_data(const Header& header, Bytes payload);
  bool accept(const Header& header);
  int find_posted(const Header& header);
  void put_aside(const Header& header, Bytes payload);
  void deliver(unsigned handle, const Header& header, Bytes payload);
  void begin_rendezvous(unsigned handle, const Header& header);
  void grant(unsigned handle, Kind kind);
  void freed(std::uint16_t from);
  void report_later(std::uint16_t to);

  // time and requests (engine.cc)
  int new_request(const Envelope& envelope, void* data, std::uint32_t bytes);
  bool may_copy(const Peer& peer, std::uint32_t bytes) const;
  unsigned copy_of(unsigned handle);
  void finish(Request& request, std::uint8_t error);
  void start_retry(Retry& retry) const;
  bool try_again(Retry& retry, const Peer& peer);
  void time_peer(std::uint16_t rank);
  void time_request(std::uint16_t handle);
  void fail_peer(std::uint16_t rank);
  void activate(unsigned handle) { active_.push_back(static_cast<std::uint16_t>(handle)); }
  void drain_loop();

  Config config_;
  Sink& sink_;
  Time now_ = 0;
  std::vector<Peer> peers_;  ///< by rank, the manager last
  std::vector<Request> requests_;
  std::vector<std::uint16_t> unused_;
  std::vector<std::uint16_t> active_;  ///< rendezvous of both directions, in order of their begin
  std::deque<std::uint16_t> ready_;    ///< sends of these that may send data, in the order of doing so
  std::uint32_t copied_ = 0;           ///< bytes of copied sends
  Pace pace_;
  std::deque<std::uint16_t> posted_;  ///< in order of their commands
  UnexpectedList unexpected_;         ///< in order of arrival
  UnexpectedList spare_;
  std::deque<Unexpected> loop_;  ///< packets to ourselves
  bool looping_ = false;
  Counters counters_;
};

}  // namespace polyloom::mpi
