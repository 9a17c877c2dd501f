// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/fork_handler.h"

#include <pthread.h>

#include <cstdlib>
#include <cstring>
#include <mutex>

namespace heddle {
namespace {

std::mutex list_mutex;
bool installed = false;
// The child walks this list without the lock, so insertion and removal keep it valid at every step.
ForkHandler* first = nullptr;

}  // namespace

#ifdef HEDDLE_LEAK_SANITIZER
void keep_from_leak_report(const void* object, size_t size) noexcept {
  struct Kept {
    Kept* next;
  };
  static Kept* kept = nullptr;  // only used in the child of a fork, which has one thread
  auto* copy = static_cast<Kept*>(std::malloc(sizeof(Kept) + size));
  if (copy == nullptr) return;
  std::memcpy(copy + 1, object, size);
  copy->next = kept;
  kept = copy;
}
#endif

ForkHandler::ForkHandler(InChild in_child, void* object) : in_child_(in_child), object_(object) {
  std::lock_guard lock(list_mutex);
  if (!installed && pthread_atfork(nullptr, nullptr, &ForkHandler::run_all) != 0) throw std::bad_alloc();
  installed = true;
  next_ = first;
  if (first != nullptr) first->previous_ = this;
  first = this;
}

ForkHandler::~ForkHandler() {
  std::lock_guard lock(list_mutex);
  (previous_ != nullptr ? previous_->next_ : first) = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
}

void ForkHandler::run_all() noexcept {
  abandon(list_mutex);
  for (const ForkHandler* handler = first; handler != nullptr; handler = handler->next_)
    handler->in_child_(handler->object_);
}

}  // namespace heddle
