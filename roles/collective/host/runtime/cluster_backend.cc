// SPDX-License-Identifier: Apache-2.0
// A simulated cluster through the host protocol: DMA frames, registers, events.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <numeric>

#include "blocks/shell/host_frames.h"
#include "fabric/host/channel.h"
#include "fabric/host/client.h"
#include "fabric/host/launch.h"
#include "roles/collective/arch/program.h"
#include "roles/collective/host/runtime/backend.h"
#include "roles/collective/host/runtime/fault_text.h"
#include "roles/collective/host/schedule/topology.h"

namespace polyloom::collective {
namespace {

using blocks::Space;

/// Groups that the reduce operator joins in one step (blocks/operators, SlotParams::reduce_outputs).
constexpr unsigned kReduceOutputs = 2;

/// The memory files of POLYLOOM_LOAD=backdoor. Their folder goes as soon as both sides have mapped them, so
/// that a process that is killed leaves nothing behind.
class Backdoor {
 public:
  explicit Backdoor(bool wanted) {
    if (!wanted) return;
    std::string name = (std::filesystem::temp_directory_path() / "polyloom-memory-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw UserError(name + ": cannot make a folder for the nodes' memories");
    folder_ = name;
    ::setenv("POLYLOOM_BACKDOOR_DIR", folder_.c_str(), 1);
  }
  ~Backdoor() {
    for (const auto& m : maps_) ::munmap(m.data(), m.size());
    remove_folder();
  }
  Backdoor(const Backdoor&) = delete;
  Backdoor& operator=(const Backdoor&) = delete;

  void open(const std::vector<std::string>& nodes) {
    if (folder_.empty()) return;
    for (const std::string& node : nodes) {
      const std::string path = folder_ + "/" + node + ".mem";
      const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
      struct stat facts {};
      if (file < 0 || ::fstat(file, &facts) != 0) {
        throw UserError(path + ": the simulator has not made this memory file (POLYLOOM_LOAD=backdoor)");
      }
      const auto size = static_cast<std::size_t>(facts.st_size);
      void* at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
      ::close(file);
      if (at == MAP_FAILED) throw UserError(path + ": cannot be mapped");
      maps_.push_back({static_cast<std::uint8_t*>(at), size});
    }
    remove_folder();
  }
  bool is_open() const { return !maps_.empty(); }
  std::span<std::uint8_t> node(int rank) const { return maps_[index(rank)]; }

 private:
  void remove_folder() {
    if (folder_.empty()) return;
    ::unsetenv("POLYLOOM_BACKDOOR_DIR");
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
    folder_.clear();
  }

  std::string folder_;
  std::vector<std::span<std::uint8_t>> maps_;
};

bool backdoor_wanted() {
  const char* load = std::getenv("POLYLOOM_LOAD");
  return load && std::string(load) == "backdoor";
}

fabric::HostOptions host_options(const Options& options) {
  fabric::HostOptions host;
  if (!options.cluster.empty()) host.arguments = {"--cluster", options.cluster};
  if (!options.on.empty()) host.arguments.insert(host.arguments.end(), {"--on", options.on});
  return host;
}

class ClusterBackend : public Backend {
 public:
  ClusterBackend(const Options& options, ClusterFacts& facts)
      : backdoor_(backdoor_wanted()), client_(host_options(options)), facts_(facts) {
    phase("load");
    facts = read_facts(client_.info());
    for (const std::string& name : facts.names) {
      link_.push_back(client_.find_link(name));
      if (link_.back() < 0) throw UserError(name + " is attached to another host than this program's");
    }
    rank_of_link_.resize(index(client_.num_links()), ranks());
    for (int r = 0; r < ranks(); ++r) rank_of_link_[index(link_[index(r)])] = r;
    read_shapes(facts);
    check_wiring();
    watchdog_seconds_ = options.watchdog_seconds;
    set_watchdog(watchdog_seconds_);
    if (facts.stored) backdoor_.open(facts.names);
  }

  ~ClusterBackend() override {
    if (fabric::Channel::interrupted) return;
    try {
      client_.finish();  // a simulator that other programs share goes on until they have finished too
    } catch (const std::exception&) {  // it has ended already, and the caller was told why
    }
  }
  void away() override { client_.away(); }
  void back() override { client_.back(); }
  ClusterBackend(const ClusterBackend&) = delete;
  ClusterBackend& operator=(const ClusterBackend&) = delete;

