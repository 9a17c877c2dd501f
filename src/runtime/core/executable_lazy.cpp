// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of lazy code objects, which get their code after the executable is frozen. The code of each is
// loaded beside the code object that the kernel is in, and uses the variables of the executable.
#include <algorithm>
#include <cassert>

#include "driver/logged_lock.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/executable.h"
#include "support/exception_safety.h"

namespace heddle::runtime {

/// Returns the lazy code object that has the kernel; null if there is none or the executable is not frozen.
/// Once it is, the code object lives as long as the executable.
const Executable::LoadedCodeObject* Executable::lazy_holder(const ExecutableSymbol& kernel) const {
  const std::scoped_lock lock(mutex_);
  if (state_ != HSA_EXECUTABLE_STATE_FROZEN) return nullptr;
  for (const auto& loaded : loaded_) {
    const auto has = [&](const auto& symbol) { return symbol.get() == &kernel; };
    if (loaded->lazy != nullptr && std::ranges::any_of(loaded->kernels, has)) return loaded.get();
  }
  return nullptr;
}

/// Finds where the executable has the variables of another code object of its program. Returns false if it
/// has not all of them, because the lazy code object was tampered with.
bool Executable::find_addresses(const Agent* agent, const codeobject::CodeObject& object,
                                std::vector<hsam_variable_address>& addresses) const {
  addresses.reserve(object.variables.size());
  for (uint32_t i = 0; i < object.variables.size(); ++i) {
    const Instance* const instance = find_instance(key_of(agent, object.variables[i]));
    if (instance == nullptr) return false;
    addresses.push_back({i, instance->symbol->object.load()});
  }
  return true;
}

hsa_status_t Executable::add_code(const LoadedCodeObject& holder,
                                  const std::shared_ptr<const CodeImage>& image, ExecutableSymbol& kernel) {
  const auto& kernels = image->object.kernels;
  const auto described =
      std::ranges::find(kernels, kernel.description.linker_name, &codeobject::Kernel::linker_name);
  assert(described != kernels.end() && "finalization of a kernel that is not there fails");
  std::vector<hsam_variable_address> variables;
  if (!find_addresses(holder.agent, image->object, variables)) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  const driver::Agent& agent = *holder.agent->driver;
  reserve_one_more(loaded_);
  auto added = std::make_unique<LoadedCodeObject>();
  added->form = LoadForm::agent;
  added->agent = holder.agent;
  added->image = image;
  added->handle = objects_.loaded_code_objects.insert(std::make_shared<LoadedCodeObjectName>());
  if (added->handle == 0) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  const auto handle = client_.load_code(agent, image->bytes, variables);
  if (!handle) {
    objects_.loaded_code_objects.erase(added->handle);
    report_error("loader", "agent {} refuses the code of {}", holder.agent->config().name,
                 kernel.description.name);
    return handle.error();
  }
  added->code = *handle;
  // From here on the executable unloads the code when it is destroyed.
  loaded_.push_back(std::move(added));
  const auto object =
      client_.kernel_object(agent, *handle, static_cast<uint32_t>(described - kernels.begin()));
  if (!object) return object.error();
  kernel.description.private_size = described->private_size;
  kernel.object.store(*object, std::memory_order_release);
  report_loading(kernel);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Executable::finalize_kernel(ExecutableSymbol& kernel) {
  if (kernel.object.load(std::memory_order_acquire) != 0) return HSA_STATUS_SUCCESS;
  const auto one = driver::lock_logged(finalization_mutex_, "finalization of an executable's kernels");
  if (kernel.object.load(std::memory_order_acquire) != 0) return HSA_STATUS_SUCCESS;
  const LoadedCodeObject* const holder = lazy_holder(kernel);
  if (holder == nullptr) return HSA_STATUS_SUCCESS;
  const Isa* const isa = holder->agent->find_isa(holder->object().isa);
  assert(isa != nullptr && "only code that the agent executes is loaded");
  std::shared_ptr<const CodeImage> image;
  const hsa_status_t status = holder->lazy->finalize(*isa, kernel.description.linker_name, image);
  if (status != HSA_STATUS_SUCCESS) return status;
  const std::scoped_lock lock(mutex_);
  return add_code(*holder, image, kernel);
}

}  // namespace heddle::runtime
