// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/target.h"

#include <array>

#include "finalizer/x86/compile.h"

namespace heddle::finalizer::x86 {
namespace {

/// An ISA of this target. Parts are as long as the vectors of f32 that the processor computes with.
struct Row {
  const char* name;
  Variant variant;
};
/// In the order in which agents list them (agents/common/description.cpp).
constexpr Row rows[] = {
    {"heddle:x86-64-v4:w16", {Level::v4, {16, 16}}}, {"heddle:x86-64-v3:w8", {Level::v3, {8, 8}}},
    {"heddle:x86-64-v3:w32", {Level::v3, {32, 8}}},  {"heddle:x86-64-v4:w32", {Level::v4, {32, 16}}},
    {"heddle:x86-64-v4:w4", {Level::v4, {4, 4}}},    {"heddle:x86-64-v4:w1", {Level::v4, {1, 1}}},
    {"heddle:x86-64-v3:w4", {Level::v3, {4, 4}}},    {"heddle:x86-64-v3:w1", {Level::v3, {1, 1}}},
    {"heddle:x86-64-v2:w1", {Level::v2, {1, 1}}},
};

class X86Target final : public SpmdTarget {
 public:
  X86Target() {
    for (uint32_t i = 0; i < isas_.size(); ++i)
      isas_[i] = {rows[i].name, rows[i].variant.wave.lanes, this, i};
  }

  std::span<const Isa> isas() const override { return isas_; }
  const TargetTraits& traits(const Isa& isa) const override { return x86::traits(isa.wavefront_size); }
  Result<void> generate(SpmdProgram spmd, const CompileRequest& request, codeobject::CodeObject& object,
                        Diagnostics& diagnostics) const override {
    return x86::compile(std::move(spmd), rows[request.isa.variant].variant, request, object, diagnostics);
  }

 private:
  std::array<Isa, std::size(rows)> isas_;
};

}  // namespace

const SpmdTarget& target() {
  static const X86Target target;
  return target;
}

}  // namespace heddle::finalizer::x86
