// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cpu/faulting_lanes.h"

#include <algorithm>
#include <bit>
#include <csignal>

namespace heddle::cpu {
namespace {

using codeobject::AccessedLanes;

constexpr uint64_t page_size = 4096;

/// Returns how many bytes behind the first one of an access the first one lies that faulted. The processor
/// reports an address in the page that is not accessible, which need not be that of an active element.
std::optional<uint64_t> faulting_offset(const Fault& fault, const VectorAccess& access) {
  const bool has_address = fault.code != SI_KERNEL;
  const uint64_t page = has_address ? fault.address / page_size * page_size : access.address;
  const uint64_t begin = page > access.address ? page - access.address : 0;
  if (begin >= access.bytes) return std::nullopt;
  if (!access.is_masked) return begin;
  for (uint64_t active = access.active; active != 0; active &= active - 1) {
    const uint64_t element = uint64_t{access.element_bytes} * static_cast<unsigned>(std::countr_zero(active));
    if (element + access.element_bytes > begin) return std::max(element, begin);
  }
  return std::nullopt;
}

std::optional<uint32_t> consecutive_lane(const Fault& fault, const AccessedLanes& lanes) {
  const VectorAccess& access = *fault.access;
  // The code generator accesses vectors that are longer than registers in several steps, which look alike.
  if (uint32_t{lanes.count} * lanes.lane_bytes > access.bytes) return std::nullopt;
  const auto offset = faulting_offset(fault, access);
  if (!offset || lanes.lane_bytes == 0) return std::nullopt;
  const auto distance = static_cast<uint32_t>(*offset / lanes.lane_bytes);
  if (distance >= lanes.count) return std::nullopt;
  return lanes.descending ? lanes.first - distance : lanes.first + distance;
}

std::optional<uint32_t> element_lane(const Fault& fault, const AccessedLanes& lanes) {
  if (fault.access->bytes != 0 || fault.access->active == 0) return std::nullopt;
  // The code generator makes several gathers, which look alike, of one with more elements than registers
  // have.
  if (fault.access->elements < lanes.count) return std::nullopt;
  // What comes before the element that faulted has been completed.
  const auto element = static_cast<uint32_t>(std::countr_zero(fault.access->active));
  return element < lanes.count ? std::optional(lanes.first + element) : std::nullopt;
}

}  // namespace

std::optional<LaneRange> faulting_lanes(const Fault& fault, const AccessedLanes& lanes) {
  const bool is_memory = fault.signal == SIGSEGV || fault.signal == SIGBUS;
  if (!is_memory || lanes.form == AccessedLanes::Form::unknown) return std::nullopt;
  if (lanes.count == 1) return LaneRange{lanes.first, 1};
  std::optional<uint32_t> lane;
  if (fault.access)
    lane = lanes.form == AccessedLanes::Form::elements ? element_lane(fault, lanes)
                                                       : consecutive_lane(fault, lanes);
  if (lane) return LaneRange{*lane, 1};
  return LaneRange{lanes.descending ? lanes.first + 1u - lanes.count : lanes.first, lanes.count};
}

}  // namespace heddle::cpu
