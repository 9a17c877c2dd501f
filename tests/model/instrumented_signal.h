// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hsam/signal.h itself, with its atomic operations and system calls done by the explorer. The build makes
// signal_under_test.h from it: loops that poll are shorter there, and in mutations one line is wrong.
#pragma once

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <hsam/hsam.h>

#include "explorer.h"

namespace heddle::model {

template <typename T>
uint64_t bits(T value) {
  if constexpr (std::is_pointer_v<T> || std::is_null_pointer_v<T>)
    return reinterpret_cast<uint64_t>(static_cast<const void*>(value));
  else
    return static_cast<uint64_t>(static_cast<std::make_unsigned_t<T>>(value));
}
template <typename T>
T from_bits(uint64_t bits) {
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<T>(bits);
  else
    return static_cast<T>(bits);
}
template <typename T>
using Plain = std::remove_cv_t<T>;

template <typename T>
Plain<T> load(T* word, int order) {
  return from_bits<Plain<T>>(operate(Kind::load, const_cast<Plain<T>*>(word), sizeof(T), 0, 0, order));
}
template <typename T, typename V>
void store(T* word, V value, int order) {
  operate(Kind::store, word, sizeof(T), bits(static_cast<T>(value)), 0, order);
}
template <Kind kind, typename T, typename V>
T update(T* word, V value, int order) {
  return from_bits<T>(operate(kind, word, sizeof(T), bits(static_cast<T>(value)), 0, order));
}
template <typename T, typename V>
bool compare_exchange(T* word, T* expected, V value, int order) {
  const T wanted = *expected;
  *expected = from_bits<T>(
      operate(Kind::compare_exchange, word, sizeof(T), bits(static_cast<T>(value)), bits(wanted), order));
  return *expected == wanted;
}
template <typename... Rest>
long system_call(long number, void* word, int operation, uint32_t argument, const void* timeout, Rest...) {
  return futex(number, word, operation, argument, timeout);
}

}  // namespace heddle::model

#define __atomic_load_n(word, order) heddle::model::load(word, order)
#define __atomic_store_n(word, value, order) heddle::model::store(word, value, order)
#define __atomic_exchange_n(word, value, order) \
  heddle::model::update<heddle::model::Kind::exchange>(word, value, order)
#define __atomic_fetch_add(word, value, order) \
  heddle::model::update<heddle::model::Kind::add>(word, value, order)
#define __atomic_fetch_sub(word, value, order) \
  heddle::model::update<heddle::model::Kind::add>(word, -(value), order)
#define __atomic_fetch_and(word, value, order) \
  heddle::model::update<heddle::model::Kind::bit_and>(word, value, order)
#define __atomic_fetch_or(word, value, order) \
  heddle::model::update<heddle::model::Kind::bit_or>(word, value, order)
#define __atomic_fetch_xor(word, value, order) \
  heddle::model::update<heddle::model::Kind::bit_xor>(word, value, order)
#define __atomic_compare_exchange_n(word, expected, value, weak, success, failure) \
  heddle::model::compare_exchange(word, expected, value, success)
#define __atomic_thread_fence(order) \
  heddle::model::operate(heddle::model::Kind::fence, nullptr, 0, 0, 0, order)
#define syscall heddle::model::system_call
#define clock_gettime(clock, time) (*(time) = timespec{}, 0)
#define sched_yield() ((void)0)

#include "signal_under_test.h"

#undef syscall
#undef clock_gettime
#undef sched_yield
