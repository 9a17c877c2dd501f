// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Failures inside the library. They are exceptions, which the entry of each function (entry.h) turns into the
// result of the call: what fails lies many calls below, where HSA is used.
#pragma once

#include <hip/runtime/types.h>
#include <hsa/hsa.h>

#include <exception>
#include <string>

namespace heddle::hip {

class Failure : public std::exception {
 public:
  /// `why` is for the log; it may be empty if the code says everything.
  explicit Failure(hipError_t code, std::string why = {}) : code_(code), why_(std::move(why)) {}

  hipError_t code() const { return code_; }
  const char* what() const noexcept override { return why_.c_str(); }

 private:
  hipError_t code_;
  std::string why_;
};

/// Throws a Failure unless the status of an HSA function is success. OUT_OF_RESOURCES becomes
/// hipErrorOutOfMemory, everything else `otherwise`.
void check(hsa_status_t status, const char* what, hipError_t otherwise = hipErrorUnknown);

/// Returns what hsa_status_string says.
const char* text_of(hsa_status_t status);

}  // namespace heddle::hip
