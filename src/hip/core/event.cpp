// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/event.h"

#include "hip/core/capture.h"

namespace heddle::hip {

void Event::record(Stream& stream) {
  if (!record_event(*this, stream)) set(stream.mark(has_time()));
}

void Event::set(MarkerPointer marker) {
  const std::scoped_lock lock(mutex_);
  marker_ = std::move(marker);
  captured_ = nullptr;
  recorded_ = true;
}

void Event::set_captured(std::shared_ptr<const CapturedPoint> point) {
  const std::scoped_lock lock(mutex_);
  captured_ = std::move(point);
}

std::shared_ptr<const CapturedPoint> Event::captured() const {
  const std::scoped_lock lock(mutex_);
  return captured_;
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
