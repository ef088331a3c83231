// SPDX-License-Identifier: Apache-2.0
#include "fabric/host/absence.h"

#include <algorithm>

namespace polyloom::fabric {

void Absences::add(unsigned client) {
  const std::lock_guard lock(mutex_);
  clients_[client];
}

void Absences::set(Client& client, State state) {
  const auto absent = [](State s) { return s == State::away || s == State::meeting; };
  absent_ += static_cast<int>(absent(state)) - static_cast<int>(absent(client.state));
  client.state = state;
  client.back = kNever;
}

void Absences::leave(unsigned client) {
  const std::lock_guard lock(mutex_);
  set(clients_.at(client), State::away);
}

void Absences::meet(unsigned client, std::vector<unsigned> with) {
  const std::lock_guard lock(mutex_);
  if (with.empty()) {
    for (const auto& [number, unused] : clients_) with.push_back(number);
  } else {
    with.push_back(client);
  }
  std::sort(with.begin(), with.end());
  with.erase(std::unique(with.begin(), with.end()), with.end());
  set(clients_.at(client), State::meeting);
  clients_.at(client).with = std::move(with);
}

void Absences::present(unsigned client) {
  const std::lock_guard lock(mutex_);
  set(clients_.at(client), State::present);
}

void Absences::finish(unsigned client) {
  const std::lock_guard lock(mutex_);
  set(clients_.at(client), State::finished);
}

// A client that has finished will not come, and none waits for it.
bool Absences::complete(const Client& client) const {
  return client.state == State::meeting &&
         std::all_of(client.with.begin(), client.with.end(), [&](unsigned number) {
           const auto other = clients_.find(number);
           if (other == clients_.end()) return false;
           const Client& c = other->second;
           return c.state == State::finished || (c.state == State::meeting && c.with == client.with);
         });
}

bool Absences::any_present() const {
  return std::any_of(clients_.begin(), clients_.end(), [](const auto& entry) {
    return entry.second.state == State::present || entry.second.state == State::returning;
  });
}

bool Absences::any_complete() const {
  return std::any_of(clients_.begin(), clients_.end(),
                     [&](const auto& entry) { return complete(entry.second); });
}

bool Absences::due() const {
  if (absent_ == 0) return false;
  const std::lock_guard lock(mutex_);
  return !any_present() || any_complete();
}

bool Absences::standstill() const {
  if (absent_ == 0) return false;
  const std::lock_guard lock(mutex_);
  return !any_present() && !any_complete() &&
         std::none_of(clients_.begin(), clients_.end(),
                      [](const auto& entry) { return entry.second.state == State::away; });
}

bool Absences::release(Time now, bool quiet) {
  if (absent_ == 0) return false;
  const std::lock_guard lock(mutex_);
  std::vector<Client*> released;
  for (auto& [number, client] : clients_) {
    if (complete(client)) released.push_back(&client);
  }
  if (released.empty() && (quiet || !any_present())) {
    for (auto& [number, client] : clients_) {
      if (client.state == State::away) released.push_back(&client);
    }
  }
  for (Client* client : released) {
    set(*client, State::returning);
    client->back = now;
  }
  return !released.empty();
}

bool Absences::knows(unsigned client) const {
  const std::lock_guard lock(mutex_);
  return clients_.contains(client);
}

Time Absences::back(unsigned client) const {
  const std::lock_guard lock(mutex_);
  return clients_.at(client).back;
}

std::string Absences::reason(unsigned client) const {
  const std::lock_guard lock(mutex_);
  const Client& c = clients_.at(client);
  if (c.state != State::meeting) return "until it speaks";
  std::string others;
  for (const unsigned number : c.with) {
    if (number != client) others += (others.empty() ? "" : ", ") + std::to_string(number);
  }
  return "to meet client " + others;
}

}  // namespace polyloom::fabric
