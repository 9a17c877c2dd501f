// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/trap.h"

#include <fmt/format.h>

#include "codeobject/kernel_abi.h"
#include "image/instruction.h"
#include "support/float_exceptions.h"

namespace heddle::cuda {
namespace {

/// What happened, without the place.
std::string reason_of(const ptx_kernel::ErrorRecord& record) {
  switch (record.reason) {
    case kernel_abi::trap_debugtrap:
      return fmt::format("debugtrap {}", record.detail);
    case kernel_abi::trap_private_exhausted:
      return fmt::format("a private segment of {} bytes is needed (private_segment_size of the packet)",
                         record.detail);
    case kernel_abi::trap_unreachable:
      return "unreachable code";
    case kernel_abi::trap_exception:
      return exact::exception_names(record.detail);
    case kernel_abi::trap_deadlock:
      return fmt::format("no wave of the group can go on: {} wait in a barrier, the others have ended",
                         record.detail);
    case kernel_abi::trap_image: {
      const char* const wanted = image::text_of(static_cast<image::Misuse>(record.detail));
      return fmt::format("a value is not {}", wanted ? wanted : "a handle");
    }
    default:
      return fmt::format("trap {} ({})", record.reason, record.detail);
  }
}

hsa_status_t status_of(uint32_t reason) {
  if (reason == kernel_abi::trap_private_exhausted) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  return reason == kernel_abi::trap_deadlock || reason == kernel_abi::trap_image ? HSA_STATUS_ERROR
                                                                                 : HSA_STATUS_ERROR_EXCEPTION;
}

}  // namespace

agents::Failure failure_of(const ptx_kernel::ErrorRecord& record, std::string_view kernel) {
  const auto& item = record.workitem_id;
  const auto& group = record.group_id;
  return {status_of(record.reason),
          fmt::format("kernel {}, work-item ({}, {}, {}) of work-group ({}, {}, {}): {}", kernel, item[0],
                      item[1], item[2], group[0], group[1], group[2], reason_of(record))};
}

}  // namespace heddle::cuda
