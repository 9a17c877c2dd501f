// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/lazy_driver.h"

namespace heddle::cuda {

LazyDriver::LazyDriver(std::string library, std::optional<GpuMemo> memo)
    : library_(std::move(library)), memo_(std::move(memo)) {}

LazyDriver::LazyDriver(std::string library, std::optional<GpuMemo> memo, std::string program)
    : library_(std::move(library)), program_(std::move(program)), memo_(std::move(memo)) {}

/// Abandons everything, because a thread of the parent may have been starting the driver.
void LazyDriver::forget_parent() noexcept {
  abandon(mutex_);
  abandon(api_);
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
  if (is_remote()) return look_from_outside();
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

Driven<LazyDriver::ProcessOfGpu> LazyDriver::start_process(const GpuProperties& gpu) {
  auto driver = std::make_unique<remote::RemoteDriver>(
      remote::ProcessOptions{program_, library_, remote::visible_device(gpu.number)});
  if (auto done = driver->start(); !done) return DriverError{Status::unknown, done.error().message};
  auto found = find_gpus(driver->api());
  if (!found) return found.error();
  for (GpuProperties& there : *found) {
    GpuProperties here = there;
    here.number = gpu.number;
    // That process sees no other GPU.
    here.peers = gpu.peers;
    here.atomic_peers = gpu.atomic_peers;
    if (here == gpu) return ProcessOfGpu{std::move(driver), std::move(there)};
  }
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
