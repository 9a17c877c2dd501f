// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic operations of OpenCL C 6.15.12: C11's with all orders and scopes, those of OpenCL C 1.x, and of floating point.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define AT get_global_id(0)
#define ME get_local_id(0)

#define ORDERS_OF_SCOPE(OPERATION, SCOPE) \
  OPERATION(memory_order_relaxed, SCOPE) OPERATION(memory_order_acquire, SCOPE) OPERATION(memory_order_release, SCOPE) \
  OPERATION(memory_order_acq_rel, SCOPE) OPERATION(memory_order_seq_cst, SCOPE)
#define ALL_ORDERS(OPERATION) \
  ORDERS_OF_SCOPE(OPERATION, memory_scope_work_item) ORDERS_OF_SCOPE(OPERATION, memory_scope_sub_group) \
  ORDERS_OF_SCOPE(OPERATION, memory_scope_work_group) ORDERS_OF_SCOPE(OPERATION, memory_scope_device) \
  ORDERS_OF_SCOPE(OPERATION, memory_scope_all_svm_devices)

// One work-item owns each number, since the narrowest scopes order nothing else.
kernel void orders_of_fetch(global atomic_int* numbers) {
#define ADD(order, scope) atomic_fetch_add_explicit(&numbers[AT], 3, order, scope);
  ALL_ORDERS(ADD)
}
kernel void orders_of_exchange(global int* out, global atomic_int* numbers) {
  int sum = 0;
#define EXCHANGE(order, scope) sum = sum * 2 + atomic_exchange_explicit(&numbers[AT], sum & 15, order, scope);
  ALL_ORDERS(EXCHANGE)
  out[AT] = sum;
}
kernel void orders_of_loads_and_stores(global long* out, global atomic_long* numbers) {
  long sum = 0;
#define LOAD(order, scope) \
  if (order == memory_order_relaxed || order == memory_order_acquire || order == memory_order_seq_cst) \
    sum += atomic_load_explicit(&numbers[AT], order == memory_order_release || order == memory_order_acq_rel ? memory_order_relaxed : order, scope);
#define STORE(order, scope) \
  if (order == memory_order_relaxed || order == memory_order_release || order == memory_order_seq_cst) \
    atomic_store_explicit(&numbers[AT], sum, order == memory_order_acquire || order == memory_order_acq_rel ? memory_order_relaxed : order, scope);
  ALL_ORDERS(LOAD)
  ALL_ORDERS(STORE)
  out[AT] = sum;
}
kernel void orders_of_exchange_if_equal(global int* out, global atomic_uint* numbers) {
  int count = 0;
#define COMPARE(order, scope) { \
  uint expected = (uint)AT + count; \
  count += atomic_compare_exchange_strong_explicit(&numbers[AT], &expected, expected + 1, order, memory_order_relaxed, scope); }
  ALL_ORDERS(COMPARE)
  out[AT] = count;
}
kernel void orders_of_local(global int* out, local atomic_int* numbers) {
  atomic_init(&numbers[ME], (int)AT);
#define OR(order, scope) atomic_fetch_or_explicit(&numbers[ME], 4, order, scope); atomic_fetch_sub_explicit(&numbers[ME], 1, order, scope);
  ALL_ORDERS(OR)
  out[AT] = atomic_load(&numbers[ME]);
}
kernel void fetch_int(global atomic_int* c, global int* total) {
  atomic_fetch_add(&c[0], (int)AT);
  atomic_fetch_sub(&c[1], 2);
  atomic_fetch_or(&c[2], 1 << (AT & 31));
  atomic_fetch_and(&c[3], ~(1 << (AT & 15)));
  atomic_fetch_xor(&c[4], (int)AT);
  atomic_fetch_max(&c[5], (int)AT);
  atomic_fetch_min(&c[6], -(int)AT);
  if (AT == 0) *total = 7;
}
kernel void fetch_ulong(global atomic_ulong* c) {
  atomic_fetch_add(&c[0], AT << 32);
  atomic_fetch_sub(&c[1], AT);
  atomic_fetch_or(&c[2], 1ul << (AT & 63));
  atomic_fetch_and(&c[3], ~(1ul << (AT & 31)));
  atomic_fetch_xor(&c[4], AT * 3);
  atomic_fetch_max(&c[5], AT << 40);
  atomic_fetch_min(&c[6], ~AT);
}
kernel void fetch_float(global atomic_float* f, global atomic_double* d) {
  atomic_fetch_add(&f[0], 0.5f);
  atomic_fetch_max(&f[1], (float)AT);
  atomic_fetch_min(&f[2], -(float)AT);
  atomic_fetch_add(&d[0], 0.25);
  atomic_fetch_min(&d[1], -2.0 * AT);
}
kernel void fetch_local(global uint* out) {
  local atomic_uint sum, most;
  if (ME == 0) {
    atomic_store(&sum, 0u);
    atomic_store(&most, 0u);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_fetch_add_explicit(&sum, (uint)ME, memory_order_relaxed, memory_scope_work_group);
  atomic_fetch_max_explicit(&most, (uint)AT, memory_order_relaxed, memory_scope_work_group);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[AT] = atomic_load(&sum) * 1000 + atomic_load(&most);
}
kernel void old_functions(global int* c, global uint* u) {
  atomic_add(&c[0], 3);
  atomic_sub(&c[1], 1);
  atomic_inc(&c[2]);
  atomic_dec(&c[3]);
  atomic_min(&c[4], -(int)AT);
  atomic_max(&c[5], (int)AT);
  atomic_and(&u[0], ~(1u << (AT & 7)));
  atomic_or(&u[1], (uint)AT);
  atomic_xor(&u[2], (uint)AT);
  atomic_xchg(&u[3], 99u);
}
kernel void old_functions_long(global long* c) {
  atom_add(&c[0], (long)AT);
  atom_inc(&c[1]);
  atom_max(&c[2], (long)AT << 33);
  atom_xor(&c[3], (long)AT * 5);
}
kernel void old_exchange_if_equal(global int* counter) {
  int seen = *counter, found;
  while ((found = atomic_cmpxchg(counter, seen, seen + (int)AT)) != seen) seen = found;
}
kernel void weak_exchange_loop(global atomic_int* counter) {
  int seen = atomic_load_explicit(counter, memory_order_relaxed, memory_scope_device);
  while (!atomic_compare_exchange_weak_explicit(counter, &seen, seen ^ (int)(AT * 7), memory_order_acq_rel, memory_order_relaxed,
                                                memory_scope_device)) {}
}
kernel void exchanged_values(global int* taken, global atomic_int* slot) {
  // Each value is stored once and taken once, but for the last one.
  const int before = atomic_exchange(slot, (int)AT + 1);
  taken[before] += 1;
}
kernel void flags(global atomic_flag* flag, global uint* winners, global uint* unlocked) {
  if (!atomic_flag_test_and_set(flag)) atomic_inc(winners);
  if (AT == 0) {
    atomic_flag_clear_explicit(flag + 1, memory_order_release, memory_scope_device);
    *unlocked = !atomic_flag_test_and_set_explicit(flag + 1, memory_order_acquire, memory_scope_device);
  }
}
kernel void pass_on(global int* data, global atomic_int* turn, global int* out) {
  // Group by group, each waits for the one before it.
  if (ME == 0) {
    const int group = (int)get_group_id(0);
    while (atomic_load_explicit(turn, memory_order_acquire, memory_scope_device) != group) {}
    *data = *data * 3 + group;
    out[group] = *data;
    atomic_store_explicit(turn, group + 1, memory_order_release, memory_scope_device);
  }
}
kernel void pass_on_by_fences(global int* data, global atomic_int* turn, global int* out) {
  if (ME == 0) {
    const int group = (int)get_group_id(0);
    while (atomic_load_explicit(turn, memory_order_relaxed, memory_scope_device) != group) {}
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
    *data += group + 1;
    out[group] = *data;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
    atomic_store_explicit(turn, group + 1, memory_order_relaxed, memory_scope_device);
  }
}
kernel void generic_atomics(global int* out, global atomic_int* counters) {
  local atomic_int own[2];
  if (ME < 2) atomic_init(&own[ME], 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_int* counter = AT % 2 == 0 ? (atomic_int*)&own[0] : (atomic_int*)&counters[get_group_id(0)];
  atomic_fetch_add(counter, 1);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  out[AT] = atomic_load(&own[0]);
}
