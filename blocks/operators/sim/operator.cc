// SPDX-License-Identifier: Apache-2.0
#include "blocks/operators/sim/operator.h"

#include <dlfcn.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "blocks/operators/sim/let.h"
#include "blocks/operators/sim/partition.h"
#include "blocks/operators/sim/pass.h"
#include "blocks/operators/sim/reduce.h"
#include "fabric/error.h"

namespace polyloom::blocks::operators {

std::string error_text(std::uint64_t status) {
  static constexpr const char* kTexts[] = {
      "inputs of one join differ in length",
      "its configuration is wrong",
      "data came on an input of which no output takes",
      "more keys than the record holds, or values than keys",
      "the slot does not hold the operator, or kinds differ",
      "a tree that is cut off or not breadth-first",
      "more opened nodes of a tree wait for their children than open_depth",
  };
  std::string text;
  for (std::size_t i = 0; i < std::size(kTexts); ++i) {
    if ((status >> i & 1) != 0) text += (text.empty() ? "" : ", ") + std::string(kTexts[i]);
  }
  return text;
}

Operator::Operator(unsigned inputs, unsigned outputs, unsigned out_depth, unsigned status_words)
    : in_(inputs), out_(outputs), status_(std::max(status_words, 1u)), pending_(outputs) {
  if (inputs < 1 || inputs > kMaxPorts || outputs < 1 || outputs > kMaxPorts) {
    throw std::invalid_argument("an operator has 1 to 64 inputs and outputs, not " + std::to_string(inputs) +
                                " and " + std::to_string(outputs));
  }
  for (OutPort& port : out_) port.beats.resize(out_depth);
  in_room_ = ~std::uint64_t{0} >> (kMaxPorts - inputs);
  out_room_ = ~std::uint64_t{0} >> (kMaxPorts - outputs);
}

void Operator::step(std::span<const Config> configs) {
  std::ranges::fill(pending_, Config{});
  std::copy_n(configs.begin(), std::min(configs.size(), pending_.size()), pending_.begin());
  for (Config& config : pending_) config.mask &= ~std::uint64_t{0} >> (kMaxPorts - inputs());
  step_pending_ = true;
}

void Operator::clock() {
  active_ = advance();
  active_ |= (pushed_ | popped_ | taken_ | emitted_) != 0;
  commit();
  if (flush_pending_ || step_pending_) std::ranges::fill(status_, 0);
  if (flush_pending_) {
    for (InPort& port : in_) port.head = port.count = 0;
    for (OutPort& port : out_) port.head = port.count = 0;
    in_valid_ = out_valid_ = 0;
    in_room_ = ~std::uint64_t{0} >> (kMaxPorts - inputs());
    out_room_ = ~std::uint64_t{0} >> (kMaxPorts - outputs());
    drop();
    active_ = false;
  } else if (step_pending_) {
    configure(pending_);
    active_ = true;
  }
  flush_pending_ = step_pending_ = false;
}

void Operator::commit() {
  for (std::uint64_t left = pushed_ | taken_; left != 0; left &= left - 1) {
    const unsigned i = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t bit = left & -left;
    InPort& port = in_[i];
    if (taken_ & bit) port.head ^= 1, --port.count;
    if (pushed_ & bit) ++port.count;
    in_valid_ = port.count != 0 ? in_valid_ | bit : in_valid_ & ~bit;
    in_room_ = port.count != 2 ? in_room_ | bit : in_room_ & ~bit;
  }
  for (std::uint64_t left = popped_ | emitted_; left != 0; left &= left - 1) {
    const unsigned o = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t bit = left & -left;
    OutPort& port = out_[o];
    const unsigned depth = static_cast<unsigned>(port.beats.size());
    if (popped_ & bit) {
      if (++port.head == depth) port.head = 0;
      --port.count;
    }
    if (emitted_ & bit) ++port.count;
    out_valid_ = port.count != 0 ? out_valid_ | bit : out_valid_ & ~bit;
    out_room_ = port.count != depth ? out_room_ | bit : out_room_ & ~bit;
  }
  pushed_ = popped_ = taken_ = emitted_ = 0;
}

void Operator::digest(fabric::Digest& digest) const {
  const auto add = [&](const Beat& beat) {
    for (const std::uint32_t word : beat.word) digest.add(word);
    digest.add(beat.keep | std::uint64_t{beat.last} << 32);
  };
  for (const std::uint64_t word : status_) digest.add(word);
  for (const InPort& port : in_) {
    digest.add(port.count);
    for (unsigned k = 0; k < port.count; ++k) add(port.beats[(port.head + k) & 1]);
  }
  for (const OutPort& port : out_) {
    digest.add(port.count);
    for (unsigned k = 0; k < port.count; ++k) add(port.beats[(port.head + k) % port.beats.size()]);
  }
  digest_inner(digest);
}

namespace {

void add_library(Registry& registry, const std::string& path) {
  using Add = void (*)(Registry&);
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // until the process ends
  const auto add = library ? reinterpret_cast<Add>(::dlsym(library, "polyloom_add_operators")) : nullptr;
  std::string why = add ? "" : ::dlerror();
  try {
    if (add) add(registry);
  } catch (const std::exception& error) {
    why = path + ": " + error.what();
  }
  if (!why.empty()) throw UserError("POLYLOOM_OPERATORS: " + why);
}

}  // namespace

Registry& Registry::instance() {
  static Registry registry;
  return registry;
}

Registry::Registry() {
  const auto built_in = [this](Kind kind, Factory factory) {
    kinds_.push_back(kind);
    const auto row = std::ranges::find_if(kBuiltIn, [=](const auto& one) { return one.kind == kind; });
    entries_.push_back({row->name, std::move(factory)});
  };
  built_in(Kind::reduce, [](const SlotParams& p) {
    return std::make_unique<Reduce>(p.inputs, p.outputs, std::min(p.reduce_outputs, p.outputs));
  });
  built_in(Kind::partition, [](const SlotParams& p) {
    return std::make_unique<Partition>(p.inputs, p.outputs, p.partition_depth, p.partition_buckets,
                                       p.record_beats);
  });
  built_in(Kind::let, [](const SlotParams& p) {
    return std::make_unique<Let>(p.inputs, p.outputs, p.let_geometry, p.let_open_depth);
  });
  built_in(Kind::pass, [](const SlotParams& p) { return std::make_unique<Pass>(p.inputs, p.outputs); });
  const char* libraries = std::getenv("POLYLOOM_OPERATORS");
  std::istringstream paths(libraries ? libraries : "");
  for (std::string path; std::getline(paths, path, ':');) add_library(*this, path);
}

void Registry::add(Kind kind, std::string name, Factory factory) {
  if (kind < Kind::kUser || static_cast<unsigned>(kind) >= 64 ||
      std::ranges::find(kinds_, kind) != kinds_.end() || find(name)) {
    throw std::invalid_argument("operator '" + name + "': its name, or kind " +
                                std::to_string(static_cast<unsigned>(kind)) +
                                ", is taken, or the kind is not of 16 to 63");
  }
  kinds_.push_back(kind);
  entries_.push_back({std::move(name), std::move(factory)});
}

const Registry::Entry& Registry::find(Kind kind) const {
  const auto at = std::ranges::find(kinds_, kind);
  if (at == kinds_.end()) {
    throw std::out_of_range("no operator of kind " + std::to_string(static_cast<unsigned>(kind)) +
                            " is registered");
  }
  return entries_[static_cast<std::size_t>(at - kinds_.begin())];
}

std::unique_ptr<Operator> Registry::make(Kind kind, const SlotParams& params) const {
  return find(kind).factory(params);
}

const std::string& Registry::name(Kind kind) const { return find(kind).name; }

std::optional<Kind> Registry::find(std::string_view name) const {
  const auto at = std::ranges::find(entries_, name, &Entry::name);
  if (at == entries_.end()) return std::nullopt;
  return kinds_[static_cast<std::size_t>(at - entries_.begin())];
}

std::string Registry::names() const {
  std::string all;
  for (const Entry& entry : entries_) all += (all.empty() ? "" : ", ") + entry.name;
  return all;
}

Slot::Slot(std::uint64_t kinds, const SlotParams& params) : inputs_(params.inputs), outputs_(params.outputs) {
  if (params.partitions < 1 || params.partitions > 2 || params.partitions * inputs_ > kMaxPorts ||
      params.partitions * outputs_ > kMaxPorts) {
    throw std::invalid_argument("a slot holds one or two partitions, of at most 64 ports together");
  }
  if (params.partitions == 2 && (kinds >> static_cast<unsigned>(Kind::partition) & 1) != 0) {
    twin_ = Registry::instance().make(Kind::partition, params);
  }
  for (; kinds != 0; kinds &= kinds - 1) {
    const Kind kind = static_cast<Kind>(std::countr_zero(kinds));
    operators_.emplace_back(kind, Registry::instance().make(kind, params));
  }
}

Operator* Slot::find(Kind kind) const {
  const auto at = std::ranges::find(operators_, kind, [](const auto& entry) { return entry.first; });
  return at == operators_.end() ? nullptr : at->second.get();
}

void Slot::step(std::span<const Config> configs) {
  next_kind_ = Kind::none;
  next_error_ = 0;
  for (const Config& config : configs) {
    if (!config.valid) continue;
    if (next_kind_ == Kind::none) next_kind_ = config.kind;
    if (config.kind != next_kind_ || find(config.kind) == nullptr) next_error_ = kErrorKind;
  }
  next_ = next_error_ != 0 ? nullptr : find(next_kind_);
  if (next_ == nullptr) next_kind_ = Kind::none;
  if (next_ != nullptr) next_->step(configs.first(std::min<std::size_t>(configs.size(), outputs_)));
  if (next_ != nullptr && next_kind_ == Kind::partition) step_twin(configs);
  changing_ = true;
}

/// The second partition's part of a step.
void Slot::step_twin(std::span<const Config> configs) {
  if (!twin_) return;
  std::vector<Config> own;
  if (configs.size() > outputs_) own.assign(configs.begin() + outputs_, configs.end());
  for (Config& config : own) config.mask >>= inputs_;
  twin_->step(own);
}

void Slot::flush() {
  for (auto& [kind, op] : operators_) op->flush();
  if (twin_) twin_->flush();
  next_ = nullptr;
  next_kind_ = Kind::none;
  next_error_ = 0;
  changing_ = true;
}

void Slot::clock() {
  if (!changing_) {
    if (active_ != nullptr) active_->clock();
    if (second_ != nullptr) second_->clock();
    return;
  }
  for (auto& [kind, op] : operators_) op->clock();
  if (twin_) twin_->clock();
  active_ = next_;
  second_ = next_kind_ == Kind::partition ? twin_.get() : nullptr;
  kind_ = next_kind_;
  error_ = next_error_;
  changing_ = false;
}

std::uint64_t Slot::status(unsigned word) const {
  const bool first = word < kStatusStride;
  const Operator* at = first ? active_ : second_;
  if (!first) word -= kStatusStride;
  const std::uint64_t value = at != nullptr && word < at->status().size() ? at->status()[word] : 0;
  return word == 0 && first ? value | error_ : value;
}

void Slot::digest(fabric::Digest& digest) const {
  digest.add(static_cast<std::uint64_t>(kind_));
  digest.add(error_);
  if (active_ != nullptr) active_->digest(digest);
  if (second_ != nullptr) second_->digest(digest);
}

}  // namespace polyloom::blocks::operators
