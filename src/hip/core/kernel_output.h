// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels print (docs/device-libraries.md, "printf").
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "hip/core/device.h"
#include "support/kernel_printf.h"

namespace heddle::hip {

struct Variable;

/// The buffer of one program on one device. All functions are thread safe.
class KernelOutput {
 public:
  /// Allocates a buffer and stores its address into the variable. There are no formats if the program has
  /// only assertions, whose records have theirs. Throws Failure.
  KernelOutput(Device& device, const Variable& buffer, const std::optional<Variable>& formats);
  ~KernelOutput();
  KernelOutput(const KernelOutput&) = delete;
  KernelOutput& operator=(const KernelOutput&) = delete;

  /// Writes what was printed to standard output, and empties the buffer. No kernel may be running. Ends the
  /// process if a kernel has called abort, as HIP says.
  void print();
  /// Prints and ends the process if a kernel has called abort; otherwise kernels may be running.
  void obey_abort();
  /// Whether the buffer is filled by more than half.
  bool is_pressing() const;

 private:
  void clear();

  Device& device_;
  std::mutex mutex_;
  size_t size_;
  std::byte* memory_;
  PrintfFormats formats_;
};

}  // namespace heddle::hip
