// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/page_watch.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <new>
#include <system_error>
#include <thread>

#include "driver/log.h"
#include "driver/virtual_memory.h"
#include "support/thread_name.h"

namespace heddle::driver {
namespace {

constexpr uint64_t wanted_events =
    UFFD_FEATURE_EVENT_REMAP | UFFD_FEATURE_EVENT_REMOVE | UFFD_FEATURE_EVENT_UNMAP;

/// Returns a file for events of this process, or -1. No page fault goes through it, so that users need no
/// rights.
int open_events() {
  const auto file = static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY));
  if (file < 0) return -1;
  uffdio_api api = {};
  api.api = UFFD_API;
  api.features = wanted_events;
  if (ioctl(file, UFFDIO_API, &api) == 0) return file;
  const int number = errno;
  close(file);
  errno = number;
  return -1;
}

uffdio_range to_system(const PageRange& pages) { return {pages.begin, pages.end - pages.begin}; }

bool is_mapped(const PageRange& pages) {
  return msync(reinterpret_cast<void*>(pages.begin), pages.end - pages.begin, MS_ASYNC) == 0;
}

}  // namespace

PageRange PageRange::around(const void* address, uint64_t size) {
  const auto begin = reinterpret_cast<uintptr_t>(address);
  const size_t page = page_size();
  if (size == 0 || size > UINTPTR_MAX - page || begin > UINTPTR_MAX - page - size) return {};
  return {begin / page * page, (begin + size + page - 1) / page * page};
}

HSAM_Error commit(const PageRange& pages, bool for_writing) {
  if (pages.empty()) return HSAM_Invalid;
  const int advice = for_writing ? MADV_POPULATE_WRITE : MADV_POPULATE_READ;
  while (madvise(reinterpret_cast<void*>(pages.begin), pages.end - pages.begin, advice) != 0) {
    if (errno == EINTR || errno == EAGAIN) continue;
    // ENOMEM says both that nothing is mapped there and that memory has run out.
    return errno == ENOMEM && is_mapped(pages) ? HSAM_OutOfResources : HSAM_Invalid;
  }
  return HSAM_Done;
}

PageWatch& PageWatch::instance() {
  // Never destroyed: its threads live as long as the process.
  static PageWatch& watch = *new PageWatch;
  return watch;
}

/// Opens the file and starts the threads at the first call. Returns Not_Supported if there is no userfaultfd,
/// or OutOfResources. Throws what std::thread throws.
HSAM_Error PageWatch::start() {
  if (!has_teller_)
    std::thread([this] {
      name_thread("heddle-pages");
      tell_agents();
    }).detach();
  has_teller_ = true;
  if (file_ >= 0) return HSAM_Done;
  const int file = open_events();
  if (file < 0) {
    const bool is_exhausted = errno == EMFILE || errno == ENFILE || errno == ENOMEM;
    return is_exhausted ? HSAM_OutOfResources : HSAM_Not_Supported;
  }
  try {
    std::thread([this, file] {
      name_thread("heddle-faults");
      read_events(file);
    }).detach();
  } catch (...) {
    close(file);
    throw;
  }
  file_ = file;
  return HSAM_Done;
}

HSAM_Error PageWatch::watch(int64_t client, uint16_t agent, const PageRange& pages, Tell tell) {
  if (pages.empty()) return HSAM_Invalid;
  std::lock_guard lock(mutex_);
  try {
    if (const HSAM_Error started = start(); started != HSAM_Done) return started;
    tell_ = tell;
    watches_.push_back({client, agent, pages});
  } catch (const std::bad_alloc&) {
    return HSAM_OutOfResources;
  } catch (const std::system_error&) {  // no thread
    return HSAM_OutOfResources;
  }
  uffdio_register request = {};
  request.range = to_system(pages);
  // Events come for ranges of any mode. In this one, faults would come only for pages that this file has
  // write- protected, which it never does.
  request.mode = UFFDIO_REGISTER_MODE_WP;
  if (ioctl(file_, UFFDIO_REGISTER, &request) == 0) return HSAM_Done;
  const int number = errno;
  watches_.pop_back();
  if (!is_mapped(pages)) return HSAM_Invalid;
  return number == ENOMEM ? HSAM_OutOfResources : HSAM_Not_Supported;
}

