// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers and fences (OpenCL C 6.15.8, 6.15.12.6). HSAIL's barrier orders nothing but relaxed atomics (PRM 9.3), and its fences concern global and
// group memory alike (PRM 6.2.3). A fence that is asked to order nothing is left out; one that is asked to order either kind of memory orders both.

#define FENCES(order) \
  static void fence_##order(memory_scope scope) { \
    switch (scope) { \
      case memory_scope_work_item: break; \
      case memory_scope_sub_group: __hsail_memfence_##order##_wave(); break; \
      case memory_scope_work_group: __hsail_memfence_##order##_wg(); break; \
      case memory_scope_device: __hsail_memfence_##order##_agent(); break; \
      default: __hsail_memfence_##order##_system(); break; \
    } \
  }
FENCES(scacq)
FENCES(screl)
FENCES(scar)

#define MEMORY_FLAGS (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

OVERLOAD void atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope) {
  if (flags & CLK_IMAGE_MEM_FENCE) __hsail_imagefence();
  if (!(flags & MEMORY_FLAGS)) return;
  switch (order) {
    case memory_order_relaxed: break;
    case memory_order_acquire: fence_scacq(scope); break;
    case memory_order_release: fence_screl(scope); break;
    default: fence_scar(scope); break;
  }
}

// Scopes of the fences of OpenCL 1.x: group memory is seen by the group alone.
static memory_scope scope_of(cl_mem_fence_flags flags) {
  return flags & CLK_GLOBAL_MEM_FENCE ? memory_scope_device : memory_scope_work_group;
}

OVERLOAD void mem_fence(cl_mem_fence_flags flags) { atomic_work_item_fence(flags, memory_order_acq_rel, scope_of(flags)); }
OVERLOAD void read_mem_fence(cl_mem_fence_flags flags) { atomic_work_item_fence(flags, memory_order_acquire, scope_of(flags)); }
OVERLOAD void write_mem_fence(cl_mem_fence_flags flags) { atomic_work_item_fence(flags, memory_order_release, scope_of(flags)); }

// What was written before the barrier is seen behind it. An image fence on each side makes writes to images seen by the group (PRM 7.1.10).
OVERLOAD COLLECTIVE void work_group_barrier(cl_mem_fence_flags flags, memory_scope scope) {
  atomic_work_item_fence(flags, memory_order_release, scope);
  __hsail_barrier();
  atomic_work_item_fence(flags, memory_order_acquire, scope);
}

OVERLOAD COLLECTIVE void work_group_barrier(cl_mem_fence_flags flags) { work_group_barrier(flags, memory_scope_work_group); }
// OpenCL 1.x says of barrier(CLK_GLOBAL_MEM_FENCE) only that the work-group sees what its work-items wrote.
OVERLOAD COLLECTIVE void barrier(cl_mem_fence_flags flags) { work_group_barrier(flags, memory_scope_work_group); }

OVERLOAD COLLECTIVE void sub_group_barrier(cl_mem_fence_flags flags, memory_scope scope) {
  atomic_work_item_fence(flags, memory_order_release, scope);
  __hsail_wavebarrier();
  atomic_work_item_fence(flags, memory_order_acquire, scope);
}

OVERLOAD COLLECTIVE void sub_group_barrier(cl_mem_fence_flags flags) { sub_group_barrier(flags, memory_scope_sub_group); }