  void write(int rank, unsigned channel, std::uint64_t base, std::span<const std::uint8_t> bytes) override {
    require_contents();
    phase("load");
    if (backdoor_.is_open()) {
      if (!bytes.empty())
        std::memcpy(view(rank, channel, base, bytes.size()).data(), bytes.data(), bytes.size());
      return;
    }
    dma(rank, Space::channel, channel, base, bytes);
  }

  void read(int rank, unsigned channel, std::uint64_t base, std::span<std::uint8_t> bytes) override {
    require_contents();
    if (backdoor_.is_open()) {
      if (!bytes.empty())
        std::memcpy(bytes.data(), view(rank, channel, base, bytes.size()).data(), bytes.size());
      return;
    }
    while (!bytes.empty()) {
      const std::size_t n = std::min<std::size_t>(bytes.size(), blocks::kMaxDmaBytes);
      const auto padded = static_cast<std::uint32_t>((n + 7) / 8 * 8);
      client_.send(link_[index(rank)],
                   blocks::encode(blocks::ReadFrame{
                       0, {Space::channel, channel, static_cast<std::uint32_t>(base), padded}}));
      const fabric::Received frame = expect(rank, "data of a read");
      const auto decoded = blocks::decode(frame.words);
      const auto& data = response<blocks::ReadDataFrame>(decoded, rank);
      std::memcpy(bytes.data(), data.data.data(), n);
      bytes = bytes.subspan(n);
      base += n;
    }
  }

  std::span<std::uint8_t> view(int rank, unsigned channel, std::uint64_t base, std::uint64_t bytes) override {
    if (!backdoor_.is_open()) return {};
    return backdoor_.node(rank).subspan(channel * facts_.channel_bytes + base, bytes);
  }

  std::vector<NodeRun> run(const std::vector<std::vector<Instruction>>& programs,
                           const RunOptions& options) override {
    phase("load");
    std::vector<Parts> parts;
    for (int r = 0; r < ranks(); ++r) parts.push_back(split(r, programs[index(r)]));
    for (int r = 0; r < ranks(); ++r) load_program(r, parts[index(r)][0]);
    std::vector<int> order = options.start_order;
    if (order.empty()) {
      order.resize(index(ranks()));
      std::iota(order.begin(), order.end(), 0);
    }
    if (watchdog_seconds_ > 0) {
      // What a rank may have to wait for others that are at work: for their data, and for the host's turns.
      std::size_t turns = 2;
      for (const Parts& p : parts) turns += p.size();
      set_watchdog(std::max(watchdog_seconds_, options.patience + 4 * facts_.parameters.link_latency +
                                                   static_cast<double>(turns) * facts_.parameters.reload));
    }
    phase("compute");
    for (const int r : order) set_register(r, reg::start, 0);
    std::vector<NodeRun> runs(index(ranks()));
    wait_for_ends(parts, runs);
    phase("collect");
    fetch(options, runs);
    return runs;
  }

 private:
  /// Marks and status words of every rank.
  void fetch(const RunOptions& options, std::vector<NodeRun>& runs) {
    std::vector<Register> wanted;
    for (int r = 0; r < ranks(); ++r) {
      for (unsigned i = 0; i < options.marks; ++i) wanted.push_back({r, reg::mark + i});
      for (unsigned i = 0; i < options.status_words; ++i) {
        wanted.push_back({r, reg::status + options.first_status_word + i});
      }
    }
    const auto values = get_registers(wanted);
    auto from = values.begin();
    for (NodeRun& run : runs) {
      run.marks.assign(from, from + options.marks);
      from += options.marks;
      run.status.assign(from, from + options.status_words);
      from += options.status_words;
    }
  }

  /// From now on the run is in this phase (`phases` of run.json): load is writing data and programs, compute
  /// from the first start that the host sends to the last end that it hears of, collect is reading back.
  void phase(std::string_view name) {
    if (name == phase_) return;
    phase_ = name;
    client_.mark(name, client_.now());
  }

  /// A node that keeps no bytes would refuse the frame in words of the protocol.
  void require_contents() const {
    if (facts_.stored) return;
    throw UserError(
        "the cluster has contents = \"none\" ([collective]): its memories keep no bytes, so that operations "
        "can be timed, but nothing that needs their data can run or be verified. Take that line out of the "
        "cluster file");
  }

