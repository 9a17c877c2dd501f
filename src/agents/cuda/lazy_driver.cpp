// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/lazy_driver.h"

#include <cassert>

namespace heddle::cuda {

LazyDriver::LazyDriver(std::string library, std::optional<GpuMemo> memo, DriverPlace place,
                       std::string program)
    : library_(std::move(library)), program_(std::move(program)), place_(place), memo_(std::move(memo)) {
  assert(place == DriverPlace::here || !program_.empty());
}

/// Abandons everything, because a thread of the parent may have been starting the driver.
void LazyDriver::forget_parent() noexcept {
  abandon(mutex_);
  abandon(api_);
  lost_here_ = Status::success;
  abandon(told_);
  started_ = false;
}

bool LazyDriver::is_open() const {
  std::lock_guard lock(mutex_);
  return api_ != nullptr || opened_there_;
}

/// Has another process, which ends then, say which GPUs there are.
Driven<std::vector<GpuProperties>> LazyDriver::look_from_outside() {
  remote::RemoteDriver looking({program_, library_, {}});
  if (auto done = looking.start(); !done) return DriverError{Status::unknown, done.error().message};
  opened_there_ = true;
  return find_gpus(looking.api());
}

/// Opens the library and starts the driver, and returns the GPUs that it shows.
Driven<std::vector<GpuProperties>> LazyDriver::start() {
  if (place_ == DriverPlace::elsewhere) return look_from_outside();
  if (!api_) {
    auto opened = DriverApi::open(library_.c_str());
    if (!opened) return DriverError{Status::unknown, opened.error().message};
    api_ = std::move(*opened);
  }
  return find_gpus(*api_);
}

Driven<std::vector<GpuProperties>> LazyDriver::gpus() {
  std::lock_guard lock(mutex_);
  if (!told_ && memo_) told_ = memo_->read();
  // Nobody uses GPUs that are not there, so nobody would find out that the memo is no longer true.
  if (told_ && !told_->empty()) return *told_;
  auto found = start();
  if (!found) return found;
  if (memo_ && !found->empty()) memo_->write(*found);
  told_ = *found;
  started_ = true;
  return found;
}

/// What is remembered is no longer true.
DriverError LazyDriver::changed() {
  if (memo_) memo_->forget();
  return {Status::unknown,
          "the driver does not show the GPUs that it has shown before; the next start will see them as they "
          "are now"};
}

Driven<std::unique_ptr<GpuDriver>> LazyDriver::make_driver(const GpuProperties& gpu) {
  std::optional<DriverHere> here;
  if (place_ == DriverPlace::here_until_fault && lost_here_ == Status::success) {
    const auto api = started();
    // A fault of a kernel may have come first, also one of which only the driver knows.
    if (!api && !remote::is_sticky(api.error().status)) return api.error();
    if (api) here.emplace(**api, lost_here_);
  }
  auto driver = std::make_unique<GpuDriver>(
      here, gpu, remote::ProcessOptions{program_, library_, remote::visible_device(gpu.number)});
  if (here) return driver;
  auto done = driver->start();
  if (done) return driver;
  if (done.error().status != Status::no_device) return done.error();
  std::lock_guard lock(mutex_);
  return changed();
}

Driven<const DriverApi*> LazyDriver::started() {
  std::lock_guard lock(mutex_);
  if (started_) return api_.get();
  auto found = start();
  if (found && told_ && *found != *told_) return changed();
  if (!found) return found.error();
  started_ = true;
  return api_.get();
}

}  // namespace heddle::cuda
