// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hsam/signal.h>

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "agents/common/polling.h"
#include "agents/cuda/host_request.h"
#include "support/result.h"

namespace heddle::cuda {

/// What the service of a mailbox works on. All of it outlives the service.
struct MailboxWork {
  std::span<ptx_kernel::MailboxSlot> slots;
  const uint64_t* progress = nullptr;  ///< dispatches that have ended
  uint32_t* stop = nullptr;            ///< not 0: dispatches are to end
  agents::QueueOwner owner;
};

/// A request that could not be carried out.
struct RequestFailure {
  uint64_t dispatch = 0;  ///< number of the dispatch that made it
  agents::Failure failure;
};

/// The thread that answers the work-items of one queue. While dispatches that may ask are in progress, it
/// polls, and sleeps for short times if nothing is asked for long; at all other times it sleeps. A request
/// that is wrong stops the queue.
class MailboxService {
 public:
  /// The error says that there is no thread to be had.
  static Result<std::unique_ptr<MailboxService>, Error> start(const MailboxWork& work);
  /// Ends the thread. Requests are not answered any more.
  ~MailboxService();
  MailboxService(const MailboxService&) = delete;
  MailboxService& operator=(const MailboxService&) = delete;

  /// Requests may come until so many dispatches have ended.
  void serve_until(uint64_t dispatches);
  /// The request that has stopped the queue; null if there is none. The dispatch does not end before this is
  /// known.
  const RequestFailure* failure() const { return failed_.load(std::memory_order_acquire); }

 private:
  explicit MailboxService(const MailboxWork& work);
  void run();
  bool is_busy() const;
  bool look();
  bool look_at(size_t slot);
  uint64_t deadline() const;
  void rest();
  void post(size_t slot, const HostAnswer& answer);
  void fail(agents::Failure failure) noexcept;

  const MailboxWork work_;
  hsam_waiter waiter_ = {};
  SignalWaits waits_{waiter_};
  HostRequests requests_;
  std::vector<uint64_t> held_;  ///< the number of the wait that each slot waits for; 0: none
  size_t held_count_ = 0;
  std::atomic<uint64_t> until_{0};
  std::atomic<bool> ending_{false};
  std::atomic<const RequestFailure*> failed_{nullptr};
  RequestFailure failure_;
  uint64_t last_request_ = 0;  ///< ticks
  std::optional<agents::Polling> polling_;
  std::thread thread_;
};

}  // namespace heddle::cuda
