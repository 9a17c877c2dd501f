// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the client and the process of a GPU say to each other: functions of the driver through channels
// (channel.h), and what needs files through a socket.
#pragma once

#include <cstdint>

#include "agents/cuda/driver_api.h"

namespace heddle::cuda::remote {

/// The functions and operations of DriverApi, by number.
enum class FunctionId : uint16_t {
#define HEDDLE_CUDA_ID(member, ...) member,
  HEDDLE_CUDA_FUNCTIONS(HEDDLE_CUDA_ID) HEDDLE_CUDA_OPERATIONS(HEDDLE_CUDA_ID)
#undef HEDDLE_CUDA_ID
};

/// The first word of a message through the socket. Each but `hello` comes from the client and is answered
/// with a Status, in a message of its own.
enum class Control : uint32_t {
  hello,    ///< of the process, with a file that stands for it: has it a driver? Otherwise the reason as text
  channel,  ///< with the file of a channel, which a thread of the process serves from now on
  map,      ///< MapRequest, with its file: the GPU can access the memory at this address from now on
  unmap,    ///< the address and the size of what was mapped
  image,    ///< a number and a size, with a file: the code that a call names by the number
  cubin,  ///< the number of an image, a size, and a file, into which its machine code is written (`compile`)
};

struct MapRequest {
  uint64_t address, size, offset;
};

/// The file of the socket in the process.
inline constexpr int socket_file = 3;

}  // namespace heddle::cuda::remote
