// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an agent brings to the common packet processor whose device runs dispatches by itself: the processor
// launches them and learns when they end, and no thread of the host takes part in them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "agents/common/executor.h"

namespace heddle::agents {

/// The way of one queue to its device. The dispatches run one after the other, in the order in which they are
/// launched, so they also end in this order. The thread of the queue calls all members but stop().
class Launcher {
 public:
  virtual ~Launcher() = default;

  /// When the host has to learn that a dispatch has ended.
  enum class Notice : uint8_t {
    at_once,       ///< as soon as possible: somebody waits for it, or its time is taken
    with_a_later,  ///< with a later dispatch, or after notify(). It may begin no sooner than one of these
  };

  /// Gives the device a dispatch, and returns the wavefront size of its code. Checks what depends on the
  /// kernel, as Executor::prepare() does, and keeps the code until the dispatch ends. Returns without waiting
  /// for it. Throws std::bad_alloc.
  virtual Result<uint32_t, Failure> launch(const KernelDispatch& dispatch, Notice notice) = 0;
  /// Sees to it that all dispatches so far begin, and that the host learns of their end. To be called after a
  /// row of launches, before the thread sleeps or waits for anything: to tell the host of each may cost as
  /// much as a launch, and the device may launch several together.
  virtual void notify() noexcept = 0;

  /// How many dispatches have ended as they should, before the first one that has failed. What they wrote is
  /// visible to the host. Must be cheap, since it is called in loops that poll.
  virtual uint64_t ended() = 0;
  /// Returns the value that ended() will have when the device next tells the host that dispatches have ended.
  /// Returns at most the present value of ended() if the device has not been asked to tell of any further
  /// dispatch (see Notice and notify()).
  virtual uint64_t next_notice() const = 0;
  /// Why the dispatch behind those that have ended() failed; nothing if that is not known. As cheap as
  /// ended().
  virtual std::optional<Failure> failure() = 0;
  /// Asks the device whether it has failed, for failure(). May take microseconds, and is called while a
  /// dispatch takes longer than the host polls.
  virtual void look_for_failure() = 0;

  /// Asks the dispatches in flight to end early. Called by any thread, perhaps repeatedly, while the launcher
  /// exists.
  virtual void stop() noexcept = 0;
  /// Waits until the device runs none of the dispatches any more, also those behind one that has failed.
  virtual void drain() noexcept = 0;
};

/// The client whose queue it is, for what the generic driver is asked about it.
struct QueueOwner {
  const hsa_generic_driver_interface* driver = nullptr;
  int64_t client = 0;
};

/// What runs the kernels of an agent by itself. All members may be called from all threads.
class Device : public CodeLoader {
 public:
  /// The way of a new queue. The device outlives it. The error is a message for the log.
  virtual Result<std::unique_ptr<Launcher>, Error> make_launcher(const QueueOwner& owner) = 0;
};

}  // namespace heddle::agents
