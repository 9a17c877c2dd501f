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

/// The calling thread's, while it runs work-items.
struct MemoryGuard {
  sigjmp_buf escape;                      ///< where a faulting access continues; set before any
  volatile std::sig_atomic_t inside = 0;  ///< an access to memory of the program is in progress
  volatile uint64_t address = 0;          ///< that faulted
};
MemoryGuard& memory_guard();

/// Handles SIGSEGV and SIGBUS of this process from now on: those raised inside of guarded accesses; others go
/// to the handlers that were there before. Cheap when called again.
void install_memory_guard();

/// Around each access. Nothing that has a destructor may be alive between here and the escape but what
/// outlives it.
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
