// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Requests of the generic driver to agent drivers, and their replies (MVA 2.2): answered at once, or later
// through agent_reply with the cookie of the request.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

#include "driver/driver.h"

namespace heddle::driver {

/// The requests that are under way in this process. A cookie is a number that is never used twice, so that a
/// late, repeated or invented reply finds nothing; such replies are logged.
class ReplyTable {
 public:
  static ReplyTable& instance();

  /// A new cookie. `message` is a literal, for the log.
  void* open(const Agent& agent, const char* message);
  /// Ends the request whose call returned `returned`: waits for the reply if that is HSAM_Async. Returns the
  /// final answer.
  HSAM_Error finish(void* cookie, HSAM_Error returned);
  /// agent_reply. May come before the call that it answers has returned.
  void reply(HSAM_Error code, void* cookie);

 private:
  struct Request {
    const Agent* agent;
    const char* message;
    bool replied = false;
    HSAM_Error code = HSAM_Async;
  };
  static std::string describe(const Request& request);

  std::mutex mutex_;
  std::condition_variable replied_;
  uint64_t last_cookie_ = 0;
  std::unordered_map<uint64_t, Request> requests_;
};

/// A request that may still wait for its reply; lets one request be sent to several agents before any reply
/// is awaited.
class PendingRequest {
 public:
  /// Calls send(interface, cookie).
  template <typename Send>
  PendingRequest(const Agent& agent, const char* message, Send&& send);
  PendingRequest(const PendingRequest&) = delete;
  PendingRequest(PendingRequest&& other) noexcept : cookie_(other.cookie_), returned_(other.returned_) {
    other.cookie_ = nullptr;
  }
  ~PendingRequest() { finish(); }
  HSAM_Error finish() {
    if (cookie_ == nullptr) return returned_;
    returned_ = ReplyTable::instance().finish(cookie_, returned_);
    cookie_ = nullptr;
    return returned_;
  }

 private:
  void* cookie_;
  HSAM_Error returned_;
};

/// Access to the functions of an agent driver.
class Requests {
 public:
  static const hsa_agent_driver_interface& interface(const Agent& agent) { return agent.interface_; }

  /// Sends a request that ends in a cookie: member(arguments..., cookie). HSAM_Not_Supported if the driver
  /// lacks it.
  template <typename... Parameters, typename... Arguments>
  static HSAM_Error send(const Agent& agent, const char* message,
                         HSAM_Error (*hsa_agent_driver_interface::*member)(Parameters...),
                         Arguments... arguments) {
    auto function = interface(agent).*member;
    if (function == nullptr) return HSAM_Not_Supported;
    return PendingRequest(agent, message, [&](void* cookie) { return function(arguments..., cookie); })
        .finish();
  }

  /// The same for requests that end in a cookie and a handle that the agent stores.
  template <typename... Parameters, typename... Arguments>
  static HSAM_Error send_for_handle(const Agent& agent, const char* message,
                                    HSAM_Error (*hsa_agent_driver_interface::*member)(Parameters...),
                                    int64_t* handle_at_agent, Arguments... arguments) {
    auto function = interface(agent).*member;
    if (function == nullptr) return HSAM_Not_Supported;
    return PendingRequest(agent, message,
                          [&](void* cookie) { return function(arguments..., cookie, handle_at_agent); })
        .finish();
  }
};

template <typename Send>
PendingRequest::PendingRequest(const Agent& agent, const char* message, Send&& send)
    : cookie_(ReplyTable::instance().open(agent, message)), returned_(send(cookie_)) {}

/// The status that tells a client of an agent's rejection.
hsa_status_t to_status(HSAM_Error answer);

}  // namespace heddle::driver
