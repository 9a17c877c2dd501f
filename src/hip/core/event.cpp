// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/event.h"

#include "hip/core/capture.h"

namespace heddle::hip {

void Event::record(Stream& stream) {
  if (!record_event(*this, stream)) set(stream.mark(has_time()));
}

void Event::set(MarkerPointer marker) {
  const std::scoped_lock lock(mutex_);
  if (point_ != nullptr) number_ = point_->record(marker);
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
  if (point_ == nullptr) return marker_;
  // Another process may have recorded the event since.
  const uint32_t number = point_->recorded();
  // Who sees that a point is reached does not wait for the thread that tells others: the process may end.
  if (number == number_ && marker_ != nullptr && marker_->done()) point_->reach(number);
  if (point_->reached(number)) return nullptr;
  if (number != number_) {
    auto marker = std::make_shared<Marker>(*device_, Marker::Kind::host);
    point_->finish_at(number, marker);
    marker_ = std::move(marker);
    number_ = number;
  }
  return marker_;
}

bool Event::recorded() const {
  const std::scoped_lock lock(mutex_);
  return recorded_;
}

}  // namespace heddle::hip
