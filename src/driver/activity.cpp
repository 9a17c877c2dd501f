// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/activity.h"

#include <algorithm>
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "support/fork_handler.h"

namespace heddle::driver {

constinit uint32_t Activities::observed_ = 0;

/// The list is locked shared while observers run, so that several threads report at the same time and
/// unsubscribe() waits for them.
class ObserverList {
 public:
  static ObserverList& instance() {
    // Never destroyed: agents' threads may report until the process ends.
    static ObserverList& list = *new ObserverList;
    return list;
  }

  void report(const Activity& activity) noexcept {
    std::shared_lock lock(mutex_);
    for (const Subscription& subscription : subscriptions_)
      if ((subscription.kinds & static_cast<uint32_t>(activity.kind)) != 0)
        subscription.observer->observe(activity);
  }

  void add(ActivityObserver& observer, uint32_t kinds) {
    std::unique_lock lock(mutex_);
    assert(std::ranges::find(subscriptions_, &observer, &Subscription::observer) == subscriptions_.end());
    subscriptions_.push_back({&observer, kinds});
    publish();
  }

  void remove(const ActivityObserver& observer) noexcept {
    {
      // Otherwise threads that report without a pause could keep this one from the lock for ever.
      std::shared_lock lock(mutex_);
      publish(&observer);
    }
    std::unique_lock lock(mutex_);
    std::erase_if(subscriptions_, [&](const Subscription& s) { return s.observer == &observer; });
    publish();
  }

 private:
  struct Subscription {
    ActivityObserver* observer;
    uint32_t kinds;
  };

  /// Says which kinds are observed, apart from what one observer, which is leaving, has asked for.
  void publish(const ActivityObserver* leaving = nullptr) noexcept {
    uint32_t kinds = 0;
    for (const Subscription& subscription : subscriptions_)
      if (subscription.observer != leaving) kinds |= subscription.kinds;
    __atomic_store_n(&Activities::observed_, kinds, __ATOMIC_RELAXED);
  }

  /// The child of a fork starts without a runtime, so without observers, too.
  void forget_parent() noexcept {
    abandon(mutex_);
    abandon(subscriptions_);
    publish();
  }

  std::shared_mutex mutex_;
  std::vector<Subscription> subscriptions_;
  const ForkHandler fork_handler_{
      [](void* list) noexcept { static_cast<ObserverList*>(list)->forget_parent(); }, this};
};

void Activities::prepare() { (void)ObserverList::instance(); }
void Activities::report(const Activity& activity) noexcept { ObserverList::instance().report(activity); }
void Activities::subscribe(ActivityObserver& observer, uint32_t kinds) {
  ObserverList::instance().add(observer, kinds);
}
void Activities::unsubscribe(ActivityObserver& observer) noexcept {
  ObserverList::instance().remove(observer);
}

}  // namespace heddle::driver
