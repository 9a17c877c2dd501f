// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Grids whose work-groups wait for each other (HIP's cooperative launches). libamdhip64 puts a record in front of the arguments of each launch.

struct barrier {
  atomic_uint arrived;
  atomic_uint opened;  // how often
};

// Of several grids. It is broken if a device cannot arrive any more.
struct shared_barrier {
  struct barrier barrier;
  atomic_uint broken;
};

// As heddle::hip::LaunchRecord in src/hip/core/launch_record.h, which has the meaning of the fields.
struct launch_record {
  struct barrier grid;
  uint is_cooperative;
  uint grids;
  uint grid_rank;
  uint reserved;
  global struct shared_barrier* all_grids;
  ulong items_before;
  ulong items;
  ulong unused[2];
};

// Not 0 if there are records. Volatile, because the host stores to it behind the compiler's back.
static global volatile uint __heddle_launch_records;

static global struct launch_record* launch_record(void) {
  return __heddle_launch_records == 0 ? 0 : (global struct launch_record*)__hsail_kernargbaseptr_u64() - 1;
}

int __ockl_grid_is_valid(void) {
  global struct launch_record* record = launch_record();
  return record != 0 && record->is_cooperative != 0;
}
int __ockl_multi_grid_is_valid(void) {
  global struct launch_record* record = launch_record();
  return record != 0 && record->grids != 0;
}

// Rank and sizes of the grids that were launched together; without others, there is one grid.
uint __ockl_multi_grid_num_grids(void) { return __ockl_multi_grid_is_valid() ? launch_record()->grids : 1; }
uint __ockl_multi_grid_grid_rank(void) { return __ockl_multi_grid_is_valid() ? launch_record()->grid_rank : 0; }
uint __ockl_multi_grid_size(void) {
  if (__ockl_multi_grid_is_valid()) return (uint)launch_record()->items;
  return (uint)(get_global_size(0) * get_global_size(1) * get_global_size(2));
}
uint __ockl_multi_grid_thread_rank(void) {
  size_t group = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);
  size_t items = get_enqueued_local_size(0) * get_enqueued_local_size(1) * get_enqueued_local_size(2);
  ulong before = __ockl_multi_grid_is_valid() ? launch_record()->items_before : 0;
  return (uint)(before + group * items + __hsail_currentworkitemflatid_u32());
}

// Lets the work-group arrive, and chooses one work-item of those that have not ended. What they wrote is seen by the scope of whoever sees what
// the chosen one writes.
static COLLECTIVE bool arrive_and_lead(memory_scope scope) {
  local atomic_uint* leader = (local atomic_uint*)&__heddle_live_words()[LEADER];
  uint wave = get_sub_group_id();
  bool is_first = __hsail_activelaneid_u32() == 0;
  if (is_first) __opencl_atomic_store(leader, wave, memory_order_relaxed, memory_scope_work_group);
  meet_live(scope);
  return is_first && __opencl_atomic_load(leader, memory_order_relaxed, memory_scope_work_group) == wave;
}

// One work-item of each of `count` participants calls this. The last one gets true, and has to open the barrier; the others wait for that. If
// `broken` is not null, the kernel ends when it says that somebody will not arrive.
static bool is_last(global struct barrier* barrier, uint count, global atomic_uint* broken) {
  uint opened = __opencl_atomic_load(&barrier->opened, memory_order_relaxed, memory_scope_all_svm_devices);
  if (__opencl_atomic_fetch_add(&barrier->arrived, 1, memory_order_acq_rel, memory_scope_all_svm_devices) == count - 1) return true;
  while (__opencl_atomic_load(&barrier->opened, memory_order_acquire, memory_scope_all_svm_devices) == opened) {
    if (broken != 0 && __opencl_atomic_load(broken, memory_order_relaxed, memory_scope_all_svm_devices) != 0) __builtin_trap();
  }
  return false;
}
static void open(global struct barrier* barrier) {
  __opencl_atomic_store(&barrier->arrived, 0, memory_order_relaxed, memory_scope_all_svm_devices);
  __opencl_atomic_fetch_add(&barrier->opened, 1, memory_order_release, memory_scope_all_svm_devices);
}

// A grid that is not valid cannot be synchronized: its groups may not all be in progress.
COLLECTIVE void __ockl_grid_sync(void) {
  if (!__ockl_grid_is_valid()) __builtin_trap();
  global struct launch_record* record = launch_record();
  uint groups = (uint)(get_num_groups(0) * get_num_groups(1) * get_num_groups(2));
  if (arrive_and_lead(memory_scope_device) && is_last(&record->grid, groups, 0)) open(&record->grid);
  meet_live(memory_scope_device);
}
COLLECTIVE void __ockl_multi_grid_sync(void) {
  if (!__ockl_multi_grid_is_valid()) __builtin_trap();
  global struct launch_record* record = launch_record();
  uint groups = (uint)(get_num_groups(0) * get_num_groups(1) * get_num_groups(2));
  global struct shared_barrier* all = record->all_grids;
  // Groups wait for the one that waits for the other grids, which therefore ends the kernel for all.
  if (arrive_and_lead(memory_scope_all_svm_devices) && is_last(&record->grid, groups, 0)) {
    if (is_last(&all->barrier, record->grids, &all->broken)) open(&all->barrier);
    open(&record->grid);
  }
  meet_live(memory_scope_all_svm_devices);
}
