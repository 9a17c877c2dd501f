// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Those atomic functions of OpenCL C 6.15.12 that libclc lacks: arguments of mixed signs, and compare-and-swap whose expected value is in
// another address space than the object. clang makes atomic instructions of the builtin functions.

// The forms of atomic_fetch_OP: without order, with order, and with order and scope. Without them, an operation is sequentially consistent for
// the device.
#define FETCH(OP, SPACE, OBJECT, T, OPERAND) \
  OVERLOAD T atomic_fetch_##OP##_explicit(volatile SPACE OBJECT* object, OPERAND value, memory_order order, memory_scope scope) { \
    return __opencl_atomic_fetch_##OP(object, (T)value, order, scope); \
  } \
  OVERLOAD T atomic_fetch_##OP##_explicit(volatile SPACE OBJECT* object, OPERAND value, memory_order order) { \
    return __opencl_atomic_fetch_##OP(object, (T)value, order, memory_scope_device); \
  } \
  OVERLOAD T atomic_fetch_##OP(volatile SPACE OBJECT* object, OPERAND value) { \
    return __opencl_atomic_fetch_##OP(object, (T)value, memory_order_seq_cst, memory_scope_device); \
  }

#define FETCH_DIFFERENCE(OP) \
  FETCH(OP, global, atomic_ulong, ulong, long) \
  FETCH(OP, local, atomic_ulong, ulong, long) \
  FETCH(OP, generic, atomic_ulong, ulong, long)
FETCH_DIFFERENCE(add)
FETCH_DIFFERENCE(sub)

#define FETCH_MIXED(OP) \
  FETCH(OP, global, atomic_ulong, ulong, long) \
  FETCH(OP, global, atomic_long, long, ulong) \
  FETCH(OP, local, atomic_ulong, ulong, long) \
  FETCH(OP, local, atomic_long, long, ulong)
FETCH_MIXED(or)
FETCH_MIXED(xor)
FETCH_MIXED(and)
FETCH_MIXED(min)

#define COMPARE_EXCHANGE_FORMS(KIND, SPACE, EXPECTED_SPACE, T) \
  OVERLOAD bool atomic_compare_exchange_##KIND##_explicit(volatile SPACE atomic_##T* object, EXPECTED_SPACE T* expected, T desired, \
                                                          memory_order success, memory_order failure, memory_scope scope) { \
    T seen = *expected; \
    if (__opencl_atomic_compare_exchange_##KIND(object, &seen, desired, success, failure, scope)) return true; \
    *expected = seen; \
    return false; \
  } \
  OVERLOAD bool atomic_compare_exchange_##KIND##_explicit(volatile SPACE atomic_##T* object, EXPECTED_SPACE T* expected, T desired, \
                                                          memory_order success, memory_order failure) { \
    return atomic_compare_exchange_##KIND##_explicit(object, expected, desired, success, failure, memory_scope_device); \
  } \
  OVERLOAD bool atomic_compare_exchange_##KIND(volatile SPACE atomic_##T* object, EXPECTED_SPACE T* expected, T desired) { \
    return atomic_compare_exchange_##KIND##_explicit(object, expected, desired, memory_order_seq_cst, memory_order_seq_cst, \
                                                     memory_scope_device); \
  }

#define COMPARE_EXCHANGE(SPACE, EXPECTED_SPACE, T) \
  COMPARE_EXCHANGE_FORMS(strong, SPACE, EXPECTED_SPACE, T) \
  COMPARE_EXCHANGE_FORMS(weak, SPACE, EXPECTED_SPACE, T)

#define COMPARE_EXCHANGE_OF(T) \
  COMPARE_EXCHANGE(global, local, T) \
  COMPARE_EXCHANGE(global, private, T) \
  COMPARE_EXCHANGE(local, global, T) \
  COMPARE_EXCHANGE(local, private, T)
COMPARE_EXCHANGE_OF(int)
COMPARE_EXCHANGE_OF(uint)
COMPARE_EXCHANGE_OF(long)
COMPARE_EXCHANGE_OF(ulong)
COMPARE_EXCHANGE_OF(float)
COMPARE_EXCHANGE_OF(double)
