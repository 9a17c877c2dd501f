// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies between global and group memory by a whole work-group (OpenCL C 6.15.11). The work-items share the elements, and the copy is done when
// they have met at the barrier of wait_group_events, so that events hold nothing.

#define COPY(TO, FROM, T) \
  OVERLOAD event_t async_work_group_copy(TO T* to, const FROM T* from, size_t count, event_t event) { \
    for (size_t i = get_local_linear_id(); i < count; i += work_items_of_group()) to[i] = from[i]; \
    return event; \
  }
#define COPIES(T) \
  COPY(local, global, T) \
  COPY(global, local, T) \
  OVERLOAD event_t async_work_group_strided_copy(local T* to, const global T* from, size_t count, size_t stride, \
                                                            event_t event) { \
    for (size_t i = get_local_linear_id(); i < count; i += work_items_of_group()) to[i] = from[i * stride]; \
    return event; \
  } \
  OVERLOAD event_t async_work_group_strided_copy(global T* to, const local T* from, size_t count, size_t stride, \
                                                            event_t event) { \
    for (size_t i = get_local_linear_id(); i < count; i += work_items_of_group()) to[i * stride] = from[i]; \
    return event; \
  }
#define COPIES_OF(T) COPIES(T) FOR_VECTORS_OF(COPIES, T)
FOR_NUMBERS(COPIES_OF)

OVERLOAD COLLECTIVE void wait_group_events(int count, event_t* events) {
  work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
// Without the generic address space, the list of events is private.
OVERLOAD COLLECTIVE void wait_group_events(int count, private event_t* events) {
  work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
