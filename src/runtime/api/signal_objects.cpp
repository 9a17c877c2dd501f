// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Creation and destruction of signals; signal groups (Runtime 2.4.1.1 to 2.4.1.4, 2.4.1.42 to 2.4.1.45).
#include "runtime/api/signal_objects.h"

#include <vector>

#include <hsam/signal.h>

#include "runtime/api/api.h"

using namespace heddle::runtime;
using heddle::driver::Activities;
using heddle::driver::ActivityKind;
using heddle::driver::Client;

namespace {

/// Appends the agents that the handles name. Returns false if a handle names no agent.
bool resolve(Runtime& runtime, std::span<const hsa_agent_t> handles,
             std::vector<const heddle::driver::Agent*>& agents) {
  agents.reserve(handles.size());
  for (const hsa_agent_t handle : handles) {
    const Agent* agent = runtime.topology().agent(handle);
    if (agent == nullptr) return false;
    agents.push_back(agent->driver);
  }
  return true;
}

/// Tells observers that a signal was created or destroyed, or that a wait for it has ended.
void report(heddle::driver::ActivityKind kind, hsa_signal_t signal, int64_t value, uint64_t begin) noexcept {
  heddle::driver::Activity activity;
  activity.kind = kind;
  activity.begin = begin;
  activity.end = heddle::driver::timestamp();
  activity.signal = signal.handle;
  activity.value = value;
  heddle::driver::Activities::report(activity);
}

/// Only the search for the group is a call that hsa_shut_down waits for, because the wait may last for ever.
hsa_status_t wait_any(hsa_signal_group_t signal_group, const hsa_signal_condition_t* conditions,
                      const hsa_signal_value_t* compare_values, hsa_wait_state_t wait_state_hint,
                      hsa_signal_t* signal, hsa_signal_value_t* value,
                      const char* function = __builtin_FUNCTION()) {
  heddle::driver::SignalsOfGroup signals;
  const hsa_status_t status = api::guard(
      [&](Runtime& runtime) {
        if (conditions == nullptr || compare_values == nullptr || signal == nullptr || value == nullptr)
          return HSA_STATUS_ERROR_INVALID_ARGUMENT;
        auto found = runtime.client().signals_of(signal_group);
        if (!found) return found.error();
        signals = *found;
        return HSA_STATUS_SUCCESS;
      },
      function);
  if (status != HSA_STATUS_SUCCESS) return status;
  return api::without_exceptions([&] {
    const uint64_t begin = heddle::driver::timestamp();
    const hsa_status_t waited =
        Client::wait_any(signals, conditions, compare_values, wait_state_hint, signal, value);
    if (waited == HSA_STATUS_SUCCESS && Activities::is_observed(ActivityKind::signal_wait))
      report(ActivityKind::signal_wait, *signal, *value, begin);
    return waited;
  });
}

}  // namespace

hsam_signal* heddle::runtime::live_signal(hsa_signal_t signal) {
  return heddle::driver::Client::is_signal(signal.handle) ? reinterpret_cast<hsam_signal*>(signal.handle)
                                                          : nullptr;
}

hsa_status_t heddle::runtime::create_signal(Runtime& runtime, hsa_signal_value_t value,
                                            uint32_t num_consumers, const hsa_agent_t* consumers, bool shared,
                                            hsa_signal_t* signal) {
  if (signal == nullptr || (num_consumers > 0 && consumers == nullptr))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  std::vector<const heddle::driver::Agent*> agents;
  if (!resolve(runtime, {consumers, num_consumers}, agents)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  auto created = shared ? runtime.client().create_shared_signal(value, agents)
                        : runtime.client().create_signal(value, agents);
  if (!created) return created.error();
  *signal = *created;
  if (Activities::is_observed(ActivityKind::signal_creation))
    report(ActivityKind::signal_creation, *signal, value, heddle::driver::timestamp());
  return HSA_STATUS_SUCCESS;
}

namespace heddle::runtime::functions {

hsa_status_t hsa_signal_create(hsa_signal_value_t initial_value, uint32_t num_consumers,
                               const hsa_agent_t* consumers, hsa_signal_t* signal) {
  return api::guard([&](Runtime& runtime) {
    return create_signal(runtime, initial_value, num_consumers, consumers, false, signal);
  });
}

hsa_status_t hsa_signal_destroy(hsa_signal_t signal) {
  return api::guard([&](Runtime& runtime) {
    if (signal.handle == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (runtime.intercept_queues().owns(signal)) return HSA_STATUS_ERROR_INVALID_SIGNAL;
    // Handlers must not outlive their signals.
    hsam_signal* live = live_signal(signal);
    if (live != nullptr && Client::is_last_use(signal)) runtime.handlers().forget(live);
    const hsa_status_t status = runtime.client().destroy_signal(signal);
    if (status == HSA_STATUS_SUCCESS && Activities::is_observed(ActivityKind::signal_destruction))
      report(ActivityKind::signal_destruction, signal, 0, heddle::driver::timestamp());
    return status;
  });
}

hsa_status_t hsa_signal_group_create(uint32_t num_signals, const hsa_signal_t* signals,
                                     uint32_t num_consumers, const hsa_agent_t* consumers,
                                     hsa_signal_group_t* signal_group) {
  return api::guard([&](Runtime& runtime) {
    if (num_signals == 0 || signals == nullptr || num_consumers == 0 || consumers == nullptr ||
        signal_group == nullptr)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    std::vector<const heddle::driver::Agent*> agents;
    if (!resolve(runtime, {consumers, num_consumers}, agents)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    auto created = runtime.client().create_signal_group({signals, num_signals}, agents);
    if (!created) return created.error();
    *signal_group = *created;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_signal_group_destroy(hsa_signal_group_t signal_group) {
  return api::guard([&](Runtime& runtime) { return runtime.client().destroy_signal_group(signal_group); });
}

hsa_status_t hsa_signal_group_wait_any_scacquire(hsa_signal_group_t signal_group,
                                                 const hsa_signal_condition_t* conditions,
                                                 const hsa_signal_value_t* compare_values,
                                                 hsa_wait_state_t wait_state_hint, hsa_signal_t* signal,
                                                 hsa_signal_value_t* value) {
  return wait_any(signal_group, conditions, compare_values, wait_state_hint, signal, value);
}

hsa_status_t hsa_signal_group_wait_any_relaxed(hsa_signal_group_t signal_group,
                                               const hsa_signal_condition_t* conditions,
                                               const hsa_signal_value_t* compare_values,
                                               hsa_wait_state_t wait_state_hint, hsa_signal_t* signal,
                                               hsa_signal_value_t* value) {
  return wait_any(signal_group, conditions, compare_values, wait_state_hint, signal, value);
}

}  // namespace heddle::runtime::functions
