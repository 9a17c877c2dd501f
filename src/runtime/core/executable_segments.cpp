// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an executable has loaded, for queries.
#include "runtime/core/executable.h"

namespace heddle::runtime {

namespace {

// What clients may read behind a kernel object (hsam.h, code_kernel).
constexpr size_t kernel_object_size = 256;

std::span<const std::byte> memory_at(uint64_t address, size_t size) {
  return {reinterpret_cast<const std::byte*>(address), size};
}

}  // namespace

std::vector<LoadedCodeObjectInfo> Executable::loaded_code_objects() const {
  std::lock_guard lock(mutex_);
  std::vector<LoadedCodeObjectInfo> infos;
  infos.reserve(loaded_.size());
  for (const auto& loaded : loaded_) {
    LoadedCodeObjectInfo& info = infos.emplace_back();
    info.handle = loaded->handle;
    info.form = loaded->form;
    info.agent = loaded->agent;
    info.image = loaded->image;
    if (loaded->code.has_value()) info.code = client_.code_extent(*loaded->agent->driver, *loaded->code);
  }
  return infos;
}

std::vector<LoadedSegment> Executable::segments() const {
  std::vector<LoadedSegment> segments;
  for (const LoadedCodeObjectInfo& info : loaded_code_objects())
    if (!info.code.empty()) segments.push_back({info.agent, info.image, info.code});
  std::lock_guard lock(mutex_);
  if (state_ != HSA_EXECUTABLE_STATE_FROZEN) return {};
  for (const auto& loaded : loaded_) {
    if (loaded->lazy != nullptr) continue;  // the objects of its kernels belong to what was loaded beside it
    for (const auto& kernel : loaded->kernels)
      if (const uint64_t object = kernel->object; object != 0)
        segments.push_back({loaded->agent, loaded->image, memory_at(object, kernel_object_size)});
  }
  for (const Allocation& block : blocks_)
    segments.push_back({block.owner, nullptr, {static_cast<const std::byte*>(block.address), block.size}});
  return segments;
}

}  // namespace heddle::runtime
