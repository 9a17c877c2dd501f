// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hsam/hsam.h>

#include "agents/common/executor.h"
#include "agents/common/launcher.h"
#include "agents/cuda/signal_waits.h"
#include "codeobject/ptx_dispatch.h"

namespace heddle::cuda {

/// What comes of a request: its result, or the number of a wait that has begun.
struct HostAnswer {
  uint64_t result = 0;
  uint64_t wait = 0;
};

/// Carries out what work-items ask of the host (ptx_kernel::MailboxSlot). Kernels may ask for anything, so
/// that nothing is taken for granted: what is wrong is a failure. For one thread, which has the access guard.
class HostRequests {
 public:
  HostRequests(const agents::QueueOwner& owner, SignalWaits& waits) : owner_(owner), waits_(waits) {}

  /// Carries out a request, which must not be in memory that a kernel can write. Throws std::bad_alloc.
  Result<HostAnswer, agents::Failure> perform(const ptx_kernel::MailboxSlot& request);

 private:
  bool is_signal(uint64_t handle) const;
  Result<HostAnswer, agents::Failure> perform_signal(const ptx_kernel::MailboxSlot& request);

  const agents::QueueOwner owner_;
  SignalWaits& waits_;
};

}  // namespace heddle::cuda
