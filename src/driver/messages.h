// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Requests of the generic driver to agent drivers (MVA 2.2). An agent replies at once, or later by calling
// agent_reply with the cookie of the request.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "driver/driver.h"
#include "driver/log.h"
#include "support/fork_handler.h"

namespace heddle::driver {

/// A request in progress, which is part of a PendingRequest.
struct Request {
  const Agent* agent = nullptr;
  const char* message = nullptr;  ///< a literal for the log
  uint64_t number = 0;            ///< the cookie
  bool replied = false;
  bool is_left = false;  ///< its function has returned HSAM_Async, and no thread waits
  HSAM_Error code = HSAM_Async;
  /// Called with the reply of a request for which no thread waits, on the thread that replies. The table has
  /// forgotten the request then. Null: a thread waits.
  void (*on_reply)(Request& request, HSAM_Error code) noexcept = nullptr;
  Request* next = nullptr;
  Request* previous = nullptr;
};

/// Returns the name of an answer for the log. Allocates nothing.
const char* name_of(HSAM_Error answer) noexcept;

/// The requests in progress in this process. A cookie is a number that is never used twice, so late, repeated
/// and invented replies match no request; they are logged. The table allocates no memory, because releasing
/// resources when memory is exhausted needs requests, too.
class ReplyTable {
 public:
  static ReplyTable& instance();

  /// Registers the request and returns its cookie. The request must not move until finish().
  void* open(Request& request);
  /// Ends a request whose function returned `returned`. If that is HSAM_Async, waits for the reply. Returns
  /// the final answer.
  HSAM_Error finish(Request& request, HSAM_Error returned);
  /// Does the same for a request that has on_reply(), without waiting: if there is no reply yet, returns
  /// HSAM_Async, and on_reply() is called once, possibly before this has returned.
  HSAM_Error leave(Request& request, HSAM_Error returned);
  /// Implements agent_reply, which may be called even before the function of the request has returned.
  void reply(HSAM_Error code, void* cookie);

 private:
  /// The requests in progress are in lists by the last bits of their numbers. A client may begin thousands of
  /// copies.
  static constexpr size_t lists = 64;

  Request*& list_of(uint64_t number) { return newest_[number % lists]; }
  Request* find(uint64_t number);
  void remove(Request& request);
  void forget_parent() noexcept;

  std::mutex mutex_;
  std::condition_variable replied_;
  uint64_t last_cookie_ = 0;
  Request* newest_[lists] = {};
  const ForkHandler fork_handler_{
      [](void* table) noexcept { static_cast<ReplyTable*>(table)->forget_parent(); }, this};
};

/// A request that may still wait for its reply. It allows several agents to work on a request at the same
/// time: all requests are sent before the first reply is awaited.
class PendingRequest {
 public:
  /// Sends the request by calling send(cookie).
  template <typename Send>
  PendingRequest(const Agent& agent, const char* message, Send&& send) : PendingRequest(agent, message) {
    returned_ = send(cookie_);
  }
  PendingRequest(const PendingRequest&) = delete;
  PendingRequest& operator=(const PendingRequest&) = delete;
  ~PendingRequest() { finish(); }
  HSAM_Error finish() {
    if (cookie_ == nullptr) return returned_;
    returned_ = ReplyTable::instance().finish(request_, returned_);
    cookie_ = nullptr;
    log_debug(HSAM_LOG_COMMAND, "{} of agent '{}' was answered {}", request_.message,
              request_.agent->config().name, name_of(returned_));
    return returned_;
  }

 private:
  PendingRequest(const Agent& agent, const char* message)
      : request_{.agent = &agent, .message = message}, cookie_(ReplyTable::instance().open(request_)) {
    log_debug(HSAM_LOG_COMMAND, "{} to agent '{}'", message, agent.config().name);
  }

  Request request_;
  void* cookie_;
  HSAM_Error returned_ = HSAM_Done;
};

/// Access to the functions of an agent driver.
class Requests {
 public:
  static const hsa_agent_driver_interface& interface(const Agent& agent) { return agent.interface_; }

  /// Calls a function whose last parameter is a cookie: member(arguments..., cookie), and returns the agent's
  /// answer. HSAM_Not_Supported if the driver lacks the function.
  template <typename... Parameters, typename... Arguments>
  static HSAM_Error send(const Agent& agent, const char* message,
                         HSAM_Error (*hsa_agent_driver_interface::*member)(Parameters...),
                         Arguments... arguments) {
    auto function = interface(agent).*member;
    if (function == nullptr) return HSAM_Not_Supported;
    return PendingRequest(agent, message, [&](void* cookie) { return function(arguments..., cookie); })
        .finish();
  }

  /// Does the same without waiting for the answer. If it is HSAM_Async, the on_reply() of `request` is called
  /// with the final one, once and possibly before this has returned. The request stays where it is until
  /// then.
  template <typename... Parameters, typename... Arguments>
  static HSAM_Error start(const Agent& agent, const char* message, Request& request,
                          HSAM_Error (*hsa_agent_driver_interface::*member)(Parameters...),
                          Arguments... arguments) {
    auto function = interface(agent).*member;
    if (function == nullptr) return HSAM_Not_Supported;
    request.agent = &agent;
    request.message = message;
    void* const cookie = ReplyTable::instance().open(request);
    log_debug(HSAM_LOG_COMMAND, "{} to agent '{}'", message, agent.config().name);
    return ReplyTable::instance().leave(request, function(arguments..., cookie));
  }

  /// Does the same as send() for functions whose last parameters are a cookie and a handle, or the address of
  /// memory, which the agent stores.
  template <typename Handle, typename... Parameters, typename... Arguments>
  static HSAM_Error send_for_handle(const Agent& agent, const char* message,
                                    HSAM_Error (*hsa_agent_driver_interface::*member)(Parameters...),
                                    Handle* handle_at_agent, Arguments... arguments) {
    auto function = interface(agent).*member;
    if (function == nullptr) return HSAM_Not_Supported;
    return PendingRequest(agent, message,
                          [&](void* cookie) { return function(arguments..., cookie, handle_at_agent); })
        .finish();
  }
};

/// Converts an agent's answer to the status that clients get.
hsa_status_t to_status(HSAM_Error answer);

}  // namespace heddle::driver
