// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/common/serial.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <string_view>

namespace heddle::agents {
namespace {

struct Mode {
  std::string_view name;
  SerialMode mode;
};

constexpr std::array<Mode, 4> modes = {{
    {"none", {}},
    {"before", {.before = true}},
    {"after", {.after = true}},
    {"both", {.before = true, .after = true}},
}};

}  // namespace

SerialMode SerialMode::from_setting(const hsam_host& host, const char* log_source) {
  const char* wanted = host.setting ? host.setting("SERIALIZE") : nullptr;
  if (!wanted || !*wanted) return {};
  const auto found = std::ranges::find(modes, std::string_view(wanted), &Mode::name);
  if (found != modes.end()) return found->mode;
  if (host.log)
    host.log(HSAM_LOG_WARNING, log_source,
             "HEDDLE_SERIALIZE is none of none, before, after, both; it is ignored");
  return {};
}

bool SerialTurn::take(hsam_waiter& waiter) {
  std::lock_guard lock(mutex_);
  const auto own = std::ranges::find(requests_, &waiter);
  if (!taken_ && (own == requests_.begin() || requests_.empty())) {
    if (own != requests_.end()) requests_.pop_front();
    taken_ = true;
    return true;
  }
  if (own == requests_.end()) requests_.push_back(&waiter);
  return false;
}

bool SerialTurn::is_free_for(const hsam_waiter& waiter) const {
  std::lock_guard lock(mutex_);
  return !taken_ && (requests_.empty() || requests_.front() == &waiter);
}

void SerialTurn::give_back() {
  std::lock_guard lock(mutex_);
  assert(taken_);
  taken_ = false;
  tell_next();
}

void SerialTurn::withdraw(const hsam_waiter& waiter) {
  std::lock_guard lock(mutex_);
  if (std::erase(requests_, &waiter) != 0 && !taken_) tell_next();
}

/// Kicks under the lock: a queue that withdraws its request afterwards may end at once.
void SerialTurn::tell_next() {
  if (!requests_.empty()) hsam_waiter_kick(requests_.front());
}

/// The child of a fork has none of the parent's queues.
void SerialTurn::forget_parent() noexcept {
  abandon(mutex_);
  abandon(requests_);
  taken_ = false;
}

}  // namespace heddle::agents
