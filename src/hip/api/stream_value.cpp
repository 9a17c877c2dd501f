// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values in memory for which streams wait, and that they write.
#include "functions.h"
#include "hip/core/capture.h"
#include "hip/core/copy.h"
#include "hip/core/failure.h"
#include "hip/core/runtime.h"
#include "hip/core/value_wait.h"

namespace heddle::hip::api {
namespace {

/// Checks that a value is in memory that the library knows and that hosts reach, where its size allows it.
void check_value(const void* address, size_t size) {
  if (address == nullptr || reinterpret_cast<uintptr_t>(address) % size != 0)
    throw Failure(hipErrorInvalidValue, "the address of a value is null or not a multiple of its size");
  const auto allocation = Runtime::get().memory().find(address);
  if (!allocation) throw Failure(hipErrorInvalidValue, "the memory was not allocated or registered");
  check_copy(address, address, size, hipMemcpyDefault);
  if (!host_reaches(address)) throw Failure(hipErrorNotSupported, "the host does not reach the memory");
}

hipError_t wait_in(hipStream_t stream, const ValueCondition& condition) {
  if (condition.flags > hipStreamWaitValueNor) return hipErrorInvalidValue;
  const auto target = Runtime::get().stream(stream);
  check_value(condition.address, condition.size);
  refuse_if_captured(*target);
  wait_for_value(*target, condition);
  return hipSuccess;
}

hipError_t write_in(hipStream_t stream, void* address, uint32_t size, uint64_t value) {
  const auto target = Runtime::get().stream(stream);
  check_value(address, size);
  refuse_if_captured(*target);
  write_value(*target, address, size, value);
  return hipSuccess;
}

}  // namespace

hipError_t hipStreamWaitValue32(hipStream_t stream, void* ptr, uint32_t value, unsigned int flags,
                                uint32_t mask) {
  return wait_in(stream, {ptr, 4, flags, value, mask});
}

hipError_t hipStreamWaitValue64(hipStream_t stream, void* ptr, uint64_t value, unsigned int flags,
                                uint64_t mask) {
  return wait_in(stream, {ptr, 8, flags, value, mask});
}

hipError_t hipStreamWriteValue32(hipStream_t stream, void* ptr, uint32_t value, unsigned int) {
  return write_in(stream, ptr, 4, value);
}

hipError_t hipStreamWriteValue64(hipStream_t stream, void* ptr, uint64_t value, unsigned int) {
  return write_in(stream, ptr, 8, value);
}

}  // namespace heddle::hip::api
