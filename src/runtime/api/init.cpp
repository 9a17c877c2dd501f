// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Initialization, shutdown and status codes (Runtime 2.1, 2.2).
#include "runtime/api/api.h"

using namespace heddle::runtime;

namespace {

struct StatusText {
  hsa_status_t status;
  const char* text;
};

constexpr StatusText status_texts[] = {
    {HSA_STATUS_SUCCESS, "success"},
    {HSA_STATUS_INFO_BREAK, "a callback ended the iteration early"},
    {HSA_STATUS_ERROR, "an error without a more specific code"},
    {HSA_STATUS_ERROR_INVALID_ARGUMENT, "an argument is invalid"},
    {HSA_STATUS_ERROR_INVALID_QUEUE_CREATION, "the agent has no queues of the requested type"},
    {HSA_STATUS_ERROR_INVALID_ALLOCATION, "the allocation is not allowed, or too large"},
    {HSA_STATUS_ERROR_INVALID_AGENT, "the agent is invalid"},
    {HSA_STATUS_ERROR_INVALID_REGION, "the region is invalid"},
    {HSA_STATUS_ERROR_INVALID_SIGNAL, "the signal is invalid"},
    {HSA_STATUS_ERROR_INVALID_QUEUE, "the queue is invalid"},
    {HSA_STATUS_ERROR_OUT_OF_RESOURCES, "a resource is exhausted"},
    {HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, "a packet is malformed"},
    {HSA_STATUS_ERROR_RESOURCE_FREE, "a resource could not be released"},
    {HSA_STATUS_ERROR_NOT_INITIALIZED, "the runtime is not initialized"},
    {HSA_STATUS_ERROR_REFCOUNT_OVERFLOW, "the runtime has too many references"},
    {HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, "the arguments do not fit each other"},
    {HSA_STATUS_ERROR_INVALID_INDEX, "the index is out of range"},
    {HSA_STATUS_ERROR_INVALID_ISA, "the instruction set architecture is invalid"},
    {HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "the code object is invalid"},
    {HSA_STATUS_ERROR_INVALID_EXECUTABLE, "the executable is invalid"},
    {HSA_STATUS_ERROR_FROZEN_EXECUTABLE, "the executable is frozen"},
    {HSA_STATUS_ERROR_INVALID_SYMBOL_NAME, "there is no symbol of that name"},
    {HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED, "the variable is already defined"},
    {HSA_STATUS_ERROR_VARIABLE_UNDEFINED, "a variable is undefined"},
    {HSA_STATUS_ERROR_EXCEPTION, "an HSAIL operation raised an exception"},
    {HSA_STATUS_ERROR_INVALID_ISA_NAME, "there is no instruction set architecture of that name"},
    {HSA_STATUS_ERROR_INVALID_CODE_SYMBOL, "the code symbol is invalid"},
    {HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL, "the executable symbol is invalid"},
    {HSA_STATUS_ERROR_INVALID_FILE, "the file descriptor is invalid"},
    {HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER, "the code object reader is invalid"},
    {HSA_STATUS_ERROR_INVALID_CACHE, "the cache is invalid"},
    {HSA_STATUS_ERROR_INVALID_WAVEFRONT, "the wavefront is invalid"},
    {HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP, "the signal group is invalid"},
    {HSA_STATUS_ERROR_INVALID_RUNTIME_STATE, "the runtime is not in the configuration state"},
    {HSA_STATUS_ERROR_FATAL, "an error may have damaged the process"},
    {HSA_EXT_STATUS_ERROR_INVALID_PROGRAM, "the HSAIL program is invalid"},
    {HSA_EXT_STATUS_ERROR_INVALID_MODULE, "the HSAIL module is invalid"},
    {HSA_EXT_STATUS_ERROR_INCOMPATIBLE_MODULE, "the HSAIL module does not fit the program"},
    {HSA_EXT_STATUS_ERROR_MODULE_ALREADY_INCLUDED, "the HSAIL module is in the program already"},
    {HSA_EXT_STATUS_ERROR_SYMBOL_MISMATCH, "a declaration and a definition of HSAIL modules disagree"},
    {HSA_EXT_STATUS_ERROR_FINALIZATION_FAILED, "the finalization failed"},
    {HSA_EXT_STATUS_ERROR_DIRECTIVE_MISMATCH, "control directives disagree"},
    {HSA_EXT_STATUS_ERROR_INVALID_CODE_OBJECT_WRITER, "the code object writer is invalid"},
    {HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED, "the image format is not supported"},
    {HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED, "the image size is not supported"},
    {HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED, "the image pitch is not supported"},
    {HSA_EXT_STATUS_ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED, "the sampler descriptor is not supported"},
    {HSA_EXT_STATUS_ERROR_INVALID_SESSION_STATE, "the performance counter session is in the wrong state"},
    {HSA_EXT_STATUS_ERROR_INVALID_SAMPLING_CONTEXT, "the performance counter cannot be read now"},
    {HSA_EXT_STATUS_ERROR_CANNOT_STOP_SESSION, "the performance counter session cannot be stopped"},
    {HSA_EXT_STATUS_ERROR_EVENTS_NOT_INITIALIZED, "the extension is not initialized"},
    {HSA_EXT_STATUS_ERROR_ALREADY_INITIALIZED, "the extension is initialized already"},
    {HSA_EXT_STATUS_ERROR_OUT_OF_EVENTS, "there are no more events"},
    {HSA_EXT_STATUS_ERROR_EVENT_NOT_REGISTERED, "the event is not registered"},
    {HSA_EXT_STATUS_ERROR_CANNOT_USE_PRODUCERS, "an event producer cannot be used"},
    {HSA_EXT_STATUS_ERROR_INVALID_LOG, "the log is invalid"},
    {HSA_STATUS_ERROR_INVALID_MEMORY_POOL, "the memory pool is invalid"},
    {HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION, "an address is outside of its segment"},
    {HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION, "an agent met an instruction that it does not have"},
    {HSA_STATUS_ERROR_MEMORY_FAULT, "an agent accessed memory that it must not access"},
    {HSA_STATUS_CU_MASK_REDUCED, "success, but some compute units of the mask stay disabled"},
    {HSA_STATUS_ERROR_OUT_OF_REGISTERS, "a kernel needs more registers than there are"},
    {HSA_STATUS_ERROR_RESOURCE_BUSY, "a resource is in use"},
};

}  // namespace

namespace heddle::runtime::functions {

// These two functions do not use guard(), because they create and destroy the runtime that guard() requires.
hsa_status_t hsa_init() {
  const uint64_t begin = heddle::driver::timestamp();
  const hsa_status_t status = api::without_exceptions(Runtime::init);
  api::report_call("hsa_init", begin, status);
  return status;
}

hsa_status_t hsa_shut_down() {
  const uint64_t begin = heddle::driver::timestamp();
  const hsa_status_t status = api::without_exceptions(Runtime::shut_down);
  api::report_call("hsa_shut_down", begin, status);
  return status;
}

hsa_status_t hsa_status_string(hsa_status_t status, const char** status_string) {
  return api::guard_in_configuration([&](Runtime&) {
    if (status_string == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    for (const StatusText& entry : status_texts) {
      if (entry.status != status) continue;
      *status_string = entry.text;
      return HSA_STATUS_SUCCESS;
    }
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

}  // namespace heddle::runtime::functions
