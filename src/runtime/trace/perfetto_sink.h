// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <vector>

#include "runtime/trace/protobuf.h"
#include "runtime/trace/sink.h"

namespace heddle::runtime::trace {

/// Writes Perfetto's trace format: a sequence of packets with events on tracks. Files of several processes
/// may be joined to one by concatenation.
class PerfettoSink final : public Sink {
 public:
  /// `process` is the process ID.
  explicit PerfettoSink(uint32_t process) : process_(process) {}

  void name_group(uint32_t agent, std::string_view name) override;
  void name_track(const Track& track, std::string_view name) override;
  void add(const Slice& slice) override;
  void add_counter(const Track& track, uint64_t time, uint64_t value) override;
  void end_batch() override;
  std::string_view ending() const override { return {}; }

 private:
  void add_packet(Message packet);
  void add_descriptor(const Message& descriptor);
  void add_event(uint64_t time, const Message& event);
  void end_slices(const Track& track, std::vector<uint64_t>& ends, uint64_t time);
  uint64_t id_of_group(uint32_t agent) const;
  uint64_t id_of(const Track& track) const;

  const uint32_t process_;
  bool first_ = true;
  /// The ends of the slices of this batch that are open at the place that has been reached, outermost first.
  std::map<Track, std::vector<uint64_t>> open_;
};

}  // namespace heddle::runtime::trace
