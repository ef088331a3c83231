// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "polyloom/collectives.h"
#include "roles/collective/host/runtime/arena.h"
#include "roles/collective/host/runtime/averages.h"
#include "roles/collective/host/runtime/backend.h"
#include "roles/collective/host/runtime/group.h"
#include "roles/collective/host/runtime/native.h"
#include "roles/collective/host/schedule/compile.h"
#include "roles/collective/host/schedule/topology.h"

namespace polyloom::collective {
namespace {

using Arenas = std::vector<std::vector<Arena>>;  ///< [rank][channel]

}  // namespace

struct Buffer::State {
  int rank = 0;
  Layout layout;
  std::shared_ptr<Arenas> arenas;
  std::vector<std::pair<unsigned, std::uint64_t>> taken;  ///< channel, begin
  ~State() {
    for (const auto& [channel, begin] : taken) (*arenas)[index(rank)][channel].give(begin);
  }
};

int Buffer::rank() const { return state_ ? state_->rank : -1; }
std::uint64_t Buffer::bytes() const { return state_ ? state_->layout.bytes : 0; }
const Layout& Buffer::layout() const {
  static const Layout none;
  return state_ ? state_->layout : none;
}

std::optional<double> Result::algorithm_gbps() const {
  if (!simulated_seconds || *simulated_seconds <= 0) return std::nullopt;
  return static_cast<double>(bytes) * 8e-9 / *simulated_seconds;
}
std::optional<double> Result::bus_gbps() const {
  const auto gbps = algorithm_gbps();
  return gbps ? std::optional<double>(*gbps * bus_factor) : std::nullopt;
}

/// What has been made of a request: once, and used by every run of it.
struct Communicator::Prepared::Made {
  Plan plan;
  Buffers buffers;  ///< those that the schedule is for; none: it has not run
  Schedule schedule;
};

struct Communicator::State {
  bool native = false;
  ClusterFacts facts;
  std::optional<CostParameters> parameters;
  std::unique_ptr<Backend> backend;
  std::shared_ptr<Arenas> arenas;
  std::unique_ptr<Group> group;

  Situation situation(const Request& request) const { return {request, facts.topology, facts.shape}; }

  /// Before any plan is made: what no layout can hold.
  void check_sizes(const Situation& s) const {
    const Request& request = s.request;
    const std::uint64_t all = facts.channel_bytes * facts.shape.channels;
    for (int rank = 0; rank < facts.topology.size(); ++rank) {
      const std::uint64_t out = send_bytes(request, facts.topology, rank),
                          in = recv_bytes(request, facts.topology, rank);
      if (out <= all && in <= all && out + in <= all) continue;
      throw UserError(fmt::format(
          "{}: rank {} needs a send buffer of {} bytes and a receive buffer of {}; its {} channels of {} "
          "bytes hold {}",
          name_of(request.operation), rank, out, in, facts.shape.channels, facts.channel_bytes, all));
    }
  }

  /// Buffers lie in the memories that their communicator allots.
  void check_own(const Buffer& buffer) const {
    if (buffer.state_ && buffer.state_->arenas != arenas) {
      throw UserError("this buffer was allotted by another communicator");
    }
  }
  void check_own(const Prepared& prepared) const {
    for (const auto* buffers : {&prepared.send, &prepared.recv}) {
      if (buffers->size() != index(facts.topology.size())) {
        throw UserError(
            fmt::format("prepared for {} ranks, there are {}", buffers->size(), facts.topology.size()));
      }
      for (const Buffer& buffer : *buffers) check_own(buffer);
    }
  }

  static bool hands_on_sums(const Prepared& prepared) {
    return prepared.made && hands_on_integer_sums(prepared.made->plan, prepared.request);
  }

  struct Choice {
    std::string algorithm;
    std::optional<Plan> plan{};  ///< if one had to be made to choose
  };
  Choice choose(const Situation& situation) const;
  struct Scheduled;
  Scheduled schedule(const Prepared& prepared);
  void run_native_on(const Prepared& prepared);
  Result described(const Request& request, const std::string& algorithm) const;

