// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pages of clients that agents mirror in page tables of their own (MVA 5.3): the operating system commits
// them at the request of an agent, and agents are told when it discards, unmaps or moves them.
//
// Linux tells changes through userfaultfd. A thread that changes a watched range waits, inside of the system
// call, until somebody has read the event. Therefore one thread does nothing but read events, and another one
// calls agents, which may wait for locks that such a thread holds.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include <hsam/hsam.h>

#include "support/fork_handler.h"

namespace heddle::driver {

/// Pages, as the operating system counts them.
struct PageRange {
  uintptr_t begin = 0;
  uintptr_t end = 0;

  /// Returns the pages that contain these bytes; an empty range if there are none or they wrap around.
  static PageRange around(const void* address, uint64_t size);
  bool empty() const { return begin >= end; }
  bool meets(const PageRange& other) const { return begin < other.end && other.begin < end; }
};

/// Has the system commit the pages, for reading or for writing, so that an access does not fault.
/// HSAM_Invalid if there is no such memory or it cannot be accessed in this way; HSAM_OutOfResources.
HSAM_Error commit(const PageRange& pages, bool for_writing);

class PageWatch {
 public:
  /// Calls an agent; runs on the thread for that.
  using Tell = void (*)(int64_t client, uint16_t agent, const PageRange& pages, hsam_range_change change);

  static PageWatch& instance();

  /// Begins to tell an agent of changes. The errors are those of watch_range (hsam.h). `tell` is the same in
  /// all calls.
  HSAM_Error watch(int64_t client, uint16_t agent, const PageRange& pages, Tell tell);
  HSAM_Error unwatch(int64_t client, uint16_t agent, const PageRange& pages);
  /// Ends all watches of a client, and waits until nobody is being told about them any more.
  void forget(int64_t client);

 private:
  struct Watch {
    int64_t client;
    uint16_t agent;
    PageRange pages;
  };
  struct Event {
    PageRange pages;
    hsam_range_change change;
  };

  HSAM_Error start();
  void read_events(int file) noexcept;
  void tell_agents() noexcept;
  void tell_of(const Event& event);
  void unregister(const PageRange& pages);
  void forget_parent() noexcept;

  std::mutex mutex_;    // protects all members except for telling_
  std::mutex telling_;  // held while agents are told of one event; taken before mutex_
  int file_ = -1;
  bool has_teller_ = false;
  Tell tell_ = nullptr;
  std::vector<Watch> watches_;
  std::deque<Event> events_;
  std::condition_variable arrived_;
  const ForkHandler fork_handler_{
      [](void* watch) noexcept { static_cast<PageWatch*>(watch)->forget_parent(); }, this};
};

}  // namespace heddle::driver
