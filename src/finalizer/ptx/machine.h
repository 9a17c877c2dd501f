// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The code generator of PTX and what has to be known of its machine.
#pragma once

#include <memory>
#include <string>

#include <llvm/Target/TargetMachine.h>

#include "finalizer/llvm.h"
#include "finalizer/target_traits.h"
#include "support/result.h"

namespace heddle::finalizer::ptx {

/// An instruction set of NVIDIA GPUs, of which later GPUs execute all earlier ones.
struct Architecture {
  const char* isa;       ///< name of the ISA
  const char* cpu;       ///< LLVM's and PTX's name
  const char* language;  ///< the lowest version of PTX that has all that is needed, as a feature of LLVM's
  bool begins_early;     ///< kernels may begin before those ahead of them have ended (predecessor_waits.h)
};

/// The address spaces of the NVPTX back end.
enum AddressSpace : unsigned { generic_space = 0, global_space = 1, shared_space = 3, constant_space = 4 };

const TargetTraits& traits();

std::unique_ptr<llvm::TargetMachine> create_machine(const Architecture& architecture, unsigned opt_level);

/// Returns the bitcode of the device library.
llvm::StringRef device_library();

/// Returns the PTX of a module, or why the code generator cannot make it. `machine` is that of the
/// architecture.
Result<std::string> generate_text(llvm::Module& module, llvm::TargetMachine& machine,
                                  const Architecture& architecture);

}  // namespace heddle::finalizer::ptx
