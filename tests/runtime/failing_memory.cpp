// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "failing_memory.h"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HEDDLE_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HEDDLE_TEST_SANITIZED 1
#endif
#endif

namespace heddle::runtime::test {
namespace {

/// Counts down the allocations (threads) that still succeed.
class Supply {
 public:
  void arm(long allowed, Failing failing, const void* only = nullptr) {
    only_.store(only);
    failing_.store(failing);
    left_.store(allowed);
    armed_.store(true);
  }
  void disarm() { armed_.store(false); }
  bool takes_one() {
    if (!armed_.load()) return true;
    const void* const only = only_.load();
    if (only != nullptr && only != this_thread()) return true;
    const long left = left_.fetch_sub(1);
    if (left > 0 || (left < 0 && failing_.load() == Failing::one)) return true;
    failed_.store(true);
    return false;
  }
  bool take_failed() { return failed_.exchange(false); }
  /// What tells the calling thread from others.
  static const void* this_thread() {
    static thread_local constinit char own = 0;
    return &own;
  }

 private:
  std::atomic<const void*> only_{nullptr};
  std::atomic<bool> armed_{false}, failed_{false};
  std::atomic<long> left_{0};
  std::atomic<Failing> failing_{Failing::all};
};

constinit Supply memory, threads;

/// Null if memory has run out.
void* allocate(size_t size) { return memory.takes_one() ? std::malloc(size == 0 ? 1 : size) : nullptr; }
void* allocate(size_t size, std::align_val_t alignment) {
  const auto align = static_cast<size_t>(alignment);
  if (size > SIZE_MAX - align || !memory.takes_one()) return nullptr;
  // aligned_alloc() takes multiples of the alignment, and says nothing of 0 bytes.
  return std::aligned_alloc(align, size == 0 ? align : (size + align - 1) / align * align);
}

void* or_throw(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void fail_memory(long allowed, Failing failing) { memory.arm(allowed, failing); }
void fail_own_memory(long allowed, Failing failing) { memory.arm(allowed, failing, Supply::this_thread()); }
void fail_threads(long allowed, Failing failing) { threads.arm(allowed, failing); }

bool nothing_fails() {
  memory.disarm();
  threads.disarm();
  const bool no_memory = memory.take_failed();
  return threads.take_failed() || no_memory;
}

bool can_fail_threads() {
#ifdef HEDDLE_TEST_SANITIZED
  return false;
#else
  return true;
#endif
}

}  // namespace heddle::runtime::test

// Every form is replaced: a sanitizer, which brings all of them, takes it for a mistake of the program when a
// block of its nothrow or aligned operator new comes to an operator delete of ours, and LLVM and the standard
// library use each.
void* operator new(size_t size) {
  return heddle::runtime::test::or_throw(heddle::runtime::test::allocate(size));
}
void* operator new[](size_t size) { return operator new(size); }
void* operator new(size_t size, std::align_val_t alignment) {
  return heddle::runtime::test::or_throw(heddle::runtime::test::allocate(size, alignment));
}
void* operator new[](size_t size, std::align_val_t alignment) { return operator new(size, alignment); }
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return heddle::runtime::test::allocate(size);
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return heddle::runtime::test::allocate(size);
}
void* operator new(size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return heddle::runtime::test::allocate(size, alignment);
}
void* operator new[](size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return heddle::runtime::test::allocate(size, alignment);
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }
// Called when the constructor of what a nothrow new expression makes throws.
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept { std::free(memory); }

#ifndef HEDDLE_TEST_SANITIZED
extern "C" __attribute__((visibility("default"))) int pthread_create(pthread_t* thread,
                                                                     const pthread_attr_t* attributes,
                                                                     void* (*start)(void*), void* argument) {
  static const auto create = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  if (!heddle::runtime::test::threads.takes_one()) return EAGAIN;
  return create(thread, attributes, start, argument);
}
#endif
