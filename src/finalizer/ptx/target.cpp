// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/target.h"

#include <array>

#include "codeobject/ptx_kernel.h"
#include "finalizer/ptx/compile.h"
#include "finalizer/ptx/machine.h"

namespace heddle::finalizer::ptx {
namespace {

constexpr Architecture architectures[] = {
    {"heddle:nvptx-sm_120", "sm_120", "+ptx87", true}, {"heddle:nvptx-sm_100", "sm_100", "+ptx86", true},
    {"heddle:nvptx-sm_90", "sm_90", "+ptx78", true},   {"heddle:nvptx-sm_80", "sm_80", "+ptx77", false},
    {"heddle:nvptx-sm_70", "sm_70", "+ptx77", false},
};

class PtxTarget final : public SpmdTarget {
 public:
  PtxTarget() {
    for (uint32_t i = 0; i < isas_.size(); ++i) isas_[i] = {architectures[i].isa, ptx_kernel::lanes, this, i};
  }

  std::span<const Isa> isas() const override { return isas_; }
  const TargetTraits& traits(const Isa&) const override { return ptx::traits(); }
  Result<void> generate(SpmdProgram spmd, const CompileRequest& request, codeobject::CodeObject& object,
                        Diagnostics& diagnostics) const override {
    return ptx::compile(std::move(spmd), architectures[request.isa.variant], request, object, diagnostics);
  }

 private:
  std::array<Isa, std::size(architectures)> isas_;
};

}  // namespace

const SpmdTarget& target() {
  static const PtxTarget target;
  return target;
}

}  // namespace heddle::finalizer::ptx
