// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/entry.h"

#include <fmt/format.h>

namespace heddle::hip {
namespace {

const char* name_of(FunctionId id) { return function_table[static_cast<size_t>(id)].name; }

void log_failure(FunctionId id, const char* why) noexcept {
  try {
    log(LogLevel::error, log_api, fmt::format("{}: {}", name_of(id), why));
  } catch (...) {
    return;  // without memory there is no message
  }
}

}  // namespace

ThreadState& this_thread() {
  static thread_local ThreadState state;
  return state;
}

void ObservedCall::ended(hipError_t result) const {
  if (logged_)
    log(LogLevel::info, log_api, fmt::format("{}: returned {}", name_of(id_), static_cast<int>(result)));
}

hipError_t result_of_exception(FunctionId id) noexcept {
  try {
    throw;
  } catch (const Failure& failure) {
    if (*failure.what() != '\0') log_failure(id, failure.what());
    return failure.code();
  } catch (const std::bad_alloc&) {
    return hipErrorOutOfMemory;
  } catch (const std::exception& error) {
    log_failure(id, error.what());
    return hipErrorUnknown;
  } catch (...) {
    return hipErrorUnknown;
  }
}

hipError_t not_supported(FunctionId id) noexcept {
  log_failure(id, "this function is not supported");
  return this_thread().note(hipErrorNotSupported);
}

}  // namespace heddle::hip
