// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "codeobject/ptx_kernel.h"

namespace heddle::cuda {

using ptx_kernel::EntryForm;

std::shared_ptr<LoadedModule> KernelCode::module() const {
  std::lock_guard lock(mutex_);
  return module_;
}

Result<KernelCode::Filled, Error> KernelCode::fill(const LoadedModule& module) const {
  auto functions = module.function_table(functions_);
  if (!functions) return Error{functions.error().message};
  auto addresses = table_(*functions);
  if (!addresses) return addresses.error();
  if (auto filled = module.fill_addresses(*addresses); !filled) return Error{filled.error().message};
  return Filled{std::move(*addresses), std::move(*functions)};
}

Result<std::vector<uint64_t>, Error> KernelCode::fill_addresses(Table table) {
  table_ = std::move(table);
  auto filled = fill(*module_);
  if (!filled) return filled.error();
  addresses_ = std::move(filled->addresses);
  return std::move(filled->functions);
}

void KernelCode::prepare(std::vector<std::weak_ptr<Kernel>> kernels) {
  kernels_ = std::move(kernels);
  prepare_kernels();
}

void KernelCode::prepare_kernels() const {
  for (const std::weak_ptr<Kernel>& kernel : kernels_)
    if (const auto alive = kernel.lock()) alive->prepare();
}

Result<void, Error> KernelCode::restore() {
  auto loaded = LoadedModule::load(context_, ptx_, 0);
  if (!loaded) return Error{loaded.error().message};
  auto filled = fill(**loaded);
  if (!filled) return filled.error();
  {
    std::lock_guard lock(mutex_);
    module_ = std::move(*loaded);
    addresses_ = std::move(filled->addresses);
    with_few_registers_.reset();
    module_version_.fetch_add(1, std::memory_order_release);
  }
  prepare_kernels();
  return {};
}

Driven<std::shared_ptr<LoadedModule>> KernelCode::module_with_few_registers() {
  std::lock_guard lock(mutex_);
  if (with_few_registers_) return with_few_registers_;
  const unsigned limit = context_.gpu().registers_of_a_block / ptx_kernel::max_group_size;
  auto loaded = LoadedModule::load(context_, ptx_, limit);
  if (!loaded) return loaded;
  if (auto filled = (*loaded)->fill_addresses(addresses_); !filled) return filled.error();
  return with_few_registers_ = std::move(*loaded);
}

bool Kernel::has(EntryForm form) const {
  switch (form) {
    case EntryForm::native:
      return info.groups_entry != codeobject::no_entry;
    case EntryForm::single:
      return (info.flags & codeobject::kernel_has_single_entry) != 0;
    case EntryForm::linear:
      break;
  }
  return true;
}

Driven<void> Kernel::find(Entry& entry, const std::shared_ptr<LoadedModule>& module, EntryForm form) const {
  const auto function = module->function(ptx_kernel::entry_name(form, number_));
  if (!function) return function.error();
  const GpuContext& context = code_->context();
  const DriverApi& api = context.api();
  int block_max = 0, shared_max = 0;
  if (auto done =
          api.call(api.function_attribute, &block_max, FunctionAttribute::max_threads_per_block, *function);
      !done)
    return done;
  if (auto done = api.call(api.function_attribute, &shared_max, FunctionAttribute::max_dynamic_shared_size,
                           *function);
      !done)
    return done;
  entry.module = module;
  entry.function = *function;
  entry.block_max = static_cast<uint32_t>(std::max(block_max, 0));
  entry.shared_max = static_cast<uint32_t>(std::max(shared_max, 0));
  return {};
}

/// Looks an entry up unless that has been done since the code was last loaded. Needs mutex_.
Driven<void> Kernel::find(Entry& entry, bool few_registers, EntryForm form) const {
  // First, so that the entry is looked up once more if the code is loaded meanwhile.
  const uint64_t version = code_->module_version();
  if (entry.version == version) return {};
  std::shared_ptr<LoadedModule> module = code_->module();
  if (few_registers) {
    auto loaded = code_->module_with_few_registers();
    if (!loaded) return loaded.error();
    module = std::move(*loaded);
  }
  if (entry.module != module)
    if (auto done = find(entry, module, form); !done) return done;
  entry.version = version;
  return {};
}

void Kernel::prepare() {
  std::lock_guard lock(mutex_);
  for (const EntryForm form : {EntryForm::native, EntryForm::linear, EntryForm::single})
    if (has(form)) static_cast<void>(find(entries_[false][static_cast<size_t>(form)], false, form));
}

/// Raises the limit of dynamic shared memory, which is 48 KiB for code that does not say that it wants more.
Driven<void> Kernel::allow_shared(Entry& entry, uint32_t size) const {
  if (size <= entry.shared_max) return {};
  const DriverApi& api = code_->context().api();
  auto done = api.call(api.function_set_attribute, entry.function, FunctionAttribute::max_dynamic_shared_size,
                       static_cast<int>(size));
  if (done) entry.shared_max = size;
  return done;
}

bool Kernel::has_at_once(EntryForm form, uint32_t block_size) {
  if (!has(form)) return false;
  std::lock_guard lock(mutex_);
  Entry& entry = entries_[false][static_cast<size_t>(form)];
  return find(entry, false, form).ok() && block_size <= entry.block_max;
}

Driven<Function> Kernel::entry(EntryForm form, uint32_t block_size, uint32_t shared_size) {
  std::lock_guard lock(mutex_);
  for (const bool few_registers : {false, true}) {
    Entry& entry = entries_[few_registers][static_cast<size_t>(form)];
    if (auto done = find(entry, few_registers, form); !done) return done.error();
    if (block_size > entry.block_max) continue;
    if (auto done = allow_shared(entry, shared_size); !done) return done.error();
    return entry.function;
  }
  return DriverError{
      Status::launch_out_of_resources,
      fmt::format("kernel {} cannot have work-groups of {} work-items on this GPU", info.name, block_size)};
}

}  // namespace heddle::cuda
