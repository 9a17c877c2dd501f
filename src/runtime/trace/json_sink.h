// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>

#include "runtime/trace/sink.h"

namespace heddle::runtime::trace {

/// Writes the JSON array of Chrome's trace event format, which Perfetto, Chrome and `heddle trace --html`
/// read. Each event is one line.
class JsonSink final : public Sink {
 public:
  /// `process` is the process ID.
  explicit JsonSink(uint32_t process) : process_(process) {}

  void name_group(uint32_t agent, std::string_view name) override;
  void name_track(const Track& track, std::string_view name) override;
  void add(const Slice& slice) override;
  void add_counter(const Track& track, uint64_t time, uint64_t value) override;
  void end_batch() override {}
  std::string_view ending() const override;

 private:
  void begin_event(char phase, const Track& track, uint64_t time);
  void metadata(const char* what, uint64_t process, uint64_t thread, std::string_view name);
  void sort_index(const char* what, uint64_t process, uint64_t thread, uint64_t index);
  void add_flow(const Slice& slice, uint64_t flow);
  uint64_t process_of(uint32_t agent) const;
  uint64_t thread_of(const Track& track);

  const uint32_t process_;
  bool empty_ = true;
  std::map<Track, uint64_t> threads_;  ///< numbers of tracks that are no threads
};

}  // namespace heddle::runtime::trace
