// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/runtime.h"

#include <pthread.h>
#include <new>

#include "runtime/core/code_object.h"
#include "runtime/core/code_object_writer.h"
#include "runtime/core/executable.h"
#include "runtime/core/program.h"

namespace heddle::runtime {

std::atomic<Runtime*> Runtime::current_ = nullptr;

Runtime& Runtime::instance() {
  static Runtime* const runtime = [] {
    auto* made = new Runtime;
    pthread_atfork(nullptr, nullptr, &Runtime::forget_parent);
    return made;
  }();
  return *runtime;
}

/// Resets the runtime in the child of a fork, where the threads of the parent's runtime do not exist. The
/// child starts without references and may call hsa_init. The parent's objects are leaked, because destroying
/// them would need these threads.
void Runtime::forget_parent() {
  Runtime& runtime = instance();
  if (current_.exchange(nullptr) == nullptr) return;
  new (&runtime.mutex_) std::mutex;  // another thread may have held it
  runtime.references_ = 0;
  (void)runtime.copies_.release();
  (void)runtime.images_.release();
  (void)runtime.client_.release();
  (void)runtime.objects_.release();
  runtime.objects_ = std::make_unique<Objects>();
}

hsa_status_t Runtime::start() {
  auto client = driver::Client::open();
  if (!client) return client.error();
  topology_.build(**client);
  auto copies = std::make_unique<CopyService>(**client);
  images_ = std::make_unique<Images>();
  copies_ = std::move(copies);
  client_ = std::move(client).value();
  current_.store(this, std::memory_order_release);
  return HSA_STATUS_SUCCESS;
}

void Runtime::stop() {
  current_.store(nullptr, std::memory_order_release);
  copies_.reset();
  objects_->clear();
  images_.reset();
  client_.reset();
}

hsa_status_t Runtime::init() {
  Runtime& runtime = instance();
  std::lock_guard lock(runtime.mutex_);
  if (runtime.references_ == INT32_MAX) return HSA_STATUS_ERROR_REFCOUNT_OVERFLOW;
  if (runtime.references_ == 0) {
    const hsa_status_t status = runtime.start();
    if (status != HSA_STATUS_SUCCESS) return status;
  }
  ++runtime.references_;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Runtime::shut_down() {
  if (current() == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  Runtime& runtime = instance();
  std::lock_guard lock(runtime.mutex_);
  if (runtime.references_ == 0) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (--runtime.references_ == 0) runtime.stop();
  return HSA_STATUS_SUCCESS;
}

}  // namespace heddle::runtime
