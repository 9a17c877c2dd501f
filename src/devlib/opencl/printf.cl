// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Room for printf. LLVM turns each call of printf, in OpenCL C and in HIP, into a call of __printf_alloc and stores of the arguments
// (docs/device-libraries.md has the format). The host gives the buffer by storing its address into the variable, which it finds by name.

// As heddle::printf_buffer_header in src/support/kernel_printf.h, which has the meaning of the fields.
struct printf_buffer {
  uint capacity;
  atomic_uint used;
  atomic_uint lost;
  atomic_uint aborted;
  uint data[];
};

// Volatile, because the host stores to it behind the compiler's back.
static global struct printf_buffer* volatile __heddle_printf_buffer;

// A record has the number of its bytes first, so that the host finds the next one. The end of the records never passes the capacity: what does not
// fit takes nothing and is counted.
global void* __printf_alloc(uint bytes) {
  global struct printf_buffer* buffer = __heddle_printf_buffer;
  if (buffer == 0) return 0;
  uint size = (bytes + 7) / 4 * 4;
  uint used = __opencl_atomic_load(&buffer->used, memory_order_relaxed, memory_scope_all_svm_devices);
  do {
    if (size < bytes || buffer->capacity < used || buffer->capacity - used < size) {
      __opencl_atomic_fetch_add(&buffer->lost, 1, memory_order_relaxed, memory_scope_all_svm_devices);
      return 0;
    }
  } while (!__opencl_atomic_compare_exchange_strong(&buffer->used, &used, used + size, memory_order_relaxed, memory_order_relaxed,
                                                    memory_scope_all_svm_devices));
  buffer->data[used / 4] = bytes;
  return &buffer->data[used / 4 + 1];
}

// What abort is in kernels of HIP: the host ends the process when it sees why the kernel has failed.
__attribute__((noinline)) void __heddle_abort(void) {
  global struct printf_buffer* buffer = __heddle_printf_buffer;
  if (buffer != 0) __opencl_atomic_store(&buffer->aborted, 1, memory_order_release, memory_scope_all_svm_devices);
  __builtin_trap();
}
