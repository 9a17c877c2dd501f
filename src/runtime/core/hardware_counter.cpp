// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/hardware_counter.h"

#include <dirent.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "driver/log.h"

namespace heddle::runtime {

namespace {

constexpr HardwareEvent events[] = {
    {"processor.cycles", "processor cycles in user code of the process", PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_CPU_CYCLES, false, false},
    {"processor.instructions", "instructions that the process has executed in user code", PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_INSTRUCTIONS, false, false},
    {"processor.branch_misses", "branches in user code that were predicted wrongly", PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_BRANCH_MISSES, false, false},
    {"cache.references", "accesses of user code to the last cache", PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_CACHE_REFERENCES, false, true},
    {"cache.misses", "accesses of user code that missed the last cache", PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_CACHE_MISSES, false, true},
    {"processor.time", "time that the threads of the process have spent on processors", PERF_TYPE_SOFTWARE,
     PERF_COUNT_SW_TASK_CLOCK, true, false},
    {"processor.page_faults", "page faults of user code", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS,
     false, false},
};

/// Throws std::bad_alloc if the last system call failed because the process or the system has too little of
/// something. Otherwise a counter would be missing for as long as the runtime lives, because a descriptor was
/// for a moment.
void throw_if_exhausted() {
  if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) throw std::bad_alloc();
}

/// Returns a descriptor, or -1 with errno. Throws std::bad_alloc.
int open_event(const HardwareEvent& event, pid_t thread) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.disabled = 1;
  attributes.inherit = 1;  // threads that this one starts count, too
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  constexpr int any_processor = -1, no_group = -1;
  const auto descriptor = static_cast<int>(
      syscall(SYS_perf_event_open, &attributes, thread, any_processor, no_group, PERF_FLAG_FD_CLOEXEC));
  if (descriptor < 0) throw_if_exhausted();
  return descriptor;
}

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

/// The threads of the process at the moment; none if the system does not tell. Throws std::bad_alloc.
std::vector<pid_t> threads_of_process() {
  std::vector<pid_t> threads;
  const std::unique_ptr<DIR, CloseFolder> folder(opendir("/proc/self/task"));
  if (folder == nullptr) throw_if_exhausted();
  while (const dirent* entry = folder ? readdir(folder.get()) : nullptr) {
    const long thread = std::strtol(entry->d_name, nullptr, 10);
    if (thread > 0) threads.push_back(static_cast<pid_t>(thread));
  }
  return threads;
}

}  // namespace

std::span<const HardwareEvent> hardware_events() { return events; }

bool is_countable(const HardwareEvent& event) {
  constexpr pid_t this_thread = 0;
  const int descriptor = open_event(event, this_thread);
  if (descriptor < 0) return false;
  close(descriptor);
  return true;
}

HardwareCounter::~HardwareCounter() {
  for (const int descriptor : threads_) close(descriptor);
}

bool HardwareCounter::open(const HardwareEvent& event) {
  const std::vector<pid_t> threads = threads_of_process();
  threads_.reserve(threads.size());
  for (const pid_t thread : threads) {
    const int descriptor = open_event(event, thread);
    if (descriptor >= 0) {
      threads_.push_back(descriptor);
    } else if (errno != ESRCH) {  // the thread has ended meanwhile
      driver::log_error("the system does not count {}: {}", event.name, std::strerror(errno));
      return false;
    }
  }
  if (threads_.empty()) driver::log_error("the threads to count {} for are not known", event.name);
  return !threads_.empty();
}

void HardwareCounter::control(bool enable) {
  for (const int descriptor : threads_)
    ioctl(descriptor, enable ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

uint64_t HardwareCounter::read() const {
  struct {
    uint64_t count, time_enabled, time_running;
  } value;
  uint64_t sum = 0;
  for (const int descriptor : threads_) {
    if (::read(descriptor, &value, sizeof value) != static_cast<ssize_t>(sizeof value)) continue;
    if (value.time_running == 0 || value.time_running >= value.time_enabled)
      sum += value.count;
    else
      sum +=
          static_cast<uint64_t>(static_cast<double>(value.count) * static_cast<double>(value.time_enabled) /
                                static_cast<double>(value.time_running));
  }
  return sum;
}

}  // namespace heddle::runtime
