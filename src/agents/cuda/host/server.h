// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "agents/cuda/host/executor.h"
#include "agents/cuda/remote/socket.h"

namespace heddle::cuda::host {

/// What the process of a GPU does for its client, which is at the other end of the socket.
class Server {
 public:
  Server(int socket, const DriverApi& api) : socket_(socket), executor_(api) {}

  /// Carries out what comes through the socket until the client is gone.
  void serve();

 private:
  Status perform(remote::Received& message) noexcept;
  Status add_channel(Descriptor file);

  const int socket_;
  Executor executor_;
};

}  // namespace heddle::cuda::host
