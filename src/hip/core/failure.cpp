// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/failure.h"

namespace heddle::hip {

const char* text_of(hsa_status_t status) {
  const char* text = nullptr;
  return hsa_status_string(status, &text) == HSA_STATUS_SUCCESS && text != nullptr ? text : "unknown status";
}

void check(hsa_status_t status, const char* what, hipError_t otherwise) {
  if (status == HSA_STATUS_SUCCESS || status == HSA_STATUS_INFO_BREAK) return;
  const hipError_t code = status == HSA_STATUS_ERROR_OUT_OF_RESOURCES ? hipErrorOutOfMemory : otherwise;
  throw Failure(code, std::string(what) + ": " + text_of(status));
}

}  // namespace heddle::hip
