// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "support/descriptor.h"

namespace heddle::cuda::remote {

/// What came through a socket: a message and perhaps a file.
struct Received {
  std::vector<std::byte> bytes;
  Descriptor file;
};

/// The largest message, in bytes.
inline constexpr size_t largest_message = 4096;

/// Sends a message, with a file if `file` is not less than 0. False if nobody is at the other end.
bool send_message(int socket, std::span<const std::byte> bytes, int file);
/// Waits for a message, for so many milliseconds at most (less than 0: for ever). Nothing if none came or
/// nobody is at the other end.
std::optional<Received> receive_message(int socket, int milliseconds);
/// Whether the file is such a socket.
bool is_socket(int file);
/// Whether the other end has been closed.
bool is_hung_up(int socket);

}  // namespace heddle::cuda::remote
