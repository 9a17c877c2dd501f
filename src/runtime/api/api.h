// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Helpers shared by the entry points. Every entry point checks in the same order whether the runtime is
// initialised, whether the arguments are sane and whether the handles are valid, and then calls the core.
#pragma once

#include <cxxabi.h>
#include <sched.h>
#include <algorithm>
#include <bitset>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string_view>
#include <utility>

#include <hsa/hsa.h>

#include "driver/activity.h"
#include "driver/log.h"
#include "runtime/api/functions.h"
#include "runtime/core/calls_under_way.h"
#include "runtime/core/runtime.h"

namespace heddle::runtime::api {

/// Runs `call()` and turns exceptions into a status. Forced unwinding (pthread_cancel) must not be stopped
/// and is rethrown.
template <typename Call>
hsa_status_t without_exceptions(Call&& call) {
  try {
    return std::forward<Call>(call)();
  } catch (const std::bad_alloc&) {
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (...) {
    return HSA_STATUS_ERROR;
  }
}

/// Tells the observers of API calls (driver/activity.h), and the log, of one that began at `begin` and ends
/// now.
inline void report_call(const char* function, uint64_t begin, hsa_status_t status) noexcept {
  driver::Activity activity;
  activity.kind = driver::ActivityKind::api_call;
  activity.status = status;
  activity.begin = begin;
  activity.end = driver::timestamp();
  activity.function = function;
  if (driver::Activities::is_observed(activity.kind)) driver::Activities::report(activity);
  driver::log_debug(
      HSAM_LOG_API, "{}: status {:#x} after {:.1f} us", function, static_cast<unsigned>(status),
      static_cast<double>(activity.end - begin) * 1e6 / static_cast<double>(driver::timestamp_frequency()));
}

inline bool calls_are_observed() noexcept {
  return driver::Activities::is_observed(driver::ActivityKind::api_call) ||
         driver::LogSelection::shows(HSAM_LOG_DEBUG, HSAM_LOG_API);
}

/// Whether the runtime is initialised and has left the configuration state. A function that uses no part of
/// the runtime may then do its work without guard(), unless calls are observed. The Runtime itself always
/// exists.
inline bool is_in_use() noexcept {
  const Runtime* runtime = Runtime::current();
  return runtime != nullptr && !runtime->configuring();
}

/// Runs `call(Runtime&)` if the runtime is initialised, and keeps the objects of the runtime alive until the
/// call returns. Turns exceptions into a status. `function` names the function of the API to observers; null
/// for functions that observers call themselves.
template <typename Call>
hsa_status_t guard_in_configuration(Call&& call, const char* function = __builtin_FUNCTION()) {
  // The first test comes before the call is counted, so that threads that keep calling cannot keep a runtime
  // alive which is being shut down.
  if (Runtime::current() == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  const CallUnderWay under_way;
  Runtime* runtime = Runtime::current();
  if (runtime == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  const bool observed = function != nullptr && calls_are_observed();
  const uint64_t begin = observed ? driver::timestamp() : 0;
  const hsa_status_t status = without_exceptions([&] { return std::forward<Call>(call)(*runtime); });
  if (observed) report_call(function, begin, status);
  return status;
}

/// Does the same for the functions that end the configuration state, which are all but those that Runtime 2.1
/// and the extensions list.
template <typename Call>
hsa_status_t guard(Call&& call, const char* function = __builtin_FUNCTION()) {
  return guard_in_configuration(
      [&](Runtime& runtime) {
        runtime.leave_configuration();
        return std::forward<Call>(call)(runtime);
      },
      function);
}

/// Writes the value of an attribute. Callers name the type, because clients provide exactly that many bytes.
class Value {
 public:
  explicit Value(void* address) : address_(address) {}

  template <typename T>
  void put(std::type_identity_t<T> value) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(address_, static_cast<const void*>(&value), sizeof(T));
  }
  template <typename T>
  void put_array(std::span<const T> values) const {
    std::memcpy(address_, values.data(), values.size_bytes());
  }
  /// Writes the characters without a NUL.
  void put_text(std::string_view text) const {
    std::copy(text.begin(), text.end(), static_cast<char*>(address_));
  }
  /// Writes the characters and a NUL.
  void put_c_string(std::string_view text) const {
    put_text(text);
    static_cast<char*>(address_)[text.size()] = '\0';
  }
  /// Writes a char[64]: at most 63 characters, filled up with NULs.
  void put_name(std::string_view text) const {
    char name[64] = {};
    std::memcpy(name, text.data(), text.size() < 63 ? text.size() : 63);
    std::memcpy(address_, name, sizeof(name));
  }
  /// Writes a uint8_t[128] that has one bit for each extension.
  void put_extensions(const std::bitset<128 * 8>& mask) const {
    uint8_t bytes[128] = {};
    for (size_t i = 0; i < mask.size(); ++i)
      if (mask[i]) bytes[i / 8] |= static_cast<uint8_t>(1u << (i % 8));
    std::memcpy(address_, bytes, sizeof(bytes));
  }

 private:
  void* address_;
};

/// One row of a table of attributes.
template <typename... Objects>
struct Attribute {
  uint32_t number;
  void (*get)(const Objects&... objects, Value value);
};

/// Finds the attribute and writes its value. Returns INVALID_ARGUMENT if there is no such attribute.
template <typename... Objects, size_t N>
hsa_status_t get_attribute(const Attribute<Objects...> (&table)[N], uint32_t number, void* value,
                           const Objects&... objects) {
  for (const auto& attribute : table) {
    if (attribute.number != number) continue;
    attribute.get(objects..., Value(value));
    return HSA_STATUS_SUCCESS;
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

/// Calls `call(element)` for each element until one call returns a status other than SUCCESS, and returns
/// that status.
template <typename Range, typename Call>
hsa_status_t iterate(const Range& range, Call call) {
  for (const auto& element : range) {
    const hsa_status_t status = call(element);
    if (status != HSA_STATUS_SUCCESS) return status;
  }
  return HSA_STATUS_SUCCESS;
}

/// Is called after a failed compare-and-swap. Callers usually retry until another thread has made progress;
/// every 64th failure yields the processor, because that thread may be waiting for it.
inline void swap_failed() {
  thread_local uint32_t failures = 0;
  if (++failures % 64 == 0) sched_yield();
}

inline bool is_profile(hsa_profile_t profile) {
  return profile == HSA_PROFILE_BASE || profile == HSA_PROFILE_FULL;
}

}  // namespace heddle::runtime::api
