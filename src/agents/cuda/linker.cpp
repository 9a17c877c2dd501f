// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/linker.h"

#include <cstring>

namespace heddle::cuda {
namespace {

/// Owns a link state of the driver, which may write to the caller's logs until the state is destroyed.
class LinkState {
 public:
  explicit LinkState(const DriverApi& api) : api_(api) {}
  ~LinkState() {
    if (link_) static_cast<void>(api_.link_destroy(link_));
  }
  LinkState(const LinkState&) = delete;
  LinkState& operator=(const LinkState&) = delete;

  Status create(unsigned count, const JitOption* options, void** values) {
    return api_.link_create(count, const_cast<JitOption*>(options), values, &link_);
  }
  Status add(const char* ptx) {
    return api_.link_add(link_, JitInput::ptx, const_cast<char*>(ptx), std::strlen(ptx) + 1, "kernels", 0u,
                         nullptr, nullptr);
  }
  /// The machine code belongs to the state.
  Status complete(void** cubin, size_t* size) { return api_.link_complete(link_, cubin, size); }

 private:
  const DriverApi& api_;
  Link link_ = nullptr;
};

Status compile(void* target, std::vector<std::byte>* cubin, const char* text, unsigned count,
               const JitOption* options, void** values) {
  LinkState state(*static_cast<const DriverApi*>(target));
  void* made = nullptr;
  size_t size = 0;
  if (const Status status = state.create(count, options, values); status != Status::success) return status;
  if (const Status status = state.add(text); status != Status::success) return status;
  if (const Status status = state.complete(&made, &size); status != Status::success) return status;
  const auto* bytes = static_cast<const std::byte*>(made);
  cubin->assign(bytes, bytes + size);
  return Status::success;
}

/// The driver sees by itself how large a cubin is.
Status load_cubin(void* target, Module* out, const void* cubin, size_t) {
  return static_cast<const DriverApi*>(target)->module_load(out, cubin, 0u, nullptr, nullptr);
}

}  // namespace

void set_operations(DriverApi& api) {
  api.compile = {api.compile.name, &api, compile};
  api.load_cubin = {api.load_cubin.name, &api, load_cubin};
}

}  // namespace heddle::cuda