HSAM_Error PageWatch::unwatch(int64_t client, uint16_t agent, const PageRange& pages) {
  std::lock_guard lock(mutex_);
  const auto found = std::find_if(watches_.begin(), watches_.end(), [&](const Watch& watch) {
    return watch.client == client && watch.agent == agent && watch.pages.begin == pages.begin &&
           watch.pages.end == pages.end;
  });
  if (found == watches_.end()) return HSAM_Invalid;
  watches_.erase(found);
  unregister(pages);
  return HSAM_Done;
}

/// Events of a range that somebody else watches, too, go on; those for nobody are dropped when they come.
void PageWatch::unregister(const PageRange& pages) {
  if (std::any_of(watches_.begin(), watches_.end(),
                  [&](const Watch& watch) { return watch.pages.meets(pages); }))
    return;
  uffdio_range range = to_system(pages);
  ioctl(file_, UFFDIO_UNREGISTER, &range);  // fails if the range has been unmapped, and is then not needed
}

void PageWatch::forget(int64_t client) {
  const std::lock_guard telling(telling_);
  const std::lock_guard lock(mutex_);
  while (true) {
    const auto found = std::find_if(watches_.begin(), watches_.end(),
                                    [&](const Watch& watch) { return watch.client == client; });
    if (found == watches_.end()) return;
    const PageRange pages = found->pages;
    watches_.erase(found);
    unregister(pages);
  }
}

void PageWatch::read_events(int file) noexcept {
  while (true) {
    uffd_msg message;
    const ssize_t size = read(file, &message, sizeof message);
    if (size < 0 && errno == EINTR) continue;
    if (size != sizeof message) return;
    Event event = {};
    switch (message.event) {
      case UFFD_EVENT_REMOVE:
        event = {{message.arg.remove.start, message.arg.remove.end}, HSAM_RANGE_DISCARDED};
        break;
      case UFFD_EVENT_UNMAP:
        event = {{message.arg.remove.start, message.arg.remove.end}, HSAM_RANGE_UNMAPPED};
        break;
      case UFFD_EVENT_REMAP:
        event = {{message.arg.remap.from, message.arg.remap.from + message.arg.remap.len}, HSAM_RANGE_MOVED};
        break;
      default:
        continue;
    }
    std::lock_guard lock(mutex_);
    try {
      events_.push_back(event);
    } catch (const std::bad_alloc&) {
      log_error("no memory to tell agents that pages at {:#x} have changed", event.pages.begin);
    }
    arrived_.notify_one();
  }
}

void PageWatch::tell_agents() noexcept {
  while (true) {
    {
      std::unique_lock lock(mutex_);
      arrived_.wait(lock, [&] { return !events_.empty(); });
    }
    const std::lock_guard telling(telling_);
    Event event;
    {
      const std::lock_guard lock(mutex_);
      event = events_.front();  // only this thread takes events
      events_.pop_front();
    }
    try {
      tell_of(event);
    } catch (const std::bad_alloc&) {
      log_error("no memory to tell agents that pages at {:#x} have changed", event.pages.begin);
    }
  }
}

void PageWatch::tell_of(const Event& event) {
  std::vector<Watch> concerned;
  Tell tell;
  {
    std::lock_guard lock(mutex_);
    tell = tell_;
    std::copy_if(watches_.begin(), watches_.end(), std::back_inserter(concerned),
                 [&](const Watch& watch) { return watch.pages.meets(event.pages); });
  }
  for (const Watch& watch : concerned)
    tell(watch.client, watch.agent,
         {std::max(watch.pages.begin, event.pages.begin), std::min(watch.pages.end, event.pages.end)},
         event.change);
}

/// The file tells of the parent's memory, and the threads are the parent's.
void PageWatch::forget_parent() noexcept {
  abandon(mutex_);
  abandon(telling_);
  abandon(arrived_);
  abandon(watches_);
  abandon(events_);
  if (file_ >= 0) close(file_);
  file_ = -1;
  has_teller_ = false;
}

}  // namespace heddle::driver
