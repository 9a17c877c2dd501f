// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/connections.h"

#include "driver/log.h"
#include "driver/messages.h"

namespace heddle::driver {

HSAM_Error Connections::open(const Agent& agent, int64_t* handle_at_agent) {
  Link& link = links_[agent.index()];
  if (!link.opened.load(std::memory_order_acquire)) {
    std::lock_guard lock(link.mutex);
    if (!link.opened.load(std::memory_order_relaxed)) {
      // MVA passes the operating system's view of the address space. Within one process there is none to
      // pass.
      void* user_virtual_space = nullptr;
      HSAM_Error answer =
          Requests::send_for_handle(agent, "client_new", &hsa_agent_driver_interface::client_new,
                                    &link.handle, client_, user_virtual_space);
      if (answer != HSAM_Done) {
        log_error("agent '{}' refuses the client: {}", agent.config().name, name_of(answer));
        return answer;
      }
      link.opened.store(true, std::memory_order_release);
    }
  }
  *handle_at_agent = link.handle;
  return HSAM_Done;
}

bool Connections::find(const Agent& agent, int64_t* handle_at_agent) const {
  const Link& link = links_[agent.index()];
  if (!link.opened.load(std::memory_order_acquire)) return false;
  *handle_at_agent = link.handle;
  return true;
}

void Connections::close() {
  for (const Agent* agent : agents_) {
    Link& link = links_[agent->index()];
    if (!link.opened.exchange(false)) continue;
    link.closing.emplace(*agent, "client_remove", [&](void* cookie) {
      return Requests::interface(*agent).client_remove(link.handle, cookie);
    });
  }
  for (const Agent* agent : agents_) {
    std::optional<PendingRequest>& closing = links_[agent->index()].closing;
    if (!closing) continue;
    if (HSAM_Error answer = closing->finish(); answer != HSAM_Done)
      log_error("agent '{}' failed to remove the client: {}", agent->config().name, name_of(answer));
    closing.reset();
  }
}

}  // namespace heddle::driver