  std::shared_ptr<Buffer::State> allocate(int rank, const Layout& layout, Half half, const char* what) {
    auto buffer = std::make_shared<Buffer::State>();
    buffer->rank = rank;
    buffer->arenas = arenas;
    const auto extent = layout.extent(facts.shape.channels);
    std::vector<std::uint64_t> start(extent.size(), 0);
    const std::uint64_t middle = facts.channel_bytes / 2;
    for (unsigned c = 0; c < extent.size(); ++c) {
      if (extent[c] == 0) continue;
      Arena& arena = (*arenas)[index(rank)][c];
      auto place = arena.take(extent[c], half == Half::second ? middle : 0,
                              half == Half::first ? middle : facts.channel_bytes);
      // A buffer larger than half a channel must share the other's pseudo-channel: slower, but right.
      if (!place) place = arena.take(extent[c], 0, facts.channel_bytes);
      if (!place) {
        throw UserError(
            fmt::format("rank {}: the {} buffer of {} bytes needs {} bytes of channel {}, which has {} in "
                        "all; free buffers, or use less",
                        rank, what, layout.bytes, extent[c], c, facts.channel_bytes));
      }
      start[c] = *place;
      buffer->taken.emplace_back(c, *place);
    }
    buffer->layout = layout.moved(start);
    return buffer;
  }
};

namespace {

/// Fully connected ranks, or those of a cluster file with their lanes.
ClusterFacts native_facts(const Options& options) {
  ClusterFacts facts;
  const char* named = std::getenv("POLYLOOM_CLUSTER");
  const std::string cluster =
      !options.cluster.empty() || options.native_ranks || !named ? options.cluster : named;
  if (!cluster.empty()) {
    facts = read_facts(show_cluster(cluster));
  } else {
    const int ranks = options.native_ranks.value_or(8);
    if (ranks < 1 || ranks > 64) throw UserError(fmt::format("{} ranks: allowed are 1 to 64", ranks));
    facts.topology = Topology::fully_connected(ranks);
    for (int r = 0; r < ranks; ++r) facts.names.push_back(fmt::format("rank.{}", r));
    facts.shape.channels = static_cast<unsigned>(ranks);
    facts.shape.eager_bytes = facts.shape.rx_bytes;
  }
  // What a node lacks is no reason to refuse here.
  const auto n = static_cast<unsigned>(facts.topology.size());
  facts.shape.channels = std::max(2u, facts.shape.channels);
  facts.shape.operator_inputs = std::max(2u, std::min(63u, n));
  facts.shape.operator_outputs = 2;
  facts.shape.reduces = true;
  facts.channel_bytes = std::uint64_t{4} << 30;
  facts.shape.half_bytes = facts.channel_bytes / 2;
  facts.paper_schedules = false;
  return facts;
}

bool wants_native(const Options& options) {
  const char* on = std::getenv("POLYLOOM_ON");
  const std::string word = !options.on.empty() ? options.on : on ? on : "sim";
  if (word != "native" && word != "sim" && word != "rtl") {
    throw UserError(fmt::format("'{}' is no way to run: native, sim, rtl", word));
  }
  return word == "native";
}

/// Calls f(place, offset in the range) for each piece of bytes [at, at + bytes) of a buffer.
template <class F>
void for_pieces(const Buffer& buffer, std::uint64_t at, std::uint64_t bytes, F f) {
  if (at + bytes > buffer.bytes()) {
    throw UserError(fmt::format("rank {}: bytes {} to {} of a buffer of {}", buffer.rank(), at, at + bytes,
                                buffer.bytes()));
  }
  if (at % 8 != 0) throw UserError(fmt::format("byte {} of a buffer: hosts reach multiples of 8", at));
  for (const Piece& p : buffer.layout().pieces) {
    const std::uint64_t begin = std::max(at, p.offset), end = std::min(at + bytes, p.offset + p.bytes);
    if (begin < end) f(Piece{begin, end - begin, p.channel, p.base + begin - p.offset}, begin - at);
  }
}

}  // namespace

Communicator::Communicator(const Options& options) : state_(std::make_unique<State>()) {
  State& s = *state_;
  if (!(options.watchdog_seconds >= 0 && options.watchdog_seconds <= 1e6)) {
    throw UserError(
        fmt::format("a watchdog of {} seconds; allowed are 0 (none) to 1000000", options.watchdog_seconds));
  }
  s.native = wants_native(options);
  if (options.native_ranks && (!options.cluster.empty() || (!options.on.empty() && !s.native))) {
    throw UserError(
        fmt::format("native_ranks = {}: the ranks are those of the cluster; leave it out, or run natively "
                    "without a cluster",
                    *options.native_ranks));
  }
  if (s.native) {
    s.facts = native_facts(options);
    s.backend = make_native_backend(s.facts.topology, s.facts.shape, s.facts.channel_bytes);
  } else {
    s.backend = make_cluster_backend(options, s.facts);
    s.parameters = s.facts.parameters;
  }
  s.arenas = std::make_shared<Arenas>(index(size()), std::vector<Arena>(s.facts.shape.channels));
  s.group = std::make_unique<Group>(size());
}

Communicator::~Communicator() = default;

int Communicator::size() const { return state_->facts.topology.size(); }
bool Communicator::native() const { return state_->native; }
const Topology& Communicator::topology() const { return state_->facts.topology; }
const NodeShape& Communicator::shape() const { return state_->facts.shape; }
const std::optional<CostParameters>& Communicator::parameters() const { return state_->parameters; }

void Communicator::check(const Request& request) const { state_->situation(request); }

Communicator::State::Choice Communicator::State::choose(const Situation& s) const {
  if (native) return {kNativeAlgorithm};
  require_operator(s);
  if (facts.paper_schedules) return {collective::algorithms(s).front()};
  auto best = std::move(rank_algorithms(s, *parameters).front());
  return {best.algorithm, std::move(best.plan)};
}

std::string Communicator::choose(const Request& request) const {
  const Situation s = state_->situation(request);
  state_->check_sizes(s);
  return state_->choose(s).algorithm;
}

std::vector<std::string> Communicator::algorithms(const Request& request) const {
  std::vector<std::string> names = collective::algorithms(state_->situation(request));
  if (native()) names.insert(names.begin(), kNativeAlgorithm);
  return names;
}

std::string Communicator::explain(const Request& request) const {
  const Situation s = state_->situation(request);
  if (native())
    return fmt::format("native: no time is modelled; '{}' moves the bytes at once\n", kNativeAlgorithm);
  require_operator(s);
  return fmt::format("{}\n", topology().text()) +
         collective::explain(rank_algorithms(s, *state_->parameters), *state_->parameters);
}

Communicator::Prepared Communicator::prepare(const Request& request, const std::string& algorithm) {
  Prepared prepared = allot(state_->situation(request), algorithm);
  if (State::hands_on_sums(prepared)) {
    throw UserError(
        fmt::format("{} ({}): integers are averaged in stages here, and no one would see if a sum between "
                    "them overflowed; "
                    "call the operation, which looks at the data, or average float32",
                    name_of(request.operation), prepared.algorithm));
  }
  return prepared;
}

Communicator::Prepared Communicator::allot(const Situation& s, const std::string& algorithm) {
  state_->check_sizes(s);
  State::Choice choice{algorithm};
  if (algorithm.empty()) choice = state_->choose(s);
  Prepared prepared{s.request, choice.algorithm, {}, {}};
  if (native() && prepared.algorithm == kNativeAlgorithm) {
    for (int rank = 0; rank < size(); ++rank) {
      prepared.send.push_back(allocate(rank, 0, send_bytes(s.request, topology(), rank)));
      prepared.recv.push_back(allocate(rank, 1, recv_bytes(s.request, topology(), rank)));
    }
    return prepared;
  }
  // Refuses what cannot be, before memory is taken.
  Plan plan = choice.plan ? std::move(*choice.plan) : make_plan(prepared.algorithm, s);
  const Buffers wanted = preferred_buffers(prepared.algorithm, s);
  for (int rank = 0; rank < size(); ++rank) {
    Buffer send, recv;
    send.state_ = state_->allocate(rank, wanted.send[index(rank)], Half::first, "send");
    recv.state_ = state_->allocate(rank, wanted.recv[index(rank)], plan.recv_low ? Half::first : Half::second,
                                   "receive");
    prepared.send.push_back(std::move(send));
    prepared.recv.push_back(std::move(recv));
  }
  prepared.made = std::make_shared<Prepared::Made>(Prepared::Made{std::move(plan), {}, {}});
  return prepared;
}

Buffer Communicator::allocate(int rank, unsigned channel, std::uint64_t bytes, Half half) {
  if (rank < 0 || rank >= size())
    throw UserError(fmt::format("rank {} is not one of 0..{}", rank, size() - 1));
  if (channel >= shape().channels) {
    throw UserError(fmt::format("channel {} is not one of 0..{}", channel, shape().channels - 1));
  }
  Layout layout;
  layout.bytes = bytes;
  if (bytes > 0) layout.pieces = {{0, bytes, channel, 0}};
  Buffer buffer;
  buffer.state_ = state_->allocate(rank, layout, half, "program's");
  return buffer;
}

void Communicator::write(const Buffer& buffer, std::uint64_t at, std::span<const std::uint8_t> bytes) {
  state_->check_own(buffer);
  for_pieces(buffer, at, bytes.size(), [&](const Piece& p, std::uint64_t from) {
    state_->backend->write(buffer.rank(), p.channel, p.base, bytes.subspan(from, p.bytes));
  });
}

void Communicator::read(const Buffer& buffer, std::uint64_t at, std::span<std::uint8_t> bytes) {
  state_->check_own(buffer);
  for_pieces(buffer, at, bytes.size(), [&](const Piece& p, std::uint64_t from) {
    state_->backend->read(buffer.rank(), p.channel, p.base, bytes.subspan(from, p.bytes));
  });
}

void Communicator::write(const Buffer& buffer, std::span<const std::uint8_t> bytes) {
  if (bytes.size() != buffer.bytes()) {
    throw UserError(
        fmt::format("rank {}: {} bytes for a buffer of {}", buffer.rank(), bytes.size(), buffer.bytes()));
  }
  write(buffer, 0, bytes);
}

void Communicator::read(const Buffer& buffer, std::span<std::uint8_t> bytes) {
  if (bytes.size() != buffer.bytes()) {
    throw UserError(fmt::format("rank {}: room for {} bytes, the buffer has {}", buffer.rank(), bytes.size(),
                                buffer.bytes()));
  }
  read(buffer, 0, bytes);
}

std::vector<std::span<std::uint8_t>> Communicator::view(const Buffer& buffer) {
  state_->check_own(buffer);
  std::vector<std::span<std::uint8_t>> pieces;
  for (const Piece& p : buffer.layout().pieces) {
    const auto piece = state_->backend->view(buffer.rank(), p.channel, p.base, p.bytes);
    if (piece.empty()) return {};
    pieces.push_back(piece);
  }
  return pieces;
}

/// The schedule of prepared buffers, and the memory that it needs until it has run.
struct Communicator::State::Scheduled {
  Schedule schedule;
  std::vector<std::shared_ptr<Buffer::State>> scratch;
};

Communicator::State::Scheduled Communicator::State::schedule(const Prepared& prepared) {
  check_own(prepared);
  Prepared::Made& made = *prepared.made;
  Buffers buffers;
  Scheduled result;
  for (int rank = 0; rank < facts.topology.size(); ++rank) {
    buffers.send.push_back(prepared.send.at(index(rank)).layout());
    buffers.recv.push_back(prepared.recv.at(index(rank)).layout());
    result.scratch.push_back(allocate(rank, made.plan.scratch[index(rank)], Half::second, "scratch"));
    buffers.scratch.push_back(result.scratch.back()->layout);
    result.scratch.push_back(allocate(rank, made.plan.low[index(rank)], Half::first, "scratch"));
    buffers.low.push_back(result.scratch.back()->layout);
  }
  if (made.buffers != buffers) {  // memory in between may lie elsewhere than in the run before
    made.schedule = make_schedule(made.plan, buffers, facts.topology, facts.shape);
    made.buffers = std::move(buffers);
  }
  result.schedule = made.schedule;
  return result;
}

void Communicator::State::run_native_on(const Prepared& prepared) {
  check_own(prepared);
  std::vector<std::span<const std::uint8_t>> from;
  std::vector<std::span<std::uint8_t>> to;
  const auto whole = [&](const Buffer& b) -> std::span<std::uint8_t> {
    if (b.bytes() == 0) return {};
    const Piece& piece = b.layout().pieces.front();
    return backend->view(b.rank(), piece.channel, piece.base, piece.bytes);
  };
  for (const Buffer& b : prepared.send) from.push_back(whole(b));
  for (const Buffer& b : prepared.recv) to.push_back(whole(b));
  run_native(prepared.request, from, to);
}

void Communicator::run_all(std::span<const Prepared* const> operations, const RunOptions& options) {
  std::vector<std::vector<Instruction>> codes(index(size()));
  std::vector<State::Scheduled> kept;
  Undrained lanes;
  RunOptions patient = options;
  const auto run_codes = [&] {
    for (auto& code : codes) code.emplace_back();  // end
    run_programs(std::exchange(codes, decltype(codes)(index(size()))), patient);
    kept.clear();
    patient.patience = options.patience;
  };
  for (const Prepared* prepared : operations) {
    if (prepared->algorithm == kNativeAlgorithm) {
      if (!kept.empty()) run_codes();
      state_->run_native_on(*prepared);
      continue;
    }
    kept.push_back(state_->schedule(*prepared));
    settle_eager(kept.back().schedule, lanes);
    if (state_->parameters) {
      patient.patience += 2 * predict(kept.back().schedule, topology(), *state_->parameters);
    }
    const auto more = programs(kept.back().schedule, size(),
                               {fingerprint(prepared->request, prepared->algorithm), 0xff, false});
    for (std::size_t r = 0; r < codes.size(); ++r) {
      codes[r].insert(codes[r].end(), more[r].begin(), more[r].end());
    }
  }
  if (!kept.empty()) run_codes();
}

Result Communicator::State::described(const Request& request, const std::string& algorithm) const {
  Result result;
  const int ranks = facts.topology.size();
  result.operation = name_of(request.operation);
  result.algorithm = algorithm;
  result.ranks = ranks;
  // Of an exchange a rank's whole send buffer counts, as nccl-tests has it; of all others the whole vector.
  result.bytes = request.traits().sizes == SizeKind::pairs ? request.total() / index(ranks) : request.total();
  result.bus_factor = bus_factor(request.operation, ranks);
  return result;
}

Result Communicator::run(const Prepared& prepared) {
  Result result = state_->described(prepared.request, prepared.algorithm);
  if (prepared.algorithm == kNativeAlgorithm) {
    state_->run_native_on(prepared);
    return result;
  }
  const State::Scheduled scheduled = state_->schedule(prepared);
  const Schedule& schedule = scheduled.schedule;
  auto codes =
      programs(schedule, size(), {fingerprint(prepared.request, prepared.algorithm), kEndMark, true});
  result.steps = schedule.steps.size();
  RunOptions options;
  if (state_->parameters) {
    const double predicted = predict(schedule, topology(), *state_->parameters);
    options.patience = 2 * predicted;
    if (loads_between(schedule, topology(), shape(), state_->parameters->program_size) == 0) {
      result.predicted_seconds = predicted;
    }
  }
  const auto runs = run_programs(std::move(codes), options);
  if (!state_->native) {
    std::uint64_t begin = UINT64_MAX, finish = 0;
    for (const NodeRun& run : runs) {
      begin = std::min(begin, run.marks[kBeginMark]);
      finish = std::max(finish, run.marks[kEndMark]);
    }
    result.simulated_seconds = static_cast<double>(finish - begin) / state_->facts.clock_hz;
  }
  return result;
}

std::vector<NodeRun> Communicator::run_programs(std::vector<std::vector<Instruction>> codes,
                                                const RunOptions& options) {
  if (codes.size() != index(size())) {
    throw UserError(fmt::format("{} programs for {} ranks", codes.size(), size()));
  }
  std::vector<int> order = options.start_order;
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order.size() != index(size()) || order[i] != static_cast<int>(i)) {
      throw UserError(fmt::format("start_order [{}] does not name each of the ranks 0..{} once",
                                  fmt::join(options.start_order, ", "), size() - 1));
    }
  }
  if (options.marks > kMarks) throw UserError(fmt::format("a node has {} marks", kMarks));
  if (options.barrier) {
    auto before = programs(prelude(topology(), shape()), size(), {0, kBeginMark, false});
    for (std::size_t r = 0; r < codes.size(); ++r) {
      before[r].insert(before[r].end(), codes[r].begin(), codes[r].end());
      codes[r] = std::move(before[r]);
    }
  }
  return state_->backend->run(codes, options);
}

