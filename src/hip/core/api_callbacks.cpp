// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/api_callbacks.h"

#include <map>
#include <mutex>
#include <shared_mutex>

#include "hip/core/function_table.h"

namespace heddle::hip {

std::atomic<int> registered_callbacks{0};
std::atomic<bool> tools_are_called{true};

namespace {

constexpr uint32_t hip_domain = 3;  // ACTIVITY_DOMAIN_HIP_API

struct Callbacks {
  std::shared_mutex mutex;
  std::map<int32_t, RegisteredCallback> by_number;
};

Callbacks& callbacks() {
  static auto* const all = new Callbacks;
  return *all;
}

bool is_number(uint32_t number) {
  for (size_t i = 0; i < function_count; ++i)
    if (function_table[i].number == static_cast<int64_t>(number)) return true;
  return false;
}

int32_t number_of(FunctionId id) { return function_table[static_cast<size_t>(id)].number; }

/// Callbacks are not called for what they call themselves.
thread_local bool inside_callback = false;

}  // namespace

bool set_api_callback(uint32_t number, const RegisteredCallback& callback) {
  if (!is_number(number)) return false;
  const std::unique_lock lock(callbacks().mutex);
  if (callback.function != nullptr)
    callbacks().by_number[static_cast<int32_t>(number)] = callback;
  else
    callbacks().by_number.erase(static_cast<int32_t>(number));
  registered_callbacks = static_cast<int>(callbacks().by_number.size());
  return true;
}

RegisteredCallback api_callback(FunctionId id) {
  if (inside_callback || !tools_are_called) return {};
  const std::shared_lock lock(callbacks().mutex);
  const auto found = callbacks().by_number.find(number_of(id));
  return found == callbacks().by_number.end() ? RegisteredCallback{} : found->second;
}

void ApiCall::begin(FunctionId id, const RegisteredCallback& callback) {
  static std::atomic<uint64_t> last{0};
  id_ = id;
  callback_ = callback;
  const uint64_t correlation = ++last;
  std::memcpy(bytes_.data(), &correlation, sizeof correlation);
  call(0);
}

void ApiCall::end() { call(1); }

void ApiCall::call(uint32_t phase) {
  std::memcpy(bytes_.data() + sizeof(uint64_t), &phase, sizeof phase);
  inside_callback = true;
  callback_.function(hip_domain, static_cast<uint32_t>(number_of(id_)), bytes_.data(), callback_.argument);
  inside_callback = false;
}

}  // namespace heddle::hip
