// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "finalizer/debug/debug_info.h"
#include "finalizer/lower/facts.h"
#include "finalizer/lower/spmd.h"
#include "finalizer/lower/subnormals.h"
#include "finalizer/lower/target_operations.h"

namespace heddle::finalizer {

/// One version of an executable. Offsets of group variables depend on the kernel, so a function that leads to
/// group variables exists once for each kernel that reaches it, and every other function once for all
/// kernels.
struct Instance {
  link::Reference executable;
  int kernel = -1;  ///< index in SpmdProgram::kernels; -1: all kernels
  friend bool operator==(const Instance&, const Instance&) = default;
  friend auto operator<=>(const Instance& a, const Instance& b) {
    return std::tuple(a.executable.module, a.executable.offset, a.kernel) <=>
           std::tuple(b.executable.module, b.executable.offset, b.kernel);
  }
};

/// The results of lowering one instance.
struct LoweredFunction {
  llvm::Function* function = nullptr;
  uint32_t frame_size = 0;  ///< bytes of private segment for one activation, a multiple of 16
  uint32_t frame_align = 16;
  size_t instructions = 0;
};

/// The state shared by the lowering of all functions of a program.
class ProgramLowering {
 public:
  ProgramLowering(const link::Program& program, const LoweringRequest& request, llvm::LLVMContext& context,
                  Diagnostics& diagnostics);

  SpmdProgram run();

  const link::Program& program() const { return program_; }
  const TargetTraits& target() const { return request_.target; }
  llvm::Module& module() { return *result_.module; }
  Diagnostics& diagnostics() { return diagnostics_; }
  DebugInfo& debug() { return *debug_; }

  llvm::Function* call(TargetOperation call, const OperationForm& form = {});
  /// Takes note of what an instruction that is lowered does with subnormal numbers.
  void note(Subnormals subnormals);
  /// Collects the accesses to memory; the metadata about aliases is added to them in the end.
  AliasFacts& alias_facts() { return alias_facts_; }
  /// Returns the function for a call of `executable` from an instance made for `kernel`. A new one is lowered
  /// later.
  llvm::Function* callee(link::Reference executable, int kernel);
  /// Returns the offset of a group variable in the group segment of a kernel, or nothing if the kernel does
  /// not reach it.
  std::optional<uint32_t> group_offset(int kernel, link::Reference variable) const;
  /// Returns the exceptions that instructions of the instance have to report, a mask of
  /// hsa_brig_exceptions_t.
  uint32_t enabled_exceptions(const Instance& instance) const {
    return instance.kernel < 0 ? enabled_exceptions_
                               : result_.kernels[instance.kernel].directives.enabled_exceptions();
  }
  const link::KernargSlot* kernarg_slot(int kernel, brig::Offset variable) const;
  /// The bytes of all private variables of module scope of the program, which lie before the frame of every
  /// kernel.
  uint32_t module_private_size() const { return module_private_size_; }
  std::optional<uint32_t> module_private_offset(link::Reference variable) const;
  uint32_t group_size(int kernel) const { return result_.kernels[kernel].group.size; }
  /// Returns the definition of the executable or variable that a directive names, or the directive itself if
  /// there is no definition.
  link::Reference definition_of(link::Reference directive) const;

 private:
  void create_kernels();
  void lay_out_module_private();
  bool names_group_memory(link::Reference executable);
  bool depends_on_kernel(link::Reference executable);
  llvm::Function* create_function(const Instance& instance);
  void mark_convergent_functions();
  void compute_private_sizes();

  const link::Program& program_;
  const LoweringRequest& request_;
  Diagnostics& diagnostics_;
  uint32_t enabled_exceptions_ = 0;  ///< of all kernels
  SpmdProgram result_;
  std::unique_ptr<DebugInfo> debug_;
  std::vector<link::KernargLayout> kernargs_;
  std::map<std::pair<TargetOperation, OperationForm>, llvm::Function*> calls_;
  bool flushes_ = false;  ///< some instruction flushes subnormal numbers
  bool keeps_ = false;    ///< some instruction computes with them, or may run unknown code that does
  AliasFacts alias_facts_;
  std::map<Instance, LoweredFunction> functions_;
  std::vector<Instance> pending_;
  std::map<int32_t, uint32_t> module_private_;  // symbol -> offset
  uint32_t module_private_size_ = 0;
  std::map<std::pair<uint32_t, brig::Offset>, bool> names_group_;
  std::map<std::pair<uint32_t, brig::Offset>, bool> depends_;
};

}  // namespace heddle::finalizer
