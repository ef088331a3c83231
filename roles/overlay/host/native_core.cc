// SPDX-License-Identifier: Apache-2.0
// HostLink over this CPU: the attached program runs on a thread of its own; what it puts out waits in queues.
#include <config.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "fabric/error.h"
#include "fabric/host/progress_line.h"
#include "roles/overlay/host/core.h"

namespace polyloom::overlay {
namespace {

constexpr std::size_t kMessageBytes = 64;
constexpr std::size_t kChunkBytes = 1u << 20;

[[noreturn]] void refuse(const char* what) {
  throw UserError(
      std::string(what) +
      " needs device threads, and POLYLOOM_ON=native has none: only POLite programs run natively. Use "
      "POLYLOOM_ON=sim and name a cluster (POLYLOOM_CLUSTER=laptop)");
}

/// Set by Ctrl-C while a program runs: the first one asks it to stop, so that it can be said where it was.
/// Another one, and one when no program runs, ends the host program as usual.
volatile std::sig_atomic_t interrupted = 0;
std::atomic<bool> running{false};

void on_interrupt(int) {
  interrupted = 1;
  if (!running.load(std::memory_order_relaxed))
    std::raise(SIGINT);  // which is as it was before: SA_RESETHAND
}

class Interruptible {
 public:
  Interruptible() {
    interrupted = 0;
    struct sigaction now {};
    sigaction(SIGINT, nullptr, &before_);
    if (before_.sa_handler != SIG_DFL) return;  // the host program has its own way
    now.sa_handler = on_interrupt;
    now.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &now, nullptr);
  }
  ~Interruptible() { sigaction(SIGINT, &before_, nullptr); }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  struct sigaction before_ {};
};

class NativeCore : public HostCore, public NativeOutput, public NativeRunner {
 public:
  explicit NativeCore(const ClusterFacts& facts) : facts_(facts) {}
  ~NativeCore() override {
    if (program_ != nullptr) program_->set_runner(nullptr);
    join();
  }

  // HostCore
  const ClusterFacts& facts() const override { return facts_; }
  bool is_native() const override { return true; }
  bool send(const Destination&, unsigned, const void*, bool) override { refuse("HostLink::send"); }
  void flush() override {}
  void recv(void* message, std::size_t bytes) override;
  bool can_recv() override { return !messages_.empty() || take(false); }
  void load_all(const std::string&, const std::string&) override {
    if (program_ == nullptr) refuse("a bare-metal program");
  }
  void load_code(const std::string&, CoreAt) override { refuse("HostLink::loadInstrsOntoCore"); }
  void load_data(const std::string&, CoreAt) override { refuse("HostLink::loadDataViaCore"); }
  void prepare_all() override {}
  void prepare(CoreAt, int) override { refuse("HostLink::startOne"); }
  void go_all() override;
  void go(CoreAt) override { refuse("HostLink::goOne"); }
  void write(const char* call, const SliceAt&, std::uint32_t, const void*, std::uint64_t) override {
    refuse(call);
  }
  void read(const char* call, const SliceAt&, std::uint32_t, void*, std::uint64_t) override { refuse(call); }
  void require_thread(std::uint32_t) const override {}
  void require_core(CoreAt, unsigned) const override {}
  void require_board(unsigned, unsigned) const override {}
  bool console(ConsoleByte& byte) override;
  bool wait_console() override;
  void console_in(CoreAt, unsigned, bool, std::uint8_t) override { refuse("console input"); }
  void attach(NativeProgram* program) override;
  double seconds() const override {
    if (!started_) return 0;
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_time_).count();
  }
  PhaseSeconds phases() const override {
    const double now = seconds();
    const std::lock_guard lock(mutex_);
    const double first = first_result_.value_or(now);
    return {{"compute", first}, {"collect", now - first}};
  }
  std::string finish() override {
    join();
    return "{}";
  }

  // NativeOutput: on the program's threads
  void message(const void* bytes, std::size_t size) override { messages(bytes, size, size, 1); }
  void messages(const void* first, std::size_t size, std::size_t stride, std::size_t count) override;
  void console(std::uint32_t thread, const char* line) override;
  void superstep(std::uint64_t done) override { steps_.store(done, std::memory_order_relaxed); }
  bool stopping() const override { return stopping_ || interrupted != 0; }

  // NativeRunner
  void program_leaves(NativeProgram*) override {
    join();
    program_ = nullptr;
  }

 private:
  struct Chunk {
    std::size_t size = 0;  ///< of each message
    std::size_t at = 0;    ///< of the next to be received, in bytes
    std::vector<std::byte> bytes;
  };