void Communicator::away() { state_->backend->away(); }
void Communicator::back() { state_->backend->back(); }
double Communicator::clock_hz() const { return state_->native ? 0 : state_->facts.clock_hz; }
std::uint64_t Communicator::channel_bytes() const { return state_->facts.channel_bytes; }
unsigned Communicator::partitions() const { return state_->facts.partitions; }
unsigned Communicator::record_beats() const { return state_->facts.record_beats; }

/// An average whose sums might leave fp32: of values 2^binades smaller, which is exact but below 2^-126.
Result Communicator::call_scaled(const Request& request, std::span<const std::span<const std::uint8_t>> send,
                                 std::span<const std::span<std::uint8_t>> recv, const std::string& algorithm,
                                 int binades) {
  std::vector<std::vector<std::uint8_t>> smaller;
  std::vector<std::span<const std::uint8_t>> from;
  for (const auto& bytes : send) {
    smaller.emplace_back(bytes.begin(), bytes.end());
    scale_floats(smaller.back(), -binades);
    from.push_back(smaller.back());
  }
  Result result = call(request, from, recv, algorithm);
  for (const auto& bytes : recv) scale_floats(bytes, binades);
  return result;
}

Result Communicator::call(const Request& request, std::span<const std::span<const std::uint8_t>> send,
                          std::span<const std::span<std::uint8_t>> recv, const std::string& algorithm) {
  const Situation situation = state_->situation(request);
  if (send.size() != index(size()) || recv.size() != index(size())) {
    throw UserError(
        fmt::format("{} send and {} receive buffers for {} ranks", send.size(), recv.size(), size()));
  }
  for (int rank = 0; rank < size(); ++rank) {
    const std::uint64_t out = send_bytes(request, topology(), rank),
                        in = recv_bytes(request, topology(), rank);
    if (send[index(rank)].size() != out || recv[index(rank)].size() != in) {
      throw UserError(fmt::format(
          "{}: rank {} gives {} bytes and has room for {}; it must give {} and gets {}",
          name_of(request.operation), rank, send[index(rank)].size(), recv[index(rank)].size(), out, in));
    }
  }
  if (native() && (algorithm.empty() || algorithm == kNativeAlgorithm)) {  // no need for buffers in between
    run_native(request, send, recv);
    return state_->described(request, kNativeAlgorithm);
  }
  if (const int binades = binades_above(request, send); binades > 0) {
    return call_scaled(request, send, recv, algorithm, binades);
  }
  const Prepared prepared = allot(situation, algorithm);
  if (State::hands_on_sums(prepared)) require_small_sums(request, prepared.algorithm, send);
  for (int r = 0; r < size(); ++r) write(prepared.send[index(r)], send[index(r)]);
  Result result = run(prepared);
  for (int r = 0; r < size(); ++r) read(prepared.recv[index(r)], recv[index(r)]);
  return result;
}

Handle Communicator::post(int rank, const Request& request, std::span<const std::uint8_t> send,
                          std::span<std::uint8_t> recv) {
  Handle handle;
  handle.state_ = state_->group->post(rank, {request, send, recv}, [this](const std::vector<Posted>& all) {
    std::vector<std::span<const std::uint8_t>> from;
    std::vector<std::span<std::uint8_t>> to;
    for (const Posted& p : all) {
      from.push_back(p.send);
      to.push_back(p.recv);
    }
    return call(all.front().request, from, to);
  });
  return handle;
}

bool Handle::done() const { return state_ && state_->settled(); }
Result Handle::wait() const {
  if (!state_) throw UserError("this handle belongs to no operation");
  return state_->result();
}

}  // namespace polyloom::collective
