// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/messages.h"

#include <chrono>
#include <cstdint>

#include <hsam/signal.h>

#include "driver/log.h"

namespace heddle::driver {
namespace {

// The time after which the log mentions an unanswered request. The driver keeps waiting, since only the agent
// can end the request.
constexpr std::chrono::seconds slow_reply{10};

uint64_t number_of(void* cookie) { return reinterpret_cast<uintptr_t>(cookie); }

/// Begins to fetch the cache line of a request and the two next to it, where its owner may keep what
/// on_reply() uses. The thread that made the request wrote all of them last, and to fetch one after the other
/// would take 0.1 us each.
void prefetch_request(const Request* request) {
  constexpr uintptr_t line = 64;
  const auto at = reinterpret_cast<uintptr_t>(request);
  for (const uintptr_t address : {at, at - line, at + line})
    hsam_prefetch_for_write(reinterpret_cast<const void*>(address));
}

}  // namespace

ReplyTable& ReplyTable::instance() {
  // Never destroyed: threads may still wait for replies when static objects go away.
  static ReplyTable& table = *new ReplyTable;
  return table;
}

void* ReplyTable::open(Request& request) {
  std::lock_guard lock(mutex_);
  request.number = ++last_cookie_;
  request.replied = request.is_left = false;
  request.previous = nullptr;
  Request*& newest = list_of(request.number);
  request.next = newest;
  if (newest != nullptr) newest->previous = &request;
  newest = &request;
  return reinterpret_cast<void*>(static_cast<uintptr_t>(request.number));
}

Request* ReplyTable::find(uint64_t number) {
  Request* request = list_of(number);
  while (request != nullptr && request->number != number) request = request->next;
  return request;
}

/// Needs mutex_.
void ReplyTable::remove(Request& request) {
  (request.previous != nullptr ? request.previous->next : list_of(request.number)) = request.next;
  if (request.next != nullptr) request.next->previous = request.previous;
}

HSAM_Error ReplyTable::finish(Request& request, HSAM_Error returned) {
  const auto& agent = request.agent->config().name;
  std::unique_lock lock(mutex_);
  if (returned != HSAM_Async) {
    if (request.replied)
      log_error("{} of agent '{}' was answered at once and by agent_reply", request.message, agent);
  } else {
    while (!replied_.wait_for(lock, slow_reply, [&] { return request.replied; }))
      log_warning("{} of agent '{}' has not been answered yet", request.message, agent);
    returned = request.code;
  }
  remove(request);
  return returned;
}

HSAM_Error ReplyTable::leave(Request& request, HSAM_Error returned) {
  std::lock_guard lock(mutex_);
  if (returned == HSAM_Async && !request.replied) {
    request.is_left = true;
    return HSAM_Async;
  }
  if (returned != HSAM_Async && request.replied)
    log_error("{} of agent '{}' was answered at once and by agent_reply", request.message,
              request.agent->config().name);
  remove(request);
  return returned == HSAM_Async ? request.code : returned;
}

void ReplyTable::reply(HSAM_Error code, void* cookie) {
  // Fetch the head of the list while the lock is being taken.
  hsam_prefetch_for_write(static_cast<const void*>(&list_of(number_of(cookie))));
  std::unique_lock lock(mutex_);
  prefetch_request(list_of(number_of(cookie)));
  Request* request = find(number_of(cookie));
  if (request == nullptr) {
    log_error("agent_reply with cookie {:#x}, which no request has", number_of(cookie));
    return;
  }
  const char* complaint = request->replied     ? "twice"
                          : code == HSAM_Async ? "with HSAM_Async, which is no reply"
                                               : nullptr;
  if (complaint != nullptr) {
    log_error("{} of agent '{}' was answered {}", request->message, request->agent->config().name, complaint);
    return;
  }
  request->replied = true;
  request->code = code;
  if (request->on_reply == nullptr) {
    replied_.notify_all();
    return;
  }
  if (!request->is_left) return;  // leave() finds the reply
  remove(*request);
  lock.unlock();
  log_debug(HSAM_LOG_COMMAND, "{} of agent '{}' was answered {}", request->message,
            request->agent->config().name, name_of(code));
  request->on_reply(*request, code);
}

/// Forgets the requests in progress, which lie on the stacks of threads that only the parent has.
void ReplyTable::forget_parent() noexcept {
  abandon(mutex_);
  abandon(replied_);
  for (Request*& newest : newest_) newest = nullptr;
}

const char* name_of(HSAM_Error answer) noexcept {
  switch (answer) {
    case HSAM_Done:
      return "HSAM_Done";
    case HSAM_Async:
      return "HSAM_Async";
    case HSAM_Not_Supported:
      return "HSAM_Not_Supported";
    case HSAM_OutOfResources:
      return "HSAM_OutOfResources";
    case HSAM_Invalid:
      return "HSAM_Invalid";
  }
  return "a number that is no HSAM_Error";
}

hsa_status_t to_status(HSAM_Error answer) {
  switch (answer) {
    case HSAM_Done:
      return HSA_STATUS_SUCCESS;
    case HSAM_OutOfResources:
      return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    case HSAM_Invalid:
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    default:
      return HSA_STATUS_ERROR;
  }
}

}  // namespace heddle::driver
