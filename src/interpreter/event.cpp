// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pragmas that trigger profile events (PRM 13.4.2.1.1). Each active work-item triggers an event of its own.
#include <deque>
#include <string>

#include "interpreter/machine.h"

namespace heddle::interpreter {
namespace {

using Kind = brig::EventValue::Kind;

EventValue evaluate(const Context& context, const EventSite::Value& value, std::deque<std::string>& strings) {
  switch (value.kind) {
    case Kind::number32:
      return {EventValue::Kind::number32, read_scalar(context, value.operand)};
    case Kind::number64:
      return {EventValue::Kind::number64, read_scalar(context, value.operand)};
    case Kind::string:
      return {EventValue::Kind::string,
              reinterpret_cast<uintptr_t>(strings.emplace_back(value.text).c_str())};
    case Kind::work_item:
      return {EventValue::Kind::number64, flat_absolute_id(context)};
    case Kind::queue:
      return {EventValue::Kind::queue_id, 0};
    case Kind::packet:
      return {EventValue::Kind::number64, context.group.dispatch->packet_id};
  }
  return {};
}

}  // namespace

void run_event(Context& context, const Op& op) {
  const Services& services = *context.group.services;
  if (services.event == nullptr) return;
  const EventSite& site = context.function->events[op.target];
  std::deque<std::string> strings;  // a deque does not move them
  std::vector<EventValue> values;
  values.reserve(site.values.size());
  for (const EventSite::Value& value : site.values) values.push_back(evaluate(context, value, strings));
  services.event(services.context, read_scalar(context, site.event), values);
}

}  // namespace heddle::interpreter
