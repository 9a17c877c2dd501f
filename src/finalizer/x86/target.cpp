// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/target.h"

#include <array>

#include "finalizer/x86/compile.h"

namespace heddle::finalizer::x86 {
namespace {

class X86Target final : public SpmdTarget {
 public:
  std::span<const Isa> isas() const override { return isas_; }
  const TargetTraits& traits(const Isa&) const override { return x86::traits(); }
  Result<void> generate(SpmdProgram spmd, const CompileRequest& request,
                        codeobject::CodeObject& object) const override {
    return x86::compile(std::move(spmd), static_cast<Level>(request.isa.variant), request, object);
  }

 private:
  const std::array<Isa, 3> isas_ = {{{"heddle:x86-64-v4:w1", 1, this, static_cast<uint32_t>(Level::v4)},
                                     {"heddle:x86-64-v3:w1", 1, this, static_cast<uint32_t>(Level::v3)},
                                     {"heddle:x86-64-v2:w1", 1, this, static_cast<uint32_t>(Level::v2)}}};
};

}  // namespace

const SpmdTarget& target() {
  static const X86Target target;
  return target;
}

}  // namespace heddle::finalizer::x86
