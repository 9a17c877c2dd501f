// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/module.h"

#include "hip/core/runtime.h"

namespace heddle::hip {

Module::Module(Device& device, std::span<const std::byte> bytes) : device_(device), image_(bytes) {
  image_.program(device);
}

Module::~Module() {
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
