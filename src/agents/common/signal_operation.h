// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signals and user mode queues as kernels use them (PRM 6.8, 11.3): by handle and address, with the operation
// as a number.
#pragma once

#include <hsa/hsa_brig_modifiers.h>
#include <hsam/signal.h>

#include <optional>

namespace heddle::agents {

/// The signal behind a handle that a kernel passes; null if it is not the handle of a signal. Reads the
/// memory at that address, so that an invalid handle may fault.
inline hsam_signal* signal_of_kernel(uint64_t handle) {
  auto* signal = reinterpret_cast<hsam_signal*>(handle);
  if (handle == 0 || handle % 64 != 0) return nullptr;
  return __atomic_load_n(&hsam_signal_local(signal)->object, __ATOMIC_RELAXED) != nullptr ? signal : nullptr;
}

/// Performs any signal operation except the waits. Returns the value from before the operation (0 for a
/// store), or nothing if there is no such operation. All operations are sequentially consistent, as in
/// hsam/signal.h.
inline std::optional<int64_t> perform_signal(uint32_t operation, hsam_signal* signal, int64_t value,
                                             int64_t value2) {
  switch (operation) {
    case HSA_BRIG_ATOMIC_OPERATION_LD:
      return hsam_signal_load_scacquire(signal);
    case HSA_BRIG_ATOMIC_OPERATION_ST:
      hsam_signal_store_screlease(signal, value);
      return 0;
    case HSA_BRIG_ATOMIC_OPERATION_EXCH:
      return hsam_signal_exchange_scacq_screl(signal, value);
    case HSA_BRIG_ATOMIC_OPERATION_CAS:
      return hsam_signal_cas_scacq_screl(signal, value, value2);
    case HSA_BRIG_ATOMIC_OPERATION_ADD:
      return hsam_signal_add_scacq_screl(signal, value);
    case HSA_BRIG_ATOMIC_OPERATION_SUB:
      return hsam_signal_subtract_scacq_screl(signal, value);
    case HSA_BRIG_ATOMIC_OPERATION_AND:
      return hsam_signal_and_scacq_screl(signal, value);
    case HSA_BRIG_ATOMIC_OPERATION_OR:
      return hsam_signal_or_scacq_screl(signal, value);
    case HSA_BRIG_ATOMIC_OPERATION_XOR:
      return hsam_signal_xor_scacq_screl(signal, value);
    default:
      return std::nullopt;
  }
}

/// The condition of a wait, with or without timeout; nothing if the operation is not a wait.
inline std::optional<hsa_signal_condition_t> wait_condition(uint32_t operation) {
  switch (operation) {
    case HSA_BRIG_ATOMIC_OPERATION_WAIT_EQ:
    case HSA_BRIG_ATOMIC_OPERATION_WAITTIMEOUT_EQ:
      return HSA_SIGNAL_CONDITION_EQ;
    case HSA_BRIG_ATOMIC_OPERATION_WAIT_NE:
    case HSA_BRIG_ATOMIC_OPERATION_WAITTIMEOUT_NE:
      return HSA_SIGNAL_CONDITION_NE;
    case HSA_BRIG_ATOMIC_OPERATION_WAIT_LT:
    case HSA_BRIG_ATOMIC_OPERATION_WAITTIMEOUT_LT:
      return HSA_SIGNAL_CONDITION_LT;
    case HSA_BRIG_ATOMIC_OPERATION_WAIT_GTE:
    case HSA_BRIG_ATOMIC_OPERATION_WAITTIMEOUT_GTE:
      return HSA_SIGNAL_CONDITION_GTE;
    default:
      return std::nullopt;
  }
}

inline bool has_timeout(uint32_t operation) {
  return operation >= HSA_BRIG_ATOMIC_OPERATION_WAITTIMEOUT_EQ &&
         operation <= HSA_BRIG_ATOMIC_OPERATION_WAITTIMEOUT_GTE;
}

/// The address of the write or read index of a user mode queue; null if `address` cannot be that of a queue.
/// Reads the memory at that address, so that an invalid one may fault.
inline uint64_t* queue_index_of_kernel(uint64_t address, bool write_index) {
  if (address == 0 || address % alignof(hsa_user_mode_queue) != 0) return nullptr;
  auto* queue = reinterpret_cast<hsa_user_mode_queue*>(address);
  return __atomic_load_n(write_index ? &queue->write_index_ptr : &queue->read_index_ptr, __ATOMIC_RELAXED);
}

}  // namespace heddle::agents
