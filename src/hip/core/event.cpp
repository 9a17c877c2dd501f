// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/event.h"

namespace heddle::hip {

void Event::set(MarkerPointer marker) {
  const std::scoped_lock lock(mutex_);
  marker_ = std::move(marker);
  recorded_ = true;
}

MarkerPointer Event::marker() const {
  const std::scoped_lock lock(mutex_);
  return marker_;
}

bool Event::recorded() const {
  const std::scoped_lock lock(mutex_);
  return recorded_;
}

}  // namespace heddle::hip
