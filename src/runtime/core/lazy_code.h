// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include <hsa/hsa.h>

#include "runtime/core/code_object.h"
#include "runtime/core/finalizer_library.h"
#include "runtime/core/program.h"
#include "runtime/core/topology.h"

namespace heddle::runtime {

/// Makes the code of the kernels of a lazy code object (codeobject::CodeObject::lazy), one kernel at a time.
/// The program is made when the first kernel is finalized and kept for the others. Thread safe.
class LazyCode {
 public:
  /// `image` is lazy; the modules in it are used as long as this object lives.
  LazyCode(FinalizerLibrary& library, std::shared_ptr<const CodeImage> image);

  /// Finalizes the kernel with this linker name. What adding modules and finalization return;
  /// OUT_OF_RESOURCES also if there is no toolchain; INVALID_CODE_OBJECT if the modules are not those of the
  /// code object. `code` is written on success.
  hsa_status_t finalize(const Isa& isa, const std::string& kernel, std::shared_ptr<const CodeImage>& code);

 private:
  hsa_status_t link(std::shared_ptr<Program>& program);

  FinalizerLibrary& library_;
  const std::shared_ptr<const CodeImage> image_;
  std::mutex mutex_;
  std::shared_ptr<Program> program_;  ///< null until it has been linked
};

}  // namespace heddle::runtime
