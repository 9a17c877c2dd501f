// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the library keeps for each thread of the program.
#pragma once

#include <hip/runtime/types.h>

#include <memory>
#include <vector>

namespace heddle::hip {

class Stream;

/// What <<<...>>> says, until clang's stub of the kernel takes it.
struct CallConfiguration {
  dim3 grid;
  dim3 group;
  size_t dynamic_group_size;
  hipStream_t stream;
};

struct ThreadState {
  int device = 0;                      ///< the current device
  hipError_t last_error = hipSuccess;  ///< the last failure; calls that succeed leave it
  std::vector<CallConfiguration> configurations;
  std::vector<int> contexts;  ///< devices that hipCtxPushCurrent() put below the current one
  /// Which calls the thread may make while streams are captured.
  hipStreamCaptureMode capture_mode = hipStreamCaptureModeGlobal;
  std::vector<std::byte> call_arguments;  ///< what hipSetupArgument() has collected
  /// The thread's own default streams, by device; made when they are first used.
  std::vector<std::shared_ptr<Stream>> default_streams;

  /// Notes the result of a call and returns it. That work is not finished yet is no failure.
  hipError_t note(hipError_t result) {
    if (result != hipSuccess && result != hipErrorNotReady) last_error = result;
    return result;
  }
};

/// Returns the state of the calling thread.
ThreadState& this_thread();

}  // namespace heddle::hip
