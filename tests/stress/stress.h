// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of the stress tests, what a process uses, and queues that are filled by hand.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "../runtime/fixture.h"

namespace heddle::stress {

/// True with --full.
extern bool full;
/// The size of a test: what CI has time for, or all.
inline uint64_t size(uint64_t quick, uint64_t all) { return full ? all : quick; }

/// What this process uses of the system.
struct Use {
  size_t resident_kib = 0;  ///< memory
  size_t allocated = 0;     ///< bytes from malloc; 0 if an allocator of a sanitizer is at work
  size_t files = 0, threads = 0, mappings = 0;
};
Use use_of_process();
/// Prints a figure for the record of a run.
void note(const std::string& text);

class Clock {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// An agent that takes packets: `number` counts the agents behind that of the host, of which main() asks for
/// two, cpu and null.
enum class Kind : uint8_t { host, cpu, null };
hsa_agent_t agent(Kind kind);

/// Writes a packet into the next slot, after it has waited for room, and rings.
void submit(hsa_queue_t* queue, const void* packet);
/// A barrier packet with these signals; handle 0 = none.
hsa_barrier_and_packet_t barrier(hsa_signal_t dependency, hsa_signal_t completion);

hsa_signal_t signal(hsa_signal_value_t value);
hsa_queue_t* queue(hsa_agent_t agent, uint32_t packets,
                   void (*callback)(hsa_status_t, hsa_queue_t*, void*) = nullptr, void* data = nullptr);
/// Waits until the signal has the value, however long that takes: CTest ends what hangs.
void wait_for(hsa_signal_t signal, hsa_signal_value_t value);

}  // namespace heddle::stress
