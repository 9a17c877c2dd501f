// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/host_request.h"

#include <fmt/format.h>

#include "agents/common/signal_operation.h"
#include "agents/cuda/guarded_access.h"
#include "agents/cuda/host_atomic.h"

namespace heddle::cuda {
namespace {

using agents::Failure;
using ptx_kernel::MailboxSlot;
using Answer = Result<HostAnswer, Failure>;

HostAtomic atomic_of(const MailboxSlot& request) {
  return {request.operation, request.is_signed != 0, request.value, request.second};
}

Failure no_such_operation(const MailboxSlot& request) {
  return {HSA_STATUS_ERROR, fmt::format("the host is asked for operation {} of kind {} on {} bytes, which "
                                        "does not exist",
                                        request.operation, request.kind, request.size)};
}

Failure bad_access(uint64_t address) {
  return {HSA_STATUS_ERROR_FATAL,
          fmt::format("memory fault at 0x{:x}, in an atomic operation that the host carries out", address),
          agents::MemoryFault{address, 0}};
}

Answer perform_on_memory(const MailboxSlot& request) {
  if (request.size != sizeof(uint32_t) && request.size != sizeof(uint64_t)) return no_such_operation(request);
  if (request.address % request.size != 0)
    return Failure{HSA_STATUS_ERROR_FATAL,
                   fmt::format("an atomic operation on {} bytes at 0x{:x}, which is not aligned",
                               request.size, request.address),
                   agents::MemoryFault{request.address, 0}};
  std::optional<uint64_t> old;
  auto access = [&] {
    old = perform_atomic(atomic_of(request), reinterpret_cast<void*>(request.address), request.size);
  };
  // The address that the system reports is not always that of the operation.
  if (fault_of(access)) return bad_access(request.address);
  if (!old) return no_such_operation(request);
  return HostAnswer{*old};
}

Answer perform_on_queue(const MailboxSlot& request) {
  const bool write = request.kind == MailboxSlot::queue_write_index;
  uint64_t* index = nullptr;
  std::optional<uint64_t> old;
  auto access = [&] {
    index = agents::queue_index_of_kernel(request.address, write);
    if (index) old = perform_atomic(atomic_of(request), index, sizeof *index);
  };
  if (fault_of(access) || !index)
    return Failure{HSA_STATUS_ERROR, fmt::format("0x{:x} is not the address of a queue", request.address)};
  if (!old) return no_such_operation(request);
  return HostAnswer{*old};
}

}  // namespace

/// A generic driver need not be able to tell.
bool HostRequests::is_signal(uint64_t handle) const {
  return !owner_.driver->is_signal || owner_.driver->is_signal(owner_.client, handle) != 0;
}

Answer HostRequests::perform_signal(const MailboxSlot& request) {
  if (!is_signal(request.address))
    return Failure{HSA_STATUS_ERROR, fmt::format("0x{:x} is not a signal", request.address)};
  auto& signal = *reinterpret_cast<hsam_signal*>(request.address);
  const auto value = static_cast<int64_t>(request.value);
  if (const auto condition = agents::wait_condition(request.operation)) {
    const uint64_t deadline =
        agents::has_timeout(request.operation) ? hsam_deadline(hsam_timestamp(), request.second) : UINT64_MAX;
    return HostAnswer{0, waits_.begin(signal, *condition, value, deadline)};
  }
  const auto old =
      agents::perform_signal(request.operation, &signal, value, static_cast<int64_t>(request.second));
  if (!old) return no_such_operation(request);
  return HostAnswer{static_cast<uint64_t>(*old)};
}

Answer HostRequests::perform(const MailboxSlot& request) {
  switch (request.kind) {
    case MailboxSlot::atomic:
      return perform_on_memory(request);
    case MailboxSlot::signal:
      return perform_signal(request);
    case MailboxSlot::queue_read_index:
    case MailboxSlot::queue_write_index:
      return perform_on_queue(request);
    case MailboxSlot::wait_again:
      if (!waits_.contains(request.address))
        return Failure{HSA_STATUS_ERROR, fmt::format("{} is not the number of a wait", request.address)};
      return HostAnswer{0, request.address};
    default:
      return no_such_operation(request);
  }
}

}  // namespace heddle::cuda
