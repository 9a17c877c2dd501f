// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

#include "agents/cuda/module.h"
#include "codeobject/ptx_kernel.h"

namespace heddle::cuda {

class Kernel;

/// What the kernels of a code object have in common: their source, and the module, which is loaded a second
/// time if a kernel uses too many registers for the work-groups that it gets.
class KernelCode {
 public:
  /// The words of the table of addresses, if the indirect functions have these addresses.
  using Table = std::function<Result<std::vector<uint64_t>, Error>(std::vector<uint64_t> functions)>;

  /// `module` is what the driver has made of `ptx`, and has so many indirect functions. `lines` are those at
  /// which work-items may trap.
  KernelCode(GpuContext& context, PtxCode ptx, std::shared_ptr<LoadedModule> module, size_t functions,
             codeobject::LineTable lines = {})
      : context_(context),
        ptx_(std::move(ptx)),
        functions_(functions),
        lines_(std::move(lines)),
        module_(std::move(module)) {}

  /// Fills the table of addresses; to be called once, before any kernel is launched. Returns the addresses of
  /// the indirect functions. The error is a message.
  Result<std::vector<uint64_t>, Error> fill_addresses(Table table);
  /// Prepares kernels of the code, now and again when it is restored.
  void prepare(std::vector<std::weak_ptr<Kernel>> kernels);
  /// Loads the code again when the context has been reopened.
  Result<void, Error> restore();

  GpuContext& context() const { return context_; }
  const codeobject::LineTable& lines() const { return lines_; }
  std::shared_ptr<LoadedModule> module() const;
  /// The number of modules that the code has had so far. Needs no lock, so that a launch can tell cheaply
  /// whether the module it knows is still the current one.
  uint64_t module_version() const { return module_version_.load(std::memory_order_acquire); }
  /// The module for work-groups of any size, which is loaded at the first call.
  Driven<std::shared_ptr<LoadedModule>> module_with_few_registers();

 private:
  /// What a module was given, and what it has given.
  struct Filled {
    std::vector<uint64_t> addresses, functions;
  };
  Result<Filled, Error> fill(const LoadedModule& module) const;
  void prepare_kernels() const;

  GpuContext& context_;
  const PtxCode ptx_;
  const size_t functions_;
  const codeobject::LineTable lines_;
  Table table_;
  std::vector<std::weak_ptr<Kernel>> kernels_;
  mutable std::mutex mutex_;  ///< guards what follows
  std::vector<uint64_t> addresses_;
  std::shared_ptr<LoadedModule> module_;
  std::shared_ptr<LoadedModule> with_few_registers_;
  std::atomic<uint64_t> module_version_{1};  ///< of module_
};

/// What a kernel object refers to. It keeps the code. Thread safe.
class Kernel {
 public:
  /// `number` is the kernel's in the code object.
  Kernel(std::shared_ptr<KernelCode> code, codeobject::Kernel info, size_t number)
      : info(std::move(info)), code_(std::move(code)), number_(number) {}

  const codeobject::Kernel info;
  const codeobject::LineTable& lines() const { return code_->lines(); }
  /// Whether the code object has such an entry.
  bool has(ptx_kernel::EntryForm form) const;

  /// Looks up the entries, so that the driver loads their code before the first dispatch. If it loaded the
  /// code later, it might wait for running kernels, which in turn may wait for that dispatch. The variants
  /// with few registers are still compiled when a dispatch first needs them. Errors are ignored here: an
  /// entry that cannot be looked up fails when it is dispatched.
  void prepare();

  /// Whether there is such an entry for blocks of so many threads without the variant with few registers.
  bool has_at_once(ptx_kernel::EntryForm form, uint32_t block_size);
  /// The entry for blocks of so many threads with so much dynamic shared memory (bytes), ready to be
  /// launched.
  Driven<Function> entry(ptx_kernel::EntryForm form, uint32_t block_size, uint32_t shared_size);

 private:
  /// An entry that has been looked up.
  struct Entry {
    std::shared_ptr<const LoadedModule> module;  ///< that it is in; null: it has not been looked up
    uint64_t version = 0;                        ///< of the code when it was looked up
    Function function = nullptr;
    uint32_t block_max = 0;   ///< threads
    uint32_t shared_max = 0;  ///< bytes that it may be launched with
  };

  Driven<void> find(Entry& entry, const std::shared_ptr<LoadedModule>& module,
                    ptx_kernel::EntryForm form) const;
  Driven<void> find(Entry& entry, bool few_registers, ptx_kernel::EntryForm form) const;
  Driven<void> allow_shared(Entry& entry, uint32_t size) const;

  const std::shared_ptr<KernelCode> code_;
  const size_t number_;
  std::mutex mutex_;
  Entry entries_[2][ptx_kernel::entry_forms];  ///< [few registers][form]
};

}  // namespace heddle::cuda
