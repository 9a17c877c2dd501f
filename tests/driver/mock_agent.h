// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Agents that answer as a test tells them: at once, later, before the request returns, twice, or never. The
// test program registers them itself, through the same function as any plugin.
#pragma once

#include <hsam/hsam.h>

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace heddle::driver::test {

/// One message as it arrived. Fields that the message does not have are 0.
struct Call {
  std::string message;
  int64_t client = 0;  // the agent's handle; for client_new the driver's
  int64_t object =
      0;  // the handle of signal, group, queue or code: the driver's for ..._new, else the agent's
  int64_t second = 0;  // doorbell for queue_new, flags for memory_allocation
  const void* address = nullptr;
  const void* from = nullptr;
  int64_t size = 0;
  int64_t detail = 0;  // segment, permission
  std::vector<int64_t> list;
};

enum class Reply { at_once, before_return, from_thread, twice, at_once_and_again, never };

struct Behaviour {
  HSAM_Error answer = HSAM_Done;
  Reply reply = Reply::at_once;
};

class MockAgent {
 public:
  /// Sets how one message is answered from now on. Messages without such a setting are answered HSAM_Done at
  /// once.
  void script(const std::string& message, Behaviour behaviour) {
    std::lock_guard lock(mutex_);
    script_[message] = behaviour;
  }
  /// Forgets calls and settings; handles start from 1001 again.
  void reset() {
    join();
    std::lock_guard lock(mutex_);
    script_.clear();
    calls_.clear();
    next_handle_ = 1000;
    access_to_peer = 0;
  }
  std::vector<Call> calls(const std::string& message = "") const {
    std::lock_guard lock(mutex_);
    std::vector<Call> result;
    for (const Call& call : calls_)
      if (message.empty() || call.message == message) result.push_back(call);
    return result;
  }
  size_t count(const std::string& message) const { return calls(message).size(); }
  /// Waits for the threads that send late replies.
  void join() {
    std::vector<std::thread> threads;
    {
      std::lock_guard lock(mutex_);
      threads.swap(threads_);
    }
    for (auto& thread : threads) thread.join();
  }

  HSAM_Error answer(const Call& call, void* cookie);
  HSAM_Error answer_with_handle(const Call& call, void* cookie, int64_t* out);

  const hsa_generic_driver_interface* driver = nullptr;
  hsa_generic_driver_config driver_config{};
  HSAM_queue_info_str last_queue{};
  std::atomic<hsa_root_dest_node*> last_root{nullptr};
  void* last_cookie = nullptr;
  uintptr_t chosen_address = 0;  ///< of region_allocate
  uint16_t peer = 0;             ///< the number of another agent
  uint32_t access_to_peer = 0;   ///< mask of hsam_peer_access for memory of that one

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Behaviour> script_;
  std::vector<Call> calls_;
  std::vector<std::thread> threads_;
  int64_t next_handle_ = 1000;
};

/// The host agent, which has no kernel dispatch and no code_load, and three kernel agents, each with a
/// coarse-grained region of its own. Only the first one wants signal and memory messages.
MockAgent& host_mock();
MockAgent& first_mock();
MockAgent& second_mock();
/// Has the functions region_allocate and region_free, and is too old for what follows them.
MockAgent& third_mock();

/// Registers all mocks. Call it before the process creates its first client. With `wants_memory_files` the
/// first one maps memory of the host in processes of its own.
void register_mocks(bool wants_memory_files = false);

/// Return a configuration and functions that the driver accepts, for tests of registration.
hsa_agent_driver_config sound_config();
const hsa_agent_driver_interface& sound_interface();

}  // namespace heddle::driver::test
