// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/connections.h"

#include <vector>

#include "driver/log.h"
#include "driver/messages.h"

namespace heddle::driver {

HSAM_Error Connections::open(const Agent& agent, int64_t* handle_at_agent) {
  Link& link = links_[agent.index()];
  if (!link.opened.load(std::memory_order_acquire)) {
    std::lock_guard lock(link.mutex);
    if (!link.opened.load(std::memory_order_relaxed)) {
      // MVA passes the operating system's view of the address space; in one process there is nothing to tell.
      void* user_virtual_space = nullptr;
      HSAM_Error answer =
          Requests::send_for_handle(agent, "client_new", &hsa_agent_driver_interface::client_new,
                                    &link.handle, client_, user_virtual_space);
      if (answer != HSAM_Done) {
        log_error("agent '{}' refuses the client: {}", agent.config().name, static_cast<int>(answer));
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
  std::vector<PendingRequest> pending;
  std::vector<const Agent*> told;
  for (const Agent* agent : agents_) {
    Link& link = links_[agent->index()];
    if (!link.opened.exchange(false)) continue;
    told.push_back(agent);
    pending.emplace_back(*agent, "client_remove", [&](void* cookie) {
      return Requests::interface(*agent).client_remove(link.handle, cookie);
    });
  }
  for (size_t i = 0; i < pending.size(); ++i)
    if (HSAM_Error answer = pending[i].finish(); answer != HSAM_Done)
      log_error("agent '{}' failed to remove the client: {}", told[i]->config().name,
                static_cast<int>(answer));
}

}  // namespace heddle::driver
