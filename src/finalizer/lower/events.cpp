// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pragmas that trigger profile events (PRM 13.4.2.1.1) become one call each, with the values in memory.
#include "finalizer/lower/table.h"

namespace heddle::finalizer {
namespace {

using F = FunctionLowering;
using Kind = brig::EventValue::Kind;

/// A value as the target operation has it.
struct Passed {
  EventValueKind kind = EventValueKind::number64;
  llvm::Value* bits = nullptr;
};

/// A number of a pragma: a register, which is read as a whole, a constant, or WAVESIZE.
llvm::Value* number(F& f, brig::Offset operand) {
  const brig::Module& module = f.module();
  isa::Type type = HSA_BRIG_TYPE_U64;
  if (brig::is_register(module, operand)) {
    const unsigned bits = isa::register_bits(brig::register_of(module, operand).kind);
    type = bits == 1 ? HSA_BRIG_TYPE_B1 : bits == 32 ? HSA_BRIG_TYPE_B32 : HSA_BRIG_TYPE_B64;
  } else if (brig::is_constant_bytes(module, operand)) {
    type = brig::constant_type(module, operand);
  }
  return f.ir().CreateZExt(f.as_bits(f.source(operand, type)), f.ir().getInt64Ty());
}

Passed pass(F& f, const brig::EventValue& value) {
  switch (value.kind) {
    case Kind::number32:
      return {EventValueKind::number32, number(f, value.operand)};
    case Kind::number64:
      return {EventValueKind::number64, number(f, value.operand)};
    case Kind::string: {
      llvm::Value* text = f.ir().CreateGlobalString(llvm::StringRef(value.text.data(), value.text.size()));
      return {EventValueKind::string, f.ir().CreatePtrToInt(text, f.ir().getInt64Ty())};
    }
    case Kind::work_item:
      return {EventValueKind::number64, flat_absolute_id(f)};
    case Kind::queue:
      return {EventValueKind::queue_id, f.i64(0)};
    case Kind::packet:
      return {EventValueKind::number64, f.call(TargetOperation::packetid)};
  }
  llvm_unreachable("each kind has a case");
}

}  // namespace

void lower_event_trigger(FunctionLowering& f, const brig::EventTrigger& trigger) {
  auto& ir = f.ir();
  constexpr uint64_t word = 8, words = 2;
  const size_t count = trigger.values.size();
  llvm::Value* memory = f.create_alloca(word * words * std::max<size_t>(count, 1), word, "event");
  uint64_t at = 0;
  const auto store = [&](llvm::Value* bits) {
    ir.CreateStore(bits, ir.CreateGEP(ir.getInt8Ty(), memory, f.i64(at)));
    at += word;
  };
  for (const brig::EventValue& value : trigger.values) {
    const Passed passed = pass(f, value);
    store(f.i64(static_cast<uint64_t>(passed.kind)));
    store(passed.bits);
  }
  f.call(TargetOperation::event, {number(f, trigger.event), f.i32(static_cast<uint32_t>(count)), memory});
}

}  // namespace heddle::finalizer
