// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls as the log shows them.
#pragma once

#include <fmt/format.h>

#include <string>
#include <type_traits>

#include "functions.h"
#include "hip/core/api_callbacks.h"
#include "hip/core/function_table.h"
#include "hip/core/log.h"

namespace heddle::hip {

/// Returns an argument as the log shows it: numbers, addresses, the sizes of grids; structures as {...}.
template <typename T>
std::string shown(const T& argument) {
  if constexpr (std::is_same_v<T, dim3>)
    return fmt::format("{{{},{},{}}}", argument.x, argument.y, argument.z);
  else if constexpr (std::is_enum_v<T>)
    return fmt::format("{}", static_cast<long long>(argument));
  else if constexpr (std::is_pointer_v<T>)
    return fmt::format("{:#x}", reinterpret_cast<uintptr_t>(argument));
  else if constexpr (std::is_arithmetic_v<T>)
    return fmt::format("{}", argument);
  else
    return "{...}";
}

/// One call, from its beginning to its result.
class ObservedCall {
 public:
  template <typename... Arguments>
  explicit ObservedCall(FunctionId id, const Arguments&... arguments)
      : id_(id), logged_(logs(LogLevel::info, log_api)) {
    if (registered_callbacks.load(std::memory_order_relaxed) != 0)
      if (const RegisteredCallback callback = api_callback(id); callback.function != nullptr) {
        call_ = std::make_unique<ApiCall>(arguments...);
        call_->begin(id, callback);
      }
    if (!logged_) return;
    std::string list;
    ((list += (list.empty() ? "" : ", ") + shown(arguments)), ...);
    log(LogLevel::info, log_api,
        fmt::format("{} ( {} )", function_table[static_cast<size_t>(id)].name, list));
  }

  ~ObservedCall() {
    if (call_ != nullptr) call_->end();
  }
  ObservedCall(const ObservedCall&) = delete;
  ObservedCall& operator=(const ObservedCall&) = delete;

  void ended(hipError_t result) const;

 private:
  FunctionId id_;
  bool logged_;
  std::unique_ptr<ApiCall> call_;  // if a tool is called around this call
};

}  // namespace heddle::hip
