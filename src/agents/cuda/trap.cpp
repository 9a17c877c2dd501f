// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/trap.h"

#include <fmt/format.h>
#include <hsam/hsam.h>

#include <array>
#include <cassert>

#include "codeobject/kernel_abi.h"
#include "image/instruction.h"
#include "support/float_exceptions.h"

namespace heddle::cuda {
namespace {

using ptx_kernel::Access;

/// What the address of a stray access is, by Access::Segment.
struct SegmentRow {
  const char* address;  ///< a format
  const char* outside;  ///< what is wrong if the access is aligned
  bool is_memory;       ///< the address is one of memory, and no offset
};
constexpr SegmentRow segments[] = {
    {"flat address 0x{:x}", "which the GPU was not given", true},
    {"global address 0x{:x}", "which the GPU was not given", true},
    {"offset 0x{:x} of the group segment", "which ends before", false},
    {"offset 0x{:x} of the private segment", "which ends before", false},
    {"offset 0x{:x} of the kernarg segment", "which ends before", false},
    {"offset 0x{:x} of a variable", "which ends before", false},
};

const SegmentRow& segment_of(const Access& access) {
  return segments[access.segment < std::size(segments) ? access.segment : Access::flat];
}

std::string stray_text(const ptx_kernel::ErrorRecord& record) {
  constexpr std::array kinds = {"a load", "a store", "an atomic operation", "an fbarrier"};
  const Access access = ptx_kernel::access_of(record.detail);
  const SegmentRow& segment = segment_of(access);
  const bool is_misaligned = record.address % access.align != 0;
  return fmt::format(
      "{} of {} byte{} at {}, {}", access.kind < kinds.size() ? kinds[access.kind] : "an access", access.size,
      access.size == 1 ? "" : "s", fmt::format(fmt::runtime(segment.address), record.address),
      is_misaligned ? fmt::format("which is no multiple of {}", access.align) : segment.outside);
}

bool is_stray_memory(const ptx_kernel::ErrorRecord& record) {
  return record.reason == kernel_abi::trap_stray_access &&
         segment_of(ptx_kernel::access_of(record.detail)).is_memory;
}

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
    case kernel_abi::trap_stray_access:
      return stray_text(record);
    default:
      return fmt::format("trap {} ({})", record.reason, record.detail);
  }
}

hsa_status_t status_of(const ptx_kernel::ErrorRecord& record) {
  switch (record.reason) {
    case kernel_abi::trap_private_exhausted:
      return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    case kernel_abi::trap_deadlock:
    case kernel_abi::trap_image:
      return HSA_STATUS_ERROR;
    case kernel_abi::trap_stray_access:
      // As faults of memory on other agents (HSAM memory_fault).
      return is_stray_memory(record) ? HSA_STATUS_ERROR_FATAL
                                     : static_cast<hsa_status_t>(HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION);
    default:
      return HSA_STATUS_ERROR_EXCEPTION;
  }
}

}  // namespace

agents::Failure failure_of(const ptx_kernel::ErrorRecord& record, std::string_view kernel,
                           const codeobject::LineTable& lines) {
  const auto& item = record.workitem_id;
  const auto& group = record.group_id;
  const std::string line = record.place == 0 ? std::string() : lines.find(record.place);
  agents::Failure failure = {
      status_of(record), fmt::format("kernel {}, work-item ({}, {}, {}) of work-group ({}, {}, {}){}{}: {}",
                                     kernel, item[0], item[1], item[2], group[0], group[1], group[2],
                                     line.empty() ? "" : ", at ", line, reason_of(record))};
  if (is_stray_memory(record)) failure.fault = agents::MemoryFault{record.address, HSAM_FAULT_NOT_PRESENT};
  return failure;
}

std::string_view advice_about(Status status, bool checks_addresses) {
  const bool is_access = status == Status::illegal_address || status == Status::misaligned_address ||
                         status == Status::invalid_address_space || status == Status::launch_failed;
  if (!is_access || checks_addresses) return "";
  return "; code that is finalized with -check-addresses, or HEDDLE_CHECK_ADDRESSES=1, tells the work-item "
         "and the line";
}

}  // namespace heddle::cuda
