// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/messages.h"

#include <chrono>

#include "driver/log.h"

namespace heddle::driver {
namespace {

// How long an agent may think before the log mentions it. The request goes on: only the agent can end it.
constexpr std::chrono::seconds slow_reply{10};

uint64_t number_of(void* cookie) { return reinterpret_cast<uintptr_t>(cookie); }

}  // namespace

ReplyTable& ReplyTable::instance() {
  static ReplyTable table;
  return table;
}

std::string ReplyTable::describe(const Request& request) {
  return fmt::format("{} of agent '{}'", request.message, request.agent->config().name);
}

void* ReplyTable::open(const Agent& agent, const char* message) {
  std::lock_guard lock(mutex_);
  uint64_t number = ++last_cookie_;
  requests_.emplace(number, Request{&agent, message});
  return reinterpret_cast<void*>(static_cast<uintptr_t>(number));
}

HSAM_Error ReplyTable::finish(void* cookie, HSAM_Error returned) {
  std::unique_lock lock(mutex_);
  auto found = requests_.find(number_of(cookie));
  Request& request = found->second;  // stays where it is while others come and go
  if (returned != HSAM_Async) {
    if (request.replied) log_error("{} was answered at once and by agent_reply", describe(request));
  } else {
    while (!replied_.wait_for(lock, slow_reply, [&] { return request.replied; }))
      log_warning("{} has not been answered yet", describe(request));
    returned = request.code;
  }
  requests_.erase(number_of(cookie));
  return returned;
}

void ReplyTable::reply(HSAM_Error code, void* cookie) {
  std::lock_guard lock(mutex_);
  auto found = requests_.find(number_of(cookie));
  if (found == requests_.end()) {
    log_error("agent_reply with cookie {:#x}, which no request has", number_of(cookie));
  } else if (found->second.replied) {
    log_error("{} was answered twice", describe(found->second));
  } else if (code == HSAM_Async) {
    log_error("{} was answered with HSAM_Async, which is no reply", describe(found->second));
  } else {
    found->second.replied = true;
    found->second.code = code;
    replied_.notify_all();
  }
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
