// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "finalizer/lower/spmd.h"
#include "finalizer/ptx/places.h"

namespace heddle::finalizer::ptx {

/// Puts a check before each access to memory whose address is not known to be right: loads, stores, atomic
/// operations and fbarriers. Elements of vectors are checked together, so that nothing of a vector is
/// accessed of which a part is stray. A work-item with a stray or misaligned address traps before the access
/// (kernel_abi::trap_stray_access). Global and flat addresses must lie in one of the ranges that the agent
/// passes (ptx_kernel::AddressChecks), all others in their segment.
///
/// Must come between track_active_lanes(), which lets lanes meet where branches do, and
/// lower_target_operations(). `kernarg_size` returns the bytes of a kernel's kernarg segment.
void add_address_checks(SpmdProgram& spmd, llvm::function_ref<uint64_t(const SpmdKernel&)> kernarg_size,
                        Places& places);

}  // namespace heddle::finalizer::ptx