  int ranks() const { return static_cast<int>(facts_.names.size()); }
  int rank_of(int link) const {
    const int rank = rank_of_link_.at(index(link));
    if (rank == ranks())
      throw UserError("a frame came from " + client_.link(link).peer + ", which is no rank");
    return rank;
  }

  /// Takes the frame's variant as T; anything else is a response that says what was wrong.
  template <class T>
  const T& response(const blocks::HostFrame& frame, int rank) const {
    if (const T* wanted = std::get_if<T>(&frame)) return *wanted;
    std::string got = "an unexpected frame";
    if (const auto* error = std::get_if<blocks::FrameErrorFrame>(&frame)) {
      got = fmt::format("an error ({}) to frame {:#x}", blocks::reason_text(error->reason), error->word0);
    }
    throw UserError(fmt::format("rank {} ({}) answered with {}", rank, facts_.names[index(rank)], got));
  }

  /// The response of `rank`. Programs' ends may come in between: they are kept for next_frame().
  fabric::Received expect(int rank, const char* what) {
    for (;;) {
      fabric::Received frame = client_.recv();
      const bool event = std::holds_alternative<blocks::EventFrame>(blocks::decode(frame.words));
      if (event) {
        events_.push_back(std::move(frame));
      } else if (frame.link == link_[index(rank)]) {
        return frame;
      } else {
        throw UserError(
            fmt::format("rank {} spoke while rank {} was waited for ({})", rank_of(frame.link), rank, what));
      }
    }
  }
  fabric::Received next_frame() {
    if (events_.empty()) return client_.recv();
    fabric::Received frame = std::move(events_.front());
    events_.pop_front();
    return frame;
  }

  void dma(int rank, Space space, unsigned target, std::uint64_t base, std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
      const std::size_t n = std::min<std::size_t>(bytes.size(), blocks::kMaxDmaBytes);
      const auto words = blocks::pack_bytes(bytes.first(n));
      client_.send(
          link_[index(rank)],
          blocks::encode(blocks::WriteFrame{
              0, {space, target, static_cast<std::uint32_t>(base), static_cast<std::uint32_t>(n)}, words}));
      const fabric::Received frame = expect(rank, "end of a write");
      const auto decoded = blocks::decode(frame.words);
      response<blocks::WriteDoneFrame>(decoded, rank);
      bytes = bytes.subspan(n);
      base += n;
    }
  }

  using Parts = std::vector<std::vector<Instruction>>;

  /// Cuts a program between steps, so that each part with an `end` of its own fits into the node.
  Parts split(int rank, const std::vector<Instruction>& program) const {
    if (program.empty() || program.back().op != Op::end) {
      throw UserError(fmt::format("the program of rank {} does not finish with end", rank));
    }
    if (program.size() <= facts_.parameters.program_size) return {program};
    Parts parts(1);
    for (auto step = program.begin(); step->op != Op::end;) {
      auto next = std::find_if(step, program.end(), [](const Instruction& i) { return i.op == Op::go; });
      if (next == program.end()) {
        throw UserError(fmt::format("the program of rank {} has instructions after its last go", rank));
      }
      ++next;
      const auto length = static_cast<std::size_t>(next - step);
      if (length + 1 > facts_.parameters.program_size) {
        throw UserError(fmt::format(
            "a step of rank {} has {} instructions, the node holds {}: raise program_size in [collective]",
            rank, length, facts_.parameters.program_size));
      }
      if (parts.back().size() + length + 1 > facts_.parameters.program_size) parts.emplace_back();
      parts.back().insert(parts.back().end(), step, next);
      step = next;
    }
    for (auto& part : parts) part.push_back(program.back());
    return parts;
  }

  /// A peer's fault may stop a node before its own start comes, which it then refuses.
  static bool refused_start(const blocks::HostFrame& frame, const std::optional<blocks::EventFrame>& event) {
    return event && event->code != 0 && std::holds_alternative<blocks::FrameErrorFrame>(frame);
  }

