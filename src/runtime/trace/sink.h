// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The events of a trace, and what writes them in some format.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace heddle::runtime::trace {

/// What a track of the time line stands for.
enum class TrackKind : uint8_t { thread, queue, compute_unit, memory };

/// A track. Slices on one track are nested or apart; what overlaps is on several lanes.
struct Track {
  TrackKind kind = TrackKind::thread;
  uint32_t agent = 0;   ///< index of the agent plus 1; 0 = the host's threads and memory
  uint64_t number = 0;  ///< of the thread (of the system), queue, compute unit or region
  uint32_t lane = 0;

  auto order() const { return std::tie(agent, kind, number, lane); }
  bool operator<(const Track& other) const { return order() < other.order(); }
  bool operator==(const Track& other) const { return order() == other.order(); }
};

/// A value that is shown with an event.
struct Argument {
  enum class Type : uint8_t { number, signed_number, address, text };
  const char* name = nullptr;
  Type type = Type::number;
  uint64_t number = 0;
  std::string_view text;
};

/// How an event takes part in the arrows from the submission of a packet to its completion.
enum class FlowRole : uint8_t { start, step, end };

/// Something that takes time, or an instant (begin == end). Texts are UTF-8, and belong to the caller.
struct Slice {
  Track track;
  uint64_t begin = 0, end = 0;  ///< nanoseconds
  bool instant = false;
  const char* category = "";
  std::string_view name;
  std::array<Argument, 8> arguments = {};
  size_t argument_count = 0;
  FlowRole role = FlowRole::step;
  std::vector<uint64_t> flows;  ///< identifiers of arrows; most slices have none or one

  void add(const Argument& argument) {
    if (argument_count < arguments.size()) arguments[argument_count++] = argument;
  }
};

/// Writes events as bytes of a file format. Names are UTF-8. Not thread safe. All members throw
/// std::bad_alloc.
class Sink {
 public:
  virtual ~Sink() = default;

  /// Names the group of an agent's tracks, or of the host's (agent 0). Comes before its tracks.
  virtual void name_group(uint32_t agent, std::string_view name) = 0;
  /// Names a track. Comes before its events, and once.
  virtual void name_track(const Track& track, std::string_view name) = 0;
  /// The slices of a batch come ordered by track, begin, and end (later ones first).
  virtual void add(const Slice& slice) = 0;
  virtual void add_counter(const Track& track, uint64_t time, uint64_t value) = 0;
  virtual void end_batch() = 0;

  /// The bytes since the last take_bytes().
  std::string take_bytes() { return std::exchange(bytes_, {}); }
  /// What a file must have at its end to be complete; the next bytes replace it.
  virtual std::string_view ending() const = 0;

 protected:
  std::string bytes_;
};

}  // namespace heddle::runtime::trace
