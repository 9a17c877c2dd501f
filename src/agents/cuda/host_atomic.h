// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>

namespace heddle::cuda {

/// An atomic operation of a kernel that the host carries out (ptx_kernel::MailboxSlot).
struct HostAtomic {
  uint32_t operation = 0;  ///< hsa_brig_atomic_operation_t
  bool is_signed = false;  ///< min and max compare signed numbers
  uint64_t value = 0;      ///< the operand; for compare-and-swap what is compared
  uint64_t second = 0;     ///< what compare-and-swap stores
};

/// Carries out the operation on a number of `size` bytes, 4 or 8, at an aligned address; sequentially
/// consistent. Returns the old value, or nothing if there is no such operation.
std::optional<uint64_t> perform_atomic(const HostAtomic& atomic, void* address, uint32_t size);

}  // namespace heddle::cuda
