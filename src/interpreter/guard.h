// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdint>

/// Memory faults of programs. A program may use any host address; one that has no memory behind it raises a
/// signal in the middle of the access. With guarded memory the signal becomes a fault of the work-item, and
/// the process lives.
namespace heddle::interpreter {

/// The state of one thread's guarded accesses; memory_guard() gives that of the calling thread.
struct MemoryGuard {
  sigjmp_buf escape;                      ///< where a faulting access continues; set before the first access
  volatile std::sig_atomic_t inside = 0;  ///< an access to memory of the program is in progress
  volatile uint64_t address = 0;          ///< address that faulted
};
MemoryGuard& memory_guard();

/// Installs handlers of SIGSEGV and SIGBUS in this process. They handle signals raised inside guarded
/// accesses and pass all others on to the handlers that were installed before. Cheap when called again.
void install_memory_guard();

/// Marks an access while it exists. A fault jumps to MemoryGuard::escape without running destructors, so no
/// other object that needs one may be created after the escape was set and still be alive at the access.
class GuardedAccess {
 public:
  GuardedAccess() : guard_(memory_guard()) {
    guard_.inside = 1;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  ~GuardedAccess() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    guard_.inside = 0;
  }
  GuardedAccess(const GuardedAccess&) = delete;
  GuardedAccess& operator=(const GuardedAccess&) = delete;

 private:
  MemoryGuard& guard_;
};

}  // namespace heddle::interpreter
