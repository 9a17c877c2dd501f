// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <mutex>

#include "agents/cuda/module.h"
#include "codeobject/code_object.h"

namespace heddle::cuda {

/// What the kernels of a code object have in common: their source, and the module, which is loaded a second
/// time if a kernel uses too many registers for the work-groups that it gets.
class KernelCode {
 public:
  /// `module` is what the driver has made of `ptx`.
  KernelCode(GpuContext& context, std::string ptx, std::shared_ptr<LoadedModule> module)
      : context_(context), ptx_(std::move(ptx)), module_(std::move(module)) {}

  /// Fills the table of addresses; to be called once, before any kernel is launched.
  Driven<void> fill_addresses(std::vector<uint64_t> addresses);

  GpuContext& context() const { return context_; }
  const std::shared_ptr<LoadedModule>& module() const { return module_; }
  /// The module for work-groups of any size, which is loaded at the first call.
  Driven<std::shared_ptr<LoadedModule>> module_with_few_registers();

 private:
  GpuContext& context_;
  const std::string ptx_;
  std::vector<uint64_t> addresses_;
  const std::shared_ptr<LoadedModule> module_;
  std::mutex mutex_;
  std::shared_ptr<LoadedModule> with_few_registers_;
};

/// What a kernel object refers to. It keeps the code. Thread safe.
class Kernel {
 public:
  /// `number` is the kernel's in the code object.
  Kernel(std::shared_ptr<KernelCode> code, codeobject::Kernel info, size_t number)
      : info(std::move(info)), code_(std::move(code)), number_(number) {}

  const codeobject::Kernel info;
  bool has_native() const { return info.groups_entry != codeobject::no_entry; }

  /// The entry for blocks of so many threads with so much dynamic shared memory (bytes), ready to be
  /// launched.
  Driven<Function> entry(bool native, uint32_t block_size, uint32_t shared_size);

 private:
  /// An entry that has been looked up.
  struct Entry {
    Function function = nullptr;
    uint32_t block_max = 0;   ///< threads
    uint32_t shared_max = 0;  ///< bytes that it may be launched with
  };

  Driven<void> find(Entry& entry, const LoadedModule& module, bool native) const;
  Driven<void> allow_shared(Entry& entry, uint32_t size) const;

  const std::shared_ptr<KernelCode> code_;
  const size_t number_;
  std::mutex mutex_;
  Entry entries_[2][2];  ///< [few registers][native]
};

}  // namespace heddle::cuda
