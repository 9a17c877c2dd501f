// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pragma by which a kernel triggers a profile event (PRM 13.4.2.1.1, Runtime 3.5.5):
//
//   pragma "hsa.tools.profile.event.trigger", eventID {, value};
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "hsail/brig/operands.h"
#include "support/result.h"

namespace heddle::brig {

/// A value for a field of the metadata of an event.
struct EventValue {
  enum class Kind : uint8_t {
    number32,   ///< `operand` is a register or a constant
    number64,   ///< `operand` is a register, a constant or WAVESIZE
    string,     ///< `text`
    work_item,  ///< placeholder: the work-item flattened absolute ID
    queue,      ///< placeholder: the ID of the queue
    packet,     ///< placeholder: the packet ID
  };
  Kind kind = Kind::number64;
  Offset operand = 0;
  std::string_view text;  ///< in the module
};

struct EventTrigger {
  Offset event = 0;  ///< operand with the ID of the event: a d register, or a constant that has 64 bits
  std::vector<EventValue> values;
};

/// Reports whether an entry is a pragma that is to trigger an event. Names are those of PRM 13.4.2.1.1, of
/// its deprecated form, and of the examples in Runtime 3.5.5.
bool is_event_trigger(const Module& module, Offset entry);

/// Returns what such a pragma triggers, or why it triggers nothing: operands that it does not take, or values
/// of a type that no field of metadata has (Runtime 3.5.6.4).
Result<EventTrigger> event_trigger(const Module& module, Offset pragma);

/// Returns which placeholder this is, if it is one: an identifier (PRM 13.4.2.1.1), which nobody declares and
/// which BRIG therefore has as a string, or a name (Runtime 3.5.5).
std::optional<EventValue::Kind> event_placeholder(std::string_view text);

/// Reports whether a text is the identifier of a placeholder.
inline bool is_event_placeholder_identifier(std::string_view text) {
  return text.starts_with('&') && event_placeholder(text).has_value();
}

}  // namespace heddle::brig
