// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "agents/cuda/driver_api.h"
#include "support/descriptor.h"
#include "support/result.h"

namespace heddle::cuda::remote {

/// How the process of a GPU is started.
struct ProcessOptions {
  std::string program;  ///< path of heddle-cuda-host
  std::string library;  ///< name or path of the driver library
  /// What CUDA_VISIBLE_DEVICES is in the process; empty: what it is here.
  std::string visible_devices;
};

/// A process, which is no child of this one: programs that wait for all of their children do not meet it, and
/// its death sends no signal.
struct Process {
  Descriptor socket;  ///< closing it, or shutting it down, ends the process
  Descriptor handle;  ///< a pidfd; none if the system has no such thing
  int64_t id = 0;

  /// Ends the process, whatever it is doing. Others may be using the socket, which is shut down, but not
  /// closed.
  void end() noexcept;
};

/// Starts a process, and waits until it has opened its driver library.
Result<Process, Error> start_process(const ProcessOptions& options);

/// What CUDA_VISIBLE_DEVICES has to be for a process that is to see only one of the devices that this process
/// sees, by its number.
std::string visible_device(int number);

}  // namespace heddle::cuda::remote
