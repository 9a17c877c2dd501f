// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/registry.h"

#include <algorithm>
#include <mutex>

#include "hip/bundle/bundle.h"
#include "hip/core/failure.h"

namespace heddle::hip {

Image& FatBinary::image() {
  const std::scoped_lock lock(mutex_);
  if (image_ != nullptr) return *image_;
  const size_t size = data_ == nullptr ? 0 : size_of_bundle(data_);
  if (size == 0) throw Failure(hipErrorInvalidImage, "the device code of the program is not heddle's");
  const std::span bytes(static_cast<const std::byte*>(data_), size);
  image_ = std::make_unique<Image>(bytes, [this](Program& program) { store_managed(program); });
  return *image_;
}

void FatBinary::add_managed(const RegisteredVariable& variable) {
  const std::scoped_lock lock(mutex_);
  managed_.push_back(variable);
}

bool FatBinary::has_given(const void* function) {
  const std::scoped_lock lock(mutex_);
  return image_ != nullptr && image_->has_given(function);
}

void FatBinary::unload(Device& device) {
  const std::scoped_lock lock(mutex_);
  if (image_ != nullptr) image_->unload(device);
}

/// A managed variable is, in device code, a pointer to memory that the host allocates.
void FatBinary::store_managed(Program& program) {
  for (const RegisteredVariable& managed : managed_) {
    const auto pointer = program.variable(managed.name);
    if (!pointer || pointer->size != sizeof managed.managed) continue;
    check(
        hsa_memory_copy(pointer->address, static_cast<const void*>(&managed.managed), sizeof managed.managed),
        "a managed variable");
  }
}

Registry& Registry::get() {
  // Lives until the process ends: destructors of the program's own objects come in any order.
  static auto* const registry = new Registry;
  return *registry;
}

FatBinary& Registry::add(const void* data) {
  const std::unique_lock lock(mutex_);
  return *binaries_.emplace_back(std::make_unique<FatBinary>(data));
}

void Registry::remove(FatBinary& binary) {
  const std::unique_lock lock(mutex_);
  std::erase_if(functions_, [&](const auto& entry) { return entry.second->binary == &binary; });
  std::erase_if(variables_, [&](const auto& entry) { return entry.second.binary == &binary; });
  std::erase_if(binaries_, [&](const auto& entry) { return entry.get() == &binary; });
}

void Registry::add_function(FatBinary& binary, const void* host, std::string name) {
  const std::unique_lock lock(mutex_);
  auto entry = std::make_unique<Entry>();
  entry->binary = &binary;
  entry->name = std::move(name);
  functions_.insert_or_assign(host, std::move(entry));
}

void Registry::add_variable(FatBinary& binary, const void* host, RegisteredVariable variable) {
  if (variable.managed != nullptr) binary.add_managed(variable);
  const std::unique_lock lock(mutex_);
  variables_.insert_or_assign(host, VariableEntry{&binary, std::move(variable)});
}

const Function* Registry::function(const void* host, Device& device) {
  const std::shared_lock lock(mutex_);
  const auto found = functions_.find(host);
  if (found == functions_.end()) return nullptr;
  Entry& entry = *found->second;
  const auto number = static_cast<size_t>(device.number());
  if (number >= entry.resolved.size()) return entry.binary->image().function(device, entry.name);
  const Function* function = entry.resolved[number].load(std::memory_order_acquire);
  if (function != nullptr) return function;
  function = entry.binary->image().function(device, entry.name);
  entry.resolved[number].store(function, std::memory_order_release);
  return function;
}

bool Registry::has_given(const void* function) const {
  const std::shared_lock lock(mutex_);
  return std::ranges::any_of(binaries_, [&](const auto& binary) { return binary->has_given(function); });
}

std::optional<Variable> Registry::variable(const void* host, Device& device) {
  const std::shared_lock lock(mutex_);
  const auto found = variables_.find(host);
  if (found == variables_.end()) return std::nullopt;
  const RegisteredVariable& registered = found->second.variable;
  if (registered.managed != nullptr) return Variable{registered.managed, registered.size};
  return found->second.binary->image().program(device).variable(registered.name);
}

const char* Registry::name_of_function(const void* host) const {
  const std::shared_lock lock(mutex_);
  const auto found = functions_.find(host);
  return found == functions_.end() ? nullptr : found->second->name.c_str();
}

void Registry::unload(Device& device) {
  const std::unique_lock lock(mutex_);
  const auto number = static_cast<size_t>(device.number());
  for (auto& [host, entry] : functions_)
    if (number < entry->resolved.size()) entry->resolved[number].store(nullptr);
  for (const auto& binary : binaries_) binary->unload(device);
}

Variable find_variable(const void* symbol, Device& device) {
  const auto variable = symbol == nullptr ? std::nullopt : Registry::get().variable(symbol, device);
  if (!variable) throw Failure(hipErrorInvalidSymbol);
  return *variable;
}

std::byte* part_of_variable(const void* symbol, Device& device, size_t size, size_t offset) {
  const Variable variable = find_variable(symbol, device);
  if (offset > variable.size || size > variable.size - offset)
    throw Failure(hipErrorInvalidValue, "the part is not inside of the variable");
  return variable.address + offset;
}

}  // namespace heddle::hip
