// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/image.h"

#include "hip/bundle/bundle.h"
#include "hip/core/failure.h"

namespace heddle::hip {

Image::Image(std::span<const std::byte> bytes, Loaded loaded)
    : bytes_(bytes.begin(), bytes.end()), loaded_(std::move(loaded)) {
  auto modules = read_bundle(bytes_);
  if (!modules) {
    const bool known = is_code_of_others(bytes_);
    throw Failure(known ? hipErrorNoBinaryForGpu : hipErrorInvalidImage, modules.error().message);
  }
  modules_ = std::move(*modules);
}

Image::OnDevice& Image::on_device(Device& device) {
  OnDevice& there = devices_[device.number()];
  if (there.program != nullptr) return there;
  auto program = std::make_unique<Program>(device, modules_);
  if (loaded_) loaded_(*program);
  there.program = std::move(program);
  return there;
}

Program& Image::program(Device& device) {
  const std::scoped_lock lock(mutex_);
  return *on_device(device).program;
}

const Function* Image::function(Device& device, const std::string& name) {
  const std::scoped_lock lock(mutex_);
  OnDevice& there = on_device(device);
  const Kernel* const kernel = there.program->kernel(name);
  if (kernel == nullptr) return nullptr;
  return &there.functions.try_emplace(name, Function{device, *kernel, *there.program}).first->second;
}

bool Image::has_given(const void* function) {
  const std::scoped_lock lock(mutex_);
  for (const auto& [device, there] : devices_)
    for (const auto& [name, given] : there.functions)
      if (&given == function) return true;
  return false;
}

void Image::unload(Device& device) {
  const std::scoped_lock lock(mutex_);
  devices_.erase(device.number());
}

}  // namespace heddle::hip
