// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "failing_calls.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>

namespace {

constexpr long none = -1;
std::atomic<long> failing{none};
std::atomic<int> error_of_failing{0};
std::atomic<long> period{1};
std::atomic<long> made{0};  ///< of the number that fails

/// Makes the call without the C library, whose function this program replaces.
long call(long number, const long (&arguments)[6]) {
  long result = number;
  register long fourth __asm__("r10") = arguments[3];
  register long fifth __asm__("r8") = arguments[4];
  register long sixth __asm__("r9") = arguments[5];
  __asm__ volatile("syscall"
                   : "+a"(result)
                   : "D"(arguments[0]), "S"(arguments[1]), "d"(arguments[2]), "r"(fourth), "r"(fifth),
                     "r"(sixth)
                   : "rcx", "r11", "memory");
  constexpr long last_error = -4096;
  if (result >= 0 || result <= last_error) return result;
  errno = static_cast<int>(-result);
  return -1;
}

bool is_wait(long operation) {
  const long command = operation & FUTEX_CMD_MASK;
  return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET;
}

}  // namespace

namespace heddle::runtime::test {

FailingCalls::FailingCalls(long number, int error, long every) {
  made.store(0);
  period.store(every);
  error_of_failing.store(error);
  failing.store(number);
}

FailingCalls::~FailingCalls() { failing.store(none); }

long FailingCalls::count() { return (made.load() + period.load() - 1) / period.load(); }

}  // namespace heddle::runtime::test

extern "C" __attribute__((visibility("default"))) long syscall(long number, ...) noexcept {
  long arguments[6];
  va_list rest;
  va_start(rest, number);
  for (long& argument : arguments) argument = va_arg(rest, long);
  va_end(rest);
  if (failing.load() != number || (number == SYS_futex && !is_wait(arguments[1])))
    return call(number, arguments);
  if (made.fetch_add(1) % period.load() != 0) return call(number, arguments);
  errno = error_of_failing.load();
  return -1;
}
