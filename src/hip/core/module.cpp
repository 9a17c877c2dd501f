// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/module.h"

#include <string_view>

#include "hip/core/allocate.h"
#include "hip/core/failure.h"
#include "hip/core/runtime.h"

namespace heddle::hip {

namespace {

/// clang calls the first value of a managed variable so, and the pointer to its memory as the variable.
constexpr std::string_view managed_suffix = ".managed";

}  // namespace

Module::Module(Device& device, std::span<const std::byte> bytes)
    : device_(device), image_(bytes, [this](Program& program) { make_managed(program); }) {
  try {
    image_.program(device);
  } catch (...) {
    free_managed();
    throw;
  }
}

void Module::make_managed(Program& program) {
  for (const auto& [name, initial] : program.variables()) {
    if (!name.ends_with(managed_suffix)) continue;
    const std::string own = name.substr(0, name.size() - managed_suffix.size());
    const auto pointer = program.variable(own);
    if (!pointer || pointer->size != sizeof(void*)) continue;
    std::byte* const memory =
        allocate_host_memory(device_, initial.size, MemoryKind::managed, hipMemAttachGlobal);
    managed_[own] = {memory, initial.size};
    check(hsa_memory_copy(memory, initial.address, initial.size), "the value of a managed variable");
    check(hsa_memory_copy(pointer->address, static_cast<const void*>(&memory), sizeof memory),
          "a managed variable");
  }
}

void Module::free_managed() noexcept {
  for (const auto& [name, variable] : managed_)
    if (Runtime::get().memory().take(variable.address)) hsa_amd_memory_pool_free(variable.address);
}

std::optional<Variable> Module::variable(const std::string& name) {
  const auto managed = managed_.find(name);
  return managed != managed_.end() ? std::optional(managed->second) : program().variable(name);
}

Module::~Module() {
  free_managed();
  for (const auto& [name, reference] : texture_references_)
    Runtime::get().texture_references().forget(reference.get());
}

textureReference* Module::texture_reference(const std::string& name) {
  const auto variable = program().variable(name);
  if (!variable || variable->size != sizeof(textureReference)) return nullptr;
  const std::scoped_lock lock(mutex_);
  auto& reference = texture_references_[name];
  if (reference == nullptr) {
    reference = std::make_unique<textureReference>();
    reference->format = HIP_AD_FORMAT_FLOAT;
    reference->numChannels = 1;
    Runtime::get().texture_references().add(reference.get(), *variable);
  }
  return reference.get();
}

}  // namespace heddle::hip
