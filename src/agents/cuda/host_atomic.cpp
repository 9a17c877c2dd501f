// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/host_atomic.h"

#include <hsa/hsa_brig_modifiers.h>

#include <algorithm>
#include <type_traits>

namespace heddle::cuda {
namespace {

template <typename T>
T smaller(T a, T b, bool is_signed) {
  using Signed = std::make_signed_t<T>;
  const bool less = is_signed ? static_cast<Signed>(a) < static_cast<Signed>(b) : a < b;
  return less ? a : b;
}

/// What the operation stores where `old` was; nothing if it is no operation that reads and writes.
template <typename T>
std::optional<T> next_value(const HostAtomic& atomic, T old) {
  const T value = static_cast<T>(atomic.value);
  switch (atomic.operation) {
    case HSA_BRIG_ATOMIC_OPERATION_ADD:
      return old + value;
    case HSA_BRIG_ATOMIC_OPERATION_SUB:
      return old - value;
    case HSA_BRIG_ATOMIC_OPERATION_AND:
      return old & value;
    case HSA_BRIG_ATOMIC_OPERATION_OR:
      return old | value;
    case HSA_BRIG_ATOMIC_OPERATION_XOR:
      return old ^ value;
    case HSA_BRIG_ATOMIC_OPERATION_EXCH:
    case HSA_BRIG_ATOMIC_OPERATION_ST:
      return value;
    case HSA_BRIG_ATOMIC_OPERATION_CAS:
      return old == value ? static_cast<T>(atomic.second) : old;
    case HSA_BRIG_ATOMIC_OPERATION_MIN:
      return smaller(old, value, atomic.is_signed);
    case HSA_BRIG_ATOMIC_OPERATION_MAX:
      return smaller(old, value, atomic.is_signed) == old ? value : old;
    case HSA_BRIG_ATOMIC_OPERATION_WRAPINC:
      return old >= value ? 0 : old + 1;
    case HSA_BRIG_ATOMIC_OPERATION_WRAPDEC:
      return old == 0 || old > value ? value : old - 1;
    default:
      return std::nullopt;
  }
}

template <typename T>
std::optional<uint64_t> perform(const HostAtomic& atomic, T* address) {
  T old = __atomic_load_n(address, __ATOMIC_SEQ_CST);
  if (atomic.operation == HSA_BRIG_ATOMIC_OPERATION_LD) return old;
  while (true) {
    const std::optional<T> next = next_value(atomic, old);
    if (!next) return std::nullopt;
    if (__atomic_compare_exchange_n(address, &old, *next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
      return old;
  }
}

}  // namespace

std::optional<uint64_t> perform_atomic(const HostAtomic& atomic, void* address, uint32_t size) {
  if (size == sizeof(uint32_t)) return perform(atomic, static_cast<uint32_t*>(address));
  if (size == sizeof(uint64_t)) return perform(atomic, static_cast<uint64_t*>(address));
  return std::nullopt;
}

}  // namespace heddle::cuda
