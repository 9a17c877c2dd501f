// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/kernel_output.h"

#include <fmt/format.h>
#include <hsa/hsa_ext_amd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "hip/core/failure.h"
#include "hip/core/log.h"
#include "hip/core/program.h"

namespace heddle::hip {
namespace {

std::string contents_of(const Variable& variable) {
  std::string bytes(variable.size, '\0');
  check(hsa_memory_copy(bytes.data(), variable.address, variable.size), "the formats of printf");
  return bytes;
}

/// What a kernel asks for that calls abort.
[[noreturn]] void end_process() {
  log(LogLevel::error, log_kernel, "a kernel has called abort");
  std::fflush(stdout);
  std::abort();
}

}  // namespace

KernelOutput::KernelOutput(Device& device, const Variable& buffer, const std::optional<Variable>& formats)
    : device_(device),
      size_(std::clamp<size_t>(device.settings().printf_size, 4096, size_t{1} << 31)),
      memory_(static_cast<std::byte*>(device.allocate_arguments(size_))),
      formats_(formats ? contents_of(*formats) : std::string()) {
  clear();
  const hsa_status_t status =
      hsa_memory_copy(buffer.address, static_cast<const void*>(&memory_), sizeof memory_);
  if (status != HSA_STATUS_SUCCESS) hsa_amd_memory_pool_free(memory_);
  check(status, "the buffer of printf");
  device_.outputs().add(*this);
}

KernelOutput::~KernelOutput() {
  device_.outputs().remove(*this);
  hsa_amd_memory_pool_free(memory_);
}

void KernelOutput::clear() {
  const PrintfBufferHeader header{
      .capacity = static_cast<uint32_t>(size_ - sizeof header), .used = 0, .lost = 0, .aborted = 0};
  std::memcpy(memory_, &header, sizeof header);
}

void KernelOutput::obey_abort() {
  const auto* const header = reinterpret_cast<const PrintfBufferHeader*>(memory_);
  if (__atomic_load_n(&header->aborted, __ATOMIC_ACQUIRE) != 0) print();
}

bool KernelOutput::is_pressing() const {
  const auto* const header = reinterpret_cast<const PrintfBufferHeader*>(memory_);
  return __atomic_load_n(&header->used, __ATOMIC_RELAXED) > header->capacity / 2;
}

void KernelOutput::print() {
  const std::scoped_lock lock(mutex_);
  PrintfBufferHeader header{};
  std::memcpy(&header, memory_, sizeof header);
  if (header.used == 0 && header.lost == 0 && header.aborted == 0) return;
  const PrintfText printed = printf_text({memory_, size_}, formats_);
  std::fwrite(printed.text.data(), 1, printed.text.size(), stdout);
  if (header.lost != 0)
    log(LogLevel::warning, log_kernel,
        fmt::format("{} calls of printf were lost: the buffer was full", header.lost));
  if (printed.malformed != 0)
    log(LogLevel::warning, log_kernel,
        fmt::format("{} calls of printf do not fit their formats", printed.malformed));
  if (header.aborted != 0) end_process();
  clear();
}

}  // namespace heddle::hip
