// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that play work-items of a GPU which ask the host. They do it by the code of the device library.
#pragma once

#include <thread>

#include "codeobject/ptx_dispatch.h"

namespace heddle::cuda::fake {

using ptx_kernel::Hidden;
using ptx_kernel::Mailbox;
using ptx_kernel::MailboxSlot;

/// Thrown where a work-item ends because its dispatch is to stop.
struct Stopped {};

inline uint64_t load_acquire_system(const uint64_t* address) {
  return __atomic_load_n(address, __ATOMIC_ACQUIRE);
}
inline void store_release_system(uint64_t* address, uint64_t value) {
  __atomic_store_n(address, value, __ATOMIC_RELEASE);
}
inline uint64_t add_relaxed_agent(uint64_t* address, uint64_t value) {
  return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
}
inline bool claim_agent(uint64_t* word) {
  uint64_t free = 0;
  return __atomic_compare_exchange_n(word, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}
inline void release_agent(uint64_t* word) { __atomic_store_n(word, 0, __ATOMIC_RELEASE); }
inline void fence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void pause() { std::this_thread::yield(); }
inline void pause_long() { std::this_thread::yield(); }
inline void end_if_stopped(const Hidden* hidden) {
  if (__atomic_load_n(reinterpret_cast<const uint32_t*>(hidden->stop), __ATOMIC_ACQUIRE) != 0)
    throw Stopped();
}

#include "ask_host.h"

/// Asks for what is never answered. True if the work-item ends because its dispatch is to stop.
inline bool is_stopped_while_asking(const Hidden& hidden, const HostRequest& request) try {
  ask_host(&hidden, request);
  return false;
} catch (const Stopped&) {
  return true;
}

}  // namespace heddle::cuda::fake
