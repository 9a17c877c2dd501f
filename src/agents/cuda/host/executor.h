// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <vector>

#include "agents/cuda/remote/message.h"
#include "agents/cuda/remote/protocol.h"
#include "agents/cuda/remote/shared_pages.h"

namespace heddle::cuda::host {

/// Calls the functions of the driver for a client. Thread safe, as far as the driver is.
class Executor {
 public:
  /// `api` outlives it.
  explicit Executor(const DriverApi& api) : api_(api) {}

  /// Makes the call that a request describes, and writes what it stores. Status::invalid_value for a request
  /// that is malformed.
  Status execute(uint16_t function, remote::Reader& request, remote::Writer& answer) noexcept;

  /// Lets the GPU access memory of the client, which the process maps at the same address.
  Status map(const remote::MapRequest& memory, int file);
  Status unmap(uint64_t address, uint64_t size);
  /// Keeps code for a call that names it by the number. Throws std::bad_alloc.
  void keep_image(uint64_t number, SharedPages image);
  /// Copies the machine code that `compile` has made from image `number` to `memory`, and forgets it in any
  /// case. Errors: invalid_value (there is none with this number), out_of_memory (`memory` is empty or too
  /// small).
  Status give_cubin(uint64_t number, SharedPages memory);

  // ---- for the functions in executor.cpp

  const DriverApi& api() const { return api_; }
  void set_context(Context context) { context_ = context; }
  /// Takes what keep_image() has kept; empty if there is none.
  SharedPages take_image(uint64_t number);
  /// Keeps machine code for give_cubin(). Throws std::bad_alloc.
  void keep_cubin(uint64_t number, std::vector<std::byte> cubin);

 private:
  void use_context() const;

  const DriverApi& api_;
  std::atomic<Context> context_{nullptr};
  std::mutex mutex_;
  std::map<uint64_t, SharedPages> images_;
  std::map<uint64_t, std::vector<std::byte>> cubins_;
};

}  // namespace heddle::cuda::host
