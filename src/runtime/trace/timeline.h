// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns records of activities into the events of a trace: finds tracks, names and lanes, splits the life of a
// packet into its parts, and connects what belongs to a packet by arrows.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "runtime/trace/record.h"
#include "runtime/trace/sink.h"

namespace heddle::runtime::trace {

/// Not thread safe. Records come in batches, roughly by the time of their end.
class Timeline {
 public:
  /// `process` is the process ID. The sinks get all events; they outlive the object.
  Timeline(uint32_t process, std::vector<Sink*> sinks);

  /// Adds records to the trace, sorted by the time of their end. Throws std::bad_alloc.
  void add(std::span<const Record> records);

  /// The number of packets of which something is remembered, because more is to come.
  size_t awaited_packets() const;

 private:
  /// A packet between its submission and its end, by what has been seen of it.
  struct Packet {
    uint64_t submitted = 0;  ///< nanoseconds; 0 = not seen
    uint64_t taken = 0;
  };
  struct Queue {
    uint64_t rung = 0;    ///< the doorbell was rung for the packets before this one
    bool failed = false;  ///< the agent takes no more packets
    std::unordered_map<uint64_t, Packet> packets;
    /// Packets that ended before their doorbell was rung, because it had been rung for another one.
    std::unordered_set<uint64_t> ended_early;
  };

  void add(const Record& record);
  void add_call(const Record& record);
  void add_wait(const Record& record);
  void add_copy(const Record& record);
  void add_memory(const Record& record);
  void add_doorbell(const Record& record);
  void add_failure(const driver::Activity& activity);
  void add_packet(const Record& record);
  void add_dispatch(const Record& record);
  void add_barrier(const Record& record);
  void add_compute_unit(const Record& record);

  /// Adds the slice of a packet with its parts, and remembers what completes on its signal.
  void add_life(const Record& record, Slice life, std::string_view last_part);
  Track thread_track(uint32_t thread);
  Track lane_for(TrackKind kind, const Record& record, uint64_t number, std::string_view name, uint64_t begin,
                 uint64_t end);
  uint32_t group_of(const driver::Agent* agent);
  void name_host();
  void name_track(const Track& track, std::string_view name);
  std::string_view kernel_name(uint64_t kernel_object);
  std::string_view keep(std::string text);
  uint64_t flow_of(uint64_t queue, uint64_t packet) const;
  void emit(Slice slice) { slices_.push_back(std::move(slice)); }
  void flush();

  const uint32_t process_;
  const std::vector<Sink*> sinks_;
  std::vector<Slice> slices_;  ///< of the batch
  std::map<Track, std::string> named_;
  std::map<uint32_t, bool> groups_;
  /// When the last slice of each lane ends.
  std::map<Track, uint64_t> lane_ends_;
  std::unordered_map<uint64_t, std::string_view> kernels_;  ///< by kernel object
  std::map<std::string, bool, std::less<>> texts_;          ///< keeps texts of slices alive
  std::unordered_map<uint64_t, uint64_t> queue_of_doorbell_;
  std::unordered_map<uint64_t, Queue> queues_;  ///< by id
  /// What last completed on a signal, until a wait has seen it.
  struct Completion {
    uint64_t flow = 0, end = 0, queue = 0, packet = 0;
  };
  std::unordered_map<uint64_t, Completion> completions_;
  std::map<uint32_t, uint64_t> allocated_;  ///< bytes by region
};

}  // namespace heddle::runtime::trace