  bool take(bool wait);
  /// Waits for `ready`, showing how far the program is. Throws UserError if it was interrupted.
  template <typename Ready>
  void wait(std::unique_lock<std::mutex>& lock, Ready ready);
  void join() {
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
    interruptible_.reset();
  }
  void rethrow() {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

  ClusterFacts facts_;
  NativeProgram* program_ = nullptr;
  std::thread thread_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint64_t> steps_{0};  ///< supersteps that are over
  std::optional<Interruptible> interruptible_;
  bool started_ = false;
  std::chrono::steady_clock::time_point start_time_;
  std::deque<Chunk> messages_;  ///< taken by the host program
  std::uint64_t received_ = 0;
  fabric::ProgressLine progress_;

  mutable std::mutex mutex_;            ///< of what follows
  std::optional<double> first_result_;  ///< seconds() when it was sent
  std::vector<std::byte> spare_;        ///< memory of the next chunk
  std::condition_variable changed_;
  std::deque<Chunk> sent_;
  std::deque<ConsoleByte> console_;
  bool ended_ = false;
  std::exception_ptr failure_;
};

void NativeCore::attach(NativeProgram* program) {
  if (thread_.joinable()) join();
  if (program_ != nullptr) program_->set_runner(nullptr);
  program_ = program;
  program_->set_runner(this);
  stopping_ = false;
  started_ = false;
  received_ = 0;
  first_result_.reset();
  // The kernel gives memory when it is written: now, and not while the program runs.
  spare_.assign(kChunkBytes, std::byte{});
  spare_.clear();
}

void NativeCore::go_all() {
  if (program_ == nullptr) refuse("a bare-metal program");
  if (started_) throw UserError("HostLink::go: the native program runs already");
  started_ = true;
  ended_ = false;
  start_time_ = std::chrono::steady_clock::now();
  steps_ = 0;
  interruptible_.emplace();
  running = true;
  thread_ = std::thread([this, program = program_] {
    std::exception_ptr failure;
    try {
      program->run(*this);
    } catch (...) {
      failure = std::current_exception();
    }
    running = false;
    const std::lock_guard lock(mutex_);
    ended_ = true;
    failure_ = failure;
    changed_.notify_all();
  });
}

void NativeCore::messages(const void* first, std::size_t size, std::size_t stride, std::size_t count) {
  if (size < 1 || size > kMessageBytes) throw std::logic_error("a native message has 1 to 64 bytes");
  const std::lock_guard lock(mutex_);
  const auto* from = static_cast<const std::byte*>(first);
  if (!first_result_ && is_result(from)) first_result_ = seconds();
  while (count > 0) {
    if (sent_.empty() || sent_.back().size != size || sent_.back().bytes.size() + size > kChunkBytes) {
      sent_.push_back({size, 0, std::exchange(spare_, {})});
      sent_.back().bytes.reserve(kChunkBytes);
    }
    auto& bytes = sent_.back().bytes;
    const std::size_t fit = std::min(count, (kChunkBytes - bytes.size()) / size);
    if (stride == size) {
      bytes.insert(bytes.end(), from, from + fit * size);
    } else {
      for (std::size_t i = 0; i < fit; ++i)
        bytes.insert(bytes.end(), from + i * stride, from + i * stride + size);
    }
    from += fit * stride;
    count -= fit;
  }
  changed_.notify_one();
}

template <typename Ready>
void NativeCore::wait(std::unique_lock<std::mutex>& lock, Ready ready) {
  while (!changed_.wait_for(lock, std::chrono::milliseconds(250), ready)) {
    if (!progress_.due()) continue;
    const auto steps = static_cast<double>(steps_.load(std::memory_order_relaxed));
    progress_.show(fabric::short_number(steps) + " supersteps, " + fabric::short_number(steps / seconds()) +
                   " a second");
  }
  progress_.clear();
  if (interrupted != 0 && ended_ && !failure_) {
    throw UserError("interrupted after " + std::to_string(steps_.load()) + " supersteps, " +
                    std::to_string(seconds()) + " s after the program began");
  }
}

// Moves what was sent to messages_; false if there is nothing (more).
bool NativeCore::take(bool wait) {
  if (!started_) return false;
  std::unique_lock lock(mutex_);
  if (wait) this->wait(lock, [this] { return !sent_.empty() || ended_; });
  messages_.swap(sent_);
  if (messages_.empty()) rethrow();
  return !messages_.empty();
}

void NativeCore::recv(void* message, std::size_t bytes) {
  if (messages_.empty() && !take(true)) {
    throw UserError(started_ ? "HostLink::recv: the native program has ended after " +
                                   std::to_string(received_) + " messages: no more will come"
                             : "HostLink::recv: nothing runs yet; call go() first");
  }
  Chunk& chunk = messages_.front();
  const std::size_t given = std::min(bytes, chunk.size);
  std::memcpy(message, chunk.bytes.data() + chunk.at, given);
  std::memset(static_cast<std::byte*>(message) + given, 0, bytes - given);
  chunk.at += chunk.size;
  ++received_;
  if (chunk.at == chunk.bytes.size()) messages_.pop_front();
}

void NativeCore::console(std::uint32_t thread, const char* line) {
  ConsoleByte byte;
  byte.thread = thread & (TinselThreadsPerCore - 1);
  byte.core = (thread >> TinselLogThreadsPerCore) & (TinselCoresPerBoard - 1);
  byte.board_x = (thread >> TinselLogThreadsPerBoard) & ((1u << TinselMeshXBits) - 1);
  byte.board_y = thread >> (TinselLogThreadsPerBoard + TinselMeshXBits);
  const std::lock_guard lock(mutex_);
  for (; *line != 0; ++line) {
    byte.byte = static_cast<std::uint8_t>(*line);
    console_.push_back(byte);
  }
  byte.byte = '\n';
  console_.push_back(byte);
  changed_.notify_one();
}

bool NativeCore::console(ConsoleByte& byte) {
  const std::lock_guard lock(mutex_);
  if (console_.empty()) {
    rethrow();
    return false;
  }
  byte = console_.front();
  console_.pop_front();
  return true;
}

bool NativeCore::wait_console() {
  if (!started_) return false;
  std::unique_lock lock(mutex_);
  wait(lock, [this] { return !console_.empty() || ended_; });
  if (console_.empty()) rethrow();
  return !console_.empty();
}

}  // namespace

std::unique_ptr<HostCore> make_native_core(const ClusterFacts& facts) {
  return std::make_unique<NativeCore>(facts);
}

}  // namespace polyloom::overlay
