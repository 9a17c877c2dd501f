// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/texture_reference.h"

#include <algorithm>

#include "hip/core/copy.h"
#include "hip/core/failure.h"
#include "hip/core/registry.h"
#include "hip/core/runtime.h"

namespace heddle::hip {
namespace {

/// Changes the object in a reference, and copies the reference to where kernels read it.
void write(const textureReference* reference, const Variable& variable, hipTextureObject_t object,
           Device& device) {
  auto& own = const_cast<textureReference&>(*reference);
  own.textureObject = object;
  copy(variable.address, &own, std::min(variable.size, sizeof own), hipMemcpyHostToDevice,
       device.default_stream(), Waiting::yes);
}

}  // namespace

hipTextureDesc reading_of(const textureReference& reference) {
  hipTextureDesc reading{};
  std::ranges::copy(reference.addressMode, reading.addressMode);
  reading.filterMode = reference.filterMode;
  reading.readMode = reference.readMode;
  reading.sRGB = reference.sRGB;
  reading.normalizedCoords = reference.normalized;
  reading.maxAnisotropy = reference.maxAnisotropy;
  reading.mipmapFilterMode = reference.mipmapFilterMode;
  reading.mipmapLevelBias = reference.mipmapLevelBias;
  reading.minMipmapLevelClamp = reference.minMipmapLevelClamp;
  reading.maxMipmapLevelClamp = reference.maxMipmapLevelClamp;
  return reading;
}

void TextureReferences::add(const textureReference* reference, const Variable& variable) {
  const std::scoped_lock lock(mutex_);
  of_modules_[reference] = variable;
}

void TextureReferences::forget(const textureReference* reference) {
  const std::scoped_lock lock(mutex_);
  of_modules_.erase(reference);
  std::erase_if(bindings_, [&](const auto& entry) { return entry.first.first == reference; });
}

Variable TextureReferences::variable_of(const textureReference* reference, Device& device) {
  const auto found = of_modules_.find(reference);
  if (found != of_modules_.end()) return found->second;
  const auto registered = Registry::get().variable(reference, device);
  if (!registered) throw Failure(hipErrorInvalidSymbol, "no device code has this texture reference");
  return *registered;
}

void TextureReferences::bind(const textureReference* reference, const hipResourceDesc& resource,
                             size_t offset) {
  const std::scoped_lock lock(mutex_);
  Device& device = Runtime::get().device();
  const Variable variable = variable_of(reference, device);
  auto texture = std::make_shared<Texture>(device, resource, reading_of(*reference), nullptr);
  device.synchronize();  // kernels may be reading what was bound before
  write(reference, variable, static_cast<hipTextureObject_t>(texture->object()), device);
  bindings_[{reference, device.number()}] = {std::move(texture), offset};
}

TextureBinding TextureReferences::bound(const textureReference* reference) {
  const std::scoped_lock lock(mutex_);
  Device& device = Runtime::get().device();
  variable_of(reference, device);
  const auto found = bindings_.find({reference, device.number()});
  return found == bindings_.end() ? TextureBinding{} : found->second;
}

void TextureReferences::unbind(const textureReference* reference) {
  const std::scoped_lock lock(mutex_);
  Device& device = Runtime::get().device();
  const Variable variable = variable_of(reference, device);
  if (!bindings_.contains({reference, device.number()})) return;
  device.synchronize();
  write(reference, variable, nullptr, device);
  bindings_.erase({reference, device.number()});
}

void TextureReferences::release(const Device& device) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(bindings_, [&](const auto& entry) { return entry.first.second == device.number(); });
}

}  // namespace heddle::hip
