// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on the indices of queues (Runtime 2.5.5.9 to 2.5.5.24), each a single atomic access. Memory
// orders stronger than relaxed are implemented as sequentially consistent, as the "sc" in their names says.
#include "runtime/api/api.h"

using Client = heddle::driver::Client;

namespace {

template <int order>
uint64_t compare_and_swap(const hsa_queue_t* queue, uint64_t expected, uint64_t value) {
  uint64_t observed = expected;
  if (!__atomic_compare_exchange_n(Client::write_index(queue), &observed, value, false, order, order))
    heddle::runtime::api::swap_failed();
  return observed;
}

}  // namespace

namespace heddle::runtime::functions {

uint64_t hsa_queue_load_read_index_scacquire(const hsa_queue_t* queue) {
  return __atomic_load_n(Client::read_index(queue), __ATOMIC_SEQ_CST);
}
uint64_t hsa_queue_load_read_index_relaxed(const hsa_queue_t* queue) {
  return __atomic_load_n(Client::read_index(queue), __ATOMIC_RELAXED);
}
uint64_t hsa_queue_load_write_index_scacquire(const hsa_queue_t* queue) {
  return __atomic_load_n(Client::write_index(queue), __ATOMIC_SEQ_CST);
}
uint64_t hsa_queue_load_write_index_relaxed(const hsa_queue_t* queue) {
  return __atomic_load_n(Client::write_index(queue), __ATOMIC_RELAXED);
}

void hsa_queue_store_write_index_relaxed(const hsa_queue_t* queue, uint64_t value) {
  __atomic_store_n(Client::write_index(queue), value, __ATOMIC_RELAXED);
}
void hsa_queue_store_write_index_screlease(const hsa_queue_t* queue, uint64_t value) {
  __atomic_store_n(Client::write_index(queue), value, __ATOMIC_SEQ_CST);
}
void hsa_queue_store_read_index_relaxed(const hsa_queue_t* queue, uint64_t value) {
  __atomic_store_n(Client::read_index(queue), value, __ATOMIC_RELAXED);
}
void hsa_queue_store_read_index_screlease(const hsa_queue_t* queue, uint64_t value) {
  __atomic_store_n(Client::read_index(queue), value, __ATOMIC_SEQ_CST);
}

uint64_t hsa_queue_cas_write_index_scacq_screl(const hsa_queue_t* queue, uint64_t expected, uint64_t value) {
  return compare_and_swap<__ATOMIC_SEQ_CST>(queue, expected, value);
}
uint64_t hsa_queue_cas_write_index_scacquire(const hsa_queue_t* queue, uint64_t expected, uint64_t value) {
  return compare_and_swap<__ATOMIC_SEQ_CST>(queue, expected, value);
}
uint64_t hsa_queue_cas_write_index_relaxed(const hsa_queue_t* queue, uint64_t expected, uint64_t value) {
  return compare_and_swap<__ATOMIC_RELAXED>(queue, expected, value);
}
uint64_t hsa_queue_cas_write_index_screlease(const hsa_queue_t* queue, uint64_t expected, uint64_t value) {
  return compare_and_swap<__ATOMIC_SEQ_CST>(queue, expected, value);
}

uint64_t hsa_queue_add_write_index_scacq_screl(const hsa_queue_t* queue, uint64_t value) {
  return __atomic_fetch_add(Client::write_index(queue), value, __ATOMIC_SEQ_CST);
}
uint64_t hsa_queue_add_write_index_scacquire(const hsa_queue_t* queue, uint64_t value) {
  return __atomic_fetch_add(Client::write_index(queue), value, __ATOMIC_SEQ_CST);
}
uint64_t hsa_queue_add_write_index_relaxed(const hsa_queue_t* queue, uint64_t value) {
  return __atomic_fetch_add(Client::write_index(queue), value, __ATOMIC_RELAXED);
}
uint64_t hsa_queue_add_write_index_screlease(const hsa_queue_t* queue, uint64_t value) {
  return __atomic_fetch_add(Client::write_index(queue), value, __ATOMIC_SEQ_CST);
}

}  // namespace heddle::runtime::functions
