// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses to memory at addresses that a kernel has named, where nothing may be.
#pragma once

#include <cstdint>
#include <optional>

namespace heddle::cuda {

/// Calls `access` with `data`. If it accesses memory that is not there or does not permit it, leaves it
/// without running destructors and returns the address; otherwise returns nothing.
std::optional<uint64_t> fault_of(void (*access)(void* data), void* data);

/// The same for a lambda, which must own nothing that has a destructor.
template <typename Access>
std::optional<uint64_t> fault_of(Access& access) {
  return fault_of([](void* data) { (*static_cast<Access*>(data))(); }, &access);
}

/// Installs the handlers of SIGSEGV and SIGBUS on which fault_of() depends. They pass on what is not theirs.
/// Cheap when called again.
void install_access_guard();

}  // namespace heddle::cuda