  /// Events of all nodes. A node whose part has ended gets its next one at once: others may wait for it.
  void wait_for_ends(const std::vector<Parts>& parts, std::vector<NodeRun>& runs) {
    std::vector<std::optional<blocks::EventFrame>> events(index(ranks()));
    std::vector<std::size_t> at(index(ranks()), 0);
    bool failed = false;
    for (int missing = ranks(); missing > 0;) {
      const fabric::Received frame = next_frame();
      const auto decoded = blocks::decode(frame.words);
      const int rank = rank_of(frame.link);
      if (refused_start(decoded, events[index(rank)])) continue;
      const auto& event = response<blocks::EventFrame>(decoded, rank);
      NodeRun& run = runs[index(rank)];
      if (at[index(rank)] == 0) run.begin = event.begin;
      run.finish = event.finish;
      failed = failed || event.code != 0;
      if (event.code == 0 && !failed && at[index(rank)] + 1 < parts[index(rank)].size()) {
        load_program(rank, parts[index(rank)][++at[index(rank)]]);
        set_register(rank, reg::start, 0);
        continue;
      }
      if (!events[index(rank)]) --missing;
      events[index(rank)] = event;
    }
    if (!failed) return;
    // Aborts still travel; nodes that had ended already hear them and report too. Clear when all is quiet.
    while (!events_.empty() || client_.wait(quiet_time())) {
      const fabric::Received frame = next_frame();
      const auto decoded = blocks::decode(frame.words);
      const int rank = rank_of(frame.link);
      if (refused_start(decoded, events[index(rank)])) continue;
      const auto& event = response<blocks::EventFrame>(decoded, rank);
      if (events[index(rank)]->code == 0) events[index(rank)] = event;
    }
    set_registers(everywhere(reg::clear));
    throw UserError(fault_text(events, facts_.topology, facts_.clock_hz));
  }

  void load_program(int rank, const std::vector<Instruction>& program) {
    std::vector<std::uint8_t> bytes(program.size() * kInstructionWords * 8);
    for (std::size_t i = 0; i < program.size(); ++i) {
      const auto words = program[i].words();
      std::memcpy(bytes.data() + i * sizeof(words), words.data(), sizeof(words));
    }
    dma(rank, Space::program, 0, 0, bytes);
  }

  void set_watchdog(double seconds) {
    if (seconds == set_seconds_) return;
    set_seconds_ = seconds;
    set_registers(everywhere(reg::watchdog, [&](int) { return seconds * facts_.clock_hz; }));
  }

  void set_register(int rank, std::uint32_t reg, std::uint64_t value) {
    client_.send(link_[index(rank)],
                 blocks::encode(blocks::RegWriteFrame{0, blocks::reg::role_base + reg, value}));
  }
  std::uint64_t get_register(int rank, std::uint32_t reg) {
    client_.send(link_[index(rank)], blocks::encode(blocks::RegReadFrame{0, blocks::reg::role_base + reg}));
    const fabric::Received frame = expect(rank, "a register");
    const auto decoded = blocks::decode(frame.words);
    return response<blocks::RegDataFrame>(decoded, rank).value;
  }

  struct Register {
    int rank;
    std::uint32_t number;
    std::uint64_t value = 0;  ///< to write
  };

  /// Values in the order asked for. One call asks for all of them: a call takes a microsecond, a word does
  /// not.
  std::vector<std::uint64_t> get_registers(const std::vector<Register>& wanted) {
    std::vector<std::vector<std::uint64_t>> frames;
    std::vector<std::deque<std::size_t>> places(
        index(ranks()));  // of the responses of a rank, which are in order
    for (const Register& r : wanted) {
      places[index(r.rank)].push_back(frames.size());
      frames.push_back(blocks::encode(blocks::RegReadFrame{0, blocks::reg::role_base + r.number}));
    }
    send_all(wanted, frames);
    std::vector<std::uint64_t> values(wanted.size());
    for (const fabric::Received& frame : client_.recv(wanted.size())) {
      const int rank = rank_of(frame.link);
      const auto decoded = blocks::decode(frame.words);
      auto& left = places[index(rank)];
      values[left.front()] = response<blocks::RegDataFrame>(decoded, rank).value;
      left.pop_front();
    }
    return values;
  }
  void set_registers(const std::vector<Register>& wanted) {
    std::vector<std::vector<std::uint64_t>> frames;
    for (const Register& r : wanted) {
      frames.push_back(blocks::encode(blocks::RegWriteFrame{0, blocks::reg::role_base + r.number, r.value}));
    }
    send_all(wanted, frames);
  }
  void send_all(const std::vector<Register>& to, const std::vector<std::vector<std::uint64_t>>& frames) {
    std::vector<fabric::Outgoing> calls;
    for (std::size_t i = 0; i < to.size(); ++i) calls.push_back({link_[index(to[i].rank)], frames[i]});
    client_.send(calls);
  }
  /// One register of every rank.
  template <class Value>
  std::vector<Register> everywhere(std::uint32_t number, Value value) const {
    std::vector<Register> all;
    for (int r = 0; r < ranks(); ++r) all.push_back({r, number, static_cast<std::uint64_t>(value(r))});
    return all;
  }
  std::vector<Register> everywhere(std::uint32_t number) const {
    return everywhere(number, [](int) { return 0; });
  }

