// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the finalizer hands to LLVM's back end for NVIDIA GPUs, executed on the host: it shows what lowering
// and LLVM's passes have made of a kernel where there is no GPU. What the back end and NVIDIA's compiler do
// afterwards is not executed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "support/result.h"

namespace heddle::cuda::fake {

/// One module of LLVM IR for NVPTX, compiled for the host. Special registers, operations of warps and
/// barriers have become calls of device_functions.h, and PTX in the text has become instructions of LLVM.
/// Entries run in threads of a ThreadGrid only.
class LoweredCode {
 public:
  /// Compiles IR as text. The error names what is not known here, or says that this build of the fake only
  /// interprets.
  static Result<std::unique_ptr<LoweredCode>, Error> compile(std::string_view ir);
  virtual ~LoweredCode() = default;

  /// An entry: the address of the kernarg segment, and that of Hidden.
  using Entry = void (*)(const void* kernarg, const void* hidden);
  /// Null if there is no such entry.
  virtual Entry entry(const std::string& name) const = 0;
  /// The words of a variable; null if the module has none of this name.
  virtual uint64_t* words(const char* name) const = 0;
  /// Bytes of shared memory before those that the launch asks for.
  virtual uint32_t static_shared_size() const = 0;
};

}  // namespace heddle::cuda::fake
