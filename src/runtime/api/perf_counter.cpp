// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Performance counters (Runtime 3.4).
#include <hsa/hsa_ext_perf_counter.h>

#include <vector>

#include "runtime/api/api.h"
#include "runtime/core/counter_session.h"
#include "runtime/core/performance_counters.h"

using namespace heddle::runtime;

namespace {

using C = const PerformanceCounter&;
using V = api::Value;

uint32_t length_with_nul(const std::string& text) { return static_cast<uint32_t>(text.size() + 1); }

constexpr api::Attribute<PerformanceCounter> counter_attributes[] = {
    {HSA_EXT_PERF_COUNTER_INFO_NAME_LENGTH,
     [](C counter, V value) { value.put<uint32_t>(length_with_nul(counter.name)); }},
    {HSA_EXT_PERF_COUNTER_INFO_NAME, [](C counter, V value) { value.put_c_string(counter.name); }},
    {HSA_EXT_PERF_COUNTER_INFO_DESCRIPTION_LENGTH,
     [](C counter, V value) { value.put<uint32_t>(length_with_nul(counter.description)); }},
    {HSA_EXT_PERF_COUNTER_INFO_DESCRIPTION,
     [](C counter, V value) { value.put_c_string(counter.description); }},
    {HSA_EXT_PERF_COUNTER_INFO_TYPE,
     [](C counter, V value) { value.put<hsa_ext_perf_counter_type_t>(counter.type); }},
    {HSA_EXT_PERF_COUNTER_INFO_SUPPORTS_ASYNC,
     [](C counter, V value) { value.put<bool>(counter.supports_async); }},
    {HSA_EXT_PERF_COUNTER_INFO_GRANULARITY,
     [](C, V value) {
       value.put<hsa_ext_perf_counter_granularity_t>(HSA_EXT_PERF_COUNTER_GRANULARITY_PROCESS);
     }},
    {HSA_EXT_PERF_COUNTER_INFO_VALUE_PERSISTENCE,
     [](C counter, V value) {
       value.put<hsa_ext_perf_counter_value_persistence_t>(
           counter.is_state ? HSA_EXT_PERF_COUNTER_VALUE_PERSISTENCE_PERSISTS
                            : HSA_EXT_PERF_COUNTER_VALUE_PERSISTENCE_RESETS);
     }},
    {HSA_EXT_PERF_COUNTER_INFO_VALUE_TYPE,
     [](C counter, V value) { value.put<hsa_ext_perf_counter_value_type_t>(counter.value_type); }},
};

/// Runs `call(Runtime&, counter)` if there is a counter with this index. Keeps the configuration state.
template <typename Call>
hsa_status_t with_counter(uint32_t index, Call call, const char* function = __builtin_FUNCTION()) {
  return api::guard_in_configuration(
      [&](Runtime& runtime) -> hsa_status_t {
        const auto counters = runtime.counters().counters();
        if (index >= counters.size()) return HSA_STATUS_ERROR_INVALID_INDEX;
        return call(runtime, counters[index]);
      },
      function);
}

/// Runs `call(session)` if the context exists.
template <typename Call>
hsa_status_t with_session(hsa_ext_perf_counter_session_ctx_t context, Call call,
                          const char* function = __builtin_FUNCTION()) {
  return api::guard(
      [&](Runtime& runtime) -> hsa_status_t {
        const auto session = runtime.objects().counter_sessions.get(context.handle);
        return session == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : call(*session);
      },
      function);
}

/// Runs `call(session, counter)` if the context exists, and a counter with this index.
template <typename Call>
hsa_status_t with_counter_of(hsa_ext_perf_counter_session_ctx_t context, uint32_t index, Call call,
                             const char* function = __builtin_FUNCTION()) {
  return api::guard(
      [&](Runtime& runtime) -> hsa_status_t {
        const auto session = runtime.objects().counter_sessions.get(context.handle);
        if (session == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
        const auto counters = runtime.counters().counters();
        if (index >= counters.size()) return HSA_STATUS_ERROR_INVALID_INDEX;
        return call(*session, counters[index]);
      },
      function);
}

template <typename T>
hsa_status_t read(hsa_ext_perf_counter_session_ctx_t context, uint32_t index,
                  hsa_ext_perf_counter_type_t type, T* result, const char* function = __builtin_FUNCTION()) {
  return with_counter_of(
      context, index,
      [&](const CounterSession& session, C counter) {
        if (result == nullptr || counter.type != type) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
        CounterReading reading;
        const hsa_status_t status = session.read(index, reading);
        if (status != HSA_STATUS_SUCCESS) return status;
        if constexpr (std::is_integral_v<T>)
          *result = static_cast<T>(reading.number);
        else
          *result = static_cast<T>(reading.real);
        return HSA_STATUS_SUCCESS;
      },
      function);
}

}  // namespace

namespace heddle::runtime::functions {

hsa_status_t hsa_ext_perf_counter_init() {
  return api::guard([](Runtime& runtime) { return runtime.counters().init(); });
}

hsa_status_t hsa_ext_perf_counter_shut_down() {
  return api::guard([](Runtime& runtime) { return runtime.counters().shut_down(); });
}

hsa_status_t hsa_ext_perf_counter_get_num(uint32_t* result) {
  return api::guard_in_configuration([&](Runtime& runtime) {
    if (result == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *result = static_cast<uint32_t>(runtime.counters().counters().size());
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_ext_perf_counter_get_info(uint32_t counter_idx, hsa_ext_perf_counter_info_t attribute,
                                           void* value) {
  return with_counter(counter_idx, [&](Runtime&, C counter) {
    if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return api::get_attribute(counter_attributes, static_cast<uint32_t>(attribute), value, counter);
  });
}

hsa_status_t hsa_ext_perf_counter_iterate_associations(
    uint32_t counter_idx,
    hsa_status_t (*callback)(hsa_ext_perf_counter_assoc_t assoc_type, uint64_t assoc_id, void* data),
    void* data) {
  return with_counter(counter_idx, [&](Runtime& runtime, C counter) {
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return api::iterate(associations_of(counter, runtime.client()),
                        [&](const CounterAssociation& to) { return callback(to.type, to.id, data); });
  });
}

hsa_status_t hsa_ext_perf_counter_session_context_create(hsa_ext_perf_counter_session_ctx_t* ctx) {
  return api::guard([&](Runtime& runtime) {
    return ctx == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : runtime.counters().create_session(ctx);
  });
}

hsa_status_t hsa_ext_perf_counter_session_context_destroy(hsa_ext_perf_counter_session_ctx_t ctx) {
  return api::guard([&](Runtime& runtime) {
    return runtime.objects().counter_sessions.erase(ctx.handle) == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT
                                                                           : HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_ext_perf_counter_enable(hsa_ext_perf_counter_session_ctx_t ctx, uint32_t counter_idx) {
  return with_counter_of(ctx, counter_idx,
                         [&](CounterSession& session, C) { return session.include(counter_idx, true); });
}

hsa_status_t hsa_ext_perf_counter_disable(hsa_ext_perf_counter_session_ctx_t ctx, uint32_t counter_idx) {
  return with_counter_of(ctx, counter_idx,
                         [&](CounterSession& session, C) { return session.include(counter_idx, false); });
}

hsa_status_t hsa_ext_perf_counter_is_enabled(hsa_ext_perf_counter_session_ctx_t ctx, uint32_t counter_idx,
                                             bool* enabled) {
  return with_counter_of(ctx, counter_idx, [&](const CounterSession& session, C) {
    if (enabled == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *enabled = session.includes(counter_idx);
    return HSA_STATUS_SUCCESS;
  });
}

// All counters can be counted in one session, and all sessions at the same time: activities are counted for
// each session by itself, and the system shares out the counters of the processor.

hsa_status_t hsa_ext_perf_counter_session_context_valid(hsa_ext_perf_counter_session_ctx_t ctx,
                                                        bool* result) {
  return with_session(ctx, [&](const CounterSession&) {
    if (result == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *result = true;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_ext_perf_counter_session_context_set_valid(hsa_ext_perf_counter_session_ctx_t* ctxs,
                                                            size_t n_ctxs, bool* result) {
  return api::guard([&](Runtime& runtime) {
    if (ctxs == nullptr || result == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    for (size_t i = 0; i < n_ctxs; ++i)
      if (runtime.objects().counter_sessions.get(ctxs[i].handle) == nullptr)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *result = true;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_ext_perf_counter_session_enable(hsa_ext_perf_counter_session_ctx_t ctx) {
  return with_session(ctx, [](CounterSession& session) { return session.enable(); });
}

hsa_status_t hsa_ext_perf_counter_session_disable(hsa_ext_perf_counter_session_ctx_t ctx) {
  return with_session(ctx, [](CounterSession& session) { return session.disable(); });
}

hsa_status_t hsa_ext_perf_counter_session_start(hsa_ext_perf_counter_session_ctx_t ctx) {
  return with_session(ctx, [](CounterSession& session) { return session.start(); });
}

hsa_status_t hsa_ext_perf_counter_session_stop(hsa_ext_perf_counter_session_ctx_t ctx) {
  return with_session(ctx, [](CounterSession& session) { return session.stop(); });
}

hsa_status_t hsa_ext_perf_counter_read_uint32(hsa_ext_perf_counter_session_ctx_t ctx, uint32_t counter_idx,
                                              uint32_t* result) {
  return read(ctx, counter_idx, HSA_EXT_PERF_COUNTER_TYPE_UINT32, result);
}

hsa_status_t hsa_ext_perf_counter_read_uint64(hsa_ext_perf_counter_session_ctx_t ctx, uint32_t counter_idx,
                                              uint64_t* result) {
  return read(ctx, counter_idx, HSA_EXT_PERF_COUNTER_TYPE_UINT64, result);
}

hsa_status_t hsa_ext_perf_counter_read_float(hsa_ext_perf_counter_session_ctx_t ctx, uint32_t counter_idx,
                                             float* result) {
  return read(ctx, counter_idx, HSA_EXT_PERF_COUNTER_TYPE_FLOAT, result);
}

hsa_status_t hsa_ext_perf_counter_read_double(hsa_ext_perf_counter_session_ctx_t ctx, uint32_t counter_idx,
                                              double* result) {
  return read(ctx, counter_idx, HSA_EXT_PERF_COUNTER_TYPE_DOUBLE, result);
}

}  // namespace heddle::runtime::functions
