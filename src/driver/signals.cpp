// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/signals.h"

#include <algorithm>

#include <hsam/signal.h>

#include "driver/log.h"
#include "driver/messages.h"
#include "driver/shared_signals.h"
#include "support/exception_safety.h"

namespace heddle::driver {
namespace {

template <typename T>
bool has_duplicates(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  return std::adjacent_find(values.begin(), values.end()) != values.end();
}

hsam_signal* to_block(uint64_t handle) {
  return reinterpret_cast<hsam_signal*>(static_cast<uintptr_t>(handle));
}

bool is_destination(const hsa_signal_object& object, const Agent& agent) {
  for (uint32_t i = 0; i < object.number_of_dests; ++i)
    if (((object.root_dest_array[i].flags >> HSAM_ROOT_DRIVER_ID_SHIFT) & 0xffff) == agent.device_driver_id())
      return true;
  return false;
}

}  // namespace

struct Signals::Group {
  std::vector<hsam_signal*> signals;
  std::vector<hsa_signal_object*> objects;
  std::vector<hsa_signal_group_destination> destinations;
  hsa_signal_group_object object{};
  std::vector<AgentHandle> told;
};

Signals::Signals(Connections& connections) : connections_(connections) {
  for (const Agent* agent : connections.agents())
    messages_wanted_ |= agent->config().wants_signal_messages != 0;
}

StatusOr<hsa_signal_t> Signals::create(int64_t value, SignalTable::Kind kind,
                                       std::span<const Agent* const> consumers) {
  if (consumers.size() > 1 && has_duplicates(std::vector<const Agent*>(consumers.begin(), consumers.end())))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  std::span<const Agent* const> destinations = consumers.empty() ? connections_.agents() : consumers;
  const auto sharing = lock_if_shared(kind);
  hsam_signal* signal =
      kind == SignalTable::Kind::shared
          ? SharedSignals::instance().create(value, connections_.client(), destinations)
          : SignalTable::instance().create(value, kind, connections_.client(), destinations);
  if (signal == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  return announce_to_all(signal, kind, destinations);
}

StatusOr<hsa_signal_t> Signals::attach(const SharedSignalHandle& shared) {
  const auto sharing = lock_if_shared(SignalTable::Kind::shared);
  bool is_new = false;
  auto signal =
      SharedSignals::instance().attach(shared, connections_.client(), connections_.agents(), is_new);
  if (!signal) return signal.error();
  if (!is_new) return hsa_signal_t{reinterpret_cast<uintptr_t>(*signal)};
  return announce_to_all(*signal, SignalTable::Kind::shared, connections_.agents());
}

std::unique_lock<std::mutex> Signals::lock_if_shared(SignalTable::Kind kind) {
  return kind == SignalTable::Kind::shared ? std::unique_lock(sharing_) : std::unique_lock<std::mutex>();
}

bool Signals::release(uint64_t handle, SignalTable::Kind kind) {
  if (kind == SignalTable::Kind::shared) return SharedSignals::instance().release(handle);
  return SignalTable::instance().destroy(handle, kind);
}

StatusOr<hsa_signal_t> Signals::announce_to_all(hsam_signal* signal, SignalTable::Kind kind,
                                                std::span<const Agent* const> destinations) {
  uint64_t handle = reinterpret_cast<uintptr_t>(signal);
  if (!messages_wanted_) return hsa_signal_t{handle};
  std::vector<AgentHandle> told;
  bool created = false;
  const Finally give_up([&] {
    if (created) return;
    withdraw(told);
    release(handle, kind);
  });
  for (uint32_t i = 0; i < destinations.size(); ++i)
    if (HSAM_Error answer = announce(signal, i, *destinations[i], told); answer != HSAM_Done)
      return to_status(answer);
  std::lock_guard lock(mutex_);
  told_[handle].swap(told);
  created = true;
  return hsa_signal_t{handle};
}

HSAM_Error Signals::announce(hsam_signal* signal, uint32_t destination, const Agent& agent,
                             std::vector<AgentHandle>& told) {
  if (!agent.config().wants_signal_messages) return HSAM_Done;
  int64_t client_at_agent;
  if (HSAM_Error answer = connections_.open(agent, &client_at_agent); answer != HSAM_Done) return answer;
  int64_t signal_at_agent = 0;
  reserve_one_more(told);
  hsa_signal_object* object = hsam_signal_local(signal)->object;
  HSAM_Error answer = Requests::send_for_handle(agent, "signal_new", &hsa_agent_driver_interface::signal_new,
                                                &signal_at_agent, client_at_agent,
                                                static_cast<int64_t>(reinterpret_cast<uintptr_t>(signal)),
                                                object, &object->root_dest_array[destination]);
  if (answer == HSAM_Done) told.push_back({&agent, signal_at_agent});
  return answer;
}

void Signals::withdraw(std::span<const AgentHandle> told) {
  for (const AgentHandle& at : told) {
    int64_t client_at_agent;
    if (!connections_.find(*at.agent, &client_at_agent)) continue;
    HSAM_Error answer = Requests::send(*at.agent, "signal_remove", &hsa_agent_driver_interface::signal_remove,
                                       client_at_agent, at.handle);
    if (answer != HSAM_Done)
      log_error("agent '{}' failed to remove a signal: {}", at.agent->config().name, name_of(answer));
  }
}

bool Signals::destroy(uint64_t handle, SignalTable::Kind kind) {
  const auto sharing = lock_if_shared(kind);
  if (SignalTable::instance().kind(handle) != kind) return false;
  const bool last = kind != SignalTable::Kind::shared || SharedSignals::instance().is_last_use(handle);
  if (messages_wanted_ && last) {
    std::vector<AgentHandle> told;
    {
      std::lock_guard lock(mutex_);
      auto found = told_.find(handle);
      if (found == told_.end()) return false;
      told = std::move(found->second);
      told_.erase(found);
    }
    withdraw(told);
  }
  return release(handle, kind);
}

void Signals::destroy_all() {
  groups_.for_each([&](uint64_t handle, const std::shared_ptr<Group>&) { destroy_group({handle}); });
  const SignalTable& table = SignalTable::instance();
  for (uint64_t handle = 0; (handle = table.next_of(connections_.client(), handle)) != 0;)
    while (destroy(handle, table.kind(handle)) && table.kind(handle) == SignalTable::Kind::shared) {
      // It was attached more than once.
    }
  SharedSignals::instance().stop();
}

const int64_t* Signals::find_handle(uint64_t handle, const Agent& agent) const {
  if (auto found = told_.find(handle); found != told_.end())
    for (const AgentHandle& at : found->second)
      if (at.agent == &agent) return &at.handle;
  return nullptr;
}

int64_t Signals::handle_at_agent(uint64_t handle, const Agent& agent) const {
  std::lock_guard lock(mutex_);
  const int64_t* at_agent = find_handle(handle, agent);
  return at_agent == nullptr ? static_cast<int64_t>(handle) : *at_agent;
}

void Signals::unblock(uint64_t handle, const Agent& agent) const {
  auto function = Requests::interface(agent).unblock_destination;
  int64_t client_at_agent;
  if (function == nullptr || !connections_.find(agent, &client_at_agent)) return;
  if (!agent.config().wants_signal_messages) return function(client_at_agent, static_cast<int64_t>(handle));
  // The owner of a completion signal may destroy it as soon as it has its value, while the sender is still
  // here.
  std::lock_guard lock(mutex_);
  const int64_t* at_agent = find_handle(handle, agent);
  if (at_agent != nullptr) function(client_at_agent, *at_agent);
}

StatusOr<hsa_signal_group_t> Signals::create_group(std::span<const hsa_signal_t> signals,
                                                   std::span<const Agent* const> consumers) {
  auto group = std::make_shared<Group>();
  for (hsa_signal_t signal : signals) {
    if (SignalTable::instance().kind(signal.handle) == SignalTable::Kind::none)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    group->signals.push_back(to_block(signal.handle));
    group->objects.push_back(hsam_signal_local(group->signals.back())->object);
    for (const Agent* agent : consumers)
      if (!is_destination(*group->objects.back(), *agent)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  for (const Agent* agent : consumers) group->destinations.push_back({agent->device_driver_id(), nullptr});
  if (signals.empty() || consumers.empty() || has_duplicates(group->signals) ||
      has_duplicates(std::vector<const Agent*>(consumers.begin(), consumers.end())))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  group->object = {.number_of_signals = static_cast<uint32_t>(group->objects.size()),
                   .number_of_dests = static_cast<uint32_t>(group->destinations.size()),
                   .signals = group->objects.data(),
                   .signal_destinations = group->destinations.data()};
  uint64_t handle = groups_.insert(group);
  if (handle == 0) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  bool created = false;
  const Finally give_up([&] {
    if (created) return;
    groups_.erase(handle);
    withdraw_group(*group);
  });
  for (const Agent* agent : consumers)
    if (HSAM_Error answer = announce_group(handle, *group, *agent); answer != HSAM_Done)
      return to_status(answer);
  created = true;
  return hsa_signal_group_t{handle};
}

HSAM_Error Signals::announce_group(uint64_t handle, Group& group, const Agent& agent) {
  // Agents without group messages wait for the signals one by one and need not know the group.
  if (!agent.config().wants_signal_messages || Requests::interface(agent).signal_group_new == nullptr)
    return HSAM_Done;
  int64_t client_at_agent;
  if (HSAM_Error answer = connections_.open(agent, &client_at_agent); answer != HSAM_Done) return answer;
  std::vector<int64_t> at_agent;
  at_agent.reserve(group.signals.size());
  for (hsam_signal* signal : group.signals)
    at_agent.push_back(handle_at_agent(reinterpret_cast<uintptr_t>(signal), agent));
  auto destination = std::find_if(group.destinations.begin(), group.destinations.end(), [&](auto& entry) {
    return entry.device_driver_id == agent.device_driver_id();
  });
  int64_t group_at_agent = 0;
  reserve_one_more(group.told);
  HSAM_Error answer = Requests::send_for_handle(
      agent, "signal_group_new", &hsa_agent_driver_interface::signal_group_new, &group_at_agent,
      client_at_agent, static_cast<int64_t>(handle), static_cast<int32_t>(at_agent.size()),
      const_cast<const int64_t*>(at_agent.data()), &group.object, &*destination);
  if (answer == HSAM_Done) group.told.push_back({&agent, group_at_agent});
  return answer;
}

void Signals::withdraw_group(const Group& group) {
  for (const AgentHandle& at : group.told) {
    int64_t client_at_agent;
    if (!connections_.find(*at.agent, &client_at_agent)) continue;
    HSAM_Error answer =
        Requests::send(*at.agent, "signal_group_remove", &hsa_agent_driver_interface::signal_group_remove,
                       client_at_agent, at.handle);
    if (answer != HSAM_Done)
      log_error("agent '{}' failed to remove a signal group: {}", at.agent->config().name, name_of(answer));
  }
}

hsa_status_t Signals::destroy_group(hsa_signal_group_t handle) {
  std::shared_ptr<Group> group = groups_.erase(handle.handle);
  if (group == nullptr) return HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP;
  withdraw_group(*group);
  return HSA_STATUS_SUCCESS;
}

StatusOr<SignalsOfGroup> Signals::signals_of(hsa_signal_group_t handle) const {
  std::shared_ptr<Group> group = groups_.get(handle.handle);
  if (group == nullptr) return HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP;
  return SignalsOfGroup(group, &group->signals);
}

hsa_status_t Signals::wait_any(const std::vector<hsam_signal*>& signals,
                               const hsa_signal_condition_t* conditions, const int64_t* compares,
                               hsa_wait_state_t hint, hsa_signal_t* signal, int64_t* value) {
  // An invalid condition would never be met.
  for (size_t i = 0; i < signals.size(); ++i)
    if (static_cast<uint32_t>(conditions[i]) > HSA_SIGNAL_CONDITION_GTE)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  std::vector<hsam_wait_record> records(signals.size());
  uint32_t count = static_cast<uint32_t>(signals.size());
  uint32_t found = count;
  while (found == count)
    found = hsam_signal_wait_any(count, signals.data(), conditions, compares, UINT64_MAX, hint,
                                 records.data(), value);
  signal->handle = reinterpret_cast<uintptr_t>(signals[found]);
  return HSA_STATUS_SUCCESS;
}

}  // namespace heddle::driver