  void read_shapes(ClusterFacts& facts) {
    const std::uint64_t shape = get_register(0, reg::shape);
    facts.shape.channels = shape & 0xff;
    facts.shape.operator_inputs = shape >> 16 & 0xff;
    facts.parameters.operator_ports = facts.shape.operator_inputs;
    facts.shape.operator_outputs = std::min(kReduceOutputs, facts.shape.operator_inputs);
    facts.parameters.program_size = get_register(0, reg::program_size);
  }

  /// After which nothing is on a link any more: frames end within it, of which a FIFO of beats and some words
  /// may still have to leave.
  fabric::Time quiet_time() const {
    const CostParameters& p = facts_.parameters;
    const double words = p.lane_rate > 0 ? 64 * 8 / p.lane_rate : 0;
    return fabric::kPicosPerSecond / 100000 + static_cast<fabric::Time>(1e12 * (4 * p.link_latency + words));
  }

  /// Every lane must lead where the cluster description says.
  void check_wiring() {
    set_registers(everywhere(reg::node, [](int rank) { return rank; }));
    get_registers(everywhere(reg::node));  // all have their numbers before one says hello
    set_registers(everywhere(reg::hello, [](int) { return 1; }));
    get_registers(everywhere(reg::node));
    client_.wait(quiet_time());
    std::vector<Register> peers;
    for (int r = 0; r < ranks(); ++r) {
      for (std::size_t l = 0; l < facts_.topology.lanes[index(r)].size(); ++l) {
        peers.push_back({r, reg::peer + static_cast<std::uint32_t>(l)});
      }
    }
    const auto values = get_registers(peers);
    auto next = values.begin();
    for (int r = 0; r < ranks(); ++r) {
      const auto& lanes = facts_.topology.lanes[index(r)];
      for (std::size_t l = 0; l < lanes.size(); ++l) {
        const std::uint64_t found = *next++;
        const bool there = found >> 31 & 1;
        const int node = static_cast<int>(found >> 8 & 0xffff), port = static_cast<int>(found & 0xff);
        if (lanes[l].peer < 0 ? !there : there && node == lanes[l].peer && port == lanes[l].lane) continue;
        const std::string wanted =
            lanes[l].peer < 0 ? "nothing" : fmt::format("rank {} lane {}", lanes[l].peer, lanes[l].lane);
        const std::string is = there ? fmt::format("rank {} lane {}", node, port) : "nothing that responds";
        throw UserError(
            fmt::format("lane {} of rank {} ({}) leads to {}, by the cluster description to {}: wrong wiring",
                        l, r, facts_.names[index(r)], is, wanted));
      }
    }
  }

  Backdoor backdoor_;
  fabric::HostClient client_;
  std::string_view phase_;
  ClusterFacts& facts_;
  std::vector<int> link_, rank_of_link_;
  std::deque<fabric::Received> events_;
  double watchdog_seconds_ = 0, set_seconds_ = -1;
};

}  // namespace

std::string show_cluster(const std::string& cluster) {
  const auto quoted = [](const std::string& text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
  };
  const std::string command =
      quoted(fabric::find_simulator()) + " --on sim --cluster " + quoted(cluster) + " --show --json 2>&1";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (!pipe) throw UserError("cannot start " + command);
  std::string said;
  char buffer[4096];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;) said.append(buffer, n);
  if (::pclose(pipe) != 0) throw UserError(said);
  return said;
}

std::unique_ptr<Backend> make_cluster_backend(const Options& options, ClusterFacts& facts) {
  return std::make_unique<ClusterBackend>(options, facts);
}

}  // namespace polyloom::collective
