// SPDX-License-Identifier: Apache-2.0
#include "roles/hub/sim/host.h"

#include <algorithm>
#include <utility>

namespace polyloom::hub {

using fabric::kNever;
using fabric::Segment;

/// Where the clients' node puts its frames: each is a command, whole at the time at which it is queued.
class HubHost::Commands final : public fabric::Tx {
 public:
  explicit Commands(Endpoint& endpoint) : endpoint_(endpoint) {}
  void send(Segment segment) override {
    if (segment.head) words_.clear();
    words_.insert(words_.end(), segment.words.begin(), segment.words.end());
    if (segment.tail) endpoint_.command(segment.first, words_);
  }
  Time free_at() const override { return 0; }
  Time period() const override { return 1; }

 private:
  Endpoint& endpoint_;
  std::vector<std::uint64_t> words_;
};

/// Where it finds the responses.
class HubHost::Responses final : public fabric::Rx {
 public:
  explicit Responses(Endpoint& endpoint) : endpoint_(endpoint) {}
  const Segment* front() const override {
    if (!valid_ && !endpoint_.responses().empty()) {
      const Endpoint::Response& response = endpoint_.responses().front();
      segment_ = {.first = response.time, .words = {response.words.begin(), response.words.end()}};
      valid_ = true;
    }
    return valid_ ? &segment_ : nullptr;
  }
  void pop() override {
    front();
    endpoint_.responses().pop_front();
    valid_ = false;
  }
  /// To be called when the endpoint may have a new first response.
  void refresh() { valid_ = false; }

 private:
  Endpoint& endpoint_;
  mutable Segment segment_;
  mutable bool valid_ = false;
};

HubHost::HubHost(std::vector<std::unique_ptr<Endpoint>> endpoints, std::vector<fabric::NodePort> links,
                 const fabric::MakeHostNode& clients) {
  for (std::size_t i = 0; i < endpoints.size(); ++i) {
    Site site{std::move(endpoints[i]), nullptr, nullptr};
    site.commands = std::make_unique<Commands>(*site.endpoint);
    site.responses = std::make_unique<Responses>(*site.endpoint);
    links[i].tx = site.commands.get();
    links[i].rx = site.responses.get();
    sites_.push_back(std::move(site));
  }
  clients_ = clients(std::move(links));
}

HubHost::~HubHost() = default;

Time HubHost::next_of_endpoints() const {
  Time next = kNever;
  for (const Site& site : sites_) next = std::min(next, site.endpoint->next_event());
  return next;
}

void HubHost::advance(Time until) {
  for (;;) {
    clients_->settle();
    // A response may come before what the clients' node knows of, so endpoints go on event by event.
    Time call, event;
    while ((event = next_of_endpoints()) < std::min(until, call = clients_->next_event())) {
      for (Site& site : sites_) {
        site.endpoint->advance(event + 1);
        site.responses->refresh();
      }
    }
    call = clients_->next_event();
    if (call >= until) break;
    clients_->advance(call + 1);
    for (Site& site : sites_) site.responses->refresh();
  }
  for (Site& site : sites_) site.endpoint->flush(until);
}

Time HubHost::next_event() const {
  Time next = std::min(clients_->next_event(), next_of_endpoints());
  for (const Site& site : sites_) next = std::min(next, site.endpoint->next_departure());
  return next;
}

std::string HubHost::waiting_for() const {
  std::string text = clients_->waiting_for();
  for (const Site& site : sites_) {
    const std::string more = site.endpoint->waiting_for();
    if (!more.empty()) text += (text.empty() ? "" : "; ") + more;
  }
  return text;
}

std::optional<std::uint64_t> HubHost::work() const {
  for (const Site& site : sites_) {
    if (site.endpoint->has_deadline()) return kWillWork;
  }
  return clients_->work();
}

void HubHost::counters(const fabric::CounterSink& sink) const {
  clients_->counters(sink);
  for (const Site& site : sites_) site.endpoint->counters(sink);
}

void HubHost::digest(fabric::Digest& digest) const {
  clients_->digest(digest);
  for (const Site& site : sites_) site.endpoint->digest(digest);
}

}  // namespace polyloom::hub
